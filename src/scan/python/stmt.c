/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of Python, one after another, and what is read later: bodies of functions and deeply nested
 * code.
 */
#include <stdlib.h>

#include "scan/python/python.h"

struct py_later {
	TSNode node;
	struct py_scope *scope;
	struct py_func *func; /* NULL: a statement or expression */
};

bool py_step(struct py *p)
{
	if (p->is_full || p->tree.is_late || (p->extra && !p->extra_left))
		return false;
	if (p->extra)
		p->extra_left--;
	return ++p->steps % 1024 || !tree_late(&p->tree);
}

bool py_extra_begin(struct py *p)
{
	if (!p->extra_left)
		return false;
	p->extra++;
	return true;
}

void py_extra_end(struct py *p)
{
	p->extra--;
}

void py_later(struct py *p, TSNode n, struct py_scope *s, struct py_func *f)
{
	if (p->extra || ts_node_is_null(n))
		return; /* the first round has or will have seen to it */
	if (p->n_later == p->cap_later) {
		size_t cap = p->cap_later ? p->cap_later * 2 : 64;
		struct py_later *grown = reallocarray(p->later, cap, sizeof(*grown));

		if (!grown) {
			p->is_full = true;
			return;
		}
		p->later = grown;
		p->cap_later = cap;
	}
	p->later[p->n_later++] = (struct py_later){ n, s, f };
	p->stores++;
}

void py_run_later(struct py *p)
{
	for (size_t i = 0; i < p->n_later && !p->is_full; i++) {
		struct py_later l = p->later[i];

		p->is_endless = false;
		if (l.func)
			py_run_function(p, l.func, NULL, NULL);
		else
			py_run(p, l.node, l.scope);
	}
}

void py_run_all(struct py *p, TSNode n, struct py_scope *s)
{
	size_t count;
	TSNode *children = py_children(p, n, &count);

	for (size_t i = 0; i < count; i++)
		py_run(p, children[i], s);
}

static void run_assignment(struct py *p, TSNode n, struct py_scope *s)
{
	TSNode last = n, type;
	const struct py_value *v;

	while (py_node(py_field(last, F_right)) == N_assignment)
		last = py_field(last, F_right);
	type = py_field(last, F_type);
	if (!ts_node_is_null(type))
		py_run(p, type, s);
	if (ts_node_is_null(py_field(last, F_right)))
		return;
	v = py_eval(p, py_field(last, F_right), s, 0);
	for (;; n = py_field(n, F_right)) {
		py_bind(p, py_field(n, F_left), v, s);
		if (ts_node_eq(n, last))
			return;
	}
}

static void run_augmented(struct py *p, TSNode n, struct py_scope *s)
{
	TSNode left = py_field(n, F_left);
	size_t len;
	const char *op = tree_bytes(&p->tree, py_field(n, F_operator), &len);
	const struct py_value *old = py_eval(p, left, s, PY_CALLEE | PY_PART),
			      *v = py_eval(p, py_field(n, F_right), s, 0);

	v = py_binary(p, op, len ? len - 1 : 0, old, v);
	if (p->is_repeated) /* nobody knows how often */
		v = v->kind == PY_TEXT ? py_binary(p, "+", 1, v, &py_unknown)
				       : py_with_from(p, &py_unknown, py_from_of(p, v));
	py_bind(p, left, v, s);
}

static void run_expression(struct py *p, TSNode n, struct py_scope *s)
{
	struct py_mark mark = py_mark(p);
	TSNode inner = py_first(n);

	if (py_node(inner) == N_string || py_node(inner) == N_concatenated_string)
		return; /* words for people */
	py_run_all(p, n, s);
	py_rewind(p, mark);
}

static void run_for(struct py *p, TSNode n, struct py_scope *s)
{
	TSNode left = py_field(n, F_left), body = py_field(n, F_body), other = py_field(n, F_alternative);
	const struct py_value *over = py_eval(p, py_field(n, F_right), s, 0), *list = py_iterate(p, over);

	py_bind(p, left, list && list->n ? list->items[0] : py_element(p, over), s);
	if (!ts_node_is_null(body))
		py_run(p, body, s);
	for (size_t i = 1; list && i < list->n && !ts_node_is_null(body) && py_extra_begin(p); i++) {
		py_bind(p, left, list->items[i], s);
		py_run(p, body, s);
		py_extra_end(p);
	}
	if (!ts_node_is_null(other))
		py_run(p, other, s);
}

