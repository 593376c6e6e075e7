/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of texts that are kept with boxes in the state directory: one file for each box, replaced as a whole.
 * Only its user can read it. */
#ifndef BOX_LIST_FILE_H
#define BOX_LIST_FILE_H

#include "aisbx/error.h"
#include "base/str.h"

/* One kind of list. */
struct list_file {
	const char *place; /* its directory in the state directory */
	const char *what;  /* for errors: "the network rules" */
	size_t most;       /* bytes; more is nothing of ours */
};

/* Of the box ID, in the state directory DIR. An empty list is no file. */
int list_file_keep(const struct list_file *kind, const char *dir, const char *id,
		   const struct strlist *values, struct aisbx_error *e);
/* Adds them to RET; none if it has none. */
int list_file_read(const struct list_file *kind, const char *dir, const char *id, struct strlist *ret,
		   struct aisbx_error *e);
void list_file_drop(const struct list_file *kind, const char *dir, const char *id);

#endif
