/* SPDX-License-Identifier: Apache-2.0 */
/* One supervised run: starts the jail, moves its input and output, keeps its deadline, tells how it ended. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "run/cgroup.h"

/* What the command did that a wall refused, or that a decoy saw. */
enum run_trip_kind {
	RUN_TRIP_SYSCALL, /* number: the system call */
	RUN_TRIP_DECOY,   /* number: which watched operation of the plan, from 1 */
	RUN_TRIP_NET,     /* number: the system call; to: an address that no route of the box leads to */
};

/* Of the Internet. */
struct run_address {
	uint16_t family; /* AF_INET or AF_INET6 */
	uint16_t port;   /* as people write it */
	uint8_t bytes[16];
};

/* Whoever connects there means the machine it runs on. */
bool run_address_is_loopback(const struct run_address *a);

struct run_trip {
	enum run_trip_kind kind;
	int number;
	struct run_address to;
	int32_t pid;   /* as the supervisor sees it; of the first time; 0: not known */
	char comm[16]; /* "" when not known */
	uint64_t count;
};

/* Distinct trips kept; a hostile program may try thousands, and the rest is only counted. */
#define RUN_MAX_TRIPS 64
/* Of them addresses: a scan of a network shall not keep everything else from being told. */
#define RUN_MAX_NET_TRIPS 32

enum run_ready {
	RUN_READY_STARTED, /* its program runs */
	RUN_READY_PORT,    /* somebody in the box listens on `port` */
	RUN_READY_COMMAND, /* the command of `ready_plan_fd` exits with 0 */
};

enum run_restart { RUN_RESTART_NO, RUN_RESTART_ON_FAILURE, RUN_RESTART_ALWAYS };

#define RUN_MAX_SERVICES 32u
/* The name of a service's log beside that of its run; a pattern. */
#define RUN_SERVICE_LOG "service-%.48s.log"

/* A process that starts before the command and ends with it. */
struct run_service {
	const char *name;    /* borrowed */
	int plan_fd;         /* borrowed; sealed: command, environment, directory */
	const size_t *after; /* borrowed; indexes of those that must be ready before; no circles */
	size_t n_after;
	enum run_ready ready;
	uint16_t port;
	int ready_plan_fd;      /* borrowed */
	const char *ready_text; /* borrowed; what has to come true, for people */
	uint64_t ready_ms;      /* within so long */
	enum run_restart restart;
};

enum run_service_state {
	RUN_SERVICE_WAITING,    /* for others; was not started */
	RUN_SERVICE_STARTING,   /* was not ready yet */
	RUN_SERVICE_RUNNING,    /* ran until the end */
	RUN_SERVICE_RESTARTING, /* had ended and was to be started again */
	RUN_SERVICE_EXITED,     /* ended by itself, with 0 */
	RUN_SERVICE_FAILED,     /* ended otherwise, could not be started, or did not get ready */
};

/* How a service was at the end. */
struct run_service_end {
	char *name; /* owned */
	enum run_service_state state;
	const char *error; /* NULL, or what made it fail: "exec", "ended", "restarts", "timeout", "join" */
	unsigned int restarts;
	bool has_status;
	int status;       /* wait status of the last time it ended by itself */
	int64_t ready_us; /* from its start; -1: never */
	struct buf tail;  /* owned; the last of what it wrote */
};

/* An amount of disk. */
struct run_space {
	uint64_t bytes, inodes;
};

/* What a box keeps on a file system of the host, outside of its own tmpfs. */
struct run_disk {
	int dir;          /* borrowed; where it lies */
	uint32_t project; /* of a quota by which the file system itself refuses more, from `starting` on; 0:
			     none */
	/*
	 * Counts it: until UNTIL_US (-ETIME; 0: as long as it takes), no further than beyond MOST (NULL:
	 * all). OWN: may enter a user namespace to read what the box closed to its owner, else -EACCES.
	 * -ELOOP: it is nested too deep.
	 */
	int (*count)(const struct run_disk *disk, uint64_t until_us, bool own, const struct run_space *most,
		     struct run_space *ret);
};

enum run_end {
	RUN_EXITED,      /* status is a wait status */
	RUN_EXEC_FAILED, /* status is an errno; negative: of entering the directory */
	RUN_STOPPED,     /* a limit was used up; see `limit` */
	RUN_INTERRUPTED, /* a second signal to the supervisor killed the box, or the jail vanished */
	RUN_SERVICE,     /* a service failed before the command could start; `failure` says why */
};

