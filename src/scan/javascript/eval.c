/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: their values, as far as known. Calls and statements have files of their own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/str.h"
#include "scan/javascript/javascript.h"

#define LOOK_EVERY 4096u

bool js_may_go_on(struct js_reader *r, uint32_t n)
{
	if (r->has_stopped)
		return false;
	r->steps++;
	if (r->steps > r->max_steps || r->memory + (1u << 20) > JS_MAX_MEMORY ||
	    (!(r->steps % LOOK_EVERY) && tree_late(r->tree))) {
		r->has_stopped = true;
		if (!r->tree->is_late)
			js_tell(r, n, FACT_UNREAD, r->steps > r->max_steps ? "time" : "memory", 0, NULL,
				NULL);
		return false;
	}
	if (r->depth < r->max_depth)
		return true;
	if (!r->was_too_deep)
		js_tell(r, n, FACT_UNREAD, "depth", 0, NULL, NULL);
	r->was_too_deep = true;
	return false;
}

static const struct js_value *nth(const struct js_value *v, unsigned int k)
{
	while (k-- && v->alt)
		v = v->alt;
	return v;
}

/* Texts one behind the other; numbers before the first text are added, as + does. */
static struct js_value *put_together(struct js_reader *r, struct js_value **parts, uint32_t n, bool is_sum,
				     unsigned int k)
{
	scoped(buf_finish) struct buf b = { 0 };
	const struct js_from *from = NULL;
	unsigned int flags = n > 1 ? JS_PIECED : 0;
	bool is_text = !is_sum, is_any_known = false;
	double sum = 0, number;

	for (uint32_t i = 0; i < n; i++) {
		const struct js_value *v = nth(parts[i], k);

		from = js_from_join(r, from, js_from_all(r, v));
		flags |= js_flags(v);
		is_any_known |= v->type != JS_V_UNKNOWN && (v->type != JS_V_TEXT || v->len);
		if (!is_text && (v->type == JS_V_NUMBER || v->type == JS_V_BOOL) &&
		    js_to_number(v, &number)) {
			sum += number;
			continue;
		}
		if (!is_text && i) {
			struct js_value so_far = { .type = JS_V_NUMBER, .number = sum };

			if (i == 1 && nth(parts[0], k)->type == JS_V_BOOL)
				so_far.type = JS_V_BOOL;
			js_add_text(r, &b, &so_far);
		}
		is_text = true;
		js_add_text(r, &b, v);
	}
	if (!is_text)
		return js_number(r, sum);
	return is_any_known ? js_fold(r, &b, flags, from) : js_unknown(r, from);
}

/* For all that the parts may be, up to a bound. */
static struct js_value *put_all_together(struct js_reader *r, uint32_t at, struct js_value **parts,
					 uint32_t n, bool is_sum)
{
	struct js_value *v = put_together(r, parts, n, is_sum, 0);
	unsigned int most = 0;

	for (uint32_t i = 0; i < n && n <= 32; i++)
		for (unsigned int k = 1; k < JS_MAX_ALTS && nth(parts[i], k) != nth(parts[i], k - 1); k++)
			most = k > most ? k : most;
	js_tell_text(r, at, v);
	for (unsigned int k = 1; k <= most; k++) {
		struct js_value *other = put_together(r, parts, n, is_sum, k);

		js_tell_text(r, at, other);
		v = js_choice(r, v, other);
	}
	return v;
}

/* Chains of + lean to the left and can be long: their operands without recursion. */
static struct js_value *eval_sum(struct js_reader *r, uint32_t n)
{
	struct js_value **parts;
	uint32_t count = 1, at = n, i;

	while (js_is(r, at, JS_BINARY) && !memcmp(r->nodes[at].op, "+\0\0", 4)) {
		count++;
		at = js_child(r, at, JS_AT_left);
	}
	parts = js_alloc(r, count * sizeof(struct js_value *));
	if (!parts)
		return js_unknown(r, NULL);
	for (i = count - 1, at = n; i > 0; i--, at = js_child(r, at, JS_AT_left))
		parts[i] = (struct js_value *)(uintptr_t)js_child(r, at, JS_AT_right);
	parts[0] = js_eval(r, at);
	for (i = 1; i < count; i++)
		parts[i] = js_eval(r, (uint32_t)(uintptr_t)parts[i]);
	return put_all_together(r, n, parts, count, true);
}

