/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The database of aisbx: boxes, layers, snapshots, runs, events. The only user of sqlite3.h. Rows only; their
 * directories are made before a row and removed after it, so a row is always valid.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/str.h"

struct buf;
struct store;

/* What a person does about a store that is missing, damaged or older than the layers beside it. */
#define STORE_REBUILD "'aisbx recover --rebuild' rebuilds the store from the files beside it"

#define STORE_ID_MAX     24
#define STORE_NAME_MAX   64
#define STORE_IDS_MAX    24
#define STORE_DIGEST_MAX 144 /* "sha256:..." or "sha512:..." */

/* Appends to OUT the stored form of TEXT. False: no memory. */
typedef bool store_scrub_fn(void *ctx, const char *text, size_t len, struct buf *out);
/* The filter for every text before it is stored, from now on. CTX is borrowed. */
void store_scrub_by(struct store *s, store_scrub_fn *fn, void *ctx);

/*
 * Checks that DIR, if it exists, belongs to this user alone, with everything in it; others cannot open it
 * from now on.
 */
int store_check_dir(const char *dir, struct aisbx_error *e);
/* Makes DIR and its missing parents. */
int store_make_dirs(const char *dir, struct aisbx_error *e);
/*
 * DIR is made if it does not exist. A store that is missing although there are boxes, or that has fewer
 * events than before, is not opened: -EUCLEAN.
 */
int store_open(const char *dir, struct store **ret_store, struct aisbx_error *e);
void store_close(struct store *s);
static inline void drop_store(struct store **s)
{
	store_close(*s);
}

/*
 * The same without opening the store: 0, or the problem, as far as it is visible at a glance. RET_FIRST:
 * there never was one; may be NULL.
 */
int store_look(const char *dir, bool *ret_first, struct aisbx_error *e);
/* Before an action that the store must record afterwards: whether it is writable. */
int store_try_write(struct store *s, struct aisbx_error *e);
/* The same without a transaction: -EROFS, the file is read-only. */
int store_check_writable(struct store *s, struct aisbx_error *e);
/* Whether the tables that decide what is removed are intact: -EUCLEAN. */
int store_check(struct store *s, struct aisbx_error *e);
/* Writes every manifest that differs from the rows. */
int store_manifests_renew(struct store *s, struct aisbx_error *e);

/* What the manifest of a layer says. */
struct store_told {
	bool named;      /* a box or an image has it on top, or a snapshot or template is it */
	bool only_image; /* of these, only an image */
	char parent[STORE_ID_MAX];
};

/* -EUCLEAN: it is not complete. */
int store_manifest_read(const char *path, struct store_told *ret);

/* One writer at a time; store_close rolls back a transaction that is not committed. */
int store_begin(struct store *s, struct aisbx_error *e);
int store_commit(struct store *s, struct aisbx_error *e);
void store_rollback(struct store *s);

/* Identifies a directory even after it was renamed. */
struct store_place {
	int64_t dev, ino;
	int64_t born; /* birth time, in nanoseconds since 1970; 0: not available */
};

struct store_box {
	char id[STORE_ID_MAX];
	char name[STORE_NAME_MAX + 1];
	char top[STORE_ID_MAX]; /* the layer that takes its changes */
	char profile[STORE_NAME_MAX + 1];
	char *project;            /* owned; may be NULL */
	struct store_place place; /* which directory that is; ino 0: not known */
	int64_t created_ms;       /* wall clock, for people */
	int64_t expires_ms;       /* 0: never */
	int64_t watermark_s,
		watermark_ns; /* a host file changed after this may differ from what was cloned */
	bool autosnap;
	int64_t snapshots;              /* counted */
	char owner[STORE_NAME_MAX + 1]; /* who made it; "": the person */
	bool shared;                    /* shared with others than the owner */
	char image[STORE_ID_MAX];       /* the image it stands on; "": this machine */
};

void store_box_finish(struct store_box *b);
int store_box_add(struct store *s, const struct store_box *b, struct aisbx_error *e);
/*
 * By id, by OWNER/NAME or by NAME: of the person's own, else if only one owner has one. -ENOENT if there is
 * none.
 */
