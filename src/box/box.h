/* SPDX-License-Identifier: Apache-2.0 */
/* A box as its callers see it: combines drivers, layers, policy and the store. */
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

/* Runs a command in the box, or in one that is removed after the command. */
int box_run(struct run_spec *spec, struct driver_result *ret_result, struct aisbx_error *e);

/* The state directory: $XDG_STATE_HOME/aisbx or ~/.local/state/aisbx. Heap, or NULL with an error. */
char *box_state_path(struct aisbx_error *e);
/* The same, after checking that it belongs to this user alone. */
char *box_state_dir(struct aisbx_error *e);

/* "PREFIX" and 16 random hexadecimal digits. */
void box_new_id(const char *prefix, char ret_id[STORE_ID_MAX]);
int64_t box_now_ms(void);

/* A promotion or undo that was interrupted, and its outcome. */
struct box_recovered {
	char id[STORE_ID_MAX];
	const char *action; /* "finished", "discarded", "taken back"; NULL: there was nothing */
};

/* The store of this user, open. */
struct box_state {
	char *dir;    /* owned; state directory */
	char *layers; /* owned; directory of the layers */
	struct store *store;
	struct keeper *keeper;          /* owned; removes secrets from what the store records */
	struct box_recovered recovered; /* when it was opened */
};

int box_state_open(struct box_state *ret_state, struct aisbx_error *e);
void box_state_close(struct box_state *s);
/* The services of a run; BOX NULL: a box that is removed after the run. No file: no services. */
int box_services(const struct run_spec *spec, struct box_state *state, const struct store_box *box,
		 struct project *ret_project, struct aisbx_error *e);

struct box_orphans;
struct box_gc_report;

/* What a room above does with every open state directory. It says so before main begins. */
struct box_attendant {
	void (*opened)(struct box_state *s); /* NULL: nothing */
	/* What nobody needs any more goes. */
	int (*collect)(struct box_state *s, struct box_orphans *lost, struct box_gc_report *ret,
		       struct aisbx_error *e);
	struct box_attendant *next; /* borrowed */
};
void box_attend(struct box_attendant *a);
extern struct box_attendant *box_attendants;

/*
 * Keeps all others from running in the box or changing it while the descriptor is open. Waits a short time
 * for a holder, but not for a run: -EBUSY.
 */
int box_lock(const struct box_state *s, const struct store_box *b, int *ret_fd, struct aisbx_error *e);

#define BOX_LOCK_MS 2000

/* The same without waiting; -EBUSY leaves E unchanged. */
int box_try_lock(const struct box_state *s, const struct store_box *b, int *ret_fd, struct aisbx_error *e);

/* Something may have changed in the box: updates the time of box_touched. */
void box_touch(const struct box_state *s, const struct store_box *b);
/* 0: never, or the box was removed. */
int64_t box_touched(const struct box_state *s, const struct store_box *b);

/* The box was removed: removes its lock and its socket. */
void box_drop_lock(const struct box_state *s, const struct store_box *b);

/* Removes locks of removed boxes; nobody may be making a box meanwhile. */
void box_drop_stray_locks(struct box_state *s);

/*
 * The socket where commands join a live box. Only for the holder of its lock; removes what a dead run left
 * there.
 */
int box_live_open(const struct box_state *s, const struct store_box *b, int *ret_fd, struct aisbx_error *e);
void box_live_close(const struct box_state *s, const struct store_box *b, int fd);
/* Connects to the supervisor of a live box; -ENOENT: it is not live, and E is unchanged. */
int box_live_connect(const struct box_state *s, const struct store_box *b, int *ret_fd,
		     struct aisbx_error *e);

struct box_new {
	const char *name; /* NULL: generated */
	bool scratch;     /* without a name: its id; nobody is to say it */
	const char *profile;
	const char *project; /* clean path, or NULL */
	uint64_t ttl_ms;     /* 0: for ever */
	bool autosnap;
	bool shared;       /* shared with other owners */
	const char *base;  /* NULL, or the layer that it stands on; frozen */
	bool base_is_new;  /* it has no row yet, and gets one with the box */
	const char *image; /* NULL, or the image that this layer is of; NULL: it stands on this machine */
	/* NULL, or the layer with a copy of the project (box/pin.h) that the box is based on */
	const char *pin;
	struct timespec pinned; /* with pin: when the copy was made */
	/* NULL, or whose changes of the project are in BASE: since when they are, and where */
	const struct store_box *since;
};

