/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many tests passed, from the runner's output. The output comes from a program in a box and may be false
 * or only look like a summary: what is not clear is not reported.
 */
#ifndef PROJECT_INTENT_TALLY_H
#define PROJECT_INTENT_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "project/intent.h"

struct intent_counts {
	uint64_t passed;
	uint64_t failed;  /* including errors, and unexpected passes */
	uint64_t skipped; /* including expected failures, and tests to be written */
};

/* What one runner seems to report. */
struct intent_said {
	struct intent_counts sum;
	uint64_t total, plan, seen;
	unsigned int times; /* number of summaries */
	bool open;          /* inside a summary */
	bool odd;           /* something is inconsistent */
};

#define TALLY_LINE 512

struct intent_tally {
	enum intent_runner runner;
	struct intent_said said[RUNNER_COUNT];
	struct {
		char line[TALLY_LINE];
		size_t len;
		bool in_escape; /* of a colour: not part of the line */
	} streams[2];
};

void intent_tally_init(struct intent_tally *t, enum intent_runner runner);
/* WHICH: 0 stdout, 1 stderr; in pieces as they arrive. */
void intent_tally_add(struct intent_tally *t, int which, const char *data, size_t len);
/* False: not clear. RET_RUNNER: which runner. */
bool intent_tally_end(struct intent_tally *t, struct intent_counts *ret, enum intent_runner *ret_runner);
const char *intent_runner_name(enum intent_runner r);

#endif
