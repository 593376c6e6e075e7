/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many tests passed, from what their runner writes. The words are those of a program in a box and may be
 * a lie or a chance likeness: what is not plain is not told.
 */
#ifndef PROJECT_INTENT_TALLY_H
#define PROJECT_INTENT_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "project/intent.h"

struct intent_counts {
	uint64_t passed;
	uint64_t failed;  /* with errors, and what passed though it should not */
	uint64_t skipped; /* with what is known to fail, and what is yet to be written */
};

/* What one runner seems to have said. */
struct intent_said {
	struct intent_counts sum;
	uint64_t total, plan, seen;
	unsigned int times; /* how often it has summed up */
	bool open;          /* in the middle of summing up */
	bool odd;           /* something does not fit */
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
/* WHICH: 0 stdout, 1 stderr; in pieces as they come. */
void intent_tally_add(struct intent_tally *t, int which, const char *data, size_t len);
/* False: nobody can tell. RET_RUNNER: who said so. */
bool intent_tally_end(struct intent_tally *t, struct intent_counts *ret, enum intent_runner *ret_runner);
const char *intent_runner_name(enum intent_runner r);

#endif
