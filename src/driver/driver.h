/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver turns the specification of a run into a running command behind walls. Everything that other rooms
 * want of one goes through its table, by the functions below it.
 */
#ifndef DRIVER_DRIVER_H
#define DRIVER_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "policy/profile.h"
#include "run/run.h"
#include "run/spec.h"

/* What a wall or a limit refused, as text. Owned strings. */
struct violation {
	const char *kind; /* "syscall", "decoy", "net", "limit" */
	char *what;
	char *by;    /* name of the program; NULL: not known */
	int32_t pid; /* process id on the host; 0: not known */
	char *rule;
	char *allow_with;
	uint64_t count;
};

struct driver_result {
	const char *driver; /* borrowed; its name */
	char runtime[64];   /* what built the inner walls for it, with its version; "": the driver itself */
	/* borrowed; a wall that only this driver builds, such as a kernel of the box's own; NULL: none */
	const char *own_wall;
	struct run_outcome outcome;
	struct violation *violations; /* owned */
	size_t n_violations;
	uint32_t missing;             /* walls that were not there, as measured */
	uint64_t limits[LIMIT_COUNT]; /* that held; 0: none */
	/* by what; NULL: known to the process that started the live box */
	const char *held_by[LIMIT_COUNT];
	struct strlist devices; /* owned; what of /dev was shown beside what every box has */
	/* of the driver 'wasm' */
	bool has_fuel;
	uint64_t fuel; /* instructions that the program executed */
	char trap[32]; /* why it was stopped in the middle; "": it was not */
	char *failure; /* owned; why it could not be started; NULL: it was, or the outcome says why */
	/* what failed after the run; the result of the run itself is valid */
	struct aisbx_error after;
};

void driver_result_finish(struct driver_result *r);
/* The value of limit L that a program comes to. */
uint64_t driver_limit_met(const struct driver_result *r, enum limit l);

/* What a driver can do; what it cannot is refused before anything is started. */
enum driver_can {
	DRIVER_SNAPSHOTS = 1 << 0, /* changes go to layers on disk: for a box that stays */
	DRIVER_HIDES = 1 << 1,     /* a path of the host that is to be hidden cannot be seen in the box */
	DRIVER_SHARES = 1 << 2,    /* shows paths of the host, also writable ones */
	DRIVER_SERVES = 1 << 3,    /* runs services beside the command */
	DRIVER_RUNTIMES = 1 << 4,  /* its name may be followed by ":" and what builds the walls for it */
	DRIVER_NAMED = 1 << 5,     /* only a person may choose it, by its name, for one run */
	DRIVER_AHEAD = 1 << 6,     /* makes a box before it is asked for (run/ready_box.h) */
};

/* The limits of a process, whatever it is; and those of a WebAssembly program beside them. */
#define DRIVER_LIMITS (((1u << LIMIT_COUNT) - 1) & ~(1u << LIMIT_FUEL))

/* What this machine has for a driver. */
struct driver_here {
	bool needs_layers; /* even for a run whose changes go with it: nothing in memory will do */
};

/*
 * One row per driver. A function that is NULL is one that the driver has no use for: nothing to be looked at,
 * to be prepared or to be swept, the same ids as outside; what a caller cannot do without is refused with the
 * driver's name. All may be called in any process, in any order.
 */
struct driver {
	const char *name;
	uint32_t can;   /* enum driver_can */
	uint32_t walls; /* WALL_BIT() of those it builds; a run that asks for another is refused */
	/* of the walls that it does not build: those that who chooses it gives up by that, and is told of */
	uint32_t gives_up;
	uint32_t limits; /* bits of enum limit: those it holds; a run that asks for another is refused */