struct run_outcome {
	enum run_end end;
	bool started; /* the command was; false when a deadline, a signal or a service's failure came first */
	int status;
	int interrupted_by; /* signal that was passed on to the command, 0 if none */
	uint32_t walls;     /* measured, WALL_BIT() */
	uint64_t caps;      /* measured */
	enum limit limit;   /* that stopped the command or refused what it needed; LIMIT_COUNT: none */
	uint64_t limit_used;
	uint64_t wall_us;
	struct run_usage usage;
	struct buf output[2]; /* owned; when kept */
	uint64_t dropped[2];
	int unread; /* errno: input or output could not be read to its end. Input that nobody can read is no
		       error in itself: nohup gives such */
	int unwritten[2]; /* errno: where the caller wants the output it could not be written; 0: it was */
	struct run_trip trips[RUN_MAX_TRIPS];
	size_t n_trips;
	uint64_t trips_not_kept;
	struct run_service_end *services; /* owned */
	size_t n_services;
	char *failure; /* owned */
};

void run_outcome_finish(struct run_outcome *o);

struct run;
struct run_spec;
struct plan_order;

/* Starts the jail on what can be done before there is a plan. SPEC must outlive the run. */
int run_begin(const struct run_spec *spec, const struct plan_order *order, struct run **ret_run,
	      struct aisbx_error *e);
/* Bits of the limits that the box's control group holds, and what kind of group it is; NULL:
 * there is none. */
uint32_t run_held(const struct run *run, const char **ret_method);
/* There will be no plan: takes the jail down again. */
void run_abandon(struct run *run);
/*
 * Hands over the sealed plan and stays until the end; frees RUN. An error means that no command was
 * started (e->text says which wall or step and why); then RET_OUTCOME is not touched.
 */
int run_supervise(struct run *run, int plan_fd, struct run_outcome *ret_outcome, struct aisbx_error *e);

/*
 * Runs a command in the box of another supervisor, to which LIVE_FD is connected. -ESTALE: that box ended
 * before the command could start. -EBUSY: its walls are not those of SPEC.
 */
int run_join(const struct run_spec *spec, const struct plan_order *order, int live_fd, int plan_fd,
	     struct run_outcome *ret_outcome, struct aisbx_error *e);
/* Stops every process of that box, until LIVE_FD is closed. */
int run_freeze(int live_fd, struct aisbx_error *e);
/* An error when it moves again: its end, or a deadline in it, does not wait for us. */
int run_is_frozen(int live_fd, struct aisbx_error *e);

/* What a run tells about itself. */
enum run_state {
	RUN_STARTING = 1,
	RUN_RUNNING,
	RUN_PAUSED,
	RUN_ENDING, /* the command has ended; others that joined its box go on */
};

struct run_status {
	int32_t pid;     /* of the supervisor */
	int32_t init;    /* pid 1 of the box as the supervisor sees it; 0: not there, or another run's */
	uint32_t state;  /* enum run_state */
	uint32_t joined; /* it runs in the box of another */
	uint64_t wall_us;
	uint64_t timeout_ms;    /* 0: none */
	uint64_t output[2];     /* bytes of stdout and stderr so far */
	uint64_t cut[2];        /* and of them not kept */
	struct run_usage usage; /* of the box; not of one that joined */
};

/*
 * Questions to a supervisor to which LIVE_FD is connected; one question per connection. -ESTALE: the run
 * ended. -EAGAIN: not now, try again. RET_ABOUT: heap.
 */
int run_ask_status(int live_fd, struct run_status *ret, char **ret_about, struct aisbx_error *e);
/* The same in two parts, for who asks many. */
int run_send_status(int live_fd, struct aisbx_error *e);
int run_hear_status(int live_fd, int patience_ms, struct run_status *ret, char **ret_about,
		    struct aisbx_error *e);
/* A descriptor of the supervisor's process, readable when that is gone. It lived when this returns. */
int run_ask_watch(int live_fd, int *ret_pidfd, struct run_status *ret, struct aisbx_error *e);
/* Passes SIG on to the command's group. */
int run_ask_signal(int live_fd, int sig, struct aisbx_error *e);
/* Ends the command with everything it started. */
int run_ask_end(int live_fd, struct aisbx_error *e);
/* Stops every process of the box, until resumed; deadlines hold. */
int run_ask_pause(int live_fd, bool on, struct aisbx_error *e);
/* The write end of the command's input; with CLOSE_IT the supervisor lets go of its own, and RET_FD is -1. */
int run_ask_input(int live_fd, bool close_it, int *ret_fd, struct aisbx_error *e);

#endif
