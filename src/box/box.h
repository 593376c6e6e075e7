/* SPDX-License-Identifier: Apache-2.0 */
/* A box as its callers see it: joins drivers, layers, policy and the store. */
#ifndef BOX_BOX_H
#define BOX_BOX_H

#include <time.h>

#include "box/profiles.h"
#include "secret/secrets.h"
#include "driver/driver.h"
#include "jail/plan.h"
#include "project/project.h"
#include "run/spec.h"
#include "store/store.h"

/* Frees what box_spec_fill made; also of a spec that was filled by hand. */
void box_spec_finish(struct run_spec *spec);
/* Takes away what is there only while it runs: hooks into the layers, their count, services, the copy of the
 * project. */
void box_spec_clear(struct run_spec *spec);

/* Runs a command in the box, or in one that lives as long as the command. */
int box_run(struct run_spec *spec, struct driver_result *ret_result, struct aisbx_error *e);

/* Where boxes and history are kept: $XDG_STATE_HOME/aisbx or ~/.local/state/aisbx. Heap, or NULL with an
 * error. */
char *box_state_path(struct aisbx_error *e);
/* The same, and what is there is this user's alone. */
char *box_state_dir(struct aisbx_error *e);

/* "PREFIX" and 16 hexadecimal digits nobody can guess. */
void box_new_id(const char *prefix, char ret_id[STORE_ID_MAX]);
int64_t box_now_ms(void);

/* A promotion or undo that was cut off, and what was made of it. */
struct box_recovered {
	char id[STORE_ID_MAX];
	const char *action; /* "finished", "discarded", "taken back"; NULL: there was nothing */
};

/* The store of this user, open. */
struct box_shelf {
	char *dir;    /* owned; state directory */
	char *layers; /* owned; where layers lie */
	struct store *store;
	struct keeper *keeper;          /* owned; takes secrets out of what the store keeps */
	struct box_recovered recovered; /* when it was opened */
};

int box_shelf_open(struct box_shelf *ret_shelf, struct aisbx_error *e);
void box_shelf_close(struct box_shelf *s);
/* What runs beside the command; BOX NULL: one that lives as long as it. Without a file there is nothing. */
int box_services(const struct run_spec *spec, struct box_shelf *shelf, const struct store_box *box,
		 struct project *ret_project, struct aisbx_error *e);

struct box_lost;
struct box_gc_report;

/* What a room above does for every shelf. It says so before main begins. */
struct box_attendant {
	void (*opened)(struct box_shelf *s); /* NULL: nothing */
	/* What nobody needs any more goes. */
	int (*collect)(struct box_shelf *s, struct box_lost *lost, struct box_gc_report *ret,
		       struct aisbx_error *e);
	struct box_attendant *next; /* borrowed */
};
void box_attend(struct box_attendant *a);
extern struct box_attendant *box_attendants;

/*
 * Keeps everybody else from running in, or changing, the box while the descriptor is open. Waits a little for
 * who has it, but not for a run: -EBUSY.
 */
int box_lock(const struct box_shelf *s, const struct store_box *b, int *ret_fd, struct aisbx_error *e);

#define BOX_LOCK_MS 2000

/* The same without waiting; -EBUSY leaves E as it was. */
int box_try_lock(const struct box_shelf *s, const struct store_box *b, int *ret_fd, struct aisbx_error *e);

/* Something may have changed in it: box_touched tells another time from now on. */
void box_touch(const struct box_shelf *s, const struct store_box *b);
/* 0: never, or it is gone. */
int64_t box_touched(const struct box_shelf *s, const struct store_box *b);

/* The box is gone: so are its lock and its socket. */
void box_drop_lock(const struct box_shelf *s, const struct store_box *b);

/* Locks of boxes that are gone; nobody may be making a box meanwhile. */
void box_drop_stray_locks(struct box_shelf *s);

/* Where commands join a box while it lives. Only for who has its lock; what a dead run left there goes. */
int box_live_open(const struct box_shelf *s, const struct store_box *b, int *ret_fd, struct aisbx_error *e);
void box_live_close(const struct box_shelf *s, const struct store_box *b, int fd);
/* Connects to the supervisor of a live box; -ENOENT: it does not live, and E is as it was. */
int box_live_connect(const struct box_shelf *s, const struct store_box *b, int *ret_fd,
		     struct aisbx_error *e);

