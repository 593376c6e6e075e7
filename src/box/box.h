/* SPDX-License-Identifier: Apache-2.0 */
/* A box as its callers see it: joins drivers, layers, policy and the store. */
#ifndef BOX_BOX_H
#define BOX_BOX_H

#include "driver/driver.h"
#include "jail/plan.h"
#include "store/store.h"

/* Everything a run needs, and the memory it stands on. */
struct box_request {
	struct driver_spec spec; /* borrows from the lists below */
	const char *driver;	 /* borrowed; NULL: native */
	const char *box;	 /* borrowed; name or id; NULL: one that goes with the run */
	char box_id[STORE_ID_MAX]; /* "" without one */
	struct driver_mount *mounts; /* owned */
	struct strlist kept, hides, set_env, argv;
};

void box_request_finish(struct box_request *req);

/* Runs a command in the box, or in one that lives as long as the command. */
int box_run(const struct box_request *req, struct driver_result *ret_result, struct aisbx_error *e);

/* Where boxes and history are kept: $XDG_STATE_HOME/aisbx or ~/.local/state/aisbx. Heap, or NULL with an error. */
char *box_state_dir(struct aisbx_error *e);

/* "PREFIX" and 16 hexadecimal digits nobody can guess. */
void box_new_id(const char *prefix, char ret_id[STORE_ID_MAX]);
int64_t box_now_ms(void);

/* The store of this user, open. */
struct box_shelf {
	char *dir;    /* owned; state directory */
	char *layers; /* owned; where layers lie */
	struct store *store;
};

int box_shelf_open(struct box_shelf *ret_shelf, struct aisbx_error *e);
void box_shelf_close(struct box_shelf *s);

/* Keeps everybody else from running in, or changing, the box while the descriptor is open. */
int box_lock(const struct box_shelf *s, const struct store_box *b, int *ret_fd, struct aisbx_error *e);

/* The box is gone: so is its lock. */
void box_drop_lock(const struct box_shelf *s, const struct store_box *b);

struct box_new {
	const char *name;    /* NULL: one is made up */
	const char *profile;
	const char *project; /* clean path, or NULL */
	uint64_t ttl_ms;     /* 0: for ever */
	bool autosnap;
};

int box_create(struct box_shelf *s, const struct box_new *how, struct store_box *ret_box, struct aisbx_error *e);
/* Freezes what BOX has; NAME may be NULL. With ONLY_CHANGED nothing happens, and ret->id is "", if nothing changed. */
int box_snapshot(struct box_shelf *s, const struct store_box *b, const char *name, bool automatic, bool only_changed,
		 struct store_snapshot *ret, struct aisbx_error *e);
int box_rollback(struct box_shelf *s, const struct store_box *b, const char *snapshot, struct aisbx_error *e);
/* N new boxes that start from SNAPSHOT of B, or from B as it is when SNAPSHOT is NULL: all of them or none. */
int box_fork(struct box_shelf *s, const struct store_box *b, const char *snapshot, const struct box_new *how, size_t n,
	     struct store_box *ret_boxes, struct aisbx_error *e);
/* Its row, snapshots and lock; its layers go with the next box_collect. */
int box_remove(struct box_shelf *s, const struct store_box *b, struct aisbx_error *e);
/* Removes layers nothing stands on any more; RET_N may be NULL. */
int box_collect(struct box_shelf *s, size_t *ret_n, struct aisbx_error *e);

struct box_gc_report {
	size_t expired, layers, leftovers;
};

/* Removes boxes past their time, layers nobody needs, and what a crash left behind. */
int box_gc(struct box_shelf *s, struct box_gc_report *ret, struct aisbx_error *e);

/* "NAME", "NAME@SNAPSHOT"; RET_SNAPSHOT is "" without one. */
int box_parse_point(const char *text, char ret_box[STORE_NAME_MAX + 1], char ret_snapshot[STORE_NAME_MAX + 1],
		    struct aisbx_error *e);
int box_check_name(const char *name, struct aisbx_error *e);

#endif
