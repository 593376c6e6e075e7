/* SPDX-License-Identifier: Apache-2.0 */
/* How one path differs between two points: the host, or the host under a chain of layers. */
#ifndef LAYER_CHANGE_H
#define LAYER_CHANGE_H

#include <stddef.h>
#include <sys/types.h>

#include "aisbx/error.h"

/* One list for diff, merge, promotion and their tests. */
#define CHANGE_KINDS(X)                                                                                      \
	X(CREATE, "created")                                                                                 \
	X(MODIFY, "modified")                                                                                \
	X(DELETE, "deleted")                                                                                 \
	X(REPLACE, "replaced")                                                                               \
	X(MODE, "mode")

enum change_kind {
#define X(id, name) CHANGE_##id,
	CHANGE_KINDS(X)
#undef X
		CHANGE_KIND_COUNT
};

const char *change_kind_name(enum change_kind kind);
/* "file", "directory", "symlink", "fifo", "socket", "device" */
const char *change_type_name(mode_t mode);

struct change {
	enum change_kind kind;
	char *path; /* owned; relative to the tree */
	mode_t old_mode, new_mode; /* with type; 0 where there is none */
	off_t old_size, new_size;
	char *old_file, *new_file; /* owned; where the content lies on disk now; NULL where there is none */
};

/* A point: what lies on HOST. No layers: the host itself. */
struct view {
	const char *host;	/* borrowed; absolute */
	const char *const *ups; /* borrowed; directories of changes, oldest first */
	size_t n_ups;
};

struct change_list {
	struct change *items; /* owned; sorted by path */
	size_t n;
};

void change_list_finish(struct change_list *l);

/* What must be done to A to make it B. Costs by what the layers hold, not by what the host holds. */
int change_list_read(const struct view *a, const struct view *b, struct change_list *ret, struct aisbx_error *e);

#endif
