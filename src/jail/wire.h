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
	JAIL_BORN = 1,	  /* value: pid of the box's pid 1, as the supervisor sees it */
	JAIL_FAILED,	  /* step and error: no command was started */
	JAIL_READY,	  /* walls, caps: as measured; carries descriptors, see enum jail_ready_fd */
	JAIL_EXEC_FAILED, /* value: errno of execve */
	JAIL_STOPPED,	  /* the command was stopped by a signal */
	JAIL_EXITED,	  /* value: wait status; disk */
	/* To the jail. */
	JAIL_ORDER,	 /* order: the first word */
	JAIL_PLAN,	 /* carries the sealed plan: the second word */
	JAIL_GO,	 /* the answer to JAIL_READY: start the command */
	JAIL_SIGNAL,	 /* value: signal for the command's process group */
	JAIL_SIGNAL_ALL, /* value: signal for every process of the box */
};

/* Position of each descriptor that comes with JAIL_READY; those not wanted are left out of `fds`. */
enum jail_ready_fd {
	JAIL_FD_NOTIFY = 1 << 0, /* seccomp notifications */
	JAIL_FD_TTY = 1 << 1,	 /* master side of the box's terminal */
};

struct jail_message {
	uint32_t word;
	int32_t value;
	uint32_t walls;
	uint32_t fds;	 /* JAIL_FD_*, in that order; behind them the decoys, in the plan's order */
	uint32_t decoys; /* how many */
	uint32_t pad;
	uint64_t caps;
	uint64_t disk;
	struct plan_order order;
	char step[16];
	struct aisbx_error error;
};

#endif