struct box_new {
	const char *name; /* NULL: one is made up */
	const char *profile;
	const char *project; /* clean path, or NULL */
	uint64_t ttl_ms;     /* 0: for ever */
	bool autosnap;
	bool shared;     /* not only for who makes it */
	const char *pin; /* NULL, or the layer that holds a copy of the project (box/pin.h): the box stands on
			    it */
	struct timespec pinned; /* then: when that was made */
};

/* No layers inside the tree they are layers of: overlayfs takes none, and a box would see its own insides. */
int box_check_place(const char *state, const char *project, struct aisbx_error *e);
int box_branch_create(struct box_shelf *s, const struct box_new *how, struct store_box *ret_box,
		      struct aisbx_error *e);
/* Freezes what BOX has; NAME may be NULL. With ONLY_CHANGED nothing happens, and ret->id is "", if nothing
 * changed. */
int box_snapshot(struct box_shelf *s, const struct store_box *b, const char *name, bool automatic,
		 bool only_changed, struct store_snapshot *ret, struct aisbx_error *e);
/* The same, always; the snapshot and what follows stand on the copy of the project in the layer PIN
 * (box/pin.h). */
int box_snapshot_on(struct box_shelf *s, const struct store_box *b, const char *name, const char *pin,
		    struct store_snapshot *ret, struct aisbx_error *e);
/* The same of a box that may be live, and that the caller has not locked. */
int box_snapshot_any(struct box_shelf *s, const struct store_box *b, const char *name,
		     struct store_snapshot *ret, struct aisbx_error *e);
/* What the event of a snapshot says. */
#define BOX_EVENT_SNAPSHOT "{\"snapshot\":\"%s\",\"name\":\"%s\"}"
int box_branch_rollback(struct box_shelf *s, const struct store_box *b, const char *snapshot,
			struct aisbx_error *e);
/* N new boxes that start from SNAPSHOT of B, or from B as it is when SNAPSHOT is NULL: all of
 * them or none. */
int box_branch_fork(struct box_shelf *s, const struct store_box *b, const char *snapshot,
		    const struct box_new *how, size_t n, struct store_box *ret_boxes, struct aisbx_error *e);
/* Its row, snapshots and lock; its layers go with the next box_collect. */
int box_branch_remove(struct box_shelf *s, const struct store_box *b, struct aisbx_error *e);
/*
 * A new empty layer that gets its row only later, when it is filled: gc leaves it alone while the descriptor
 * is open, and removes it when that is gone and there is still no row.
 */
int box_reserve_layer(struct box_shelf *s, char ret_id[STORE_ID_MAX], int *ret_lock, struct aisbx_error *e);
/* A file in such a layer until it has its row: it is nothing yet. */
#define BOX_DRAFT "draft"
int box_reserve_layer_as(struct box_shelf *s, const char *prefix, char ret_id[STORE_ID_MAX], int *ret_lock,
			 struct aisbx_error *e);
/* Removes layers nothing stands on any more; RET_N may be NULL. */
int box_collect(struct box_shelf *s, size_t *ret_n, struct aisbx_error *e);

struct box_gc_report {
	size_t expired, layers, promotions, leftovers;
	size_t aside;     /* put into `lost` because it has no record */
	size_t forgotten; /* batches of those removed, a month later */
};

/* Removes boxes past their time, layers nobody needs, and what a crash left behind. What has no record is put
 * aside. */
int box_gc(struct box_shelf *s, struct box_gc_report *ret, struct aisbx_error *e);

/* The longest that names a box: OWNER/NAME. */
#define BOX_KEY_MAX (2 * STORE_NAME_MAX + 1)
/* "BOX", "BOX@SNAPSHOT", where BOX is an id, a NAME or OWNER/NAME; RET_SNAPSHOT is "" without one. */
int box_parse_point(const char *text, char ret_box[BOX_KEY_MAX + 1], char ret_snapshot[STORE_NAME_MAX + 1],
		    struct aisbx_error *e);
int box_check_name(const char *name, struct aisbx_error *e);

#endif
