/* SPDX-License-Identifier: Apache-2.0 */
/* One judgement on its way: what was run for it, what was looked at. Inside the gates only. */
#ifndef OP_GATE_INSIDE_H
#define OP_GATE_INSIDE_H

#include "box/box.h"
#include "op/gate.h"
#include "policy/expr.h"

#define GATE_MAX_FACTS 64

/* What another operation said; made once, when somebody asks. */
struct gate_look {
	bool asked;
	json_t *said; /* owned; NULL: not known */
	struct aisbx_error e;
};

struct gate {
	struct op_context ctx; /* of the runs: without input, output into the result */
	const struct project *p;
	const struct gate_subject *subject;
	char *dir;                    /* owned */
	char *point;                  /* owned; "BOX" or "BOX@SNAPSHOT"; NULL: the directory */
	char box[STORE_ID_MAX];       /* id; "": the directory */
	char *box_name, *box_project; /* owned; of a box */
	char *snapshot;               /* owned; the one that was taken for this; NULL: none had to be */
	bool needed[GATE_MAX_FACTS];
	struct gate_look intents[INTENT_COUNT]; /* code -ENOENT: the project has none */
	json_t **commands;                      /* owned; the result of each check that is a command */
	struct gate_look diff, promotion, drift, scan, runs;
	struct strlist paths;    /* that changed, as bytes */
	struct expr_value score; /* the last that a command said */
	json_t *counted;         /* owned; results of runs by their ids */
	double cpu_ms;           /* of what was run for this judgement */
};

void gate_finish(struct gate *g, size_t n_checks);

/* gate_run.c: each in a box of its own that is thrown away. An interrupted one is an error. */
int gate_run_intent(struct gate *g, enum intent intent, struct aisbx_error *e);
int gate_run_command(struct gate *g, const struct project_check *c, json_t **ret, struct aisbx_error *e);
/* Whether a run was a success. */
bool gate_run_passed(const json_t *run);
/* How a run ended, for people; heap, or NULL. */
char *gate_run_words(const json_t *run);
/* What a command says on the last line that is {"score": N} or N. */
bool gate_run_score(const json_t *run, double *ret);

/* gate_facts.c: an expr_lookup of a struct gate. What it says lives as long as the gate. */
struct expr_value gate_fact(void *gate, size_t fact);
/* What changed in the real project since the box was made, all of it; borrowed. NULL: it is not known, or no
 * box. */
const json_t *gate_drift(struct gate *g);
/* Those that somebody needs, by name; null: not known. */
json_t *gate_facts_json(struct gate *g);

#endif
