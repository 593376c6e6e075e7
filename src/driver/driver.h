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
};

void driver_result_finish(struct driver_result *r);

struct driver {
	const char *name;
	int (*run)(const struct driver_spec *spec, struct driver_result *ret_result, struct aisbx_error *e);
};

extern const struct driver driver_native;

/* NULL when there is none of that name. */
const struct driver *driver_by_name(const char *name);

#endif
