/* SPDX-License-Identifier: Apache-2.0 */
/* One run while it goes on, as the files of run/ see it. Inside run/ only. */
#ifndef RUN_INSIDE_H
#define RUN_INSIDE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "jail/plan.h"
#include "jail/wire.h"
#include "run/live.h"
#include "run/run.h"
#include "run/service.h"
#include "run/spec.h"
#include "run/stream.h"
#include "run/terminal.h"
#include "secret/vault.h"
#include "run/watch.h"

enum { IN, OUT, ERR, STREAMS };

struct run {
	const struct run_spec *spec; /* borrowed */
	struct run_outcome out;
	struct stream streams[STREAMS];
	struct terminal terminal;
	struct watch watch; /* of a box of its own; one that is joined is watched by who started it */
	struct live live;   /* where others join; those of a box of its own have none */
	struct services services;
	struct vault vault; /* the secrets that the box has */
	struct plan_order order;
	int control, signals, notify;
	int input; /* read end of the command's input, where what it leaves there can be given back */
	int feed;  /* write end of the command's input, where it is kept open for who brings some */
	int decoys[PLAN_MAX_WATCHED];
	unsigned int n_decoys;
	pid_t jail, init; /* 0: not there or reaped */
	bool joined;      /* a command in somebody else's box: jail and init are his */
	bool ready;       /* the walls are up */
	bool going;       /* the command was told to go: the services are ready */
	int tty;          /* of the box, until then */
	bool told_start;  /* who wants to know was told that the command's program runs */
	bool ended;       /* the outcome is known */
	bool measuring;   /* pid 1 is asked what the box has written */
	bool alone;       /* the command is gone; what is left of the box is for others, or services */
	bool others;      /* who joined was left: what the box used in all is not the command's */
	uint64_t started_us, ended_us, deadline_ms;
	uint64_t give_up_ms; /* when to stop being patient with who was told to end the command */
	uint64_t strike_ms;  /* when to kill again who was killed and is still there */
	char step[16];
	struct aisbx_error error;
	sigset_t old_mask;
	struct sigaction old_pipe;
};

/* begin.c: an empty run that owns nothing but its memory and the signals. */
int run_prepare(const struct run_spec *spec, struct run **ret_run, struct aisbx_error *e);
/* Pipes for the three standard streams; the box's ends are returned in CHILD. */
int run_open_pipes(struct run *r, const struct plan_order *order, int child[3], struct aisbx_error *e);

/* account.c: puts together what pid 1, the kernel and the watch counted, and says which limit it was. */
void run_account(struct run *r);

/* supervise.c */
void run_loop(struct run *r);
int run_conclude(struct run *r, struct run_outcome *ret_outcome, struct aisbx_error *e);
void run_destroy(struct run *r);
/* A word to who keeps the command. */
int run_say(const struct run *r, enum jail_word word, int value);
/* Ends the command, or what others go on with where it ended before. */
void run_end_now(struct run *r, int sig);

/* attend.c: answers who asks about the run. */
live_attend_fn run_attend;

#endif
