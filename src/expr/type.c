/* SPDX-License-Identifier: Apache-2.0 */
/* What may be compared or calculated with what. An error names both types and what would be right. */
#include <string.h>

#include "expr/tree.h"

/* Of each type: what it is called, and what one is compared with. */
static const struct {
	const char *name, *right;
} types[] = {
	[EXPR_BOOL] = { "true or false", "true or false" },
	[EXPR_NUMBER] = { "a number", "a number, as in 10" },
	[EXPR_SIZE] = { "a size", "a size, as in 256m" },
	[EXPR_TIME] = { "a time", "a time, as in 30s" },
	[EXPR_LEVEL] = { "a level", "none, low, medium, high or critical" },
	[EXPR_RESULT] = { "a result", "pass, fail or none" },
	[EXPR_TEXT] = { "a text", "a text, as in \"x\"" },
	[EXPR_PATHS] = { "a list of paths", "a pattern" },
	[EXPR_TYPE_COUNT] = { "minutes or mebibytes", "a size or a time" },
	[EXPR_TYPE_COUNT + 1] = { "a level or a result", "a level or a result" },
};

const char *expr_type_name(int type)
{
	return types[type].name;
}

static const char *slice(const struct expr_reader *r, const struct expr_node *n,
			 char buf[static EXPR_SLICE + 8])
{
	return expr_slice(r->text, n->from, n->to, buf);
}

static bool quantity(int type)
{
	return type == EXPR_NUMBER || type == EXPR_SIZE || type == EXPR_TIME;
}

static bool is_zero(const struct expr_node *n)
{
	return n->kind == NODE_LITERAL && n->type == EXPR_NUMBER && n->number == 0;
}

/* What means two things becomes what it must be beside TYPE; 0 is as many of everything. */
static void settle(struct expr_node *n, int type, bool zero)
{
	if (n->type == EXPR_MINUTES && (type == EXPR_SIZE || type == EXPR_TIME)) {
		n->type = type;
		n->number *= type == EXPR_SIZE ? 0x1p20 : 60e3;
	} else if (n->type == EXPR_NONE && (type == EXPR_LEVEL || type == EXPR_RESULT)) {
		n->type = type;
	} else if (zero && is_zero(n) && quantity(type)) {
		n->type = type;
	}
}

static int still_minutes(const struct expr_reader *r, const struct expr_node *n)
{
	char buf[EXPR_SLICE + 8], digits[EXPR_SLICE + 8];
	size_t from = n->from, count;

	if (n->type != EXPR_MINUTES)
		return 0;
	from += strcspn(r->text + from, "0123456789"); /* it may stand in parentheses */
	count = strspn(r->text + from, "0123456789.");
	expr_slice(r->text, from, from + count, digits);
	return expr_complain(r, MINUTES, from, expr_slice(r->text, from, from + count + 1, buf), digits);
}

/* Both operands as they mean each other. */
static int settle_both(const struct expr_reader *r, struct expr_node *a, struct expr_node *b, bool zero)
{
	int err;

	settle(a, b->type, zero);
	settle(b, a->type, zero);
	err = still_minutes(r, a);
	return err < 0 ? err : still_minutes(r, b);
}

int expr_type_compare(struct expr_reader *r, struct expr_node *n)
{
	struct expr_node *a = &r->into->nodes[n->a], *b = &r->into->nodes[n->b];
	char left[EXPR_SLICE + 8], right[EXPR_SLICE + 8];
	int err = settle_both(r, a, b, true);

	if (err < 0)
		return err;
	if (a->type != b->type) {
		if (a->kind == NODE_LITERAL && b->kind != NODE_LITERAL) {
			struct expr_node *swap = a; /* what is asked about comes first */

			a = b;
			b = swap;
		}
		return expr_complain(r, DIFFER, b->from, slice(r, a, left), types[a->type].name,
				     slice(r, b, right), types[b->type].name, types[a->type].right);
	}
	if (n->op != TOKEN_EQ && n->op != TOKEN_NE && !quantity(a->type) && a->type != EXPR_LEVEL)
		return expr_complain(r, UNORDERED, a->from, slice(r, a, left), types[a->type].name);
	return 0;
}

int expr_type_reckon(struct expr_reader *r, struct expr_node *n)
{
	struct expr_node *a = &r->into->nodes[n->a], *b = &r->into->nodes[n->b];
	bool sum = n->op == TOKEN_PLUS || n->op == TOKEN_MINUS;
	char left[EXPR_SLICE + 8], right[EXPR_SLICE + 8];
	int err = settle_both(r, a, b, sum);

	if (err < 0)
		return err;
	if (!quantity(a->type))
		return expr_complain(r, NO_SUM, a->from, slice(r, a, left), types[a->type].name);
	if (!quantity(b->type))
		return expr_complain(r, NO_SUM, b->from, slice(r, b, left), types[b->type].name);
	n->type = a->type;
	if (sum && a->type != b->type)
		return expr_complain(r, MIXED, b->from, slice(r, a, left), types[a->type].name,
				     slice(r, b, right), types[b->type].name);
	if (sum || b->type == EXPR_NUMBER)
		return 0;
	n->type = n->op == TOKEN_TIMES ? b->type : EXPR_NUMBER;
	if (n->op == TOKEN_TIMES ? a->type != EXPR_NUMBER : a->type != b->type)
		return expr_complain(r, PRODUCT, b->from, slice(r, a, left), types[a->type].name,
				     slice(r, b, right), types[b->type].name);
	return 0;
}

int expr_type_negate(struct expr_reader *r, struct expr_node *n)
{
	const struct expr_node *a = &r->into->nodes[n->a];
	char buf[EXPR_SLICE + 8];
	int err = still_minutes(r, a);

	n->type = a->type;
	if (err < 0 || quantity(a->type))
		return err;
	return expr_complain(r, NO_SUM, a->from, slice(r, a, buf), types[a->type].name);
}

/* True or false, or a fact that counts something. */
int expr_type_truth(struct expr_reader *r, size_t node)
{
	const struct expr_node *n = &r->into->nodes[node];
	char buf[EXPR_SLICE + 8];

	if (n->type == EXPR_BOOL || (n->type == EXPR_NUMBER && n->kind == NODE_FACT))
		return 0;
	return expr_complain(r, NOT_TRUTH, n->from, slice(r, n, buf), types[n->type].name,
			     types[n->type].right);
}

int expr_type_score(struct expr_reader *r, size_t node)
{
	const struct expr_node *n = &r->into->nodes[node];
	char buf[EXPR_SLICE + 8];
	int err = still_minutes(r, n);

	if (err < 0 || quantity(n->type))
		return err;
	return expr_complain(r, NOT_SCORE, n->from, slice(r, n, buf), types[n->type].name);
}
