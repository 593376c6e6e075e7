/* SPDX-License-Identifier: Apache-2.0 */
/* Gates: whether what a box holds, or what a directory has become, is as it must be to go further. */
#ifndef OP_GATE_H
#define OP_GATE_H

#include "op/op.h"
#include "policy/project.h"

struct expr;

/* What is judged. Whatever must be run for that runs in a fork of it that is thrown away: what was judged is
 * what goes on. */
struct gate_subject {
	const char *box;          /* "NAME[@SNAPSHOT]"; NULL: the directory as it is */
	const char *dir;          /* absolute; of a box: its project when NULL */
	const json_t *runs;       /* results of runs that were made before and count, too; NULL: none */
	const json_t *tested;     /* NULL, or of a run in a fork of it, whose score is one */
	bool tested_by_intent;    /* that run was the project's way to test, and need not be made again */
	const struct expr *score; /* NULL, or what is also told as "score" of the whole; null: not known */
	const char *profile;      /* NULL: as the box has it, or dev */
	bool drift; /* tell what changed outside since the box was made, whether a check asks or not */
};

/*
 * RET: {"passed": bool, "checks": [{"check", "kind", "gate", "passed", "why", "run", "score", "judges"}],
 * "facts": {...}, "cpu_ms"}. All checks are made, also after one that failed, but each run only once, however
 * many ask for it. An error: it could not be judged at all, and that is no pass.
 */
int op_gate_judge(struct op_context *ctx, const struct project *p, const struct project_checks *checks,
		  const struct gate_subject *subject, json_t **ret, struct aisbx_error *e);

#endif
