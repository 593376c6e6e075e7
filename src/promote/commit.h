/* SPDX-License-Identifier: Apache-2.0 */
/* A git commit made in a box, by the git of the box. */
#ifndef PROMOTE_COMMIT_H
#define PROMOTE_COMMIT_H

#include "base/buf.h"
#include "base/str.h"
#include "box/box.h"
#include "box/caller.h"

struct commit_request {
	const char *box;             /* borrowed, as all of these */
	const char *message;         /* what it says */
	const char *author;          /* "NAME <MAIL>"; NULL: as the caller's own git configuration says */
	bool staged;                 /* only what was added before */
	const struct strlist *paths; /* only these, below the project; none: all that changed */
};

struct commit_made {
	struct buf told;        /* owned; what is below lies in it */
	const char *id;         /* borrowed */
	const char *branch;     /* borrowed; "": none */
	char run[STORE_ID_MAX]; /* that made it */
	const char *files;      /* borrowed; see commit_next_file */
};

void commit_made_finish(struct commit_made *c);
int commit_make(const struct caller *by, const struct commit_request *req, struct commit_made *ret,
		struct aisbx_error *e);
/* The next file that it changes, from *AT on, which begins with NULL; false: there is none. CHANGE: added,
 * modified, deleted, type or changed. */
bool commit_next_file(const struct commit_made *c, const char **at, const char **ret_change,
		      const char **ret_path);

#endif
