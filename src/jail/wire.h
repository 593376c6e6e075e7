/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between the jail and its supervisor over the control socket, one struct per packet. */
#ifndef JAIL_WIRE_H
#define JAIL_WIRE_H

#include <stdint.h>

#include "jail/plan.h"

/* The descriptor with which the jail is started, besides 0-2, which become the command's. */
#define JAIL_CONTROL_FD 3

enum jail_word {
	/* From the jail. */
	JAIL_BORN = 1, /* value: pid of the box's pid 1, as the supervisor sees it */
	JAIL_FAILED,   /* step and error: no command was started */
	/* walls, caps: as verified; cpu_us: what a runtime used; carries descriptors, see enum jail_ready_fd
	 */
	JAIL_READY,
	JAIL_EXEC_FAILED, /* value: errno of execve */
	JAIL_STOPPED,     /* the command was stopped by a signal */
	/* value: wait status; disk, inodes, full, cpu_us, mem_peak; joined: number of commands that still run
	 */
	JAIL_EXITED,
	JAIL_FROZEN,     /* value: 0, or the errno why nothing is stopped (any more) */
	JAIL_MEASURED,   /* disk, inodes: now */
	JAIL_STARTED,    /* the command's program runs; sent if JAIL_GO asked for it */
	JAIL_NAMESPACES, /* value: 0, or an errno; carries the box's user and network namespace */
	JAIL_EMPTY,      /* the last command is gone, only services are left; nobody can join any more */
	/* To the jail. */
	/* order: the first message; carries the descriptors of the box's control groups; value: 1 if the
	   first is for clone */
	JAIL_ORDER,
	JAIL_PLAN, /* carries the sealed plan: the second message */
	/* the answer to JAIL_READY: start the command; value: 1 to be told that it has started */
	JAIL_GO,
	JAIL_SIGNAL,     /* value: signal for the command's process group */
	JAIL_SIGNAL_ALL, /* value: signal for every process of the box, or of a command that joined */
	JAIL_END,        /* end the command and all its processes */
	JAIL_JOIN,       /* to pid 1, also before JAIL_GO: timeout_ms; value: enum jail_join_as; see enum
			    jail_join_fd */
	JAIL_FREEZE,     /* to pid 1: stop every process of the box */
	JAIL_THAW,       /* to pid 1: resume them */
	JAIL_MEASURE,    /* to pid 1: send JAIL_MEASURED */
	JAIL_SHOW,       /* to pid 1: send JAIL_NAMESPACES */
};

/* Position of each descriptor of JAIL_READY; those not wanted are left out of `fds`. */
enum jail_ready_fd {
	JAIL_FD_NOTIFY = 1 << 0,  /* seccomp notifications */
	JAIL_FD_TTY = 1 << 1,     /* master side of the box's terminal */
	JAIL_FD_PROC = 1 << 2,    /* /proc of the box */
	JAIL_FD_STAGING = 1 << 3, /* the tmpfs that holds what it writes */
	JAIL_FD_SYSV = 1 << 4,    /* its list of System V shared memory */
};

/* What joins. */
enum jail_join_as {
	JAIL_JOIN_COMMAND, /* it keeps the box live */
	JAIL_JOIN_SERVICE, /* it does not keep the box live */
	JAIL_JOIN_WATCHER, /* nor is it waited for */
};

/*
 * Descriptors of JAIL_JOIN, all of them. The keeper of the new command uses the first to talk to its owner,
 * with the same messages as pid 1: JAIL_FAILED, JAIL_READY, JAIL_GO and so on.
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
	uint32_t fds;    /* JAIL_FD_*, in that order; after them the decoys, in the plan's order */
	uint32_t decoys; /* how many */
	uint32_t joined;
	uint32_t full; /* the box has reached its limit of processes */
	uint32_t made; /* after a failure: how many processes the box has had; 0: not known */
	uint64_t caps;
	uint64_t disk, inodes;     /* JAIL_READY: what the box itself is made of; else what was made in it */
	uint64_t cpu_us, mem_peak; /* of one command and its processes */
	uint64_t files, files_soft,
		file_size;   /* JAIL_READY: what commands may have, as measured; 0: no limit */
	uint64_t timeout_ms; /* 0: none */
	struct jail_plan_order order;
	char step[16];
	struct aisbx_error error;
};

#endif
