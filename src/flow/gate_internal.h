/* SPDX-License-Identifier: Apache-2.0 */
/* One evaluation in progress: its runs and what it has read. Inside the gates only. */
#ifndef FLOW_GATE_INTERNAL_H
#define FLOW_GATE_INTERNAL_H

#include "box/box.h"
#include "box/diff.h"
#include "box/scan.h"
#include "flow/gate.h"

/* What was computed; once, when needed. */
struct gate_look {
	bool asked;
	struct aisbx_error e; /* code 0: it is known */
};

/* What an intent came to. */
struct gate_said {
	struct gate_look look;      /* code -ENOENT: the project has none */
	const struct gate_run *run; /* NULL: it was not run; `made`, or of the subject */
	struct gate_run made;
};

/* What a promotion would meet. */
struct gate_promotion {
	struct gate_look look;
	size_t traps, conflicts, secrets, stale;
};

struct gate_diff {
	struct gate_look look;
	size_t n, counts[CHANGE_KIND_COUNT];
	double added, removed; /* lines, if somebody needs them */
	bool unread;           /* a file cannot be read, so these are incomplete */
};

struct gate_scan {
	struct gate_look look;
	enum scan_severity risk;
	size_t findings;
};

struct gate {
	struct caller by;        /* of the runs: without input, output into the result */
	const struct project *p; /* borrowed, as the subject */
	const struct gate_subject *subject;
	struct gate_verdict *verdict; /* borrowed; on its way */
	char *dir;                    /* owned */
	char *point;                  /* owned; "BOX" or "BOX@SNAPSHOT"; NULL: the directory */
	char box[STORE_ID_MAX];       /* id; "": the directory */
	char *box_project;            /* owned; of a box */
	bool needed[GATE_MAX_FACTS];
	struct gate_said intents[INTENT_COUNT];
	struct gate_run *made; /* owned; of each check that is a command, and no earlier one is the same */
	const struct gate_run **commands; /* owned; of each check that is a command: among these */
	struct gate_diff diff;
	struct gate_scan scan;
	struct gate_look drift;
	struct gate_promotion promotion;
	struct gate_look history;   /* into `runs` */
	struct strlist paths;       /* that changed, as bytes */
	struct strlist hosts;       /* that runs reached, each once */
	struct expr_value score;    /* the last that a command said */
	struct run_facts_list runs; /* that count */
};

void gate_finish(struct gate *g, size_t n_checks);

/* gate_run.c: each in a box of its own that is removed. An interrupted one is an error. */
int gate_run_intent(struct gate *g, enum intent intent, struct aisbx_error *e);
int gate_run_command(struct gate *g, const struct project_check *c, struct gate_run *ret,
		     struct aisbx_error *e);
/* How a run ended, for people; heap, or NULL. */
char *gate_run_words(const struct gate_run *run);

/* gate_facts.c: an expr_lookup of a struct gate. Its values live as long as the gate. */
struct expr_value gate_fact(void *gate, size_t fact);
/* All that somebody needs. */
void gate_facts_fill(struct gate *g, struct gate_facts *ret);
/* What changed in the real project since the box was made, all of it, into the verdict. */
void gate_look_at_drift(struct gate *g);

#endif
