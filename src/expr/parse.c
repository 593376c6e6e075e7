/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From text to tree, by recursive descent: or, and, not, comparison, sum, product, value. Types are checked
 * as nodes are made, so what was parsed always has a value.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "expr/tree.h"

#define FIRST_ROOM 16 /* nodes */

static int read_or(struct expr_reader *r, size_t *ret);

static const char *const levels[] = { "none", "low", "medium", "high", "critical" };
static const char *const results[] = { "none", "pass", "fail" };

static int place_of(const char *name, size_t len, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(names[i]) == len && !strncmp(names[i], name, len))
			return (int)i;
	return -1;
}

int expr_level(const char *name)
{
	return place_of(name, strlen(name), levels, sizeof(levels) / sizeof(*levels));
}

int expr_result(const char *name)
{
	return place_of(name, strlen(name), results, sizeof(results) / sizeof(*results));
}

const char *expr_name_of(int type, double place)
{
	size_t n = type == EXPR_LEVEL ? sizeof(levels) / sizeof(*levels) : sizeof(results) / sizeof(*results);

	if (!(place >= 0 && place < (double)n))
		return NULL;
	return (type == EXPR_LEVEL ? levels : results)[(size_t)place];
}

/* After the first that failed it gives the first node, so that indexes stay good until somebody looks. */
static size_t add(struct expr_reader *r, const struct expr_node *n)
{
	struct expr *x = r->into;

	if (x->n == x->room && !x->failed) {
		struct expr_node *grown = reallocarray(x->nodes, 2 * x->room, sizeof(*grown));

		x->failed = !grown;
		x->nodes = grown ? grown : x->nodes;
		x->room *= grown ? 2 : 1;
	}
	if (x->failed)
		return 0;
	x->nodes[x->n] = *n;
	return x->n++;
}

/* The next token as people would name it. */
static const char *name_next(const struct expr_reader *r, char buf[static EXPR_SLICE + 12])
{
	char slice[EXPR_SLICE + 8];

	if (r->token.kind == TOKEN_END)
		return "the end";
	snprintf(buf, EXPR_SLICE + 12, "'%s'", expr_slice(r->text, r->token.from, r->token.to, slice));
	return buf;
}

static int go_deeper(struct expr_reader *r)
{
	return ++r->depth > EXPR_MAX_DEPTH ? expr_complain(r, TOO_DEEP, r->token.from) : 0;
}

/* A word nobody knows: what is nearest, of all that could stand here. */
static int unknown(const struct expr_reader *r, const struct expr_token *t)
{
	static const char *const more[] = { "and",  "or",   "not", "true",   "false", "pass",
					    "fail", "none", "low", "medium", "high",  "critical" };
	const char *names[64], *near, *minus;
	char word[EXPR_SLICE + 8], lower[EXPR_SLICE + 8];
	size_t n = 0;

	for (; expr_facts[n].name; n++)
		names[n] = expr_facts[n].name;
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		names[n++] = more[i];
	expr_slice(r->text, t->from, t->to, word);
	for (size_t i = 0; i == 0 || word[i - 1]; i++)
		lower[i] = (char)tolower((unsigned char)word[i]);
	minus = strchr(word, '-');
	if (minus && expr_fact_find(word, (size_t)(minus - word)) >= 0)
		return expr_complain(r, UNKNOWN_MINUS, t->from, word);
	near = str_nearest(lower, names, n);
	return near ? expr_complain(r, UNKNOWN, t->from, word, near)
		    : expr_complain(r, UNKNOWN_FAR, t->from, word);
}

/* Of a fact that is asked with a pattern: one for its messages. */
static const char *example(size_t fact)
{
	return strcmp(expr_facts[fact].name, "changed") ? "*.example.org" : "src/**";
}

/* The pattern of changed() and its kind: one that can fit something. */
static int check_pattern(const struct expr_reader *r, const struct expr_token *t, size_t fact)
{
	const char *s = r->text + t->from + 1;
	size_t len = t->to - t->from - 2;
	char buf[EXPR_SLICE + 8];

	if (!len)
		return expr_complain(r, EMPTY_PATTERN, t->from, expr_facts[fact].name, example(fact));
	if (*s == '/' || (len > 1 && !strncmp(s, "./", 2)) || (len > 2 && !strncmp(s, "../", 3)))
		return expr_complain(r, BAD_PATTERN, t->from, expr_slice(s, 0, len, buf));
	return 0;
}

