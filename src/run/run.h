/* SPDX-License-Identifier: Apache-2.0 */
/* One supervised run: starts the jail, moves its input and output, keeps its deadline, tells how it ended. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"

/* What the command did that a wall refused, or that a decoy saw. */
enum run_trip_kind {
	RUN_TRIP_SYSCALL, /* number: the system call */
	RUN_TRIP_DECOY,	  /* number: which watched operation of the plan, from 1 */
};

struct run_trip {
	enum run_trip_kind kind;
	int number;
	int32_t pid;	/* as the supervisor sees it; of the first time */
	char comm[16];	/* "" when not known */
	uint64_t count;
};

/* Distinct trips kept; a hostile program may try thousands, and the rest is only counted. */
#define RUN_MAX_TRIPS 64

struct run_request {
	int jail_fd;	   /* borrowed; the aisbx-jail program */
	bool tty;	   /* the plan asks for a terminal; stdin_fd is the person's */
	int stdin_fd;	   /* borrowed; -1: the command's input is empty */
	int out_fds[2];	   /* borrowed; where stdout and stderr go, or -1 to keep them in the outcome */
	uint64_t timeout_ms;   /* 0: none */
	uint64_t output_bytes; /* of each of the two streams; more is dropped and counted */
};

enum run_end {
	RUN_EXITED,	 /* status is a wait status */
	RUN_EXEC_FAILED, /* status is an errno; negative: of entering the directory */
	RUN_DEADLINE,
	RUN_INTERRUPTED, /* a second signal to the supervisor killed the box, or the jail vanished */
};

struct run_outcome {
	enum run_end end;
	bool started; /* the walls were up; false when a deadline or signal came first */
	int status;
	int interrupted_by; /* signal that was passed on to the command, 0 if none */
	uint32_t walls;	    /* measured, WALL_BIT() */
	uint64_t caps;	    /* measured */
	uint64_t wall_us, cpu_us, mem_peak, disk;
	struct buf output[2]; /* owned; when kept */
	uint64_t dropped[2];
	struct run_trip trips[RUN_MAX_TRIPS];
	size_t n_trips;
	uint64_t trips_not_kept;
};

void run_outcome_finish(struct run_outcome *o);

struct run;
struct plan_order;

/* Starts the jail on what can be done before there is a plan. REQ must outlive the run. */
int run_begin(const struct run_request *req, const struct plan_order *order, struct run **ret_run,
	      struct aisbx_error *e);
/* There will be no plan: takes the jail down again. */
void run_abandon(struct run *run);
/*
 * Hands over the sealed plan and stays until the end; frees RUN. An error means that no command was
 * started (e->text says which wall or step and why); then RET_OUTCOME is not touched.
 */
int run_supervise(struct run *run, int plan_fd, struct run_outcome *ret_outcome, struct aisbx_error *e);

#endif