/*
 * Layers cannot be inside the tree that they are layers of: overlayfs refuses it, and a box would see its own
 * layers.
 */
int box_check_place(const char *state, const char *project, struct aisbx_error *e);
int box_chain_create(struct box_state *s, const struct box_new *how, struct store_box *ret_box,
		     struct aisbx_error *e);
/*
 * Takes a snapshot of BOX; NAME may be NULL. With ONLY_CHANGED nothing happens, and ret->id is "", if nothing
 * changed.
 */
int box_snapshot(struct box_state *s, const struct store_box *b, const char *name, bool automatic,
		 bool only_changed, struct store_snapshot *ret, struct aisbx_error *e);
/*
 * The same, always; the snapshot and later layers are based on the copy of the project in the layer PIN
 * (box/pin.h).
 */
int box_snapshot_on(struct box_state *s, const struct store_box *b, const char *name, const char *pin,
		    struct store_snapshot *ret, struct aisbx_error *e);
/* The same for a box that may be live, and that the caller has not locked. */
int box_snapshot_any(struct box_state *s, const struct store_box *b, const char *name,
		     struct store_snapshot *ret, struct aisbx_error *e);
/* Details of the event of a snapshot. */
#define BOX_EVENT_SNAPSHOT "{\"snapshot\":\"%s\",\"name\":\"%s\"}"
/* No entry in any tree of the top layer, and the project's own directory is as it was. */
int box_is_unchanged(struct box_state *s, const struct store_box *b, bool *ret, struct aisbx_error *e);
int box_chain_rollback(struct box_state *s, const struct store_box *b, const char *snapshot,
		       struct aisbx_error *e);
/*
 * N new boxes that start from SNAPSHOT of B, or from the current state of B if SNAPSHOT is NULL: all of them
 * or none.
 */
int box_chain_fork(struct box_state *s, const struct store_box *b, const char *snapshot,
		   const struct box_new *how, size_t n, struct store_box *ret_boxes, struct aisbx_error *e);
/* Removes its row, snapshots and lock; its layers are removed by the next box_collect. */
int box_chain_remove(struct box_state *s, const struct store_box *b, struct aisbx_error *e);
/*
 * A new empty layer that gets its row later, when it is filled: gc leaves it alone while the descriptor is
 * open, and removes it when that is closed and there is still no row.
 */
int box_reserve_layer(struct box_state *s, char ret_id[STORE_ID_MAX], int *ret_lock, struct aisbx_error *e);
/* A file in such a layer until it has its row: marks it as unfinished. */
#define BOX_DRAFT "draft"
int box_reserve_layer_as(struct box_state *s, const char *prefix, char ret_id[STORE_ID_MAX], int *ret_lock,
			 struct aisbx_error *e);
/*
 * How many of CHAIN, the N layers of a box, newest first, are the box's own: *N becomes that. Those of its
 * image are left alone, and may be many; RET_ON is the image's top, or "".
 */
int box_own_layers(struct box_state *s, const struct store_box *b, const struct store_layer *chain, size_t *n,
		   char ret_on[STORE_ID_MAX], struct aisbx_error *e);
/* Removes layers that nothing needs any more; RET_N may be NULL. */
int box_collect(struct box_state *s, size_t *ret_n, struct aisbx_error *e);

struct box_gc_report {
	size_t expired, layers, promotions, leftovers;
	size_t blobs;      /* of images; also what was left of a download */
	size_t unreadable; /* images of which nobody knows which blobs they need: these stay */
	uint64_t shared;   /* bytes of files that are one with equal ones now (box/share.h) */
	size_t aside;      /* moved to `lost` because there is no record */
	size_t forgotten;  /* batches in `lost` removed after a month */
};

/*
 * Removes expired boxes, unused layers, and what a crash left behind. What has no record is moved to `lost`.
 */
int box_gc(struct box_state *s, struct box_gc_report *ret, struct aisbx_error *e);

/* The longest name of a box: OWNER/NAME. */
#define BOX_KEY_MAX (2 * STORE_NAME_MAX + 1)
/* "BOX", "BOX@SNAPSHOT", where BOX is an id, a NAME or OWNER/NAME; RET_SNAPSHOT is "" without one. */
int box_parse_point(const char *text, char ret_box[BOX_KEY_MAX + 1], char ret_snapshot[STORE_NAME_MAX + 1],
		    struct aisbx_error *e);
int box_check_name(const char *name, struct aisbx_error *e);

#endif