static struct js_value *eval_template(struct js_reader *r, uint32_t n)
{
	const char *text = r->tree->text;
	uint32_t count = 1, at = r->nodes[n].start + 1, i = 0,
		 end = r->nodes[n].end ? r->nodes[n].end - 1 : 0;
	struct js_value **parts;

	for (uint32_t c = r->nodes[n].child; c; c = r->nodes[c].next)
		count += 2;
	parts = js_alloc(r, count * sizeof(struct js_value *));
	if (!parts)
		return js_unknown(r, NULL);
	for (uint32_t c = r->nodes[n].child; c; c = r->nodes[c].next) {
		if (!js_is(r, c, JS_TEMPLATE_PART) || r->nodes[c].start < at)
			continue;
		if (r->nodes[c].start > at)
			parts[i++] = js_unquote(r, text + at, r->nodes[c].start - at);
		parts[i++] = js_eval(r, r->nodes[c].child);
		at = r->nodes[c].end;
	}
	if (end > at || !i)
		parts[i++] = js_unquote(r, text + at, end > at ? end - at : 0);
	return put_all_together(r, n, parts, i, false);
}

static struct js_value *eval_string(struct js_reader *r, uint32_t n)
{
	size_t len;
	const char *s = js_source(r, n, &len);
	struct js_value *v = len >= 2 ? js_unquote(r, s + 1, len - 2) : js_text(r, "", 0, 0);

	js_tell_text(r, n, v);
	return v;
}

static struct js_value *eval_number(struct js_reader *r, uint32_t n)
{
	char copy[48], *end;
	size_t len, kept = 0;
	const char *s = js_source(r, n, &len);
	double number;

	for (size_t i = 0; i < len && kept < sizeof(copy) - 1; i++)
		if (s[i] != '_' && s[i] != 'n')
			copy[kept++] = s[i];
	copy[kept] = '\0';
	if (copy[0] == '0' && ((copy[1] | 0x20) == 'o' || (copy[1] | 0x20) == 'b'))
		number = (double)strtoull(copy + 2, &end, (copy[1] | 0x20) == 'o' ? 8 : 2);
	else
		number = strtod(copy, &end);
	return js_number(r, number);
}

/* "<<", ">>" and ">>>" */
static double shifted(const char *op, int32_t i, int32_t by)
{
	if (op[0] == '<')
		return (int32_t)((uint32_t)i << by);
	return op[2] == '>' ? (double)((uint32_t)i >> by) : (double)(i >> by);
}

/* "<", "<=", ">" and ">=" */
static bool is_so(const char *op, double a, double b)
{
	if (op[1] == '=' && a == b)
		return true;
	return op[0] == '<' ? a < b : a > b;
}

static struct js_value *arithmetic(struct js_reader *r, const char *op, double a, double b)
{
	bool is_whole = js_is_whole(a) && js_is_whole(b);
	int64_t x = is_whole ? (int64_t)a : 0, y = is_whole ? (int64_t)b : 0;
	int32_t i = (int32_t)x, j = (int32_t)y;

	switch (op[0]) {
	case '-':
		return js_number(r, a - b);
	case '*':
		return op[1] == '*' ? NULL : js_number(r, a * b);
	case '/':
		return js_number(r, b != 0 ? a / b : 0);
	case '%':
		return y ? js_number(r, (double)(x % y)) : NULL;
	case '^':
		return js_number(r, i ^ j);
	case '&':
		return js_number(r, i & j);
	case '|':
		return js_number(r, i | j);
	case '<':
	case '>':
		return op[1] == op[0] ? js_number(r, shifted(op, i, j & 31)) : js_bool(r, is_so(op, a, b));
	default:
		return NULL;
	}
}

