/* SPDX-License-Identifier: Apache-2.0 */
/* What the jail and its supervisor say to each other over the control socket, one struct per packet. */
#ifndef JAIL_WIRE_H
#define JAIL_WIRE_H

#include <stdint.h>

#include "jail/plan.h"

/* The descriptor the jail is started with, beside 0-2 which become the command's. */
#define JAIL_CONTROL_FD 3

enum jail_word {
	/* From the jail. */
	JAIL_BORN = 1,    /* value: pid of the box's pid 1, as the supervisor sees it */
	JAIL_FAILED,      /* step and error: no command was started */
	JAIL_READY,       /* walls, caps: as measured; carries descriptors, see enum jail_ready_fd */
	JAIL_EXEC_FAILED, /* value: errno of execve */
	JAIL_STOPPED,     /* the command was stopped by a signal */
	JAIL_EXITED,   /* value: wait status; disk, inodes, full, cpu_us, mem_peak; joined: that many commands
			  go on */
	JAIL_FROZEN,   /* value: 0, or the errno for which nothing is stopped (any more) */
	JAIL_MEASURED, /* disk, inodes: now */
	JAIL_STARTED,  /* the command's program runs; said where JAIL_GO asked for it */
	JAIL_EMPTY,    /* the last command is gone, only services are left; nobody can join any more */
	/* To the jail. */
	JAIL_ORDER, /* order: the first word; carries the doors to the box's control groups; value: 1 when the
		       first is for clone */
	JAIL_PLAN,  /* carries the sealed plan: the second word */
	JAIL_GO,    /* the answer to JAIL_READY: start the command; value: 1 to be told that it has */
	JAIL_SIGNAL,     /* value: signal for the command's process group */
	JAIL_SIGNAL_ALL, /* value: signal for every process of the box, or of a command that joined */
	JAIL_END,        /* end the command and all it started */
	JAIL_JOIN,       /* to pid 1, also before JAIL_GO: timeout_ms; value: enum jail_join_as; see enum
			    jail_join_fd */
	JAIL_FREEZE,     /* to pid 1: stop every process of the box */
	JAIL_THAW,       /* to pid 1: and let them go on */
	JAIL_MEASURE,    /* to pid 1: say JAIL_MEASURED */
};

/* Position of each descriptor that comes with JAIL_READY; those not wanted are left out of `fds`. */
enum jail_ready_fd {
	JAIL_FD_NOTIFY = 1 << 0, /* seccomp notifications */
	JAIL_FD_TTY = 1 << 1,    /* master side of the box's terminal */
	JAIL_FD_PROC = 1 << 2,   /* /proc of the box */
	JAIL_FD_STAGE = 1 << 3,  /* the tmpfs that holds what it writes */
	JAIL_FD_SYSV = 1 << 4,   /* its list of System V shared memory */
};

/* What joins. */
enum jail_join_as {
	JAIL_JOIN_COMMAND, /* the box stays while it runs */
	JAIL_JOIN_SERVICE, /* the box does not */
	JAIL_JOIN_WATCHER, /* nor does anybody wait for it to end */
};

/*
 * Descriptors of JAIL_JOIN, all of them. Who keeps the new command talks to whom it belongs to over the
 * first, in the same words as pid 1: JAIL_FAILED, JAIL_READY, JAIL_GO and so on.
 */
enum jail_join_fd {
	JAIL_JOIN_CONTROL,
	JAIL_JOIN_PLAN, /* sealed; only the command, its environment and its directory */
	JAIL_JOIN_STDIN,
	JAIL_JOIN_STDOUT,
	JAIL_JOIN_STDERR,
	JAIL_JOIN_FDS
};

/* Commands that can be in a box beside the first. */
#define JAIL_MAX_JOINED 256

struct jail_message {
	uint32_t word;
	int32_t value;
	uint32_t walls;
	uint32_t fds;    /* JAIL_FD_*, in that order; behind them the decoys, in the plan's order */
	uint32_t decoys; /* how many */
	uint32_t joined;
	uint32_t full; /* the box had no room for one more process */
	uint32_t pad;
	uint64_t caps;
	uint64_t disk, inodes;
	uint64_t cpu_us, mem_peak; /* of one command and what it started */
	uint64_t timeout_ms;       /* 0: none */
	struct plan_order order;
	char step[16];
	struct aisbx_error error;
};

#endif
