/* SPDX-License-Identifier: Apache-2.0 */
/* One run while it goes on, as the files of run/ see it. Inside run/ only. */
#ifndef RUN_INTERNAL_H
#define RUN_INTERNAL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "jail/plan.h"
#include "jail/wire.h"
#include "run/live.h"
#include "run/network.h"
#include "run/run.h"
#include "run/service.h"
#include "run/spec.h"
#include "run/stream.h"
#include "run/terminal.h"
#include "secret/known_secrets.h"
#include "run/watch.h"

enum { IN, OUT, ERR, STREAMS };

struct run {
	const struct run_spec *spec; /* borrowed */
	struct run_outcome out;
	struct stream streams[STREAMS];
	uint32_t made; /* processes the box has had when the command failed; 0: not known */
	struct terminal terminal;
	struct watch watch; /* of our own box; a joined one is watched by its starter */
	struct live live;   /* where others join; a throw-away box has none */
	struct services services;
	struct network network;             /* of a box with rules */
	struct known_secrets known_secrets; /* the secrets that the box has */
	struct jail_plan_order order;
	int control, signals, notify;
	int namespaces[2]; /* of the box, on their way to the broker */
	int input;         /* read end of the command's input, where what it leaves there can be given back */
	int feed;          /* write end of the command's input, kept open for later input */
	int decoys[JAIL_PLAN_MAX_WATCHED];
	unsigned int n_decoys;
	pid_t jail, init; /* 0: not there or reaped */
	bool joined;      /* a command in another run's box: jail and init belong to that */
	bool ready;       /* the walls are up */
	bool going;       /* the command was started: the services are ready */
	int tty;          /* of the box, until then */
	bool lent;        /* the person is being asked at the terminal */
	bool told_start;  /* the caller was told that the command's program runs */
	bool ended;       /* the outcome is known */
	bool measuring;   /* pid 1 is asked what the box has written */
	bool alone;       /* the command is gone; the rest of the box serves others, or services */
	bool others;      /* others that joined still run: the usage of the box is not only the command's */
	uint64_t started_us, ended_us, deadline_ms;
	uint64_t give_up_ms; /* when to stop waiting for a process that was told to end the command */
	uint64_t strike_ms;  /* when to repeat a kill */
	char step[16];
	struct aisbx_error error;
	sigset_t old_mask;
	struct sigaction old_pipe;
};

/* begin.c */
/* What the outcome is measured by: from now on. */
void run_start_clock(struct run *r);
/* Others may ask about it, and see it. */
void run_show(struct run *r);
/* Where output goes that comes by FROM, which it takes; WHICH: OUT or ERR. */
void run_connect_output(struct run *r, int which, int from);
/* An empty run that owns nothing but its memory and the signals. */
int run_prepare(const struct run_spec *spec, struct run **ret_run, struct aisbx_error *e);
/* Pipes for the three standard streams; the box's ends are returned in CHILD. */
int run_open_pipes(struct run *r, const struct jail_plan_order *order, int child[3], struct aisbx_error *e);

/*
 * account.c: combines what pid 1, the kernel and the watch measured, and determines which limit was reached.
 */
void run_account(struct run *r);

/* supervise.c */
/* Whether the box starts with a broker. */
bool run_has_network(const struct run *r);
/* Starts the broker of a box that is up. */
int run_network_begin(struct run *r, const struct run_net *net, struct aisbx_error *e);
void run_loop(struct run *r);
/* Waits until something happens, and sees to it. */
void run_turn(struct run *r);
/* Passes the sealed plan to the jail; an error frees R. */
int run_give_plan(struct run *r, int plan_fd, struct aisbx_error *e);
/* To the end; frees R. */
int run_finish(struct run *r, struct run_outcome *ret_outcome, struct aisbx_error *e);
void run_kill_box(struct run *r);
int run_conclude(struct run *r, struct run_outcome *ret_outcome, struct aisbx_error *e);
void run_destroy(struct run *r);
/* A message to the keeper of the command. */
int run_say(const struct run *r, enum jail_word word, int value);
/* Ends the command, or those that still run if it ended before. */
void run_end_now(struct run *r, int sig);

/* control.c: answers requests about the run. */
live_attend_fn run_control;

#endif
