/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Experiments: the request, how branches are judged, and the report on each. The same structures serve
 * experiments that run by themselves and those whose boxes others work in.
 */
#ifndef FLOW_TRY_H
#define FLOW_TRY_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "box/box.h"
#include "box/run_options.h"
#include "expr/expr.h"
#include "flow/pipeline.h"
#include "project/intent.h"
#include "project/intent_tally.h"
#include "project/project.h"

#define TRY_MAX_BRANCHES 256u
#define TRY_MAX_REPEAT   1000u
#define TRY_UNSAID       UINT64_MAX

struct fingerprint_scan;
struct try_record;

/* The state of a branch while the experiment runs. */
struct try_progress {
	const char *experiment;
	const struct try_record *branch;
	size_t of;
	double wall_ms, cpu_ms; /* with the current run */
	uint64_t mem_peak;
	const struct fingerprint_scan *secrets; /* that must not be told; NULL: none */
};

/*
 * The request. What it does not set is taken from the experiment of the project's file. All of it is
 * borrowed.
 */
struct try_request {
	const char *box;        /* NULL, or BOX[@SNAPSHOT] that all start from */
	const char *project;    /* NULL: the current directory */
	const char *profile;    /* NULL: as for a run */
	const char *experiment; /* NULL, or its name in the project's file */
	const char *test;       /* NULL, or a text for a shell */
	const char *score;      /* NULL: as in the experiment of the file, or time */
	enum project_mode mode; /* MODE_COUNT: unsaid */
	struct strlist gates, names;
	struct strlist *commands; /* of one word: a text for a shell */
	size_t n_commands;
	bool says_prefer, most;
	uint64_t repeat, count, parallel;               /* TRY_UNSAID */
	uint64_t budget_ms, budget_cpu_ms, budget_runs; /* TRY_UNSAID; 0: none */
	const struct run_options *run;                  /* arguments of every run, except box and command */
	bool keep, promote;
	const struct pipeline_callbacks *callbacks; /* with promote: who brings the winner into the project */
	void (*told)(void *ctx, const struct try_progress *p); /* NULL: nobody looks on */
	void *told_ctx;
};

#define TRY_REQUEST_INIT                                                                               \
	{                                                                                              \
		.mode = MODE_COUNT, .repeat = TRY_UNSAID, .count = TRY_UNSAID, .parallel = TRY_UNSAID, \
		.budget_ms = TRY_UNSAID, .budget_cpu_ms = TRY_UNSAID, .budget_runs = TRY_UNSAID        \
	}

/* What is tried. */
struct try_approach {
	char *name, *command; /* owned; the command as people read it */
	struct strlist argv;  /* none: others work in its box */
};

struct try_approaches {
	struct try_approach *items; /* owned */
	size_t n;
};

void try_approaches_finish(struct try_approaches *a);

/* How a branch is tested. */
struct try_test {
	struct strlist command, env; /* no command: gates alone decide */
	char *cwd;                   /* owned; NULL: as of every run */
	uint64_t timeout_ms;         /* 0: as of every run */
	enum intent_runner runner;
	bool by_intent;  /* it is the project's way to test */
	bool box_judges; /* by the box's own files */
};

/* Remaining number of runs for all branches together; in shared memory. */
struct try_allowance {
	atomic_ullong used;
	uint64_t most; /* 0: any number */
};

/* How branches are judged. */
struct try_judge {
	char *dir;        /* owned; of the project */
	char *experiment; /* owned; NULL: none of the file */
	enum project_mode mode;
	bool most; /* highest score is best */
	uint64_t repeat;
	struct strlist gates;
	char *score_text; /* owned; NULL: time */
	struct try_test test;
	uint64_t budget_ms, budget_cpu_ms, budget_runs, parallel; /* 0: none, all at once */
	struct run_options run;    /* arguments of every run; owned if it was stored, else of the request */
	json_t *kept;              /* owned; the JSON it borrows from then; NULL: the request */
	struct project project;    /* as the person's own file is */
	struct project_checks own; /* of "gates" */
	struct project_checks all; /* those and the experiment's of the file; only the list is owned */
	struct expr *score;        /* owned; NULL: time */
	struct try_allowance *allowance; /* borrowed; NULL: any number */
};

void try_judge_finish(struct try_judge *j);
/* From REQ; with OPEN only names of branches, in whose boxes others work. */
int try_judge_read(const struct caller *by, const struct try_request *req, bool open, struct try_judge *ret,
		   struct try_approaches *ret_approaches, struct aisbx_error *e);
/* From what was stored. */
int try_judge_load(const char *how, struct try_judge *ret, struct aisbx_error *e);
/*
 * To be stored, as JSON; without WHOLE not the arguments of its commands: variables may be secret. Heap, or
 * NULL.
 */
char *try_judge_text(const struct try_judge *j, bool whole);
/* The approaches of REQ, or of X of the project's file, which may be NULL. */
int try_approaches_read(const struct try_request *req, const struct project_experiment *x,
			struct try_approaches *ret, struct aisbx_error *e);
