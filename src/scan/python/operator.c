/* SPDX-License-Identifier: Apache-2.0 */
/* What operators of Python make of two values: sums of texts, repeated lists, numbers that are calculated. */
#include "base/buf.h"
#include "base/scope.h"
#include "scan/python/python.h"

static const struct py_value *list_of(struct py *p, const struct buf *items, const struct py_from *from)
{
	if (items->failed)
		return &py_unknown;
	return py_with_from(p,
			    py_list(p, (const struct py_value **)(void *)items->data,
				    items->len / sizeof(void *), PY_LIST),
			    from);
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

const struct py_value *py_binary(struct py *p, const char *op, size_t len, const struct py_value *a,
				 const struct py_value *b)
{
	const struct py_from *from = py_from_join(p, py_from_of(p, a), py_from_of(p, b));
	const struct py_value *v = NULL;
	long long x, y;

	if (len == 1 && *op == '%' && a->kind == PY_TEXT)
		v = py_percent(p, a, b);
	else if (len == 1 && *op == '/' && a->kind == PY_NAME && a->text)
		return py_path_join(p, a, b);
	else if (len == 1 && *op == '*' && b->kind == PY_INT && (a->kind == PY_TEXT || a->kind == PY_LIST))
		v = repeat(p, a, b->number);
	else if ((len == 1 || op[0] == op[1]) && !(len == 1 && *op == '/') && !(len == 2 && *op == '*') &&
		 as_number(a, &x) && as_number(b, &y) &&
		 (a->kind == PY_INT || b->kind == PY_INT || *op == '^'))
		v = calculate(p, *op, x, y);
	else if (len == 1 && *op == '+' && a->kind == PY_LIST && b->kind == PY_LIST &&
		 a->n + b->n < PY_MAX_ROUNDS && py_work(p, 8 * (a->n + b->n))) {
		scoped(buf_finish) struct buf items = { 0 };

		buf_add(&items, a->items, a->n * sizeof(a));
		buf_add(&items, b->items, b->n * sizeof(b));
		v = list_of(p, &items, NULL);
	} else if (len == 1 && *op == '+' && (a->kind == PY_TEXT || b->kind == PY_TEXT || a->text || b->text))
		v = py_join_texts(p, (const struct py_value *const[]){ a, b }, 2);
	return v ? py_with_from(p, v, from) : py_with_from(p, &py_unknown, from);
}
