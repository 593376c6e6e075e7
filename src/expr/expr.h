/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions over the facts of runs and changes: "tests==pass and changes.deleted<10". Small, typed and
 * total: every expression that parses has a value for every set of facts, in time that grows with its length,
 * and changes nothing. Pure; no system calls. They are written by people and models, and not trusted.
 */
#ifndef EXPR_EXPR_H
#define EXPR_EXPR_H

#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"
#include "base/str.h"

enum expr_type {
	EXPR_BOOL,
	EXPR_NUMBER, /* a count alone is true if it is not 0: "not traps" */
	EXPR_SIZE,   /* bytes: 256m */
	EXPR_TIME,   /* milliseconds: 30s */
	EXPR_LEVEL,  /* none < low < medium < high < critical */
	EXPR_RESULT, /* pass, fail, none */
	EXPR_TEXT,   /* "..." */
	EXPR_PATHS,  /* for changed("GLOB") alone */
	EXPR_TYPE_COUNT
};

struct expr_fact {
	const char *name;
	enum expr_type type;
	const char *help;
};

/* All there are; ends with a NULL name. facts.c */
extern const struct expr_fact expr_facts[];

/* What is known of one fact. */
struct expr_value {
	bool known; /* not known: whatever needs it does not hold, and says so */
	/* BOOL 0 or 1, NUMBER, SIZE, TIME; LEVEL and RESULT: the position in their order */
	double number;
	const char *text;            /* borrowed; TEXT; if not known: why, or NULL */
	const struct strlist *paths; /* borrowed; PATHS */
};

/* FACT: an index into expr_facts. */
typedef struct expr_value expr_lookup(void *ctx, size_t fact);

struct expr;

/* The whole must be true or false (EXPR_BOOL), or with WANT_NUMBER a number, size or time: a score. Errors
 * show the text and a caret. */
int expr_parse(const char *text, bool want_number, struct expr **ret, struct aisbx_error *e);
void expr_free(struct expr *x);
static inline void drop_expr(struct expr **x)
{
	expr_free(*x);
}

/* Whether it needs FACT, or any below it: "tests" is in "tests.passed". */
bool expr_uses(const struct expr *x, const char *fact);

struct expr_verdict {
	bool holds;
	/* owned; for people: "changes.deleted<10: it is 12"; facts that are not known are named */
	char *why;
};

void expr_verdict_finish(struct expr_verdict *v);
int expr_judge(const struct expr *x, expr_lookup *look, void *ctx, struct expr_verdict *ret,
	       struct aisbx_error *e);
/* RET_KNOWN false: a fact that it needs is not known. */
int expr_score(const struct expr *x, expr_lookup *look, void *ctx, double *ret, bool *ret_known,
	       struct aisbx_error *e);

/* Levels and results by name; -1: none. */
int expr_level(const char *name);
int expr_result(const char *name);
/* The name of a level or a result; NULL: there is none at that place. */
const char *expr_name_of(int type, double place);

#endif
