/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One supervised run: starts the jail, transfers its input and output, enforces its deadline, reports its
 * end.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "run/cgroup.h"

/* What the command tried and a wall refused, or a decoy that it opened. */
enum run_refusal_kind {
	RUN_REFUSAL_SYSCALL, /* number: the system call */
	RUN_REFUSAL_DECOY,   /* number: which watched operation of the plan, from 1 */
	RUN_REFUSAL_NET,     /* number: the system call; to: an address that the box has no route to */
};

/* Of the Internet. */
struct run_address {
	uint16_t family; /* AF_INET or AF_INET6 */
	uint16_t port;   /* as people write it */
	uint8_t bytes[16];
};

/* Connecting there means the machine itself. */
bool run_address_is_loopback(const struct run_address *a);

struct run_refusal {
	enum run_refusal_kind kind;
	int number;
	struct run_address to;
	int32_t pid;   /* as the supervisor sees it; of the first time; 0: not known */
	char comm[16]; /* "" when not known */
	uint64_t count;
};

/* Distinct ones that are stored; a hostile program may cause thousands, and the rest is only counted. */
#define RUN_MAX_REFUSALS 64
/* Maximum number of addresses among them: a network scan must not hide everything else. */
#define RUN_MAX_NET_REFUSALS 32

enum run_ready {
	RUN_READY_STARTED, /* its program runs */
	RUN_READY_PORT,    /* a process in the box listens on `port` */
	RUN_READY_COMMAND, /* the command of `ready_plan_fd` exits with 0 */
};

enum run_restart { RUN_RESTART_NO, RUN_RESTART_ON_FAILURE, RUN_RESTART_ALWAYS };

#define RUN_MAX_SERVICES 32u
/* The file name of a service's log; a pattern. */
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
	const char *ready_text; /* borrowed; the readiness condition, for people */
	uint64_t ready_ms;      /* within so long */
	enum run_restart restart;
};

enum run_service_state {
	RUN_SERVICE_WAITING,    /* waiting for others; was not started */
	RUN_SERVICE_STARTING,   /* was not ready yet */
	RUN_SERVICE_RUNNING,    /* ran until the end */
	RUN_SERVICE_RESTARTING, /* had ended and was to be restarted */
	RUN_SERVICE_EXITED,     /* ended by itself, with 0 */
	RUN_SERVICE_FAILED,     /* failed, could not be started, or did not become ready */
};

/* State of a service at the end. */
struct run_service_end {
	char *name; /* owned */
	enum run_service_state state;
	const char *error; /* NULL, or why it failed: "exec", "ended", "restarts", "timeout", "join" */
	unsigned int restarts;
	bool has_status;
	int status;       /* wait status of the last time it ended by itself */
	int64_t ready_us; /* from its start; -1: never */
	struct buf tail;  /* owned; last lines of its output */
};

/* What a box stores on a file system of the host, outside of its own tmpfs. */
struct run_disk {
	int dir;          /* borrowed; where it lies */
	uint32_t project; /* of a quota that the file system enforces, from `starting` on; 0: none */
	/*
	 * Measures it: until UNTIL_US (-ETIME; 0: no limit), only up to MOST (NULL: all). OWN: may enter a
	 * user namespace to read what the box made inaccessible to its owner, else -EACCES. -ELOOP: it is
	 * nested too deep.
	 */
	int (*count)(const struct run_disk *disk, uint64_t until_us, bool own, const struct run_space *most,
		     struct run_space *ret);
};

enum run_end {
	RUN_EXITED,      /* status is a wait status */
	RUN_EXEC_FAILED, /* status is an errno; negative: of entering the directory */
	RUN_STOPPED,     /* a limit was reached; see `limit` */
	RUN_INTERRUPTED, /* a second signal to the supervisor killed the box, or the jail died */
	RUN_SERVICE,     /* a service failed before the command could start; `failure` says why */
};

struct run_outcome {
	enum run_end end;
	/* the command was started; false if a deadline, a signal or a service's failure came first */
	bool started;
	int status;
	int interrupted_by; /* signal that was passed on to the command, 0 if none */
	uint32_t walls;     /* measured, WALL_BIT() */
	uint64_t caps;      /* measured */
	enum limit limit;   /* that ended the command or refused what it needed; LIMIT_COUNT: none */
	uint64_t limit_used;
	bool limit_unsure; /* nobody counted that it was reached; the command's last words say so */
	/* measured: what a command may have; 0: no limit */
	uint64_t files, files_soft, file_size;
	uint64_t wall_us;
	struct run_usage usage;
	struct buf output[2]; /* owned; when kept */
	uint64_t dropped[2];
	/* errno: input or output could not be read completely. Unreadable input is no error in itself: nohup
	 * provides such */
	int unread;
	int unwritten[2]; /* errno: the output could not be written to its destination; 0: it was */
	struct run_refusal refusals[RUN_MAX_REFUSALS];
	size_t n_refusals;
	uint64_t refusals_not_kept;
	struct run_service_end *services; /* owned */
	size_t n_services;
	char *failure;       /* owned */
	struct net_row *net; /* owned; what the box wanted of the network, see net/control.h */
	size_t n_net;
	uint64_t net_not_kept; /* rows beyond what is kept */
};