	/* Whether it works on this machine, and what it finds there. */
	int (*probe)(struct driver_here *ret, struct aisbx_error *e);
	/*
	 * Refuses whatever else of SPEC the driver cannot do, and settles what the profile leaves to the
	 * machine. limits.held is what the profile asks for when it is called. Starts nothing.
	 */
	int (*prepare)(struct run_spec *spec, struct aisbx_error *e);
	/*
	 * Runs it to its end. outcome.walls: those that were really there, none that was not measured. An
	 * error means that no command was started; then RET_RESULT is not touched.
	 */
	int (*run)(struct run_spec *spec, struct driver_result *ret_result, struct aisbx_error *e);
	/*
	 * Runs in a live box, to whose supervisor LIVE_FD is connected. -ESTALE: it ended before the command
	 * could start. -EBUSY: its walls are different from those of SPEC.
	 */
	int (*join)(struct run_spec *spec, int live_fd, struct driver_result *ret_result,
		    struct aisbx_error *e);
	/* Stops every process of a live box until LIVE_FD, connected to its supervisor, is closed. */
	int (*freeze)(int live_fd, struct aisbx_error *e);
	/* An error if its processes run again. */
	int (*is_frozen)(int live_fd, struct aisbx_error *e);
	/* How a live run is and what it has used; RET_ABOUT: what it is, heap. -ESTALE: it ended. */
	int (*usage)(int live_fd, struct run_status *ret, char **ret_about, struct aisbx_error *e);
	/* Takes away what a supervisor that was killed could not. */
	void (*sweep)(void);
	/* NAME is what the driver calls a control group of a box, and no supervisor of that box is there. */
	bool (*is_left)(const char *name);
	/* What is added to the ids of a box's files on disk. */
	uint32_t (*id_shift)(void);
	/* A sentence for a person if files in PROJECT are of a group that a box does not know. */
	bool (*unknown_group)(const char *project, char *ret, size_t cap);
	/* A sentence for a person if SPEC has no way to show an environment that is active outside. */
	bool (*hidden_environment)(const struct run_spec *spec, char *ret, size_t cap);
	/* A sentence for a person about what every box of this driver lacks. */
	bool (*weaker)(char *ret, size_t cap);
};

/* One per name in DRIVERS of policy/profile.h. */
#define DRIVER_DECLARE(name) extern const struct driver driver_##name;
DRIVERS(DRIVER_DECLARE)
#undef DRIVER_DECLARE

/* NULL if there is none of that name, or what follows the name is not its. */
const struct driver *driver_by_name(const char *name);
/* NAME (NULL: none is named) is a driver with DRIVER_NAMED. */
bool driver_is_for_persons(const char *name);
/* The one of SPEC: by option, of its profile, or the first. */
int driver_of(const struct run_spec *spec, const struct driver **ret_driver, struct aisbx_error *e);
/* The first: of boxes that stay, and of aisbx's own runs. */
const struct driver *driver_default(void);

/* Whether a box can have PROJECT (NULL: none) as its project. */
int driver_check_project(const char *project, struct aisbx_error *e);
/* Whether D can do what SPEC asks for: walls, limits, layers, paths, services. It never runs with less. */
int driver_check(const struct driver *d, const struct run_spec *spec, struct aisbx_error *e);

/* By the functions of the table; -EOPNOTSUPP, with the driver's name, when it has none for it. */
int driver_probe(const struct driver *d, struct driver_here *ret, struct aisbx_error *e);
int driver_run(const struct driver *d, struct run_spec *spec, struct driver_result *ret_result,
	       struct aisbx_error *e);
int driver_join(const struct driver *d, struct run_spec *spec, int live_fd, struct driver_result *ret_result,
		struct aisbx_error *e);
int driver_freeze(const struct driver *d, int live_fd, struct aisbx_error *e);
int driver_is_frozen(const struct driver *d, int live_fd, struct aisbx_error *e);
int driver_usage(const struct driver *d, int live_fd, struct run_status *ret, char **ret_about,
		 struct aisbx_error *e);
bool driver_hidden_environment(const struct driver *d, const struct run_spec *spec, char *ret, size_t cap);
bool driver_unknown_group(const struct driver *d, const char *project, char *ret, size_t cap);
bool driver_weaker(const struct driver *d, char *ret, size_t cap);

/* Of all drivers. */
void driver_sweep(void);
bool driver_is_left(const char *name);
/* Of boxes that stay: not 0 where boxes of root have ids of their own. */
uint32_t driver_id_shift(void);

/* Name and e-mail address that the person has for git, as a configuration; empty: none. (home.c) */
void home_git_identity(const char *home, struct buf *ret);

#endif
