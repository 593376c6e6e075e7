/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An expression between its text and its value: tokens, nodes, errors. Children come before their parents in
 * the list of nodes, so walking it needs a loop and no recursion, however deeply it is nested.
 */
#ifndef EXPR_TREE_H
#define EXPR_TREE_H

#include "base/buf.h"
#include "expr/expr.h"
#include "expr/errors.h"

#define EXPR_MAX_BYTES 4096u
#define EXPR_MAX_DEPTH 64u

/* Two spellings get their type only from another value. */
#define EXPR_MINUTES ((int)EXPR_TYPE_COUNT)     /* 2m: a time or a size */
#define EXPR_NONE    ((int)EXPR_TYPE_COUNT + 1) /* none: a result or a level */

enum expr_token_kind {
	TOKEN_END,
	TOKEN_WORD,
	TOKEN_QUANTITY,
	TOKEN_TEXT,
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_AND,
	TOKEN_OR,
	TOKEN_NOT,
	TOKEN_EQ,
	TOKEN_NE,
	TOKEN_LT,
	TOKEN_LE,
	TOKEN_GT,
	TOKEN_GE,
	TOKEN_PLUS,
	TOKEN_MINUS,
	TOKEN_TIMES,
	TOKEN_OVER,
};

struct expr_token {
	enum expr_token_kind kind;
	size_t from, to; /* bytes of the text */
	double number;   /* QUANTITY */
	int type;        /* QUANTITY */
};

enum expr_kind {
	NODE_LITERAL,
	NODE_FACT,
	NODE_CHANGED, /* true if a changed path matches the text between its quotes */
	NODE_NOT,
	NODE_AND,
	NODE_OR,
	NODE_COMPARE,
	NODE_RECKON,
	NODE_NEGATE,
};

struct expr_node {
	enum expr_kind kind;
	enum expr_token_kind op;   /* COMPARE, RECKON */
	int type;                  /* enum expr_type, or one of the two above */
	size_t from, to;           /* bytes of the text */
	size_t a, b;               /* operands, before it in the list */
	size_t fact;               /* FACT, CHANGED */
	size_t text_from, text_to; /* CHANGED, texts: what is between the quotes */
	double number;             /* LITERAL */
};

struct expr {
	char *text;              /* owned */
	struct expr_node *nodes; /* owned; the last is the whole */
	size_t n, room;
	bool failed; /* no memory */
};

/* What reads a text. */
struct expr_reader {
	const char *text;
	size_t len, at;
	struct expr_token token; /* the next one */
	unsigned int depth;
	struct expr *into;
	struct aisbx_error *e;
};

extern const char *const expr_error_texts[EXPR_ERROR_COUNT];

/*
 * The text of error ID about the byte AT, an excerpt and a caret; the other arguments are %1 and so on.
 * Returns the code.
 */
int expr_complain_of(const struct expr_reader *r, enum expr_error id, size_t at, const char *const *args,
		     size_t n);
#define expr_complain(r, id, at, ...)                                                        \
	expr_complain_of(r, EXPR_ERROR_##id, at, (const char *const[]){ "", ##__VA_ARGS__ }, \
			 sizeof((const char *const[]){ "", ##__VA_ARGS__ }) / sizeof(char *))

#define EXPR_SLICE 40
/* A part of the text for people, short enough to be quoted. */
const char *expr_slice(const char *text, size_t from, size_t to, char buf[static EXPR_SLICE + 8]);

/* expr_lex.c: the token at r->at, into r->token. */
int expr_next(struct expr_reader *r);

/* expr_type.c: check that the operands of a node fit together, and set its type. */
const char *expr_type_name(int type);
int expr_type_compare(struct expr_reader *r, struct expr_node *n);
int expr_type_reckon(struct expr_reader *r, struct expr_node *n);
int expr_type_negate(struct expr_reader *r, struct expr_node *n);
int expr_type_truth(struct expr_reader *r, size_t node);
int expr_type_score(struct expr_reader *r, size_t node);

/* expr_value.c: the value of each node, for one set of facts. */
struct expr_result {
	bool known;
	double number;
	const char *text;            /* FACT: as the lookup had it */
	const struct strlist *paths; /* CHANGED */
	const char *fits;            /* CHANGED: the first path that matches; borrowed */
};

/* Heap, one for each node; NULL: no memory. */
struct expr_result *expr_values(const struct expr *x, expr_lookup *look, void *ctx);
/* Whether a whole that is true or false has a certain value, and which. */
static inline bool expr_is(const struct expr_result *v, bool truth)
{
	return v->known && (v->number != 0) == truth;
}

/* expr_why.c */
void expr_tell(const struct expr *x, const struct expr_result *values, struct buf *to);

/* expr_glob.c: '*' and '?' match within a name, '**' matches directories, too. */
bool expr_glob_fits(const char *path, const char *pattern, size_t len);

/* facts.c: index in expr_facts; -1: none. '_' and '-' are the same. */
int expr_fact_find(const char *name, size_t len);

#endif
