/* SPDX-License-Identifier: Apache-2.0 */
/* A run that has not begun, because others are first: it is seen and can be ended as any other. */
#ifndef RUN_TURN_H
#define RUN_TURN_H

#include <stdint.h>

#include "aisbx/error.h"

struct run_turn {
	int listener;      /* borrowed; where it is asked; -1: nowhere. Who connects makes it look again */
	const char *about; /* borrowed; its description; NULL: none */
	/* 1: it is its turn; 0: not yet, look again after *RET_MS at the latest; or an error. */
	int (*look)(void *ctx, int *ret_ms, struct aisbx_error *e);
	void *ctx; /* borrowed */
};

/* Until its turn, or until somebody ends it (-ECANCELED): a signal to this process, or a request. */
int run_await_turn(const struct run_turn *w, struct aisbx_error *e);

#endif
