/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of Python: their values, as far as known. */
#include <errno.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/scope.h"
#include "scan/python/python.h"

static const struct py_value *unknown_from(struct py *p, const struct py_from *from)
{
	return py_with_from(p, &py_unknown, from);
}

static const struct py_value *told(struct py *p, TSNode at, const struct py_value *v, unsigned int how)
{
	if (!(how & PY_PART) && v->kind == PY_TEXT)
		py_tell_text(p, at, v);
	return v;
}

static const struct py_value *used(struct py *p, TSNode at, const struct py_value *v, unsigned int how)
{
	if (!(how & PY_CALLEE) && v->kind == PY_NAME && !v->is_bare && !v->is_called &&
	    (strchr(v->name, '.') || (py_is_builtin(v->name) && !py_is_plain(v->name))))
		py_tell(p, FACT_USE, at, v->name, NULL, v->is_indirect);
	return v;
}

static const struct py_value *eval_identifier(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	const char *name = py_identifier(p, n);
	const struct py_value *v = py_lookup(p, s, name);
	struct py_value *bare;

	if (v)
		return used(p, n, v, how);
	if (py_is_builtin(name))
		return used(p, n,
			    py_name(p, strcmp(name, "__builtins__") ? name : py_intern(p, "builtins", 8)),
			    how);
	if (p->n_stars)
		return used(p, n, py_name(p, py_star_name(p, name)), how);
	bare = py_new(p, PY_NAME);
	if (!bare)
		return &py_unknown;
	bare->name = name;
	bare->is_bare = true;
	return bare;
}

static const struct py_value *eval_interpolation(struct py *p, TSNode n, struct py_scope *s)
{
	TSNode inner = py_field(n, F_expression);

	return ts_node_is_null(inner) ? &py_unknown : py_eval(p, inner, s, PY_PART);
}

/* f"", t"" */
static bool is_format_prefix(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((text[i] | 32) == 'f' || (text[i] | 32) == 't')
			return true;
	return false;
}

static const struct py_value *eval_string(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	size_t count, kept = 0, len;
	TSNode *children = py_children(p, n, &count);
	const struct py_value **parts = count ? py_alloc(p, count * sizeof(*parts)) : NULL, *v = NULL;
	bool is_raw = false, is_format = false;

	for (size_t i = 0; parts && i < count; i++) {
		const char *text = tree_bytes(&p->tree, children[i], &len);
		enum py_node kind = py_node(children[i]);

		if (kind == N_string_start) {
			is_raw |= memchr(text, 'r', len) || memchr(text, 'R', len);
			is_format |= is_format_prefix(text, len);
		} else if (kind == N_string_content)
			parts[kept++] = py_literal(p, text, len, is_raw, is_format);
		else if (kind == N_interpolation)
			parts[kept++] = eval_interpolation(p, children[i], s);
	}
	if (kept == 1 && parts[0]->kind == PY_TEXT)
		v = parts[0];
	else if (parts)
		v = py_join_texts(p, parts, kept);
	if (!v && parts)
		return unknown_from(p, py_from_of(p, py_list(p, parts, kept, PY_LIST)));
	return v ? told(p, n, v, how) : &py_unknown;
}

static const struct py_value *eval_strings(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	size_t count;
	TSNode *children = py_children(p, n, &count);
	const struct py_value **parts = count ? py_alloc(p, count * sizeof(*parts)) : NULL, *v;

	if (!parts)
		return &py_unknown;
	for (size_t i = 0; i < count; i++)
		parts[i] = py_eval(p, children[i], s, PY_PART);
	v = py_join_texts(p, parts, count);
	return v ? told(p, n, v, how) : &py_unknown;
}

