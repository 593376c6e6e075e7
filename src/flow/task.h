/* SPDX-License-Identifier: Apache-2.0 */
/* A whole task in one call: an intent in a box, then the tests and gates that what it made must pass. */
#ifndef FLOW_TASK_H
#define FLOW_TASK_H

#include "flow/gate.h"
#include "flow/intent_run.h"

/* All of it is borrowed. */
struct task_request {
	enum intent intent;
	const struct run_options *run;
	const struct strlist *more;  /* further words of the command */
	const struct strlist *tests; /* texts for a shell that must exit with 0 afterwards */
	const struct strlist *gates; /* gates, intents and expressions that must hold afterwards */
};

struct task_result {
	struct intent_result done;    /* owned */
	char box[STORE_NAME_MAX + 1]; /* the box that was made for it, which stays; "": none was */
	bool judged; /* tests and gates were judged: the intent succeeded, and there were some */
	struct gate_answer answer; /* owned */
};

void task_result_finish(struct task_result *r);
/*
 * Without tests and gates this is intent_run. With them, and without a box in `run`, a box is made: the tests
 * see what the intent did, and what passed can be promoted. They are judged in a fork of that box.
 */
int task_run(const struct caller *by, const struct task_request *req, struct task_result *ret,
	     struct aisbx_error *e);

#endif
