/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A project's aisbx.yaml: services, intents, gates, stages, experiments, rules of the guard. Pure; no system
 * calls. The file is written by whoever works in the project, including models: it is not trusted.
 */
#ifndef PROJECT_PROJECT_H
#define PROJECT_PROJECT_H

#include <stdint.h>

#include "aisbx/error.h"
#include "base/str.h"
#include "policy/service.h"
#include "project/intent.h"

#define PROJECT_FILE "aisbx.yaml"
/* Limits: far above what a person writes, low enough to bound the work. */
#define PROJECT_MAX_BYTES    65536u
#define PROJECT_MAX_PATH     255u
#define PROJECT_MAX_GATES    64u
#define PROJECT_MAX_CHECKS   32u  /* as written in one list */
#define PROJECT_MAX_ALL      256u /* in one list, including nested gates */
#define PROJECT_MAX_STAGES   32u
#define PROJECT_MAX_TRIES    64u
#define PROJECT_MAX_BRANCHES 64u
#define PROJECT_MAX_RULES    256u
#define PROJECT_MAX_JUDGES   256u
#define PROJECT_MAX_TEXT     4096u /* of a pattern, a reason, an expression, a directory */
#define PROJECT_MAX_MS       (7u * 24u * 3600000u)

/* The project's command for an intent. */
struct project_intent {
	struct strlist argv; /* none: not set */
	struct strlist env;  /* "NAME=VALUE" */
	bool shell;          /* the last word is a shell command */
	char *cwd;           /* owned; below the project; NULL: the project */
	uint64_t timeout_ms; /* 0: none said */
	bool box_judges;     /* the box's version of its tests is used */
	char *dir;           /* owned; directory of the file that defines it; NULL: a text */
};

enum project_check_kind {
	CHECK_INTENT,  /* must pass */
	CHECK_EXPR,    /* must hold */
	CHECK_COMMAND, /* must exit with 0, and its score, if required, must satisfy the condition */
	CHECK_REGO,    /* a query of a policy must be true */
	CHECK_WASM,    /* a WebAssembly module must exit with 0 */
};

struct expr;
/* One condition that must hold. */
struct project_check {
	enum project_check_kind kind;
	char *text; /* owned; as people would write it */
	enum intent intent;
	/* owned; of an expression; of a command: condition on its score, may be NULL */
	struct expr *expr;
	struct strlist argv; /* of a command */
	bool shell;          /* its last word is a shell command */
	uint64_t timeout_ms; /* of a command; 0: not set */
	char *score;         /* owned; of a command: condition on its score, as written; may be NULL */
	bool box_judges;     /* of a command: the box's version of its script is used */
	char *rego, *query;  /* owned; a file below the project, and its query */
	char *wasm;          /* owned; a module below the project */
	char *gate;          /* owned; NULL, or the gate it came from */
	char *dir;           /* owned; of the file that says so; NULL: a text, or a command line */
};

struct project_checks {
	struct project_check *items; /* owned */
	size_t n;
};

struct project_gate {
	char *name; /* owned */
	struct project_checks checks;
};

enum project_target {
	TARGET_NONE,      /* only its gates */
	TARGET_DIRECTORY, /* the changes are promoted to it */
	TARGET_BRANCH,    /* a commit on that branch, made in a box, is added to the project's repository */
	TARGET_COMMAND,   /* run by the person's own shell, outside of any box: the project's deployment */
};

struct project_stage {
	char *name;                   /* owned */
	struct project_checks before; /* checks of the change */
	struct project_checks after;  /* checks of the target afterwards */
	bool approve;                 /* a person must approve */
	enum project_target target;
	char *where;                      /* owned; the directory as written, or the branch */
	struct strlist command, rollback; /* of TARGET_COMMAND; rollback may be empty */
	char *dir;                        /* owned; directory of the file that defines it; NULL: a text */
};

enum project_mode { MODE_FIRST, MODE_BEST, MODE_ALL, MODE_COUNT };

struct project_branch {
	char *name;          /* owned */
	struct strlist argv; /* one shell command is "sh -c TEXT" */
};

struct project_experiment {
	char *name;                      /* owned */
	struct project_branch *branches; /* owned */
	size_t n_branches;
	struct strlist test;         /* none: the intent test */
	struct project_checks gates; /* must hold as well */
	enum project_mode mode;
	struct expr *score; /* owned; NULL: time. The lowest wins, unless `most` */
	char *score_text;   /* owned; as written */
	bool most;
	uint64_t repeat;                                /* 1 if not set */
	uint64_t budget_ms, budget_cpu_ms, budget_runs; /* 0: none */
	uint64_t parallel;                              /* 0: no limit */
};

/* LOOK: behind the glass first, in a box if that was refused. */
enum project_guard_act { GUARD_RUN, GUARD_LOOK, GUARD_BOX, GUARD_ASK, GUARD_REFUSE, GUARD_ACT_COUNT };

