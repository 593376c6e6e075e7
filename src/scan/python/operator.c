/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of Python: concatenated strings, repeated lists, computed numbers. */
#include "base/buf.h"
#include "base/scope.h"
#include "scan/python/python.h"

static const struct py_value *list_of(struct py *p, const struct buf *items, const struct py_from *from)
{
	return items->failed ? &py_unknown : py_with_from(p, py_list_of(p, items, PY_LIST), from);
}

static bool as_number(const struct py_value *v, long long *ret)
{
	*ret = v->kind == PY_TEXT && v->n == 1 ? (unsigned char)*v->text
					       : v->number; /* an item of bytes is a number */
	return v->kind == PY_INT || (v->kind == PY_TEXT && v->n == 1);
}

static const struct py_value *calculate(struct py *p, char op, long long a, long long b)
{
	unsigned long long x = (unsigned long long)a, y = (unsigned long long)b;

	switch (op) {
	case '+':
		return py_int(p, (long long)(x + y));
	case '-':
		return py_int(p, (long long)(x - y));
	case '*':
		return py_int(p, (long long)(x * y));
	case '^':
		return py_int(p, a ^ b);
	case '&':
		return py_int(p, a & b);
	case '|':
		return py_int(p, a | b);
	case '<':
		return b >= 0 && b < 63 ? py_int(p, (long long)(x << y)) : &py_unknown;
	case '>':
		return b >= 0 && b < 63 ? py_int(p, a >> b) : &py_unknown;
	case '%':
		return b > 0 ? py_int(p, (a % b + b) % b) : &py_unknown;
	case '/':
		return b > 0 ? py_int(p, a / b) : &py_unknown;
	default:
		return &py_unknown;
	}
}

static const struct py_value *repeat(struct py *p, const struct py_value *v, long long times)
{
	scoped(buf_finish) struct buf b = { 0 };
	size_t size = v->n * (v->kind == PY_TEXT ? 1 : sizeof(void *));

	if (times < 0 || times > PY_MAX_TEXT || !py_work(p, size * (size_t)(times & 0xfffff)) ||
	    (size && (size_t)times > PY_MAX_TEXT / size))
		return py_with_from(p, &py_unknown, v->from);
	for (long long i = 0; i < times && size; i++)
		buf_add(&b, v->kind == PY_TEXT ? (const void *)v->text : (const void *)v->items, size);
	if (b.failed)
		return &py_unknown;
	if (v->kind == PY_TEXT)
		return py_with_from(p, py_text(p, b.data, b.len), v->from);
	return list_of(p, &b, v->from);
}

/* Whether the two are numbers for the operator OP; '/' makes a fraction and '**' is seldom a small number. */
static bool can_calculate(const char *op, size_t len, const struct py_value *a, const struct py_value *b,
			  long long *x, long long *y)
{
	if (len == 1 ? *op == '/' : op[0] != op[1] || (len == 2 && *op == '*'))
		return false;
	return as_number(a, x) && as_number(b, y) && (a->kind == PY_INT || b->kind == PY_INT || *op == '^');
}

/* A + B, of texts or lists; NULL: neither. */
static const struct py_value *add(struct py *p, const struct py_value *a, const struct py_value *b)
{
	scoped(buf_finish) struct buf items = { 0 };

	if (a->kind == PY_LIST && b->kind == PY_LIST && a->n + b->n < PY_MAX_ROUNDS &&
	    py_work(p, 8 * (a->n + b->n))) {
		buf_add(&items, a->items, a->n * sizeof(a));
		buf_add(&items, b->items, b->n * sizeof(b));
		return list_of(p, &items, NULL);
	}
	if (a->kind == PY_TEXT || b->kind == PY_TEXT || a->text || b->text)
		return py_join_texts(p, (const struct py_value *const[]){ a, b }, 2);
	return NULL;
}

const struct py_value *py_binary(struct py *p, const char *op, size_t len, const struct py_value *a,
				 const struct py_value *b)
{
	const struct py_from *from = py_from_join(p, py_from_of(p, a), py_from_of(p, b));
	const char sign = len == 1 ? *op : '\0';
	const struct py_value *v = NULL;
	long long x, y;

	if (sign == '/' && a->kind == PY_NAME && a->text)
		return py_path_join(p, a, b);
	if (sign == '%' && a->kind == PY_TEXT)
		v = py_percent(p, a, b);
	else if (sign == '*' && b->kind == PY_INT && (a->kind == PY_TEXT || a->kind == PY_LIST))
		v = repeat(p, a, b->number);
	else if (can_calculate(op, len, a, b, &x, &y))
		v = calculate(p, *op, x, y);
	else if (sign == '+')
		v = add(p, a, b);
	return py_with_from(p, v ? v : &py_unknown, from);
}
