/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What aisbx remembers: boxes, layers, snapshots, runs. The sole user of sqlite3.h. Rows only; the
 * directories they speak of are made before a row and removed after it, so a row never lies.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"

struct store;

#define STORE_ID_MAX   24
#define STORE_NAME_MAX 64

/* DIR is made if it is not there. */
int store_open(const char *dir, struct store **ret_store, struct aisbx_error *e);
void store_close(struct store *s);
static inline void drop_store(struct store **s)
{
	store_close(*s);
}

/* One writer at a time; a begun transaction that is not committed is undone by store_close. */
int store_begin(struct store *s, struct aisbx_error *e);
int store_commit(struct store *s, struct aisbx_error *e);
void store_rollback(struct store *s);

struct store_box {
	char id[STORE_ID_MAX];
	char name[STORE_NAME_MAX + 1];
	char top[STORE_ID_MAX];	  /* the layer that takes its changes */
	char profile[STORE_NAME_MAX + 1];
	char *project;		  /* owned; may be NULL */
	int64_t created_ms;	  /* wall clock, for people */
	int64_t expires_ms;	  /* 0: never */
	int64_t watermark_s, watermark_ns; /* a host file changed after this may differ from what was cloned */
	bool autosnap;
	int64_t snapshots; /* counted */
};

void store_box_finish(struct store_box *b);
int store_box_add(struct store *s, const struct store_box *b, struct aisbx_error *e);
/* By id or name. -ENOENT with a text that names near ones when there is none. */
int store_box_find(struct store *s, const char *key, struct store_box *ret_box, struct aisbx_error *e);
int store_box_list(struct store *s, struct store_box **ret_boxes, size_t *ret_n, struct aisbx_error *e);
int store_box_rename(struct store *s, const char *id, const char *name, struct aisbx_error *e);
int store_box_set_top(struct store *s, const char *id, const char *layer, struct aisbx_error *e);
int store_box_remove(struct store *s, const char *id, struct aisbx_error *e);

struct store_layer {
	char id[STORE_ID_MAX];
	char parent[STORE_ID_MAX]; /* "" for a first one */
	bool frozen;
};

int store_layer_add(struct store *s, const struct store_layer *l, struct aisbx_error *e);
int store_layer_freeze(struct store *s, const char *id, struct aisbx_error *e);
/* ID and all below it, newest first. */
int store_layer_chain(struct store *s, const char *id, struct store_layer **ret_chain, size_t *ret_n,
		      struct aisbx_error *e);
/* Every layer, sorted by id. */
int store_layer_list(struct store *s, struct store_layer **ret, size_t *ret_n, struct aisbx_error *e);
/* Deletes rows no box, snapshot or layer leads to any more, and returns their ids. */
int store_layer_collect(struct store *s, char (**ret_ids)[STORE_ID_MAX], size_t *ret_n, struct aisbx_error *e);
/* Whether the row is there. */
int store_layer_exists(struct store *s, const char *id, bool *ret_exists, struct aisbx_error *e);

struct store_snapshot {
	char id[STORE_ID_MAX];
	char box[STORE_ID_MAX];
	char name[STORE_NAME_MAX + 1];
	char layer[STORE_ID_MAX];
	int64_t created_ms;
	bool automatic;
};

int store_snapshot_add(struct store *s, const struct store_snapshot *snap, struct aisbx_error *e);
/* Of BOX (an id), by name or id. */
int store_snapshot_find(struct store *s, const char *box, const char *key, struct store_snapshot *ret,
			struct aisbx_error *e);
/* Of BOX, or of all when it is NULL; oldest first. */
int store_snapshot_list(struct store *s, const char *box, struct store_snapshot **ret, size_t *ret_n,
			struct aisbx_error *e);

struct store_run {
	char id[STORE_ID_MAX];
	char box[STORE_ID_MAX]; /* "" when it had none of its own */
	char status[16];
	char *command; /* owned where returned */
	char *result;  /* owned where returned; the JSON result without output; may be NULL */
	int64_t started_ms;
	int64_t exit_code; /* -1: none */
	double wall_ms;
};

/*
 * The hot path: one appended line, no database, no fsync. Readers move the lines into the database.
 * DIR is the store's directory; it need not be open.
 */
int store_run_note(const char *dir, const struct store_run *r, struct aisbx_error *e);

struct store_run_filter {
	const char *box;    /* id */
	const char *status;
	const char *match;  /* part of the command */
	int64_t since_ms;
	int64_t limit;
};

int store_run_list(struct store *s, const struct store_run_filter *f, struct store_run **ret, size_t *ret_n,
		   struct aisbx_error *e);
void store_run_list_finish(struct store_run *list, size_t n);

#endif