int store_box_find(struct store *s, const char *key, struct store_box *ret_box, struct aisbx_error *e);
/*
 * The same for VIEWER, an owner, or NULL: the person. An owner finds its own boxes and shared ones; boxes of
 * others neither change the answer nor the time it takes.
 */
int store_box_find_for(struct store *s, const char *key, const char *viewer, struct store_box *ret_box,
		       struct aisbx_error *e);
/* -ENOENT: the message of store_box_find if there is none. */
int store_box_missing(const char *key, struct aisbx_error *e);
int store_box_list(struct store *s, struct store_box **ret_boxes, size_t *ret_n, struct aisbx_error *e);
/* Its project is there now. */
int store_box_move(struct store *s, const char *id, const char *project, const struct store_place *place,
		   struct aisbx_error *e);
int store_box_rename(struct store *s, const char *id, const char *name, struct aisbx_error *e);
/* It gets its NAME and does not expire. */
int store_box_settle(struct store *s, const char *id, const char *name, struct aisbx_error *e);
int store_box_set_expiry(struct store *s, const char *id, int64_t expires_ms, struct aisbx_error *e);
int store_box_set_top(struct store *s, const char *id, const char *layer, struct aisbx_error *e);
int store_box_remove(struct store *s, const char *id, struct aisbx_error *e);

/* Whether OWNER has a box of that name. */
int store_box_has_name(struct store *s, const char *owner, const char *name, bool *ret,
		       struct aisbx_error *e);

/* The box that OWNER's commands in a project are for. */
struct store_current {
	char box[STORE_ID_MAX];        /* id; "": there is none */
	char name[STORE_NAME_MAX + 1]; /* as it was when it was chosen */
};

/* Each knows the project by its path or its place; if both are known, and differ, the place counts. */
int store_current_set(struct store *s, const char *owner, const char *project,
		      const struct store_place *place, const char *box, const char *name, int64_t now_ms,
		      struct aisbx_error *e);
int store_current_find(struct store *s, const char *owner, const char *project,
		       const struct store_place *place, struct store_current *ret, struct aisbx_error *e);
int store_current_forget(struct store *s, const char *owner, const char *project,
			 const struct store_place *place, struct aisbx_error *e);

struct store_layer {
	char id[STORE_ID_MAX];
	char parent[STORE_ID_MAX]; /* "" for a first one */
	/* for a first one that a chain was merged into: the newest of it that still exists, or "" */
	char stands_for[STORE_ID_MAX];
	bool frozen;
};

int store_layer_add(struct store *s, const struct store_layer *l, struct aisbx_error *e);
int store_layer_freeze(struct store *s, const char *id, struct aisbx_error *e);
/* ID and all below it, newest first. */
int store_layer_chain(struct store *s, const char *id, struct store_layer **ret_chain, size_t *ret_n,
		      struct aisbx_error *e);
/* Every layer, sorted by id. */
int store_layer_list(struct store *s, struct store_layer **ret, size_t *ret_n, struct aisbx_error *e);
/* Deletes rows that no box, snapshot, image, template or layer needs any more, and returns their ids. */
int store_layer_collect(struct store *s, char (**ret_ids)[STORE_ID_MAX], size_t *ret_n,
			struct aisbx_error *e);
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

/* A root file system with settings, unpacked into layers. Everybody's: images have no owner. */
struct store_image {
	char id[STORE_ID_MAX];         /* "i-..." */
	char digest[STORE_DIGEST_MAX]; /* of its manifest */
	char ids[STORE_IDS_MAX]; /* "UID:GID": its layers are for subordinate ids from these on; "": not */
	char top[STORE_ID_MAX];  /* its newest layer, frozen; its chain is the image */
	int64_t size;            /* bytes of its blobs */
	int64_t created_ms;      /* when it was added here */
	char *config, *manifest; /* owned where returned; JSON, as it was fetched */
	char *source;            /* owned where returned; where it is from, for people; "": not known */
	struct strlist names;    /* owned where returned, sorted; not used by store_image_add */
};