/* An endless loop in which nothing is waited for. */
static bool is_restless(struct py *p, TSNode body)
{
	static const char *const waits[] = { "sleep", "wait", "accept", "join",   "input", "recv",
					     "poll",  "get(", "break",  "return", ".read", "run(" };
	size_t len;
	const char *text = tree_bytes(&p->tree, body, &len);

	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits) && len < 2048; i++)
		if (memmem(text, len, waits[i], strlen(waits[i])))
			return false;
	return len < 2048;
}

static void run_while(struct py *p, TSNode n, struct py_scope *s)
{
	TSNode condition = py_field(n, F_condition), body = py_field(n, F_body),
	       other = py_field(n, F_alternative);
	const struct py_value *v = py_eval(p, condition, s, 0);
	bool was_endless = p->is_endless, was_repeated = p->is_repeated,
	     is_constant = py_node(condition) != N_comparison_operator;

	p->is_endless = (v == &py_true || (v->kind == PY_INT && v->number)) && is_constant &&
			!ts_node_is_null(body) && is_restless(p, body);
	p->is_repeated |= is_constant || v->kind == PY_UNKNOWN;
	if (!ts_node_is_null(body))
		py_run(p, body, s);
	while (!is_constant && !ts_node_is_null(body) && v == &py_true && py_extra_begin(p)) {
		v = py_eval(p, condition, s, 0);
		if (v == &py_true)
			py_run(p, body, s);
		py_extra_end(p);
	}
	p->is_endless = was_endless;
	p->is_repeated = was_repeated;
	if (!ts_node_is_null(other))
		py_run(p, other, s);
}

static void run_return(struct py *p, TSNode n, struct py_scope *s)
{
	TSNode inner = py_first(n);
	const struct py_value *v = ts_node_is_null(inner) ? &py_none : py_eval(p, inner, s, 0);

	if (!p->running)
		return;
	/* Unpickling calls what this returns. */
	if (!strncmp(p->running->name, "__reduce", 8) && v->kind == PY_LIST && v->n >= 2 &&
	    v->items[1]->kind == PY_LIST) {
		struct py_args a = { .at = inner, .is_indirect = true };

		for (size_t i = 0; i < v->items[1]->n; i++)
			py_arg_add(p, &a, NULL, v->items[1]->items[i]);
		py_apply(p, v->items[0], &a);
	}
	if (!p->result || p->result->kind == PY_CONST || p->result->kind == PY_UNKNOWN)
		p->result = p->result ? py_with_from(p, v, p->result->from) : v;
}

static void run_global(struct py *p, TSNode n, struct py_scope *s)
{
	size_t count;
	TSNode *names = py_children(p, n, &count);

	for (size_t i = 0; i < count; i++)
		py_declare_global(p, s, py_identifier(p, names[i]));
}

/* Of Python 2. */
static void run_exec(struct py *p, TSNode n, struct py_scope *s)
{
	struct py_args a = { .at = n };

	py_arg_add(p, &a, NULL, py_eval(p, py_field(n, F_code), s, 0));
	py_apply(p, py_name(p, py_intern(p, "exec", 4)), &a);
}

static void run_function(struct py *p, TSNode n, struct py_scope *s)
{
	py_define_function(p, n, s);
}

static void run_class(struct py *p, TSNode n, struct py_scope *s)
{
	py_define_class(p, n, s);
}

static void run_nothing(struct py *p, TSNode n, struct py_scope *s)
{
	(void)p;
	(void)n;
	(void)s;
}

static void (*const runs[N_COUNT])(struct py *p, TSNode n, struct py_scope *s) = {
	[N_assignment] = run_assignment,
	[N_augmented_assignment] = run_augmented,
	[N_expression_statement] = run_expression,
	[N_import_statement] = py_import,
	[N_import_from_statement] = py_import_from,
	[N_future_import_statement] = run_nothing,
	[N_for_statement] = run_for,
	[N_while_statement] = run_while,
	[N_return_statement] = run_return,
	[N_global_statement] = run_global,
	[N_nonlocal_statement] = run_nothing,
	[N_exec_statement] = run_exec,
	[N_function_definition] = run_function,
	[N_class_definition] = run_class,
	[N_decorated_definition] = py_define_decorated,
	[N_comment] = run_nothing,
};

void py_run(struct py *p, TSNode n, struct py_scope *s)
{
	enum py_node kind = py_node(n);

	if (!runs[kind] && py_is_expression(n)) {
		py_eval(p, n, s, 0);
		return;
	}
	if (!py_step(p))
		return;
	if (p->depth >= PY_MAX_DEPTH) {
		py_later(p, n, s, NULL);
		return;
	}
	p->depth++;
	if (runs[kind])
		runs[kind](p, n, s);
	else
		py_run_all(p, n, s);
	p->depth--;
}
