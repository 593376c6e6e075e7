/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes as people ask for them: listed, shown, renamed, given another end, removed, tidied up. */
#ifndef BOX_SHOW_H
#define BOX_SHOW_H

#include "box/image_told.h"
#include "box/drift.h"
#include "box/moved.h"
#include "box/metadata.h"

/* A box, and whether its project is where it was. */
struct box_info {
	struct store_box box; /* owned */
	enum box_moved where;
	char *now;        /* owned; where a project that was moved is now; NULL: not known */
	json_t *metadata; /* owned; NULL: none */
};

struct box_infos {
	struct box_info *items; /* owned; oldest first */
	size_t n;
	size_t others; /* boxes of other projects */
};

void box_info_finish(struct box_info *i);
void box_infos_finish(struct box_infos *l);
/* Of PROJECT; NULL: of all. METADATA: only those that have all of it, box/metadata.h. */
int box_ls(const char *project, const struct strlist *metadata, struct box_infos *ret, struct aisbx_error *e);

struct box_show_request {
	const char *box;            /* borrowed, as all of these */
	const char *cwd;            /* NULL: nowhere; a project that was moved is looked for there, too */
	bool stale;                 /* look for what was changed outside since it was made */
	struct drift_options drift; /* how long to look for drift */
};

struct box_shown {
	struct box_info info;
	struct store_snapshot *snapshots; /* owned */
	size_t n_snapshots;
	int64_t pinned_ms; /* 0: it is not pinned */
	bool torn;
	struct drift_report drift;
	struct strlist stale;     /* paths below the project */
	struct strlist variables; /* names of those that its commands get */
	struct image_told policy; /* of the image that it stands on */
};

void box_shown_finish(struct box_shown *s);
int box_show(const struct box_show_request *req, struct box_shown *ret, struct aisbx_error *e);

struct box_rename_request {
	const char *box;     /* borrowed, as all of these */
	const char *name;    /* NULL: as it is */
	const char *project; /* where its project is now, relative to CWD; NULL: where it was */
	const char *cwd;
};

/* RET tells no more than the box. It is finished by the caller, also after an error. */
int box_rename(const struct box_rename_request *req, struct box_info *ret, struct aisbx_error *e);
/* TTL_MS: from now on; 0: it has no end. */
int box_renew(const char *box, uint64_t ttl_ms, struct box_info *ret, struct aisbx_error *e);

/* All are found, and free, before the first goes: a typo removes nothing. Interpreters of contexts end with
 * their boxes; END: whatever runs in them does. */
int box_rm(const struct strlist *keys, bool end, struct strlist *ret_removed, struct aisbx_error *e);

struct box_tidied {
	struct box_gc_report boxes;
	size_t logs; /* of detached runs */
};

/* gc, of boxes and runs. SHARE: equal files of frozen layers become one (box/share.h). */
int box_tidy(bool share, struct box_tidied *ret, struct aisbx_error *e);

/* tree.c: what stands on what. */
struct box_tree_snapshot {
	struct store_snapshot snapshot;
	char parent[STORE_ID_MAX]; /* the snapshot before it; "": the machine as it is */
};

struct box_tree_box {
	struct store_box box;  /* owned */
	char on[STORE_ID_MAX]; /* the snapshot it goes on from; "": the machine as it is */
};

struct box_tree {
	struct box_tree_box *boxes; /* owned */
	size_t n_boxes;
	struct box_tree_snapshot *snapshots; /* owned */
	size_t n_snapshots;
	size_t others; /* boxes of other projects */
};

void box_tree_finish(struct box_tree *t);
/* Of PROJECT; NULL: of all. */
int box_tree(const char *project, struct box_tree *ret, struct aisbx_error *e);

#endif
