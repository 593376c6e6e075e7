/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeping a command: starting it, telling how it ends, ending all it started. Pid 1 keeps the first command
 * of the box, a keeper each one that joined; both by this code, so both commands start the same way.
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
	bool ending;                        /* who stops now was stopped by us */
	bool told;                          /* the supervisor knows how it ended */
	long long deadline;                 /* 0: none */
	uint64_t cpu_us, mem_peak;          /* of those reaped */
	pid_t keepers[JAIL_MAX_JOINED];     /* pid 1 only: who is not of the first command's family */
	long long overdue[JAIL_MAX_JOINED]; /* when a keeper has failed to keep its deadline; 0: never */
	bool service[JAIL_MAX_JOINED];      /* the box does not stay for its sake */
	bool watcher[JAIL_MAX_JOINED];      /* nor is it waited for */
	size_t n_keepers, n_services, n_watchers; /* watchers count as services, too */
	bool empty; /* pid 1 only: services alone are left, and the supervisor knows */
};

/* The end of a keeper: not SIGCHLD, so that a plain wait of pid 1 speaks of the first command's
 * family alone. */
#define KEEPER_SIGNAL SIGUSR1

/* The supervisor ends a command at its deadline; this is for when it cannot. */
#define KEEP_GRACE_MS 500
/* And this for when a keeper cannot either: so long after a joined command's deadline the box ends. */
#define JOIN_OVERDUE_MS 7000

/* And this for services, whom the supervisor ends when the last command is gone. */
#define SERVICES_OVERDUE_MS 10000

long long keep_now_ms(void);
/* Reports what was measured. These end this process if they fail. */
void keep_report(struct keep *k, struct jail *j);
/* One message; what fails before the command was started is an error to tell. */
ssize_t keep_hear(const struct keep *k, struct jail_message *m, int fds[]);
/* Waits for the word; what came with it. */
struct jail_message keep_wait(const struct keep *k);
/* Starts the command. */
void keep_go(struct keep *k, const struct jail_message *m);
/* Reaps children. Sets command to 0 when the command itself was among them; -ECHILD: there are
 * no children. */
int keep_reap(struct keep *k);
/* Signals the command's group. */
void keep_signal(const struct keep *k, int sig);
/* Signals everything the command started. */
void keep_signal_family(const struct keep *k, int sig);
/* Everything the command started is gone when this returns; false: it would not go. */
bool keep_end_family(struct keep *k);
/* Tells what the box has written so far. */
void keep_say_measured(const struct keep *k);
/* Tells how the command ended. JOINED: others that go on. */
void keep_say_end(struct keep *k, uint32_t joined);

/* What the supervisor guards the box with; it has its own of each. */
void jail_close_guards(struct jail *j);

/* join.c: pid 1 starts a keeper for a command that joins; takes FDS. */
void join_start(struct keep *k, const struct jail_message *m, int fds[]);

/* freeze.c: pid 1 stops the world, but for itself. 0, or a negative errno and nobody is stopped. */
int freeze_box(void);
void thaw_box(void);
bool box_is_frozen(void);

#endif