/* What stands between the parentheses of changed() and its kind, and their end. */
static int read_changed(struct expr_reader *r, struct expr_node *n)
{
	char buf[EXPR_SLICE + 12];
	const char *name = expr_facts[n->fact].name;
	int err = r->token.kind == TOKEN_OPEN ? expr_next(r)
					      : expr_complain(r, NO_PATTERN, n->from, name, example(n->fact));

	if (err < 0)
		return err;
	if (r->token.kind != TOKEN_TEXT)
		return expr_complain(r, NO_PATTERN, r->token.from, name, example(n->fact));
	err = check_pattern(r, &r->token, n->fact);
	n->kind = NODE_CHANGED;
	n->type = EXPR_BOOL;
	n->text_from = r->token.from + 1;
	n->text_to = r->token.to - 1;
	if (err == 0)
		err = expr_next(r);
	if (err < 0)
		return err;
	if (r->token.kind != TOKEN_CLOSE)
		return expr_complain(r, WANT_CLOSE, r->token.from, name_next(r, buf));
	n->to = r->token.to;
	return expr_next(r);
}

/* The words that are values. */
static bool read_name(const char *s, size_t len, struct expr_node *n)
{
	int level = place_of(s, len, levels, sizeof(levels) / sizeof(*levels)),
	    result = place_of(s, len, results, sizeof(results) / sizeof(*results));
	bool yes = len == 4 && !strncmp(s, "true", 4), no = len == 5 && !strncmp(s, "false", 5);

	n->kind = NODE_LITERAL;
	n->type = yes || no ? EXPR_BOOL : level == 0 ? EXPR_NONE : level > 0 ? EXPR_LEVEL : EXPR_RESULT;
	n->number = yes || no ? yes : level >= 0 ? level : result;
	return yes || no || level >= 0 || result >= 0;
}

static int read_word(struct expr_reader *r, size_t *ret)
{
	struct expr_token t = r->token;
	struct expr_node n = { .kind = NODE_FACT, .from = t.from, .to = t.to };
	int fact = expr_fact_find(r->text + t.from, t.to - t.from), err = expr_next(r);
	char buf[EXPR_SLICE + 8];

	if (err < 0)
		return err;
	if (r->token.kind == TOKEN_OPEN && (fact < 0 || expr_facts[fact].type != EXPR_PATHS))
		return expr_complain(r, NO_FUNCTION, t.from, expr_slice(r->text, t.from, t.to, buf));
	if (fact >= 0) {
		n.fact = (size_t)fact;
		n.type = (int)expr_facts[fact].type;
		if (expr_facts[fact].type == EXPR_PATHS)
			err = read_changed(r, &n);
	} else if (!read_name(r->text + t.from, t.to - t.from, &n)) {
		return unknown(r, &t);
	}
	if (err == 0)
		*ret = add(r, &n);
	return err;
}

static int read_paren(struct expr_reader *r, size_t *ret)
{
	size_t from = r->token.from;
	char buf[EXPR_SLICE + 12];
	int err = go_deeper(r);

	if (err == 0)
		err = expr_next(r);
	if (err == 0)
		err = read_or(r, ret);
	if (err < 0)
		return err;
	if (r->token.kind != TOKEN_CLOSE)
		return expr_complain(r, WANT_CLOSE, r->token.from, name_next(r, buf));
	r->into->nodes[*ret].from = from;
	r->into->nodes[*ret].to = r->token.to;
	r->depth--;
	return expr_next(r);
}

static int read_value(struct expr_reader *r, size_t *ret);

static int read_negative(struct expr_reader *r, size_t *ret)
{
	struct expr_node n = { .kind = NODE_NEGATE, .from = r->token.from };
	int err = go_deeper(r);

	if (err == 0)
		err = expr_next(r);
	if (err == 0)
		err = read_value(r, &n.a);
	if (err == 0)
		err = expr_type_negate(r, &n);
	if (err < 0)
		return err;
	r->depth--;
	n.to = r->into->nodes[n.a].to;
	*ret = add(r, &n);
	return 0;
}

static int read_value(struct expr_reader *r, size_t *ret)
{
	const struct expr_token *t = &r->token;
	struct expr_node n = {
		.kind = NODE_LITERAL, .type = t->type, .number = t->number, .from = t->from, .to = t->to
	};
	char buf[EXPR_SLICE + 12];

	if (t->kind == TOKEN_WORD)
		return read_word(r, ret);
	if (t->kind == TOKEN_OPEN)
		return read_paren(r, ret);
	if (t->kind == TOKEN_MINUS)
		return read_negative(r, ret);
	if (t->kind != TOKEN_QUANTITY && t->kind != TOKEN_TEXT)
		return expr_complain(r, WANT_VALUE, t->from, name_next(r, buf));
	if (t->kind == TOKEN_TEXT) {
		n.text_from = t->from + 1;
		n.text_to = t->to - 1;
	}
	*ret = add(r, &n);
	return expr_next(r);
}

/* LEFT is there; the operator is next: the node of both. */
static int join(struct expr_reader *r, enum expr_kind kind,
		int (*operand)(struct expr_reader *r, size_t *ret),
		int (*check)(struct expr_reader *r, struct expr_node *n), size_t *left)
{
	struct expr_node n = { .kind = kind, .op = r->token.kind, .type = EXPR_BOOL, .a = *left };
	int err = expr_next(r);

	if (err == 0)
		err = operand(r, &n.b);
	if (err == 0)
		err = check(r, &n);
	if (err < 0)
		return err;
	n.from = r->into->nodes[n.a].from;
	n.to = r->into->nodes[n.b].to;
	*left = add(r, &n);
	return 0;
}

