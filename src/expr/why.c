/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why an expression holds or not, for people: only the parts that decided it, each with the values of its
 * facts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "expr/tree.h"

static bool joins(const struct expr_node *n)
{
	return n->kind == NODE_AND || n->kind == NODE_OR;
}

/* Whether what an operand is has a part in what the whole is. */
static bool matters(const struct expr_node *n, const struct expr_result *whole,
		    const struct expr_result *operand)
{
	bool and = n->kind == NODE_AND;

	if (expr_is(whole, !and)) /* one is enough for that */
		return expr_is(operand, !and);
	return expr_is(whole, and) || !expr_is(operand, and) || !and;
}

static void add_number(struct buf *b, int type, double v)
{
	char text[32];
	double abs = fabs(v);

	if (type == EXPR_LEVEL || type == EXPR_RESULT)
		buf_addf(b, "%s", expr_name_of(type, v));
	else if (type == EXPR_BOOL)
		buf_addf(b, "%s", v != 0 ? "true" : "false");
	else if (abs < 9e15 && type == EXPR_SIZE)
		buf_addf(b, "%s%s", v < 0 ? "-" : "", str_size((uint64_t)abs, text, sizeof(text)));
	else if (abs < 9e15 && type == EXPR_TIME)
		buf_addf(b, "%s%s", v < 0 ? "-" : "", str_ms((uint64_t)abs, text, sizeof(text)));
	else
		buf_addf(b, "%.*g", abs < 1e15 && v == (double)(long long)v ? 15 : 6, v);
}

static void add_clean(struct buf *b, const char *text, size_t len)
{
	size_t at = b->len;

	buf_add_utf8(b, text, len);
	for (; !b->failed && at < b->len; at++)
		if ((unsigned char)b->data[at] < 0x20 || b->data[at] == 0x7F)
			b->data[at] = ' ';
}

static void add_unknown(struct buf *b, const char *name, const char *why)
{
	buf_addf(b, "%s is not known", name);
	if (why) {
		buf_add(b, ": ", 2);
		add_clean(b, why, strlen(why));
	}
}

/* ALONE: the text before it has no other fact, so "it" says which. */
static void add_fact(struct buf *b, const struct expr_node *n, const struct expr_result *v, bool alone)
{
	const char *name = expr_facts[n->fact].name;

	if (!v->known) {
		add_unknown(b, name, v->text);
	} else if (n->kind == NODE_CHANGED && v->fits) {
		add_clean(b, v->fits, strlen(v->fits));
		buf_addf(b, strcmp(name, "changed") ? " was reached" : " is changed");
	} else if (n->kind == NODE_CHANGED) {
		buf_addf(b, strcmp(name, "changed") ? "no host that was reached matches"
						    : "no changed path matches");
	} else {
		buf_addf(b, "%s is ", alone ? "it" : name);
		add_number(b, n->type, v->number);
	}
}

/* The part that ends with node I, with all facts in it. FIRST is where its nodes begin. */
static void add_part(const struct expr *x, const struct expr_result *all, const struct expr_node *whole,
		     size_t first, size_t i, struct buf *to)
{
	size_t n_facts = 0, told = 0;
	bool unknown = false;

	for (size_t j = first; j <= i; j++)
		if (x->nodes[j].kind == NODE_FACT || x->nodes[j].kind == NODE_CHANGED) {
			n_facts++;
			unknown = unknown || !all[j].known;
		}
	if (to->len)
		buf_add(to, "; ", 2);
	add_clean(to, x->text + whole->from, whole->to - whole->from);
	buf_add(to, ": ", 2);
	for (size_t j = first; j <= i; j++) {
		if (x->nodes[j].kind != NODE_FACT && x->nodes[j].kind != NODE_CHANGED)
			continue;
		if (told++)
			buf_add(to, ", ", 2);
		add_fact(to, &x->nodes[j], &all[j], n_facts == 1);
	}
	if (!all[i].known && !unknown)
		buf_addf(to, "%sit has no value: division by zero, or the result is too large",
			 told ? ", " : "");
	else if (!told)
		buf_addf(to, "it is always %s", all[i].number != 0 ? "true" : "false");
}

/* Where the nodes of the one at I begin: in this order they are all together. */
static size_t first_of(const struct expr *x, size_t i)
{
	for (;;) {
		const struct expr_node *n = &x->nodes[i];

		if (n->kind == NODE_LITERAL || n->kind == NODE_FACT || n->kind == NODE_CHANGED)
			return i;
		i = n->a;
	}
}

void expr_tell(const struct expr *x, const struct expr_result *all, struct buf *to)
{
	scoped(drop_mem) size_t *told =
		calloc(x->n, sizeof(*told)); /* 0: not; else 1 + the node whose text shows it */

	if (!told) {
		to->failed = true;
		return;
	}
	told[x->n - 1] = x->n;
	for (size_t i = x->n; i-- > 0;) { /* parents come first on this way */
		const struct expr_node *n = &x->nodes[i];

		if (told[i] && joins(n)) {
			told[n->a] = matters(n, &all[i], &all[n->a]) ? n->a + 1 : 0;
			told[n->b] = matters(n, &all[i], &all[n->b]) ? n->b + 1 : 0;
		} else if (told[i] && n->kind == NODE_NOT) {
			told[n->a] = told[i]; /* with its 'not', unless there is more below */
		}
	}
	for (size_t i = 0; i < x->n; i++)
		if (told[i] && !joins(&x->nodes[i]) && x->nodes[i].kind != NODE_NOT)
			add_part(x, all, &x->nodes[told[i] - 1], first_of(x, i), i, to);
}