void store_image_finish(struct store_image *i);
void store_image_list_finish(struct store_image *list, size_t n);
/* -EEXIST: there is one with this digest, for the same ids. TOP has a row, and is frozen. */
int store_image_add(struct store *s, const struct store_image *i, struct aisbx_error *e);
/*
 * By id, by a name exactly as it was set, by digest, or by the unique beginning of a digest (12 hexadecimal
 * digits or more, with or without "sha256:"). One for subordinate ids is found by its id only. -ENOENT: there
 * is none.
 */
int store_image_find(struct store *s, const char *key, struct store_image *ret, struct aisbx_error *e);
/* The same image as it is for IDS (as struct store_image has them). -ENOENT: it is not there. */
int store_image_find_for(struct store *s, const char *digest, const char *ids, struct store_image *ret,
			 struct aisbx_error *e);
/* Ids of images with this digest for whatever subordinate ids. */
int store_image_variants(struct store *s, const char *digest, struct strlist *ret, struct aisbx_error *e);
/* -ENOENT: what store_image_find says when there is none. */
int store_image_missing(const char *key, struct aisbx_error *e);
/* By name or source; without their configs and manifests, which are NULL. */
int store_image_list(struct store *s, struct store_image **ret, size_t *ret_n, struct aisbx_error *e);
/*
 * With its names. Its layers stay until store_layer_collect. Who stands on it (store_image_users) has to be
 * asked before, in the same transaction.
 */
int store_image_remove(struct store *s, const char *id, struct aisbx_error *e);
/* Adds what stands on the image: "box 'NAME'", "template 'NAME'"; at most LIMIT of them. *RET_N: how many. */
int store_image_users(struct store *s, const char *id, size_t limit, struct strlist *ret, size_t *ret_n,
		      struct aisbx_error *e);
/* NAME points to IMAGE (an id) from now on, and to no other. */
int store_image_name_set(struct store *s, const char *name, const char *image, struct aisbx_error *e);
/* -ENOENT: nothing has this name. The image stays. */
int store_image_name_remove(struct store *s, const char *name, struct aisbx_error *e);

/* A layer of images that is unpacked. */
struct store_image_layer {
	char chain[STORE_DIGEST_MAX]; /* its ChainID: what it is, with all below it */
	char layer[STORE_ID_MAX];
	int64_t files, bytes;
};

/* *RET_FOUND false: it is not unpacked here. */
int store_image_layer_find(struct store *s, const char *chain, struct store_image_layer *ret, bool *ret_found,
			   struct aisbx_error *e);
/* The row goes with the layer's. -EEXIST: there is one with this chain. */
int store_image_layer_add(struct store *s, const struct store_image_layer *l, struct aisbx_error *e);
/* All, sorted by layer. */
int store_image_layer_list(struct store *s, struct store_image_layer **ret, size_t *ret_n,
			   struct aisbx_error *e);

/* A prepared box under a name. */
struct store_template {
	char owner[STORE_NAME_MAX + 1]; /* "": the person */
	char name[STORE_NAME_MAX + 1];
	char layer[STORE_ID_MAX]; /* frozen; boxes are made on top of it */
	char image[STORE_ID_MAX]; /* that it stands on; "": this machine */
	char profile[STORE_NAME_MAX + 1];
	int64_t created_ms;
	char *project;       /* owned where returned; may be NULL */
	char *settings;      /* owned where returned; a JSON object, or "" */
	char *recipe, *lock; /* owned where returned; what it was built from; "": by hand */
};

void store_template_finish(struct store_template *t);
void store_template_list_finish(struct store_template *list, size_t n);
/* -EEXIST: OWNER has one of this name. */
int store_template_add(struct store *s, const struct store_template *t, struct aisbx_error *e);
/* Of OWNER, else the person's, which everybody may use. -ENOENT: there is none. */
int store_template_find(struct store *s, const char *owner, const char *name, struct store_template *ret,
			struct aisbx_error *e);
/* -ENOENT: what store_template_find says when there is none. */
int store_template_missing(const char *name, struct aisbx_error *e);
/* By name. OWNER: of that one and the person's; NULL: all. */
int store_template_list(struct store *s, const char *owner, struct store_template **ret, size_t *ret_n,
			struct aisbx_error *e);
