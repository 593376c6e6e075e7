/* SPDX-License-Identifier: Apache-2.0 */
/* What is meant, by the project's own command: carrying out one of its ways in a box. */
#ifndef FLOW_INTENT_RUN_H
#define FLOW_INTENT_RUN_H

#include "box/execute.h"
#include "project/intent.h"
#include "project/intent_tally.h"

struct intent_result {
	struct run_report report; /* owned */
	enum intent intent;
	struct strlist command; /* owned; the words that were run */
	char *found_in;         /* owned; the file that defines it */
	bool counted;           /* how its tests went is plain: */
	struct intent_counts tests;
	enum intent_runner runner; /* who says so */
};

void intent_result_finish(struct intent_result *r);
/* One way that was found, in the directory DIR below the project, with further words MORE or NULL. RUN: the
 * rest of the run; its command, and its directory, are the way's. */
int intent_run_way(const struct caller *by, const struct run_options *run, const struct intent_way *way,
		   const char *dir, const struct strlist *more, struct intent_result *ret,
		   struct aisbx_error *e);
/* The best way to INTENT where RUN says: in its box, its project and its directory. */
int intent_run(const struct caller *by, enum intent intent, const struct run_options *run,
	       const struct strlist *more, struct intent_result *ret, struct aisbx_error *e);

#endif