/* 1, 0, or -1 when it cannot be told. */
static int is_equal(const struct js_value *a, const struct js_value *b)
{
	if (a->alt || b->alt)
		return -1;
	if (a->type == JS_V_TEXT && b->type == JS_V_TEXT && !memchr(a->data, FACT_NOT_KNOWN[0], a->len))
		return a->len == b->len && !memcmp(a->data, b->data, a->len);
	if (a->type == JS_V_NUMBER && b->type == JS_V_NUMBER)
		return a->number == b->number;
	return -1;
}

static struct js_value *eval_binary(struct js_reader *r, uint32_t n)
{
	char op[5] = { 0 };
	struct js_value *a, *b, *v = NULL;
	double x, y;
	bool is_either;

	memcpy(op, r->nodes[n].op, 4);
	if (!strcmp(op, "+"))
		return eval_sum(r, n);
	is_either = !strcmp(op, "||") || str_is_one_of(op, "&&|??");
	a = js_eval(r, js_child(r, n, JS_AT_left));
	r->branches += is_either;
	b = js_eval(r, js_child(r, n, JS_AT_right));
	r->branches -= is_either;
	if (is_either)
		return op[0] == '&' ? js_choice(r, b, a) : js_choice(r, a, b);
	if ((op[0] == '=' || op[0] == '!') && is_equal(a, b) >= 0)
		return js_bool(r, is_equal(a, b) == (op[0] == '='));
	if (js_to_number(a, &x) && js_to_number(b, &y))
		v = arithmetic(r, op, x, y);
	return v ? v : js_unknown(r, js_from_join(r, a->from, b->from));
}

static struct js_value *eval_unary(struct js_reader *r, uint32_t n)
{
	struct js_value *v = js_eval(r, js_child(r, n, JS_AT_argument));
	int truth = js_truth(v);
	double number;

	switch (r->nodes[n].op[0]) {
	case '!':
		return truth < 0 ? js_unknown(r, NULL) : js_bool(r, !truth);
	case '+':
	case '-':
		if (js_to_number(v, &number))
			return js_number(r, r->nodes[n].op[0] == '-' ? -number : number);
		return js_unknown(r, v->from);
	case '~':
		return js_to_number(v, &number) && js_is_whole(number)
			       ? js_number(r, ~(int32_t)(int64_t)number)
			       : js_unknown(r, v->from);
	case 'v':
		return js_undefined(r);
	default:
		return js_unknown(r, NULL);
	}
}

static struct js_value *eval_array(struct js_reader *r, uint32_t n)
{
	struct js_value *list = js_list(r);

	for (uint32_t c = r->nodes[n].child; c; c = r->nodes[c].next) {
		struct js_value *v;

		if (!js_is(r, c, JS_SPREAD)) {
			js_list_add(r, list, js_eval(r, c));
			continue;
		}
		v = js_eval(r, r->nodes[c].child);
		if (v->type == JS_V_TEXT) {
			struct js_args by = { .list = { js_text(r, "", 0, 0) }, .n = 1 };

			v = js_method(r, c, v, "split", &by);
		}
		if (!v || list->type != JS_V_LIST)
			continue;
		for (uint32_t i = 0; v->type == JS_V_LIST && i < v->list->n; i++)
			js_list_add(r, list, v->list->items[i]);
		list->list->has_more |= v->type != JS_V_LIST || v->list->has_more;
		list->from = js_from_join(r, list->from, js_from_all(r, v));
	}
	return list;
}

struct js_value *js_key(struct js_reader *r, uint32_t n)
{
	uint32_t key = js_child(r, n, JS_AT_property);
	size_t len;
	const char *s;

	if (!key)
		key = js_child(r, n, JS_AT_key);
	if (!key)
		key = js_child(r, n, js_is(r, n, JS_SUBSCRIPT) ? JS_AT_index : JS_AT_name);
	if (!key)
		return js_unknown(r, NULL);
	if (js_is(r, key, JS_COMPUTED))
		return js_eval(r, r->nodes[key].child);
	if (js_is(r, key, JS_PROPERTY) || js_is(r, key, JS_PRIVATE)) {
		s = js_source(r, key, &len);
		/* A name may be written with escapes, too. */
		return memchr(s, '\\', len) ? js_unquote(r, s, len) : js_text(r, s, len, 0);
	}
	return js_eval(r, key);
}