/* Exactly OWNER's. -ENOENT: there is none. Its layer stays until store_layer_collect. */
int store_template_remove(struct store *s, const char *owner, const char *name, struct aisbx_error *e);

struct store_run {
	char id[STORE_ID_MAX];
	char box[STORE_ID_MAX]; /* "" when it had none of its own */
	char status[16];
	char *command; /* owned where returned */
	char *result;  /* owned where returned; the JSON result without output; may be NULL */
	char owner[STORE_NAME_MAX + 1]; /* who started it; "": the person */
	int64_t started_ms;
	int64_t exit_code; /* -1: none */
	double wall_ms;
};

/*
 * The hot path: one appended line, no database, no fsync. Readers import the lines into the database; so that
 * they do not pile up, a run that finds many does it, too. DIR is the store's directory; it need not be open.
 */
int store_run_note(const char *dir, const struct store_run *r, struct aisbx_error *e);
/* Imports the recorded runs into the database. */
int store_run_import(struct store *s, struct aisbx_error *e);

struct store_run_filter {
	const char *box; /* id */
	const char *status;
	const char *match; /* part of the command */
	const char *owner; /* only what this owner started; NULL: anybody */
	int64_t since_ms;
	int64_t limit;
	bool results; /* with their results; otherwise those are NULL */
};

/* Newest first: the order in which they ended. */
int store_run_list(struct store *s, const struct store_run_filter *f, struct store_run **ret, size_t *ret_n,
		   struct aisbx_error *e);
/* By id, or a unique prefix; with its result. */
int store_run_find(struct store *s, const char *key, struct store_run *ret, struct aisbx_error *e);
/* -ENOENT: what store_run_find says when there is none. */
int store_run_missing(const char *key, struct aisbx_error *e);
void store_run_finish(struct store_run *r);
void store_run_list_finish(struct store_run *list, size_t n);

/* Events, in one vocabulary. A row is written in the transaction that makes it true. */
struct store_event {
	int64_t seq;
	int64_t time_ms;
	char kind[32];                             /* "box.created" */
	char box[STORE_ID_MAX], run[STORE_ID_MAX]; /* "" where none */
	char *what;                                /* owned; a JSON object */
};

/* BOX and RUN may be NULL. FORMAT makes a JSON object; it escapes nothing: names and ids only. */
int store_event_add(struct store *s, const char *kind, const char *box, const char *run,
		    struct aisbx_error *e, const char *format, ...) __attribute__((format(printf, 6, 7)));

struct store_event_filter {
	const char *box;   /* id */
	const char *owner; /* only of boxes of this owner, or shared ones; NULL: all */
	int64_t since_ms;
	int64_t limit;
};

/* Newest first. */
int store_event_list(struct store *s, const struct store_event_filter *f, struct store_event **ret,
		     size_t *ret_n, struct aisbx_error *e);
void store_event_list_finish(struct store_event *list, size_t n);

/* What is recorded, as it is sent to others: from each source by number, which rises; rows never change. */
enum store_source { STORE_RUNS, STORE_EVENTS, STORE_APPROVALS, STORE_SOURCES };

struct store_history {
	int64_t number, time_ms;
	char kind[32];                             /* "run", "approval", or that of an event */
	char box[STORE_ID_MAX], run[STORE_ID_MAX]; /* "" where none */
	char owner[STORE_NAME_MAX + 1]; /* of an event, only as long as its box exists; "": the person */
	char *fixed; /* owned; what tells it from any other row of this number, in whatever copy of the store
		      */
	char *body;  /* owned; a JSON object */
};

/* At most LIMIT rows after number AFTER, oldest first. Runs that are not imported yet are not among them. */
int store_history_list(struct store *s, enum store_source source, int64_t after, int64_t limit,
		       struct store_history **ret, size_t *ret_n, struct aisbx_error *e);
void store_history_list_finish(struct store_history *list, size_t n);

