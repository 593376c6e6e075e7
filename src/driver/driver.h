/* SPDX-License-Identifier: Apache-2.0 */
/* A driver turns a specification of a box into a running command behind walls. Native is the
 * only one so far. */
#ifndef DRIVER_DRIVER_H
#define DRIVER_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/str.h"
#include "policy/profile.h"
#include "run/redact.h"
#include "run/run.h"

/* A host path shown in the box. */
struct driver_mount {
	const char *host;  /* borrowed; clean */
	const char *guest; /* borrowed; clean */
	bool writable;     /* the host's own file, not a clone: changes are real */
};

/* A file that is made in the box before the command starts, and is nowhere else. */
struct driver_file {
	const char *guest; /* borrowed; clean */
	uint32_t mode;
	const void *data; /* borrowed */
	size_t len;
};

/*
 * Where the changes to a writable clone go. Appends paths as jail/plan.h describes for a clone's layers;
 * appends nothing for one whose changes go with the run.
 */
typedef int driver_layers_fn(void *ctx, const char *guest, struct buf *ret_paths, struct aisbx_error *e);

struct driver_spec {
	struct profile profile;        /* with the caller's changes already in it */
	const char *const *argv;       /* borrowed; NULL-terminated */
	const char *const *env;        /* borrowed; the caller's environment, filtered by the profile */
	const struct strlist *set_env; /* borrowed; "NAME=VALUE", set whatever the profile says */
	const struct strlist
		*drop_env; /* borrowed; NULL, or names of the caller's variables that are not passed on */
	const struct run_secret
		*secrets; /* borrowed; as files in PLAN_SECRETS, as variables; taken out of all output */
	size_t n_secrets;
	const char *project;               /* borrowed; clean: cloned writable. NULL: none */
	const char *project_copy;          /* borrowed; clean: what is cloned in its place. NULL: itself */
	const char *cwd;                   /* borrowed; clean */
	const struct driver_mount *mounts; /* borrowed */
	size_t n_mounts;
	const struct strlist *hides; /* borrowed; clean paths */
	const char *fresh;           /* borrowed; clean: an empty directory of the box's own. NULL: none */
	const struct driver_file *files; /* borrowed */
	size_t n_files;
	void (*leave)(void *ctx,
		      int tmp_fd);   /* NULL, or called when everybody in the box is gone, with its /tmp */
	void *leave_ctx;             /* borrowed */
	uint32_t without;            /* WALL_BIT() of walls a person gave up */
	driver_layers_fn *layers;    /* NULL: all changes go with the run */
	void (*starting)(void *ctx); /* NULL, or called just before the command starts */
	void *layers_ctx;            /* borrowed; of both */
	const char *layers_dir;      /* borrowed; what the paths of layers are below */
	int (*born)(void *ctx, int32_t pid,
		    struct aisbx_error *e);   /* as in struct run_request; of layers_ctx */
	const struct service_specs *services; /* borrowed; NULL: none. Who joins a live box starts none */
	const struct run_disk *disk;          /* borrowed; with layers: what counts them */
	bool tty;
	int stdin_fd;
	int out_fds[2];
	bool direct, watcher;        /* as in struct run_request */
	bool live;                   /* others may join: live_fd listens for them */
	int live_fd;                 /* borrowed */
	const struct run_face *face; /* borrowed; NULL: nobody but the caller sees the run */
	bool any_walls;              /* join: behind whatever walls the box has */
};

/* What a wall or a limit refused, in words. Owned strings. */
struct violation {
	const char *kind; /* "syscall", "decoy", "net", "limit" */
	char *what;
	char *by;    /* name of the program; NULL: not known */
	int32_t pid; /* as the host counts; 0: not known */
	char *rule;
	char *allow_with;
	uint64_t count;
};

struct driver_result {
	struct run_outcome outcome;
	struct violation *violations; /* owned */
	size_t n_violations;
	uint32_t missing;                 /* walls given up, as measured */
	uint64_t limits[LIMIT_COUNT];     /* that held; 0: none */
	const char *held_by[LIMIT_COUNT]; /* by what; NULL: known to who started the live box that the command
					     joined */
	struct aisbx_error after;         /* what failed behind the run; the run itself is as told */
};

void driver_result_finish(struct driver_result *r);

struct driver {
	const char *name;
	int (*run)(const struct driver_spec *spec, struct driver_result *ret_result, struct aisbx_error *e);
	/*
	 * Runs in a box that lives already, to whose supervisor LIVE_FD is connected. -ESTALE: it ended
	 * before the command could start. -EBUSY: its walls are not those of SPEC.
	 */
	int (*join)(const struct driver_spec *spec, int live_fd, struct driver_result *ret_result,
		    struct aisbx_error *e);
};

/* Stops every process of a live box until LIVE_FD, connected to its supervisor, is closed. */
int driver_freeze(int live_fd, struct aisbx_error *e);
/* An error when it moves again. */
int driver_is_frozen(int live_fd, struct aisbx_error *e);

extern const struct driver driver_native;

/* Takes away what a supervisor that was killed could not: its control groups. */
void driver_sweep(void);
/* NAME is what a control group of a box is called, and no supervisor of that box is there any more. */
bool driver_is_left(const char *name);

/* What is added to the ids of a box's files on disk: not 0 where boxes of root have ids of their own. */
uint32_t driver_id_shift(void);

/* Whether even a run whose changes go with it needs layers on disk for them: the tmpfs of this kernel will
 * not do. */
bool driver_needs_layers(void);

/* A sentence for a person if files in PROJECT are of a group that a box of this user does not know, and so
 * cannot be changed in it. */
bool driver_unknown_group(const char *project, char *ret, size_t cap);

/* NULL when there is none of that name. */
const struct driver *driver_by_name(const char *name);

#endif