void run_outcome_finish(struct run_outcome *o);

struct run;
struct run_spec;
struct jail_plan_order;

/* Starts the jail on what can be done before there is a plan. SPEC must outlive the run. */
int run_begin(const struct run_spec *spec, const struct jail_plan_order *order, struct run **ret_run,
	      struct aisbx_error *e);
/* Bits of the limits that the box's control group enforces, and its kind; NULL: there is none. */
uint32_t run_held(const struct run *run, const char **ret_method);
/* The certificate of the box's own authority, as PEM; NULL: it has none. */
const char *run_authority(const struct run *run);
/* The socket of net:agent:ssh on the host; NULL: it has none. */
const char *run_agent(const struct run *run);
/* Whether a rule of SPEC is net:agent:ssh. */
bool run_wants_agent(const struct run_spec *spec);
/* There will be no plan: ends the jail. */
void run_abandon(struct run *run);
/*
 * Passes the sealed plan and waits for the end; frees RUN. An error means that no command was started
 * (e->text says which wall or step and why); then RET_OUTCOME is not changed.
 */
int run_supervise(struct run *run, int plan_fd, struct run_outcome *ret_outcome, struct aisbx_error *e);

/*
 * Runs a command in the box of another supervisor, to which LIVE_FD is connected. -ESTALE: that box ended
 * before the command could start. -EBUSY: its walls are not those of SPEC.
 */
int run_join(const struct run_spec *spec, const struct jail_plan_order *order, int live_fd, int plan_fd,
	     struct run_outcome *ret_outcome, struct aisbx_error *e);
/* Stops every process of that box, until LIVE_FD is closed. */
int run_freeze(int live_fd, struct aisbx_error *e);
/* An error if its processes run again: its end, or a deadline in it, does not wait for us. */
int run_is_frozen(int live_fd, struct aisbx_error *e);

/* What a run reports about itself. */
enum run_state {
	RUN_STARTING = 1,
	RUN_RUNNING,
	RUN_PAUSED,
	RUN_ENDING,  /* the command has ended; others that joined its box still run */
	RUN_WAITING, /* others are first, see run/turn.h */
};

struct run_status {
	int32_t pid;     /* of the supervisor */
	int32_t init;    /* pid 1 of the box as the supervisor sees it; 0: none, or another run's */
	uint32_t state;  /* enum run_state */
	uint32_t joined; /* it joined the box of another run */
	uint64_t wall_us;
	uint64_t timeout_ms;    /* 0: none */
	uint64_t output[2];     /* bytes of stdout and stderr so far */
	uint64_t cut[2];        /* and of these not stored */
	struct run_usage usage; /* of the box; not of one that joined */
};

/*
 * Requests to a supervisor to which LIVE_FD is connected; one request per connection. -ESTALE: the run ended.
 * -EAGAIN: try again. RET_ABOUT: heap.
 */
int run_ask_status(int live_fd, struct run_status *ret, char **ret_about, struct aisbx_error *e);
/* The same in two parts, for many requests. */
int run_send_status(int live_fd, struct aisbx_error *e);
int run_hear_status(int live_fd, int patience_ms, struct run_status *ret, char **ret_about,
		    struct aisbx_error *e);
/* A pidfd of the supervisor, readable when it is gone. It was alive when this returned. */
int run_ask_watch(int live_fd, int *ret_pidfd, struct run_status *ret, struct aisbx_error *e);
/* Sends SIG to the command's process group. */
int run_ask_signal(int live_fd, int sig, struct aisbx_error *e);
/* Ends the command with all its processes. */
int run_ask_end(int live_fd, struct aisbx_error *e);
/* Stops every process of the box, until resumed; deadlines still apply. */
int run_ask_pause(int live_fd, bool on, struct aisbx_error *e);
/* About the network of a live box. */
enum run_net_ask {
	RUN_NET_ALLOW = 1, /* TEXT: a rule to add */
	RUN_NET_DENY,      /* TEXT: a rule to take away; -ENOENT: it has no such rule */
	RUN_NET_PUBLISH,   /* TEXT: "HOSTPORT:PORT"; HOSTPORT 0: any free one. RET_TEXT: as it became */
	RUN_NET_LIST,      /* RET_TEXT: lines "rule TEXT" and "port HOSTPORT PORT" */
};
/* RET_TEXT: heap; may be NULL. */
int run_ask_net(int live_fd, enum run_net_ask what, const char *text, char **ret_text, struct aisbx_error *e);
/* The write end of the command's input; with CLOSE_IT the supervisor closes its own, and RET_FD is -1. */
int run_ask_input(int live_fd, bool close_it, int *ret_fd, struct aisbx_error *e);

#endif
