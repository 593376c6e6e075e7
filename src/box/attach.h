/* SPDX-License-Identifier: Apache-2.0 */
/* A person at the terminal of a detached run. */
#ifndef BOX_ATTACH_H
#define BOX_ATTACH_H

#include "box/caller.h"
#include "box/live_run.h"

struct run_attached {
	char id[STORE_ID_MAX];
	char name[STORE_NAME_MAX + 1]; /* its name, or its id if it has none */
	bool left;                     /* the run goes on */
	int exit_status;               /* of the run, as `wait` has it; 0 if it goes on */
	json_t *said;                  /* owned; its result; NULL if it goes on */
};

void run_attached_finish(struct run_attached *a);
/*
 * Shows the end of its output and what follows, and passes on what the caller types, until the run ends or
 * the caller leaves it.
 */
int run_attach(const struct caller *by, const char *run, struct run_attached *ret, struct aisbx_error *e);

#endif
