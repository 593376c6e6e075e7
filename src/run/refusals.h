/* SPDX-License-Identifier: Apache-2.0 */
/* Violations of a command: refused system calls, unreachable addresses, decoys. Inside run/ only. */
#ifndef RUN_REFUSALS_H
#define RUN_REFUSALS_H

#include <signal.h>

#include "run/network.h"
#include "run/run.h"

struct refusal_rules {
	bool (*told)(unsigned int preset, int call); /* NULL, or: this call is allowed, and only reported */
	bool (*own)(unsigned int preset,
		    /* NULL, or: this one is allowed if it names a thread of the caller's own process */
		    int call);
	unsigned int preset;
	bool net;                /* the box has no network except perhaps its own loopback */
	bool loopback;           /* it has that */
	struct network *network; /* borrowed; the broker decides about some of the rest */
};

/* Reads one notification of a call and answers it; closes *NOTIFY_FD if no process is left. */
void refusals_answer(int *notify_fd, const struct refusal_rules *rules, struct run_outcome *out);

/* The signal by which the kernel reports that a decoy is being opened. */
#define DECOY_SIGNAL (SIGRTMIN + 1)

/* Requests that signal; the process that opens the decoy waits until refusals_decoy_opened. */
void refusals_guard_decoy(int decoy);
/* FD is what the signal named. */
void refusals_decoy_opened(const int *decoys, unsigned int n, int fd, struct run_outcome *out);

#endif
