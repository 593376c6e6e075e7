/* SPDX-License-Identifier: Apache-2.0 */
/* What a command trips over: refused system calls, addresses out of reach, decoys. Inside run/ only. */
#ifndef RUN_TRIP_H
#define RUN_TRIP_H

#include <signal.h>

#include "run/run.h"

struct trip_rules {
	bool (*told)(unsigned int preset, int call); /* NULL, or: this call is made, and only told of */
	bool (*own)(unsigned int preset,
		    int call); /* NULL, or: this one is made where it names a thread of the caller's own */
	unsigned int preset;
	bool net;      /* the box has no network but perhaps its own loopback */
	bool loopback; /* it has that */
};

/* Takes one notification of a call and answers it; closes *NOTIFY_FD when nobody is left behind it. */
void trip_answer(int *notify_fd, const struct trip_rules *rules, struct run_outcome *out);

/* The signal by which the kernel says that a decoy is being opened. */
#define TRIP_SIGNAL (SIGRTMIN + 1)

/* Asks for that signal; who opens the decoy waits until trip_decoy_opened. */
void trip_guard_decoy(int decoy);
/* FD is what the signal named. */
void trip_decoy_opened(const int *decoys, unsigned int n, int fd, struct run_outcome *out);

#endif