static void set_pair(struct js_reader *r, struct js_value *object, struct js_value *key,
		     struct js_value *value)
{
	if (key->type == JS_V_TEXT)
		js_object_set(r, object, key->data, key->len, value);
	else if (object->type == JS_V_OBJECT)
		object->from = js_from_join(r, object->from, js_from_all(r, value));
}

static struct js_value *eval_object(struct js_reader *r, uint32_t n)
{
	struct js_value *object = js_object(r), *v;

	for (uint32_t c = r->nodes[n].child; c; c = r->nodes[c].next) {
		size_t len;
		const char *s = js_source(r, c, &len);

		switch (r->nodes[c].kind) {
		case JS_PAIR:
			set_pair(r, object, js_key(r, c), js_eval(r, js_child(r, c, JS_AT_value)));
			break;
		case JS_SHORTHAND:
			v = js_get(r, s, len);
			js_tell_use(r, c, v);
			js_object_set(r, object, s, len, v);
			break;
		case JS_METHOD:
			set_pair(r, object, js_key(r, c), js_make_function(r, c, object));
			break;
		case JS_SPREAD:
			v = js_eval(r, r->nodes[c].child);
			for (struct js_prop *p = v->type == JS_V_OBJECT ? v->object->first : NULL; p;
			     p = p->next)
				js_object_set(r, object, p->key, strlen(p->key), p->value);
			if (object->type == JS_V_OBJECT)
				object->from = js_from_join(r, object->from, js_from_all(r, v));
			break;
		default:
			js_eval(r, c);
		}
	}
	return object;
}

static struct js_value *eval_augmented(struct js_reader *r, uint32_t n)
{
	uint32_t left = js_bare(r, js_child(r, n, JS_AT_left));
	struct js_value *parts[2] = { js_eval(r, left), js_eval(r, js_child(r, n, JS_AT_right)) }, *v;
	size_t len;
	const char *name = js_source(r, left, &len);
	struct js_var *var = js_is(r, left, JS_IDENTIFIER) ? js_find(r, r->scope, name, len) : NULL;

	if (r->nodes[n].op[0] == '?' || r->nodes[n].op[0] == '|' || r->nodes[n].op[0] == '&')
		v = js_choice(r, parts[0], parts[1]);
	else if (r->nodes[n].op[0] == '+' && !(var && (r->loops > var->loops || r->branches > var->branches)))
		v = put_together(r, parts, 2, true, 0);
	else
		v = js_unknown(r, js_from_join(r, js_from_all(r, parts[0]), js_from_all(r, parts[1])));
	if (var && v->type == JS_V_UNKNOWN)
		var->value = v; /* no longer what it was */
	else
		js_bind(r, left, v, JS_ASSIGNED);
	return v;
}

static struct js_value *eval_member(struct js_reader *r, uint32_t n)
{
	struct js_value *v = js_member(r, js_eval(r, js_child(r, n, JS_AT_object)), js_key(r, n));

	js_tell_use(r, n, v);
	return v;
}

static struct js_value *eval_regex(struct js_reader *r, uint32_t n)
{
	uint32_t pattern = js_child(r, n, JS_AT_pattern), last = r->nodes[n].end;
	size_t len;
	const char *s = js_source(r, pattern, &len);
	struct js_value *v = js_copy(r, js_text(r, s, len, 0));

	if (!pattern || v->type != JS_V_TEXT)
		return js_unknown(r, NULL);
	v->type = JS_V_REGEX;
	v->number = memchr(r->tree->text + r->nodes[pattern].end, 'g', last - r->nodes[pattern].end) != NULL;
	return v;
}

static struct js_value *eval_ternary(struct js_reader *r, uint32_t n)
{
	struct js_value *a, *b, *condition = js_eval(r, js_child(r, n, JS_AT_condition));
	bool is_known = condition->type == JS_V_BOOL;

