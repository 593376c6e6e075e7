/* SPDX-License-Identifier: Apache-2.0 */
/* What a command trips over: refused system calls and decoys. Inside run/ only. */
#ifndef RUN_TRIP_H
#define RUN_TRIP_H

#include "run/run.h"

/* Takes one notification of a refused call and answers it; closes *NOTIFY_FD when nobody is left behind it. */
void trip_answer(int *notify_fd, struct run_outcome *out);

/* Which of the decoys were read. */
void trip_look_at_decoys(const int *decoys, unsigned int n, struct run_outcome *out);

#endif
