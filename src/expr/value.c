/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value of an expression for one set of facts: one pass over its nodes. Three-valued logic (Kleene): a
 * value is unknown only if it depends on an unknown fact.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "expr/tree.h"

static struct expr_result truth(bool v)
{
	return (struct expr_result){ .known = true, .number = v };
}

static bool compare(enum expr_token_kind op, double a, double b)
{
	return op == TOKEN_EQ   ? a == b
	       : op == TOKEN_NE ? a != b
	       : op == TOKEN_LT ? a < b
	       : op == TOKEN_LE ? a <= b
	       : op == TOKEN_GT ? a > b
				: a >= b;
}

/* Texts are all literal, so they are known. */
static bool same_text(const struct expr *x, const struct expr_node *a, const struct expr_node *b)
{
	size_t len = a->text_to - a->text_from;

	return len == b->text_to - b->text_from &&
	       !memcmp(x->text + a->text_from, x->text + b->text_from, len);
}

static struct expr_result reckon(enum expr_token_kind op, const struct expr_result *a,
				 const struct expr_result *b)
{
	double v = op == TOKEN_PLUS    ? a->number + b->number
		   : op == TOKEN_MINUS ? a->number - b->number
		   : op == TOKEN_TIMES ? a->number * b->number
		   : b->number == 0    ? NAN
				       : a->number / b->number;

	return (struct expr_result){ .known = a->known && b->known && isfinite(v),
				     .number = isfinite(v) ? v : 0 };
}

static struct expr_result changed(const struct expr *x, const struct expr_node *n, const struct expr_value *v)
{
	struct expr_result r = { .known = v->known, .text = v->text, .paths = v->paths };

	for (size_t i = 0; v->known && v->paths && !r.fits && i < v->paths->n; i++)
		if (expr_glob_fits(v->paths->items[i], x->text + n->text_from, n->text_to - n->text_from))
			r.fits = v->paths->items[i];
	r.number = r.fits != NULL;
	return r;
}

/* Whoever makes facts may be wrong: what is no value of its type is not known. */
static struct expr_result fact(const struct expr_node *n, const struct expr_value *v)
{
	bool named = n->type == EXPR_LEVEL || n->type == EXPR_RESULT;
	bool good = v->known && isfinite(v->number) && (!named || expr_name_of(n->type, v->number));

	return (struct expr_result){ .known = good, .number = good ? v->number : 0, .text = v->text };
}

static struct expr_result value(const struct expr *x, const struct expr_node *n,
				const struct expr_result *all, expr_lookup *look, void *ctx)
{
	const struct expr_result *a = &all[n->a], *b = &all[n->b];
	struct expr_value v;

	switch (n->kind) {
	case NODE_LITERAL:
		return (struct expr_result){ .known = true, .number = n->number };
	case NODE_FACT:
		v = look(ctx, n->fact);
		return fact(n, &v);
	case NODE_CHANGED:
		v = look(ctx, n->fact);
		return changed(x, n, &v);
	case NODE_NOT:
		return (struct expr_result){ .known = a->known, .number = a->number == 0 };
	case NODE_AND:
		return expr_is(a, false) || expr_is(b, false)
			       ? truth(false)
			       : (struct expr_result){ .known = a->known && b->known, .number = 1 };
	case NODE_OR:
		return expr_is(a, true) || expr_is(b, true)
			       ? truth(true)
			       : (struct expr_result){ .known = a->known && b->known, .number = 0 };
	case NODE_COMPARE:
		if (x->nodes[n->a].type == EXPR_TEXT)
			return truth(same_text(x, &x->nodes[n->a], &x->nodes[n->b]) == (n->op == TOKEN_EQ));
		return (struct expr_result){ .known = a->known && b->known,
					     .number = compare(n->op, a->number, b->number) };
	case NODE_RECKON:
		return reckon(n->op, a, b);
	case NODE_NEGATE:
		break;
	}
	return (struct expr_result){ .known = a->known, .number = -a->number };
}

struct expr_result *expr_values(const struct expr *x, expr_lookup *look, void *ctx)
{
	struct expr_result *all = calloc(x->n, sizeof(*all));

	for (size_t i = 0; all && i < x->n; i++)
		all[i] = value(x, &x->nodes[i], all, look, ctx);
	return all;
}

static int no_memory(struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "evaluate an expression");
}

int expr_judge(const struct expr *x, expr_lookup *look, void *ctx, struct expr_verdict *ret,
	       struct aisbx_error *e)
{
	scoped(drop_mem) struct expr_result *all = expr_values(x, look, ctx);
	scoped(buf_finish) struct buf why = { 0 };

	if (!all)
		return no_memory(e);
	expr_tell(x, all, &why);
	if (!buf_str(&why))
		return no_memory(e);
	ret->holds = expr_is(&all[x->n - 1], true);
	ret->why = take_mem(&why.data);
	return 0;
}

void expr_verdict_finish(struct expr_verdict *v)
{
	free(v->why);
	*v = (struct expr_verdict){ 0 };
}

int expr_score(const struct expr *x, expr_lookup *look, void *ctx, double *ret, bool *ret_known,
	       struct aisbx_error *e)
{
	scoped(drop_mem) struct expr_result *all = expr_values(x, look, ctx);

	if (!all)
		return no_memory(e);
	*ret = all[x->n - 1].number;
	*ret_known = all[x->n - 1].known;
	return 0;
}