static int read_product(struct expr_reader *r, size_t *ret)
{
	int err = read_value(r, ret);

	while (err == 0 && (r->token.kind == TOKEN_TIMES || r->token.kind == TOKEN_OVER))
		err = join(r, NODE_RECKON, read_value, expr_type_reckon, ret);
	return err;
}

static int read_sum(struct expr_reader *r, size_t *ret)
{
	int err = read_product(r, ret);

	while (err == 0 && (r->token.kind == TOKEN_PLUS || r->token.kind == TOKEN_MINUS))
		err = join(r, NODE_RECKON, read_product, expr_type_reckon, ret);
	return err;
}

static bool compares(enum expr_token_kind k)
{
	return k >= TOKEN_EQ && k <= TOKEN_GE;
}

static int read_comparison(struct expr_reader *r, size_t *ret)
{
	int err = read_sum(r, ret);

	if (err < 0 || !compares(r->token.kind))
		return err;
	err = join(r, NODE_COMPARE, read_sum, expr_type_compare, ret);
	return err == 0 && compares(r->token.kind) ? expr_complain(r, CHAINED, r->token.from) : err;
}

static int read_not(struct expr_reader *r, size_t *ret)
{
	struct expr_node n = { .kind = NODE_NOT, .type = EXPR_BOOL, .from = r->token.from };
	int err;

	if (r->token.kind != TOKEN_NOT)
		return read_comparison(r, ret);
	err = go_deeper(r);
	if (err == 0)
		err = expr_next(r);
	if (err == 0)
		err = read_not(r, &n.a);
	if (err == 0)
		err = expr_type_truth(r, n.a);
	if (err < 0)
		return err;
	r->depth--;
	n.to = r->into->nodes[n.a].to;
	*ret = add(r, &n);
	return 0;
}

static int both_truths(struct expr_reader *r, struct expr_node *n)
{
	int err = expr_type_truth(r, n->a);

	return err < 0 ? err : expr_type_truth(r, n->b);
}

static int read_and(struct expr_reader *r, size_t *ret)
{
	int err = read_not(r, ret);

	while (err == 0 && r->token.kind == TOKEN_AND)
		err = join(r, NODE_AND, read_not, both_truths, ret);
	return err;
}

static int read_or(struct expr_reader *r, size_t *ret)
{
	int err = read_and(r, ret);

	while (err == 0 && r->token.kind == TOKEN_OR)
		err = join(r, NODE_OR, read_and, both_truths, ret);
	return err;
}

static int read_whole(struct expr_reader *r, bool want_number)
{
	char buf[EXPR_SLICE + 12];
	size_t root = 0;
	int err = expr_next(r);

	if (err == 0 && r->token.kind == TOKEN_END)
		return expr_complain(r, EMPTY, 0);
	if (err == 0)
		err = read_or(r, &root);
	if (err == 0 && r->token.kind != TOKEN_END)
		return expr_complain(r, EXTRA, r->token.from, name_next(r, buf));
	if (err < 0)
		return err;
	return want_number ? expr_type_score(r, root) : expr_type_truth(r, root);
}

void expr_free(struct expr *x)
{
	if (!x)
		return;
	free(x->text);
	free(x->nodes);
	free(x);
}

static int no_memory(struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read an expression");
}

int expr_parse(const char *text, bool want_number, struct expr **ret, struct aisbx_error *e)
{
	scoped(drop_expr) struct expr *x = calloc(1, sizeof(*x));
	struct expr_reader r = { .text = text, .len = strnlen(text, EXPR_MAX_BYTES + 1), .into = x, .e = e };
	int err;

	if (r.len > EXPR_MAX_BYTES) {
		r.len = EXPR_MAX_BYTES;
		return expr_complain(&r, TOO_LONG, EXPR_MAX_BYTES);
	}
	if (x)
		x->text = strdup(text);
	if (x)
		x->nodes = calloc(FIRST_ROOM, sizeof(*x->nodes));
	if (!x || !x->text || !x->nodes)
		return no_memory(e);
	x->room = FIRST_ROOM;
	err = read_whole(&r, want_number);
	if (x->failed)
		return no_memory(e);
	if (err == 0)
		*ret = take_mem(&x);
	return err;
}

bool expr_uses(const struct expr *x, const char *fact)
{
	size_t len = strlen(fact);

	for (size_t i = 0; i < x->n; i++) {
		const char *name = expr_facts[x->nodes[i].fact].name;

		if (x->nodes[i].kind != NODE_FACT && x->nodes[i].kind != NODE_CHANGED)
			continue;
		if (!strncmp(name, fact, len) && (!name[len] || name[len] == '.'))
			return true;
	}
	return false;
}