	r->branches++;
	a = js_eval(r, js_child(r, n, JS_AT_consequence));
	b = js_eval(r, js_child(r, n, JS_AT_alternative));
	r->branches--;
	if (is_known)
		return condition->number != 0 ? a : b;
	return js_choice(r, a, b);
}

static struct js_value *eval_leaf(struct js_reader *r, uint32_t n)
{
	size_t len;
	const char *s = js_source(r, n, &len);
	struct js_value *v;

	switch (r->nodes[n].kind) {
	case JS_IDENTIFIER:
	case JS_META:
		v = js_get(r, s, len);
		js_tell_use(r, n, v);
		return v;
	case JS_THIS:
		return r->self ? r->self : js_name(r, "this", JS_LOCAL);
	case JS_TRUE:
	case JS_FALSE:
		return js_bool(r, js_is(r, n, JS_TRUE));
	case JS_NULL:
	case JS_UNDEFINED:
		return js_undefined(r);
	case JS_NUMBER:
		return eval_number(r, n);
	case JS_STRING:
		return eval_string(r, n);
	case JS_REGEX:
		return eval_regex(r, n);
	default:
		return NULL;
	}
}

void js_eval_children(struct js_reader *r, uint32_t n)
{
	for (uint32_t c = r->nodes[n].child; c; c = r->nodes[c].next)
		js_eval(r, c);
}

static struct js_value *eval_assignment(struct js_reader *r, uint32_t n)
{
	return js_settle(r, js_child(r, n, JS_AT_left), js_child(r, n, JS_AT_right), JS_ASSIGNED);
}

static struct js_value *eval_function(struct js_reader *r, uint32_t n)
{
	return js_make_function(r, n, js_is(r, n, JS_ARROW) ? r->self : NULL);
}

static struct js_value *eval_yield(struct js_reader *r, uint32_t n)
{
	struct js_value *v = js_eval(r, r->nodes[n].child);

	if (r->yielded)
		js_list_add(r, r->yielded, v);
	return js_unknown(r, NULL);
}

static struct js_value *eval_sequence(struct js_reader *r, uint32_t n)
{
	struct js_value *v = js_undefined(r);

	for (uint32_t c = r->nodes[n].child; c; c = r->nodes[c].next)
		v = js_eval(r, c);
	return v;
}

static struct js_value *(*const evaluators[JS_KINDS_COUNT])(struct js_reader *r, uint32_t n) = {
	[JS_TEMPLATE] = eval_template,   [JS_ARRAY] = eval_array,       [JS_OBJECT] = eval_object,
	[JS_MEMBER] = eval_member,       [JS_SUBSCRIPT] = eval_member,  [JS_BINARY] = eval_binary,
	[JS_UNARY] = eval_unary,         [JS_TERNARY] = eval_ternary,   [JS_ASSIGN] = eval_assignment,
	[JS_AUGMENTED] = eval_augmented, [JS_CALL] = js_eval_call,      [JS_NEW] = js_eval_call,
	[JS_ARROW] = eval_function,      [JS_FUNCTION] = eval_function, [JS_GENERATOR] = eval_function,
	[JS_YIELD] = eval_yield,         [JS_SEQUENCE] = eval_sequence,
};

static struct js_value *eval_expression(struct js_reader *r, uint32_t n)
{
	struct js_value *v;
	bool is_statement;

	if (evaluators[r->nodes[n].kind])
		return evaluators[r->nodes[n].kind](r, n);
	v = js_walk(r, n, &is_statement);
	if (!is_statement)
		js_eval_children(r, n);
	return v;
}

struct js_value *js_eval(struct js_reader *r, uint32_t n)
{
	struct js_value *v;

	n = n ? js_bare(r, n) : 0;
	if (!n || !js_may_go_on(r, n))
		return js_unknown(r, NULL);
	v = eval_leaf(r, n);
	if (v)
		return v;
	r->depth++;
	v = eval_expression(r, n);
	r->depth--;
	return v;
}
