/* SPDX-License-Identifier: Apache-2.0 */
/* Gates: whether what a box holds, or what a directory has become, is as it must be to go further. */
#ifndef FLOW_GATE_H
#define FLOW_GATE_H

#include "box/drift.h"
#include "expr/expr.h"
#include "op/op.h"
#include "project/project.h"

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

#define GATE_MAX_FACTS 64

/* What was asked for, as expr_facts has them. */
struct gate_facts {
	bool asked[GATE_MAX_FACTS];
	struct expr_value values[GATE_MAX_FACTS]; /* texts are not kept; paths are the verdict's */
};
/* By name; null: not known. As a policy in Rego reads them, too. */
json_t *gate_facts_json(const struct gate_facts *f);

struct gate_ruling {
	const struct project_check *check; /* borrowed */
	bool passed;
	char *why;               /* owned */
	char run[STORE_ID_MAX];  /* what was run for it; "": nothing */
	struct expr_value score; /* what a command said */
	struct strlist judges;   /* what the box had changed of what this is judged by, below the project */
};

struct gate_verdict {
	bool passed;
	char *box, *snapshot;        /* owned; what was judged; NULL: a directory; none had to be taken */
	struct gate_ruling *rulings; /* owned; one for each check */
	size_t n;
	struct gate_facts facts;
	struct strlist paths;    /* that changed, as bytes */
	struct expr_value score; /* of the whole, if the subject asks for one */
	double cpu_ms;           /* of what was run to judge */
	struct drift_report drift;
};

void gate_verdict_finish(struct gate_verdict *v);

/*
 * All checks are made, also after one that failed, but each run only once, however many ask for it. An error:
 * it could not be judged at all, and that is no pass. CHECKS must outlive the verdict.
 */
int gate_judge(struct op_context *ctx, const struct project *p, const struct project_checks *checks,
	       const struct gate_subject *subject, struct gate_verdict *ret, struct aisbx_error *e);

/* {"passed": bool, "checks": [{"check", "kind", "gate", "passed", "why", "run", "score", "judges"}],
 * "facts": {...}, "cpu_ms"}; SUBJECT: with what it asks for. */
json_t *op_verdict_json(const struct gate_verdict *v, const struct gate_subject *subject);
json_t *op_ruling_json(const struct gate_ruling *r);
/* Both. */
int op_gate_judge(struct op_context *ctx, const struct project *p, const struct project_checks *checks,
		  const struct gate_subject *subject, json_t **ret, struct aisbx_error *e);

#endif