/* If several match a command, the strictest applies. */
struct project_guard_rule {
	char *pattern; /* owned; words with '*' and '?': "git push *" */
	enum project_guard_act act;
	char *why; /* owned; may be NULL */
};

enum project_guard_promote { GUARD_SHOW, GUARD_PROMOTE };

struct project_guard {
	struct project_guard_rule *rules; /* owned */
	size_t n_rules;
	struct project_checks gates; /* before changes of a box are promoted */
	enum project_guard_promote promote;
};

/* Files whose person's own version is used while a box is judged. */
struct project_judge {
	char *path; /* owned; relative to the directory; '*' and '?' in a name, '**' for directories */
	char *dir;  /* owned; directory of the file that defines it; NULL: a text */
};

/* The sections of the file. A mistake in one takes away that one, and what uses it. */
enum project_part {
	PROJECT_SERVICES = 1,
	PROJECT_INTENTS = 2,
	PROJECT_GATES = 4,
	PROJECT_STAGES = 8,
	PROJECT_EXPERIMENTS = 16,
	PROJECT_GUARD = 32,
	PROJECT_JUDGES = 64,
	/* what decides over changes: what a key that nobody knows may have meant */
	PROJECT_DECISIONS =
		PROJECT_GATES | PROJECT_STAGES | PROJECT_EXPERIMENTS | PROJECT_GUARD | PROJECT_JUDGES,
	PROJECT_ALL = PROJECT_DECISIONS | PROJECT_SERVICES | PROJECT_INTENTS,
};

struct project_problem {
	unsigned int parts; /* project_part: those it breaks */
	char *text;         /* owned; "FILE:LINE:COLUMN: what is wrong" */
};

struct project {
	struct strlist files; /* files that were read, the outermost first; none: a text */
	unsigned int
		broken; /* project_part: those with mistakes; they are empty, but for rules of the guard */
	struct project_problem *problems; /* owned */
	size_t n_problems;
	struct service_specs services;
	struct project_intent intents[INTENT_COUNT];
	struct project_gate *gates; /* owned */
	size_t n_gates;
	struct project_stage *stages; /* owned; in their order */
	size_t n_stages;
	struct project_experiment *experiments; /* owned */
	size_t n_experiments;
	struct project_guard guard;
	struct project_judge *judges; /* owned */
	size_t n_judges;
};

const struct project_gate *project_gate_by_name(const struct project *p, const char *name);
const struct project_experiment *project_experiment_by_name(const struct project *p, const char *name);
/*
 * One check as a person writes it in a list or on the command line: a gate of P (adds all its checks), an
 * intent, or an expression.
 */
int project_check_add(const struct project *p, const char *text, struct project_checks *to,
		      struct aisbx_error *e);
void project_checks_finish(struct project_checks *c);
/* The name of a Rego rule: "data.PACKAGE.RULE". */
bool project_is_query(const char *text);
/* The default stages: verified (the intent test, if HAS_TEST, and no traps), then dev (its directory). */
int project_default_stages(struct project *p, bool has_test, struct aisbx_error *e);
/* Of the names in the file: "first", "best", "all"; "run", "look", "box", "ask", "refuse". End with NULL. */
extern const char *const project_mode_names[], *const project_guard_act_names[],
						       *const project_promote_names[];

void project_finish(struct project *p);
/* DIR is the directory of the file: its paths are relative to that. */
int project_place(struct project *p, const char *dir, struct aisbx_error *e);
/*
 * Adds the settings of INNER, the file of a directory below OUTER's, and may leave some of it there. See
 * docs/project.md.
 */
int project_nest(struct project *outer, struct project *inner, struct aisbx_error *e);

/* FILE is how errors call it: "FILE:LINE:COLUMN: what is wrong; what is allowed". */
int project_parse(const char *text, size_t len, const char *file, struct project *ret_project,
		  struct aisbx_error *e);
/*
 * The same where mistakes matter only in NEEDS (of project_part): elsewhere they are `problems` of the
 * project, whose parts are `broken`. What is no YAML, or of another version, breaks all of them.
 */
int project_parse_parts(const char *text, size_t len, const char *file, unsigned int needs,
			struct project *ret_project, struct aisbx_error *e);
/* The error of a project that lacks one of NEEDS because of a mistake; 0: it has them all. */
int project_need(const struct project *p, unsigned int needs, struct aisbx_error *e);
/* One line about the mistakes of P, for whoever does not need those parts; heap, NULL: there are none. */
char *project_problem_line(const struct project *p);
/* As project_parse, and every error of it, one text each. */
int project_parse_all(const char *text, size_t len, const char *file, struct project *ret_project,
		      struct strlist *ret_errors, struct aisbx_error *e);

struct doc_shape;
/* The shape of the file: the tables by which it is read. */
extern const struct doc_shape project_shape;

#endif
