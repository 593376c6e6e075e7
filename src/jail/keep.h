/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeping a command: starting it, reporting its end, ending all its processes. Pid 1 keeps the first command
 * of the box, a keeper each one that joined; both use this code, so both commands start the same way.
 */
#ifndef JAIL_KEEP_H
#define JAIL_KEEP_H

#include <stdint.h>
#include <sys/types.h>

#include "jail/jail.h"
#include "jail/wire.h"

struct keep {
	struct jail *j;
	bool started;                       /* it was told to go */
	pid_t command;                      /* 0: ended, or not started */
	int status;                         /* how */
	int signals;                        /* signalfd */
	bool ending;                        /* stopped processes were stopped by us */
	bool told;                          /* the supervisor knows its result */
	long long deadline;                 /* 0: none */
	uint64_t cpu_us, mem_peak;          /* of those reaped */
	pid_t keepers[JAIL_MAX_JOINED];     /* pid 1 only: processes outside the first command's family */
	long long overdue[JAIL_MAX_JOINED]; /* when a keeper has missed its deadline; 0: never */
	bool service[JAIL_MAX_JOINED];      /* it does not keep the box live */
	bool watcher[JAIL_MAX_JOINED];      /* nor is it waited for */
	size_t n_keepers, n_services, n_watchers; /* watchers count as services, too */
	bool empty; /* pid 1 only: only services are left, and the supervisor knows */
};

/*
 * The exit signal of a keeper: not SIGCHLD, so that a plain wait of pid 1 covers the first command's family
 * only.
 */
#define KEEPER_SIGNAL SIGUSR1

/* The supervisor ends a command at its deadline; this is the fallback if it cannot. */
#define KEEP_GRACE_MS 500
/* The fallback if a keeper cannot either: this long after a joined command's deadline the box ends. */
#define JOIN_OVERDUE_MS 7000

/* The same for services, which the supervisor ends after the last command. */
#define SERVICES_OVERDUE_MS 10000

long long keep_now_ms(void);
/* Reports what was verified. These end this process if they fail. */
void keep_report(struct keep *k, struct jail *j);
/* One message; a failure before the command was started is reported as an error. */
ssize_t keep_hear(const struct keep *k, struct jail_message *m, int fds[]);
/* Waits for the message; with its descriptors. */
struct jail_message keep_wait(const struct keep *k);
/* Starts the command. */
void keep_go(struct keep *k, const struct jail_message *m);
/* Reaps children. Sets command to 0 if the command itself was among them; -ECHILD: there are no children. */
int keep_reap(struct keep *k);
/* Signals the command's group. */
void keep_signal(const struct keep *k, int sig);
/* Signals all processes of the command. */
void keep_signal_family(const struct keep *k, int sig);
/* All processes of the command are gone when this returns; false: they could not be ended. */
bool keep_end_family(struct keep *k);
/* Reports what the box has written so far. */
void keep_say_measured(const struct keep *k);
/* Reports the end of the command. JOINED: others that still run. */
void keep_say_end(struct keep *k, uint32_t joined);

/* The descriptors with which the supervisor watches the box; it has its own copy of each. */
void jail_close_guards(struct jail *j);

/* join.c: pid 1 starts a keeper for a command that joins; takes FDS. */
void join_start(struct keep *k, const struct jail_message *m, int fds[]);

/* freeze.c: pid 1 stops all other processes. 0, or a negative errno and none is stopped. */
int freeze_box(void);
void thaw_box(void);
bool box_is_frozen(void);

#endif
