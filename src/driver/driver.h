/* SPDX-License-Identifier: Apache-2.0 */
/* A driver turns a specification of a box into a running command behind walls. Native is the only one so far. */
#ifndef DRIVER_DRIVER_H
#define DRIVER_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/str.h"
#include "policy/profile.h"
#include "run/run.h"

/* A host path shown in the box. */
struct driver_mount {
	const char *host;  /* borrowed; clean */
	const char *guest; /* borrowed; clean */
	bool writable;	   /* the host's own file, not a clone: changes are real */
};

/*
 * Where the changes to a writable clone go. Appends paths as jail/plan.h describes for a clone's layers;
 * appends nothing for one whose changes go with the run.
 */
typedef int driver_layers_fn(void *ctx, const char *guest, struct buf *ret_paths, struct aisbx_error *e);

struct driver_spec {
	struct profile profile;	  /* with the caller's changes already in it */
	const char *const *argv;  /* borrowed; NULL-terminated */
	const char *const *env;	  /* borrowed; the caller's environment, filtered by the profile */
	const struct strlist *set_env; /* borrowed; "NAME=VALUE", set whatever the profile says */
	const char *project;	  /* borrowed; clean: cloned writable. NULL: none */
	const char *cwd;	  /* borrowed; clean */
	const struct driver_mount *mounts; /* borrowed */
	size_t n_mounts;
	const struct strlist *hides; /* borrowed; clean paths */
	uint32_t without;	     /* WALL_BIT() of walls a person gave up */
	driver_layers_fn *layers; /* NULL: all changes go with the run */
	void *layers_ctx;	  /* borrowed */
	const char *layers_dir;	  /* borrowed; what the paths of layers are below */
	bool tty;
	int stdin_fd;
	int out_fds[2];
};

/* What a wall refused, in words. Owned strings. */
struct violation {
	const char *kind; /* "syscall", "decoy" */
	char *what;
	char *by; /* NULL: not known */
	char *rule;
	char *allow_with;
	uint64_t count;
};

struct driver_result {
	struct run_outcome outcome;
	struct violation *violations; /* owned */
	size_t n_violations;
	uint32_t missing; /* walls given up, as measured */
	struct aisbx_error after; /* what failed behind the run; the run itself is as told */
};

void driver_result_finish(struct driver_result *r);

struct driver {
	const char *name;
	int (*run)(const struct driver_spec *spec, struct driver_result *ret_result, struct aisbx_error *e);
};

extern const struct driver driver_native;

/* What is added to the ids of a box's files on disk: not 0 where boxes of root have ids of their own. */
uint32_t driver_id_shift(void);

/* NULL when there is none of that name. */
const struct driver *driver_by_name(const char *name);

#endif