/* From now on what is committed is durable, whatever happens to the machine. */
int store_sync(struct store *s, struct aisbx_error *e);
/*
 * What was committed is on disk when this returns. A commit whose own sync fails may or may not have
 * happened, so directories are made and removed by a commit without sync, followed by this.
 */
int store_flush(struct store *s, struct aisbx_error *e);

struct store_promotion {
	char id[STORE_ID_MAX];
	char box[STORE_ID_MAX];
	char box_name[STORE_NAME_MAX + 1];
	char *target;   /* owned where returned */
	char state[16]; /* "done", "undone", "dropped": the replaced files are gone */
	int64_t created_ms;
	int64_t changes;
	char owner[STORE_NAME_MAX + 1]; /* who may undo it; "": the person only */
};

void store_promotion_finish(struct store_promotion *p);
/* New, or with another state. */
int store_promotion_put(struct store *s, const struct store_promotion *p, struct aisbx_error *e);
/* ID NULL: the newest that is done. */
int store_promotion_find(struct store *s, const char *id, struct store_promotion *ret, struct aisbx_error *e);
/* -ENOENT: what store_promotion_find says when there is none. */
int store_promotion_missing(const char *id, struct aisbx_error *e);
int store_promotion_list(struct store *s, struct store_promotion **ret, size_t *ret_n, struct aisbx_error *e);

/* A file or directory of a box that outlives it. */
struct store_saved_artifact {
	char id[STORE_ID_MAX];
	char name[STORE_NAME_MAX + 1];
	char *note;                                           /* owned where returned; may be NULL */
	char box[STORE_ID_MAX], box_name[STORE_NAME_MAX + 1]; /* as it was then */
	char run[STORE_ID_MAX];                               /* the newest of the box then; "": none */
	char *path;                                           /* owned where returned; in the box */
	char type[16];                                        /* "file", "directory" */
	char sha256[65];                                      /* by which the content is found */
	int64_t size;                                         /* of what is stored */
	int64_t files;                                        /* files and links in it */
	char media[64];
	int64_t mode; /* permissions */
	int64_t created_ms;
	char owner[STORE_NAME_MAX + 1]; /* "": the person */
};

void store_saved_artifact_finish(struct store_saved_artifact *s);
void store_saved_artifact_list_finish(struct store_saved_artifact *list, size_t n);
int store_saved_artifact_add(struct store *s, const struct store_saved_artifact *a, struct aisbx_error *e);
/* By id, or the newest of that name. OWNER: only of that owner; NULL: any. */
int store_saved_artifact_find(struct store *s, const char *key, const char *owner,
			      struct store_saved_artifact *ret, struct aisbx_error *e);
/* Newest first. BOX: id or name; NULL: of all. */
int store_saved_artifact_list(struct store *s, const char *box, const char *owner,
			      struct store_saved_artifact **ret, size_t *ret_n, struct aisbx_error *e);
int store_saved_artifact_remove(struct store *s, const char *id, struct aisbx_error *e);
/* How many have that content. */
int store_saved_artifact_count(struct store *s, const char *sha256, int64_t *ret, struct aisbx_error *e);
/* Bytes of all contents. */
int store_saved_artifact_total(struct store *s, int64_t *ret, struct aisbx_error *e);

/* What a promotion copied to a place: it may be replaced by the next promotion of the same source. */
struct store_promoted_file {
	const char *path, *source, *promotion; /* borrowed */
	int64_t dev, ino, size, mtime_s, mtime_ns;
	bool is_dir; /* then it is known by its inode */
};

int store_promoted_file_put(struct store *s, const struct store_promoted_file *a, struct aisbx_error *e);
/* Which promotion put it there, if it is still the same file; "": none. */
int store_promoted_file_find(struct store *s, const struct store_promoted_file *a,
			     char ret_promotion[STORE_ID_MAX], struct aisbx_error *e);

/* One approach of an experiment. */
struct store_branch {
	char *name, *command;   /* owned where returned */
	char box[STORE_ID_MAX]; /* stays here after the box was removed */
	char state[16];
	char *result; /* owned where returned; JSON; "": not judged yet */
};

