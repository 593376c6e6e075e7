/* SPDX-License-Identifier: Apache-2.0 */
/* Gates: whether a box, or a directory, meets the conditions to go further. */
#ifndef FLOW_GATE_H
#define FLOW_GATE_H

#include <jansson.h>

#include "box/caller.h"
#include "box/drift.h"
#include "expr/expr.h"
#include "flow/run_facts.h"
#include "project/intent_tally.h"
#include "project/project.h"

/* What was run to judge. */
struct gate_run {
	struct run_report report; /* owned */
	bool counted;             /* how its tests went is plain: */
	struct intent_counts tests;
	struct strlist judges; /* what the box had changed of what this was judged by, below the project */
	bool scored;           /* it said a score: */
	double score;
};

void gate_run_finish(struct gate_run *r);
/* Whether it was a success. */
bool gate_run_passed(const struct gate_run *r);
/* What a command says on the last line of TEXT that is {"score": N} or N. */
bool gate_score_read(const char *text, size_t len, double *ret);

/* What is judged. Whatever must be run for that runs in a fork of it that is thrown away: what was judged is
 * what goes on. All of it is borrowed. */
struct gate_subject {
	const char *box;                   /* "NAME[@SNAPSHOT]"; NULL: the directory as it is */
	const char *dir;                   /* absolute; of a box: its project when NULL */
	const struct run_facts_list *runs; /* runs that were made before and count, too; NULL: none */
	const struct gate_run *tested;     /* NULL, or a run in a fork of it, whose score is one */
	bool tested_by_intent;             /* that run was the project's test command, and is not repeated */
	/* NULL, or an expression reported as "score" of the whole; null: not known */
	const struct expr *score;
	const char *profile; /* NULL: as the box has it, or dev */
	bool drift; /* report what changed outside since the box was made, even if no check needs it */
};

#define GATE_MAX_FACTS 64

/* The facts that were needed, as in expr_facts. */
struct gate_facts {
	bool asked[GATE_MAX_FACTS];
	struct expr_value values[GATE_MAX_FACTS]; /* texts are not kept; paths are the verdict's */
};
/* By name; null: not known. Also the input of Rego policies. */
json_t *gate_facts_json(const struct gate_facts *f);

struct gate_ruling {
	const struct project_check *check; /* borrowed */
	bool passed;
	char *why;               /* owned */
	char run[STORE_ID_MAX];  /* what was run for it; "": nothing */
	struct expr_value score; /* what a command said */
	/* judges of this check that the box had changed, relative to the project */
	struct strlist judges;
};

struct gate_verdict {
	bool passed;
	char *box, *snapshot;        /* owned; what was judged; NULL: a directory; none had to be taken */
	struct gate_ruling *rulings; /* owned; one for each check */
	size_t n;
	struct gate_facts facts;
	struct strlist paths;    /* that changed, as bytes */
	struct strlist hosts;    /* that were reached */
	struct expr_value score; /* of the whole, if the subject asks for one */
	double cpu_ms;           /* of what was run to judge */
	struct drift_report drift;
};

void gate_verdict_finish(struct gate_verdict *v);

/*
 * All checks are evaluated, also after one failed, but each run is made only once. An error: it could not be
 * evaluated at all, and that is not a pass. CHECKS must outlive the verdict.
 */
int gate_judge(const struct caller *by, const struct project *p, const struct project_checks *checks,
	       const struct gate_subject *subject, struct gate_verdict *ret, struct aisbx_error *e);

/* What must hold, as whoever asks writes it. All of it is borrowed. */
struct gate_request {
	const char *box;              /* "NAME[@SNAPSHOT]"; NULL: the directory as it is */
	const char *dir;              /* whose aisbx.yaml counts; NULL: the box's project, or the caller's */
	const char *profile;          /* NULL: as the box has it, or as for a run */
	const struct strlist *checks; /* gates, intents and expressions; NULL: none */
	const struct strlist *commands; /* texts for a shell that must exit with 0; NULL: none */
	const char *rego, *query;       /* NULL, or both: a policy, and what is asked of it */
	bool drift;                     /* as of a subject */
};

struct gate_answer {
	struct project project;       /* owned; as the person's own file is */
	struct project_checks checks; /* owned; what was asked for, or all gates of the project */
	struct gate_verdict verdict;  /* owned */
};

void gate_answer_finish(struct gate_answer *a);
/* gate_check.c: finds the gates, and judges by them. */
int gate_check(const struct caller *by, const struct gate_request *req, struct gate_answer *ret,
	       struct aisbx_error *e);

/* gate_json.c, as records of stages and results have it: {"passed", "box", "snapshot", "checks": [...],
 * "facts": {...}, "cpu_ms"}; a new reference, or NULL. */
json_t *gate_verdict_json(const struct gate_verdict *v);
/* {"check", "kind", "gate", "passed", "why", "run", "score", "judges"} */
json_t *gate_ruling_json(const struct gate_ruling *r);

#endif