/* Only the names of branches that others work in. */
int try_approaches_name(const struct try_request *req, struct try_approaches *ret, struct aisbx_error *e);

enum try_state {
	TRY_WAITING,
	TRY_RUNNING,
	TRY_TESTING,
	TRY_FAILED,
	TRY_FLAKY,
	TRY_STOPPED,
	TRY_PASSED,
	TRY_WINNER,
	TRY_STATE_COUNT
};

extern const char *const try_state_names[];

/* The report on a branch. */
struct try_record {
	size_t n;                    /* its position in the request, from 1; 0: not known */
	char *name, *command, *box;  /* owned; box NULL: it was removed */
	char snapshot[STORE_ID_MAX]; /* what was judged; "": nothing yet */
	enum try_state state;
	size_t rank; /* 0: none */
	struct strlist runs;
	char run[STORE_ID_MAX]; /* the live one; "": none */
	double wall_ms, cpu_ms;
	uint64_t mem_peak;
	bool counted;
	struct intent_counts tests;
	bool compared;
	uint64_t created, modified, deleted;
	bool scored;
	double score;
	char passed_of[48];  /* "": not tested */
	char *why;           /* owned; NULL: nothing to say */
	bool has_tails;      /* false: they were not kept */
	struct buf tails[2]; /* of stdout and stderr of its last run, UTF-8 */
	bool budget;         /* the limit on the number of runs stopped it */
	bool claimed;        /* it is the winner, and that is recorded */
};

void try_record_finish(struct try_record *r);
void try_records_finish(struct try_record *list, size_t n);
bool try_record_passed(const struct try_record *r);
void try_record_become(struct try_record *r, enum try_state state, const char *why);
/* As in results and in the store: a new reference. */
json_t *try_record_json(const struct try_record *r);
/* From what a branch reports, or from the store. False: invalid. */
bool try_record_read(const json_t *j, struct try_record *ret);
/* Sorts by quality and gives each that passed its rank. */
void try_rank(bool most, struct try_record *list, size_t n);
/* "BOX@SNAPSHOT": what was judged; heap, or NULL. */
char *try_record_point(const struct try_record *r);

/* How the best differs from another that passed. */
struct try_difference {
	const char *branch, *against; /* borrowed; names */
	struct strlist files;
	uint64_t more;
};

/* Of ranked records with their boxes. */
void try_differences(const struct try_record *list, size_t n, struct try_difference **ret, size_t *ret_n);
void try_differences_finish(struct try_difference *list, size_t n);

/* What became of a winner that was to be promoted. */
struct try_promotion {
	bool promoted, staged;        /* into the project at once; through its stages; neither: not at all */
	struct promote_report report; /* owned; promoted */
	struct pipeline pipeline;     /* owned; staged: where it stands then */
};

void try_promotion_finish(struct try_promotion *p);

/* The outcome of an experiment. */
struct try_result {
	char experiment[STORE_ID_MAX];
	enum project_mode mode;
	const char *state;           /* static: won, none, compared, budget or interrupted */
	struct try_record *branches; /* owned; ranked: a winner is the first */
	size_t n;
	struct try_difference *differs; /* owned */
	size_t n_differs;
	struct try_promotion promotion; /* owned */
	double wall_ms;
	int signal; /* that ended it; 0: none */
};

/* Runs the approaches of REQ at once, each in its own box, and has the tests say which is kept. */
int flow_try(const struct caller *by, const struct try_request *req, struct try_result *ret,
	     struct aisbx_error *e);
void try_result_finish(struct try_result *r);
/* What a command line should exit with. */
int try_result_status(const struct try_result *r);
/* NULL: nobody has won. */
const struct try_record *try_result_winner(const struct try_result *r);
/* As results and the store have it, without what became of the winner. */
json_t *try_result_json(const struct try_result *r);
json_t *try_differences_json(const struct try_difference *list, size_t n);
json_t *try_records_json(const struct try_record *list, size_t n);

/*
 * The row of experiment ID, in STATE. BOXES, their ids, in the order of A, may be NULL.
 */
int try_write_down(const struct try_judge *j, const char *id, const char *state,
		   const struct try_approaches *a, const struct strlist *boxes, struct aisbx_error *e);
/*
 * Its end; takes RESULT, of which output, which may be secret and is long, is not stored: rows are kept for
 * years.
 */
void try_write_end(const char *id, const char *state, json_t *result);

/*
 * Names of boxes of an experiment begin with its id. Removes those except KEEP; errors are ignored: gc will
 * remove the rest.
 */
void try_boxes_drop(const char *id, const struct strlist *keep);

/*
 * Held while a process works on the experiment: who gets it from a dead process may clean up. -EBUSY, with E
 * unchanged.
 */
int try_lock(const char *state_dir, const char *id, int *ret_fd, struct aisbx_error *e);
void try_unlock(const char *state_dir, const char *id, int *fd);
/* Ends experiments whose process was killed, with their boxes; returns how many. */
size_t try_collect(void);

#endif