static const struct py_value *eval_integer(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	char digits[64], *end;
	size_t len, kept = 0;
	const char *text = tree_bytes(&p->tree, n, &len);
	long long v;

	(void)s;
	(void)how;
	for (size_t i = 0; i < len && kept < sizeof(digits) - 1; i++)
		if (text[i] != '_')
			digits[kept++] = text[i];
	digits[kept] = '\0';
	errno = 0;
	if (digits[0] == '0' && (digits[1] == 'o' || digits[1] == 'O'))
		v = strtoll(digits + 2, &end, 8);
	else if (digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B'))
		v = strtoll(digits + 2, &end, 2);
	else
		v = strtoll(digits, &end, 0);
	return errno || (*end && !strchr("lLjJ", *end)) ? &py_unknown : py_int(p, v);
}

static const struct py_value *eval_const(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	(void)p;
	(void)s;
	(void)how;
	return py_node(n) == N_true ? &py_true : py_node(n) == N_false ? &py_false : &py_none;
}

static void add_item(struct buf *items, const struct py_value *v)
{
	if (v->kind == PY_LIST)
		buf_add(items, v->items, v->n * sizeof(v));
	else
		buf_add(items, &v, sizeof(v));
}

static const struct py_value *make_list(struct py *p, const struct buf *items, enum py_kind kind,
					const struct py_from *from)
{
	if (items->failed)
		return &py_unknown;
	return py_with_from(p, py_list_of(p, items, kind), from);
}

static const struct py_value *eval_list(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	scoped(buf_finish) struct buf items = { 0 };
	const struct py_from *from = NULL;
	size_t count;
	TSNode *children = py_children(p, n, &count);

	(void)how;
	for (size_t i = 0; i < count; i++) {
		bool is_splat = py_node(children[i]) == N_list_splat;
		const struct py_value *v = py_eval(p, is_splat ? py_first(children[i]) : children[i], s, 0);

		if (is_splat)
			add_item(&items, v);
		else
			buf_add(&items, &v, sizeof(v));
		if (i < PY_MAX_ARGS)
			from = py_from_join(p, from, py_from_of(p, v));
	}
	return make_list(p, &items, PY_LIST, from);
}

static const struct py_value *eval_dictionary(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	scoped(buf_finish) struct buf items = { 0 };
	const struct py_from *from = NULL;
	size_t count;
	TSNode *children = py_children(p, n, &count);

	(void)how;
	for (size_t i = 0; i < count; i++) {
		const struct py_value *v;

		if (py_node(children[i]) == N_pair) {
			v = py_eval(p, py_field(children[i], F_key), s, 0);
			buf_add(&items, &v, sizeof(v));
			v = py_eval(p, py_field(children[i], F_value), s, 0);
			buf_add(&items, &v, sizeof(v));
		} else {
			v = py_eval(p,
				    py_node(children[i]) == N_dictionary_splat ? py_first(children[i])
									       : children[i],
				    s, 0);
			if (v->kind == PY_DICT)
				buf_add(&items, v->items, v->n * sizeof(v));
		}
		if (i < PY_MAX_ARGS)
			from = py_from_join(p, from, py_from_of(p, v));
	}
	return make_list(p, &items, PY_DICT, from);
}

struct operand {
	TSNode right;
	const char *op;
	size_t len;
};

/* Texts that are added one after another are copied once: parts of a sum wait until something else comes. */
static const struct py_value *add_up(struct py *p, const struct py_value **parts, size_t n)
{
	const struct py_value *v = parts[0];
	bool has_text = false;

	for (size_t i = 0; i < n; i++)
		has_text |= parts[i]->kind == PY_TEXT && !(parts[i]->n == 1 && n == 2);
	if (has_text && n > 1 && v->kind != PY_LIST) {
		v = py_join_texts(p, parts, n);
		return v ? v : &py_unknown;
	}
	for (size_t i = 1; i < n; i++)
		v = py_binary(p, "+", 1, v, parts[i]);
	return v;
}

static const struct py_value *eval_binary(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	size_t count = 0, waiting = 0;
	struct operand *chain;
	const struct py_value **parts;

	for (TSNode at = n; py_node(at) == N_binary_operator; at = py_field(at, F_left))
		count++;
	chain = py_alloc(p, count * sizeof(*chain));
	parts = py_alloc(p, (count + 1) * sizeof(*parts));
	if (!chain || !parts)
		return &py_unknown;
	for (size_t i = count; i > 0; i--) {
		chain[i - 1].op = tree_bytes(&p->tree, py_field(n, F_operator), &chain[i - 1].len);
		chain[i - 1].right = py_field(n, F_right);
		n = py_field(n, F_left);
	}
	parts[waiting++] = py_eval(p, n, s, PY_PART);
	for (size_t i = 0; i < count; i++) {
		const struct py_value *right = py_eval(p, chain[i].right, s, PY_PART);

		if (chain[i].len == 1 && *chain[i].op == '+') {
			parts[waiting++] = right;
			continue;
		}
		parts[0] = py_binary(p, chain[i].op, chain[i].len, add_up(p, parts, waiting), right);
		waiting = 1;
	}
	return told(p, chain[count - 1].right, add_up(p, parts, waiting), how);
}

static const struct py_value *eval_boolean(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	const struct py_value *a = py_eval(p, py_field(n, F_left), s, how & PY_PART);
	const struct py_value *b = py_eval(p, py_field(n, F_right), s, how & PY_PART);
	bool is_or = tree_text_is(&p->tree, py_field(n, F_operator), "or");
	bool first = is_or && a->kind != PY_UNKNOWN && a->kind != PY_CONST &&
		     !(a->kind == PY_NAME && a->is_called && !a->text);

	return py_with_from(p, first ? a : b, py_from_of(p, first ? b : a));
}

static const struct py_value *eval_conditional(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	const struct py_value *v[3] = { &py_unknown, &py_unknown, &py_unknown };
	size_t count;
	TSNode *children = py_children(p, n, &count);
	bool first;

	for (size_t i = 0; i < count && i < 3; i++)
		v[i] = py_eval(p, children[i], s, i == 1 ? 0 : how & PY_PART);
	first = v[0]->kind != PY_UNKNOWN && v[0]->kind != PY_CONST;
	return py_with_from(p, first ? v[0] : v[2], py_from_of(p, first ? v[2] : v[0]));
}

/* Of two numbers less than, equal to or greater than 0; of two texts only whether they are equal. */
static int order_of(const struct py_value *a, const struct py_value *b)
{
	if (a->kind == PY_INT)
		return (a->number > b->number) - (a->number < b->number);
	return a->n != b->n || memcmp(a->text, b->text, a->n) != 0;
}

/* What OP says of two values of which one is ORDER (less than, equal to or greater than 0) to the other. */
static const struct py_value *compare(const char *op, size_t len, int order, bool is_number)
{
	if (len == 2 && (*op == '=' || *op == '!') && op[1] == '=')
		return (order == 0) == (*op == '=') ? &py_true : &py_false;
	if (!is_number || len > 2 || (*op != '<' && *op != '>'))
		return &py_unknown;
	return (len == 2 && !order) || order == (*op == '<' ? -1 : 1) ? &py_true : &py_false;
}

/* Of two numbers or texts: how loops count. */
static const struct py_value *eval_comparison(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	const struct py_value *v[2] = { &py_unknown, &py_unknown };
	size_t count, len;
	TSNode *children = py_children(p, n, &count);
	const char *op = ts_node_child_count(n) == 3 ? tree_bytes(&p->tree, ts_node_child(n, 1), &len) : "";

	(void)how;
	for (size_t i = 0; i < count; i++)
		v[i ? 1 : 0] = py_eval(p, children[i], s, 0);
	if (count != 2 || v[0]->kind != v[1]->kind || !*op || (v[0]->kind != PY_INT && v[0]->kind != PY_TEXT))
		return &py_unknown;
	return compare(op, len, order_of(v[0], v[1]), v[0]->kind == PY_INT);
}

static const struct py_value *eval_unary(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	const struct py_value *v = py_eval(p, py_field(n, F_argument), s, how & PY_PART);
	size_t len;
	const char *op = tree_bytes(&p->tree, py_field(n, F_operator), &len);

	if (v->kind == PY_INT && len == 1)
		return *op == '-'   ? py_int(p, (long long)-(uint64_t)v->number)
		       : *op == '~' ? py_int(p, ~v->number)
				    : v;
	return unknown_from(p, v->from);
}

static const struct py_value *eval_attribute(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	const struct py_value *base = py_eval(p, py_field(n, F_object), s, PY_CALLEE | PY_PART);

	return used(p, n, py_attr(p, base, py_identifier(p, py_field(n, F_attribute))), how);
}

static const struct py_value *eval_slice(struct py *p, TSNode n, struct py_scope *s,
					 const struct py_value *base)
{
	const long long *bounds[3] = { 0 };
	uint32_t count = ts_node_child_count(n), part = 0;
	bool is_known = true;
	const struct py_value *v;

	for (uint32_t i = 0; i < count && i < 16; i++) {
		TSNode child = ts_node_child(n, i);

		if (!ts_node_is_named(child)) {
			part++;
		} else if (py_node(child) != N_comment && part < 3) {
			v = py_eval(p, child, s, PY_PART);
			is_known &= v->kind == PY_INT || v == &py_none;
			bounds[part] = v->kind == PY_INT ? &v->number : NULL;
		}
	}
	v = is_known ? py_slice(p, base, bounds[0], bounds[1], bounds[2] ? *bounds[2] : 1) : NULL;
	return v ? v : unknown_from(p, py_from_of(p, base));
}

static const struct py_value *eval_subscript(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	const struct py_value *base = py_eval(p, py_field(n, F_value), s, PY_CALLEE | PY_PART);
	TSNode key = py_field(n, F_subscript);

	if (ts_node_is_null(key))
		return unknown_from(p, base->from);
	if (py_node(key) == N_slice)
		return told(p, n, eval_slice(p, key, s, base), how);
	return used(p, n, py_item(p, base, py_eval(p, key, s, PY_PART)), how);
}

static const struct py_value *eval_lambda(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	struct py_func *f = py_alloc(p, sizeof(*f));
	struct py_value *v = py_new(p, PY_FUNC);

	(void)how;
	if (!f || !v)
		return &py_unknown;
	*f = (struct py_func){ .owner = p,
			       .parameters = py_field(n, F_parameters),
			       .body = py_field(n, F_body),
			       .scope = s,
			       .name = "",
			       .is_lambda = true };
	v->func = f;
	py_later(p, f->body, s, f);
	return v;
}

const struct py_value *py_iterate(struct py *p, const struct py_value *v)
{
	scoped(buf_finish) struct buf items = { 0 };

	if (v->kind == PY_LIST)
		return v;
	if ((v->kind != PY_TEXT && v->kind != PY_DICT) || !py_work(p, v->n * 8))
		return NULL;
	for (size_t i = 0; i < v->n && i < PY_MAX_ROUNDS; i += v->kind == PY_DICT ? 2 : 1) {
		const struct py_value *item = v->kind == PY_DICT ? v->items[i] : py_borrow(p, v->text + i, 1);

		buf_add(&items, &item, sizeof(item));
	}
	return make_list(p, &items, PY_LIST, v->from);
}

const struct py_value *py_element(struct py *p, const struct py_value *v)
{
	const struct py_from *from = py_from_of(p, v);
	const struct py_value *below;
	struct py_value *same;

	if (v->kind == PY_LIST)
		return v->n ? v->items[0] : unknown_from(p, from);
	if (v->kind != PY_NAME || !v->is_called)
		return unknown_from(p, from);
	if (v->text && !strcmp(v->name, "os.walk")) {
		below = py_path(p, "os.walk", v->text, v->n, from);
		below = py_path_join(p, below, &py_unknown);
		return py_list(p,
			       (const struct py_value *[]){ below, unknown_from(p, from),
							    unknown_from(p, from) },
			       3, PY_LIST);
	}
	same = py_new(p, PY_NAME);
	if (!same)
		return &py_unknown;
	*same = *v;
	if (!strcmp(v->name, "open"))
		return unknown_from(p, from);
	return same;
}

struct comprehension {
	TSNode *parts; /* clauses */
	size_t n;
	TSNode body;
	struct buf items;
	bool is_cut;
};

static void comprehend(struct py *p, struct comprehension *c, size_t at, struct py_scope *s)
{
	const struct py_value *over, *list, *v;
	TSNode left;

	while (at < c->n && py_node(c->parts[at]) != N_for_in_clause)
		py_run(p, c->parts[at++], s);
	if (at == c->n) {
		if (py_node(c->body) == N_pair) {
			v = py_eval(p, py_field(c->body, F_key), s, 0);
			buf_add(&c->items, &v, sizeof(v));
			v = py_eval(p, py_field(c->body, F_value), s, 0);
		} else {
			v = py_eval(p, c->body, s, 0);
		}
		buf_add(&c->items, &v, sizeof(v));
		return;
	}
	left = py_field(c->parts[at], F_left);
	over = py_eval(p, py_field(c->parts[at], F_right), s, PY_PART);
	list = py_iterate(p, over);
	py_bind(p, left, list && list->n ? list->items[0] : py_element(p, over), s);
	comprehend(p, c, at + 1, s);
	c->is_cut |= !list || !list->n;
	for (size_t i = 1; list && i < list->n && !c->is_cut; i++) {
		if (!py_extra_begin(p)) {
			c->is_cut = true;
			break;
		}
		py_bind(p, left, list->items[i], s);
		comprehend(p, c, at + 1, s);
		py_extra_end(p);
	}
}

static const struct py_value *eval_comprehension(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	struct comprehension c = { .body = py_field(n, F_body) };
	const struct py_value *v;
	size_t count;
	TSNode *children = py_children(p, n, &count);
	bool is_dict = py_node(n) == N_dictionary_comprehension;

	(void)how;
	if (count < 2)
		return &py_unknown;
	c.parts = children + 1;
	c.n = count - 1;
	comprehend(p, &c, 0, s);
	v = make_list(p, &c.items, is_dict ? PY_DICT : PY_LIST, NULL);
	v = py_with_from(p, v, py_from_of(p, v));
	if (c.is_cut) { /* one item stands for all of them */
		const struct py_value *item = !is_dict && v->n == 1 ? v->items[0] : NULL;

		v = item && (item->kind == PY_NAME || item->kind == PY_TEXT) ? v : unknown_from(p, v->from);
	}
	buf_finish(&c.items);
	return v;
}

static const struct py_value *eval_named(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	const struct py_value *v = py_eval(p, py_field(n, F_value), s, how & PY_PART);

	py_bind(p, py_field(n, F_name), v, s);
	return v;
}

static const struct py_value *eval_as(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	const struct py_value *v = py_eval(p, py_first(n), s, how & PY_PART);
	TSNode alias = py_field(n, F_alias);

	if (!ts_node_is_null(alias))
		py_bind(p, alias, v, s);
	return v;
}

static const struct py_value *eval_inner(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	TSNode inner = py_first(n);

	return ts_node_is_null(inner) ? &py_unknown : py_eval(p, inner, s, how);
}

static const struct py_value *eval_nothing(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	(void)p;
	(void)n;
	(void)s;
	(void)how;
	return &py_unknown;
}

static const struct py_value *(*const evals[N_COUNT])(struct py *p, TSNode n, struct py_scope *s,
						      unsigned int how) = {
	[N_identifier] = eval_identifier,
	[N_string] = eval_string,
	[N_concatenated_string] = eval_strings,
	[N_integer] = eval_integer,
	[N_true] = eval_const,
	[N_false] = eval_const,
	[N_none] = eval_const,
	[N_float] = eval_nothing,
	[N_ellipsis] = eval_nothing,
	[N_list] = eval_list,
	[N_tuple] = eval_list,
	[N_set] = eval_list,
	[N_expression_list] = eval_list,
	[N_pattern_list] = eval_list,
	[N_dictionary] = eval_dictionary,
	[N_binary_operator] = eval_binary,
	[N_boolean_operator] = eval_boolean,
	[N_conditional_expression] = eval_conditional,
	[N_unary_operator] = eval_unary,
	[N_comparison_operator] = eval_comparison,
	[N_attribute] = eval_attribute,
	[N_subscript] = eval_subscript,
	[N_call] = py_call,
	[N_lambda] = eval_lambda,
	[N_list_comprehension] = eval_comprehension,
	[N_set_comprehension] = eval_comprehension,
	[N_generator_expression] = eval_comprehension,
	[N_dictionary_comprehension] = eval_comprehension,
	[N_named_expression] = eval_named,
	[N_as_pattern] = eval_as,
	[N_await] = eval_inner,
	[N_yield] = eval_inner,
	[N_list_splat] = eval_inner,
	[N_dictionary_splat] = eval_inner,
	[N_parenthesized_expression] = eval_inner,
};

bool py_is_expression(TSNode n)
{
	return evals[py_node(n)];
}

const struct py_value *py_eval(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	const struct py_value *v = &py_unknown;

	while (py_node(n) == N_parenthesized_expression && !ts_node_is_null(py_first(n)))
		n = py_first(n);
	if (ts_node_is_null(n) || !py_step(p))
		return v;
	if (p->depth >= PY_MAX_DEPTH) {
		py_later(p, n, s, NULL);
		return v;
	}
	p->depth++;
	if (evals[py_node(n)])
		v = evals[py_node(n)](p, n, s, how);
	else
		py_run(p, n, s);
	p->depth--;
	return v;
}
