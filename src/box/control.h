/* SPDX-License-Identifier: Apache-2.0 */
/* Acting on live runs: ending, stopping for a while, waiting for the end, passing input on. */
#ifndef BOX_CONTROL_H
#define BOX_CONTROL_H

#include <jansson.h>

#include "base/str.h"
#include "box/caller.h"
#include "box/live_run.h"

/* All of KEYS are found before anybody acts on the first of them: a typo ends nothing. */
int run_reach_all(const struct strlist *keys, struct strlist *ret_ids, struct aisbx_error *e);
/* SIGNAL NULL: their end, which is waited for; else a name or number that is passed on to the commands. */
int run_kill(const struct strlist *keys, const char *signal, struct strlist *ret_ids, struct aisbx_error *e);
/* ON: every process in their boxes stops; else they go on. */
int run_pause(const struct strlist *keys, bool on, struct strlist *ret_ids, struct aisbx_error *e);

struct run_wait_request {
	const char *run;  /* borrowed */
	bool has_timeout; /* else however long */
	uint64_t timeout_ms;
	bool has_output; /* also the last so many bytes of each stream: */
	uint64_t output;
};

struct run_waited {
	char id[STORE_ID_MAX];
	json_t *said; /* owned; its result, as the history keeps it */
};

void run_waited_finish(struct run_waited *w);
/* With output one that goes on after the timeout is an answer, too. */
int run_wait(const struct run_wait_request *req, struct run_waited *ret, struct aisbx_error *e);

/* resize.c: the terminal of a detached run. */
struct run_size {
	char id[STORE_ID_MAX];
	uint16_t rows, cols;
};

/* RET: the new size; what is 0 in it when this is called stays as it is. */
int run_resize(const char *run, struct run_size *ret, struct aisbx_error *e);

/* input.c */
struct run_input {
	char id[STORE_ID_MAX];
	uint64_t bytes; /* passed on */
};

/* What the caller's input has goes to the command; with CLOSE that is all it gets. */
int run_input(const struct caller *by, const char *run, bool close, struct run_input *ret,
	      struct aisbx_error *e);

#endif
