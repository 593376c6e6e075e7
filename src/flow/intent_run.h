/* SPDX-License-Identifier: Apache-2.0 */
/* What is meant, by the project's own command: finding its ways, and carrying one out in a box. */
#ifndef FLOW_INTENT_RUN_H
#define FLOW_INTENT_RUN_H

#include "box/execute.h"
#include "project/intent.h"
#include "project/intent_tally.h"
#include "project/project.h"

/* Where ways are looked for. All of it is borrowed. */
struct intent_where {
	const char *box;            /* NULL: as the host has the files */
	const char *project;        /* NULL: that of the box, or the caller's directory */
	const char *cwd;            /* NULL, or a directory of the project */
	const struct project *says; /* NULL, or what counts whatever aisbx.yaml is there: a box could have
				       written that */
};

/* RET_DIR: NULL, or where they were looked for, below the project; heap. */
int intent_ways_find(const struct caller *by, const struct intent_where *where, struct intent_list *ret,
		     char **ret_dir, struct aisbx_error *e);

struct intent_result {
	struct run_report report; /* owned */
	enum intent intent;
	struct strlist command; /* owned; the words that were run */
	char *found_in;         /* owned; the file that says so */
	bool counted;           /* how its tests went is plain: */
	struct intent_counts tests;
	enum intent_runner runner; /* who says so */
};

void intent_result_finish(struct intent_result *r);
/* One way that was found, in the directory DIR below the project, with further words MORE or NULL. RUN: the
 * rest of the run; its command, and its directory, are the way's. */
int intent_run_way(const struct caller *by, const struct run_wish *run, const struct intent_way *way,
		   const char *dir, const struct strlist *more, struct intent_result *ret,
		   struct aisbx_error *e);
/* The best way to INTENT where RUN says: in its box, its project and its directory. */
int intent_run(const struct caller *by, enum intent intent, const struct run_wish *run,
	       const struct strlist *more, struct intent_result *ret, struct aisbx_error *e);

#endif