/* Boxes forked from one base, one approach each. */
struct store_experiment {
	char id[STORE_ID_MAX];
	char *name, *project;           /* owned where returned; name "": none */
	char owner[STORE_NAME_MAX + 1]; /* "": the person */
	char mode[8];
	char state[16];                /* "running" and "open" have not ended */
	int64_t winner;                /* from 1; 0: none */
	char *how;                     /* owned where returned; JSON: how it is judged */
	char *result;                  /* owned where returned; JSON; "": not ended */
	int64_t created_ms, ended_ms;  /* 0: not yet */
	struct store_branch *branches; /* owned where returned */
	size_t n_branches;
};

void store_experiment_finish(struct store_experiment *x);
void store_experiment_list_finish(struct store_experiment *list, size_t n);
int store_experiment_add(struct store *s, const struct store_experiment *x, struct aisbx_error *e);
/* By id, or a unique prefix; OWNER NULL: any. */
int store_experiment_find(struct store *s, const char *key, const char *owner, struct store_experiment *ret,
			  struct aisbx_error *e);
/* Newest first. OWNER NULL: anybody's; STATE NULL: any. */
int store_experiment_list(struct store *s, const char *owner, const char *state, int64_t limit,
			  struct store_experiment **ret, size_t *ret_n, struct aisbx_error *e);
/* Branch N, from 1, wins, unless another has won, or the experiment has ended: only one claim succeeds. */
int store_experiment_claim(struct store *s, const char *id, int64_t n, bool *ret_won, struct aisbx_error *e);
int store_branch_set(struct store *s, const char *id, int64_t n, const char *state, const char *result,
		     struct aisbx_error *e);
/* *RET_ENDED false: somebody else has ended it before. */
int store_experiment_end(struct store *s, const char *id, const char *state, const char *result,
			 int64_t ended_ms, bool *ret_ended, struct aisbx_error *e);

/* A goal, and the progress towards it. */
struct store_step {
	char *what;                 /* owned where returned */
	char state[16];             /* "pending", "running", "ok", "failed", "skipped" */
	char run[STORE_ID_MAX];     /* "" without one */
	char *note;                 /* owned where returned; why there was no run; "": nothing to say */
	int64_t exit_code;          /* -1: none */
	int64_t begun_ms, ended_ms; /* 0: not yet */
};

struct store_plan {
	char id[STORE_ID_MAX];
	char *goal;                     /* owned where returned */
	char box[STORE_ID_MAX];         /* "": none of its own */
	char *project;                  /* owned where returned */
	char owner[STORE_NAME_MAX + 1]; /* "": the person */
	int64_t created_ms;
	struct store_step *steps; /* owned where returned */
	size_t n_steps;
};

struct store_plan_filter {
	const char *owner; /* NULL: anybody's */
	const char *match; /* part of the goal or of a step */
	int64_t limit;
};

void store_plan_finish(struct store_plan *p);
void store_plan_list_finish(struct store_plan *list, size_t n);
int store_plan_add(struct store *s, const struct store_plan *p, struct aisbx_error *e);
/* By id, or a unique prefix; OWNER NULL: any. */
int store_plan_find(struct store *s, const char *key, const char *owner, struct store_plan *ret,
		    struct aisbx_error *e);
/* Newest first. */
int store_plan_list(struct store *s, const struct store_plan_filter *f, struct store_plan **ret,
		    size_t *ret_n, struct aisbx_error *e);
int store_plan_remove(struct store *s, const char *id, struct aisbx_error *e);
/* Step N, from 1, becomes TO (except for `what`) if it is FROM; so only one of several claims succeeds. */
int store_step_move(struct store *s, const char *plan, size_t n, const char *from,
		    const struct store_step *to, bool *ret_moved, struct aisbx_error *e);

/* A stage of a pipeline, as in flow/stage.h. */
struct store_stage {
	char *name; /* owned where returned */
	char state[16];
	char promotion[STORE_ID_MAX]; /* chosen before it is made; "": none */
	char *why;                    /* owned where returned; for people; "": nothing to say */
	char *detail; /* owned where returned; a JSON object: results of gates, what would change */
	int64_t begun_ms, ended_ms; /* 0: not yet */
};

