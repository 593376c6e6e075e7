/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes as callers request them, by name: made, forked, saved as a snapshot, rolled back, removed. */
#ifndef BOX_LIFECYCLE_H
#define BOX_LIFECYCLE_H

#include "box/drift.h"
#include "box/lookup.h"
#include "box/pin.h"
#include "box/project_secrets.h"

struct box_create_request {
	const char *name;               /* NULL: two words */
	bool scratch;                   /* nobody is to know it: without a name, its id */
	const char *project;            /* relative to the caller's directory; NULL: that directory */
	const char *profile;            /* name or file */
	const char *from;               /* NULL: this machine; or as box/from.h says */
	const char *ids;                /* of a box from an image: as box_ids_read takes it */
	bool project_given;             /* somebody asked for it; on an image there is none else */
	bool profile_given;             /* likewise; a fork keeps that of its box */
	const struct strlist *secrets;  /* NULL, or which its runs get, as secret/secret_spec.h has them */
	const struct strlist *net;      /* NULL, or what its runs may reach, as for --net */
	const struct strlist *env;      /* NULL, or NAME[=VALUE]: variables of its runs, box/variables.h */
	const struct strlist *metadata; /* NULL, or KEY=VALUE: what the caller notes of it */
	const char *const *caller_env;  /* where the value of a NAME alone is; NULL: nowhere */
	uint64_t ttl_ms;                /* 0: as in the profile */
	bool autosnap, shared, record;
	bool no_caches;      /* its runs do not see the caches of the home */
	bool pin;            /* use a copy of the project as it is now */
	struct pin_how tell; /* with pin: progress of the copy */
};

struct box_created {
	struct store_box box;
	struct pin_count pin; /* with pin */
	struct project_secret_files secret_files;
};

void box_created_finish(struct box_created *c);
/* CWD: the caller's directory. */
int box_create(const char *cwd, const struct box_create_request *req, struct box_created *ret,
	       struct aisbx_error *e);

struct box_fork_request {
	const char *from;           /* BOX[@SNAPSHOT] */
	const char *name;           /* NULL: that of the box with a number; of several: NAME-1, NAME-2, ... */
	bool scratch;               /* nobody is to know them: without a name, their ids */
	uint64_t count;             /* 0: one */
	uint64_t ttl_ms;            /* 0: for ever */
	struct drift_options drift; /* of what it comes from */
	bool shared;
	bool judged; /* what runs in them judges the box: they do without its variables */
};

struct box_forks {
	struct store_box *boxes; /* owned */
	size_t n;
	struct drift_report drift;
};

void box_forks_finish(struct box_forks *f);
/* All of them or none. */
int box_fork(const struct box_fork_request *req, struct box_forks *ret, struct aisbx_error *e);

struct box_snap_request {
	const char *box;
	const char *name;    /* NULL: its id */
	bool as_is;          /* even if the box was in use when the machine stopped */
	bool pin;            /* with a copy of the project as it is now */
	struct pin_how tell; /* with pin: progress of the copy */
};

struct box_snapped {
	struct store_snapshot snapshot;
	struct pin_count pin;      /* with pin */
	struct drift_report drift; /* with pin: what the box keeps of it */
};

void box_snapped_finish(struct box_snapped *s);
int box_snap(const struct box_snap_request *req, struct box_snapped *ret, struct aisbx_error *e);

struct box_rolled_back {
	char box[STORE_NAME_MAX + 1]; /* its name */
	struct drift_report drift;    /* since the snapshot */
};

void box_rolled_back_finish(struct box_rolled_back *b);
int box_rollback(const char *box, const char *snapshot, const struct drift_options *drift,
		 struct box_rolled_back *ret, struct aisbx_error *e);

/* The box that KEY names, if it is not in use: locked. */
int box_find_free(struct box_state *s, const char *key, int *ret_lock, struct store_box *ret,
		  struct aisbx_error *e);
/*
 * One after the other; stops at the first that cannot be removed. RET_REMOVED, also after an error: names of
 * the removed ones.
 */
int box_remove(const struct strlist *keys, struct strlist *ret_removed, struct aisbx_error *e);

/* A temporary fork of a box. */
struct box_scratch {
	char name[STORE_NAME_MAX + 1]; /* "": none */
};

/* Of BOX[@SNAPSHOT]. NAME NULL: its id. If its user dies, gc removes it after TTL_MS. */
int box_scratch_make(const char *from, const char *name, uint64_t ttl_ms, struct box_scratch *ret,
		     struct aisbx_error *e);
void box_scratch_drop(struct box_scratch *s);

#endif