/* A frozen change on its way through stages. */
struct store_pipeline {
	char id[STORE_ID_MAX];
	char box[STORE_ID_MAX], box_name[STORE_NAME_MAX + 1];
	char snapshot[STORE_ID_MAX];
	char *project;                  /* owned where returned */
	char *rules;                    /* owned where returned; the project's file as it was when it began */
	char owner[STORE_NAME_MAX + 1]; /* "": the person */
	bool yes;                       /* the person approved all stages before it started */
	char conflict[16];              /* what to do with files that changed on both sides */
	bool back;                      /* it is being undone, or was */
	int64_t created_ms;
	struct store_stage *stages; /* owned where returned */
	size_t n_stages;
};

/* A store that is rebuilt beside the old one. */
struct store_rebuild {
	struct store *store, *old; /* owned; the new one, in a transaction, and what is left of the old one */
	int dir;                   /* owned; locked */
	int64_t newest;            /* event that any manifest speaks of */
	/* an earlier rebuild was killed when it was complete: it is in place now, and nothing is left to do
	 */
	bool was_ready;
	bool damaged;        /* the old one could not be read completely */
	char aside[64];      /* what the old one is called now; "": there was none */
	struct strlist told; /* owned; what could not be recovered */
	/* that are back */
	size_t boxes, snapshots, promotions, artifacts, runs, images, templates;
	int (*make_layer)(void *ctx, char ret_id[STORE_ID_MAX],
			  struct aisbx_error *e); /* set by the caller: an empty one, on disk */
	void *make_ctx;
};

/* With what can still be read of the old one. */
int store_rebuild_begin(const char *dir, struct store_rebuild *ret, struct aisbx_error *e);
/* The layer is there, and may have a manifest. */
int store_rebuild_layer(struct store_rebuild *b, const char *id, const char *manifest, struct aisbx_error *e);
/* Rows of TABLES (ends with NULL) of a manifest, unless they exist. */
int store_rebuild_rows(struct store_rebuild *b, const char *manifest, const char *const *tables,
		       bool *ret_found, struct aisbx_error *e);
/* Combines everything and puts it in place. */
int store_rebuild_end(struct store_rebuild *b, struct aisbx_error *e);
void store_rebuild_finish(struct store_rebuild *b);

/* A person's decision on one stage with one snapshot. */
struct store_approval {
	char snapshot[STORE_ID_MAX];
	bool approved;
	int64_t uid;
	char name[STORE_NAME_MAX + 1];
	char way[16]; /* "approve", "terminal", "yes", "asked": through a protocol */
	char *note;   /* owned where returned */
	int64_t time_ms;
};

void store_pipeline_finish(struct store_pipeline *p);
void store_pipeline_list_finish(struct store_pipeline *list, size_t n);
void store_approval_finish(struct store_approval *a);
int store_pipeline_add(struct store *s, const struct store_pipeline *p, struct aisbx_error *e);
/* By id, or a unique prefix; OWNER NULL: any. */
int store_pipeline_find(struct store *s, const char *key, const char *owner, struct store_pipeline *ret,
			struct aisbx_error *e);
/* Newest first. PROJECT and OWNER NULL: any. */
int store_pipeline_list(struct store *s, const char *project, const char *owner, int64_t limit,
			struct store_pipeline **ret, size_t *ret_n, struct aisbx_error *e);
/* From now on it is undone. */
int store_pipeline_turn(struct store *s, const char *id, struct aisbx_error *e);
/* Stage N, from 0, becomes TO (except for its name) if it is FROM. */
int store_stage_move(struct store *s, const char *pipeline, size_t n, const char *from,
		     const struct store_stage *to, bool *ret_moved, struct aisbx_error *e);
int store_approval_add(struct store *s, const char *pipeline, size_t stage, const struct store_approval *a,
		       struct aisbx_error *e);
/* The last decision on that stage with that snapshot; -ENOENT leaves E unchanged. */
int store_approval_find(struct store *s, const char *pipeline, size_t stage, const char *snapshot,
			struct store_approval *ret, struct aisbx_error *e);

#endif
