/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of texts, lists, numbers, functions and promises whose outcome can be told from their
 * arguments. */
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "scan/javascript/javascript.h"

static struct js_value *arg(struct js_reader *r, const struct js_args *args, size_t i)
{
	return i < args->n ? args->list[i] : js_undefined(r);
}

/* A place in something LEN long: from its end when negative. */
static uint32_t index_of(struct js_reader *r, const struct js_args *args, size_t i, uint32_t len,
			 uint32_t otherwise)
{
	double n;

	if (i >= args->n || !js_to_number(arg(r, args, i), &n) || n != n)
		return otherwise;
	n = n < 0 ? n + len : n;
	return n < 0 ? 0 : n > len ? len : (uint32_t)n;
}

static struct js_value *slice(struct js_reader *r, const struct js_value *v, uint32_t from, uint32_t to)
{
	if (from > to)
		from = to;
	return js_with_from(r, js_text(r, v->data + from, to - from, js_flags(v) | JS_PIECED), v->from);
}

static struct js_value *split(struct js_reader *r, const struct js_value *v, const struct js_value *by)
{
	struct js_value *list = js_list(r);
	const char *s = v->data, *end = s + v->len, *hit;

	if (by->type == JS_V_TEXT && !by->len) {
		for (; s < end && list->type == JS_V_LIST && !list->list->has_more; s++)
			js_list_add(r, list, js_text(r, s, 1, js_flags(v)));
		return js_with_from(r, list, v->from);
	}
	if (by->type != JS_V_TEXT || list->type != JS_V_LIST)
		return NULL;
	while (!list->list->has_more && (hit = memmem(s, (size_t)(end - s), by->data, by->len)) != NULL) {
		js_list_add(r, list, js_text(r, s, (size_t)(hit - s), js_flags(v)));
		s = hit + by->len;
	}
	js_list_add(r, list, js_text(r, s, (size_t)(end - s), js_flags(v)));
	return js_with_from(r, list, v->from);
}

static struct js_value *change_case(struct js_reader *r, const struct js_value *v, bool is_upper)
{
	struct js_value *copy = js_text_copy(r, v->data, v->len, js_flags(v));
	char *s = copy->type == JS_V_TEXT ? (char *)copy->data : NULL;

	for (uint32_t i = 0; s && i < copy->len; i++)
		if (is_upper ? s[i] >= 'a' && s[i] <= 'z' : s[i] >= 'A' && s[i] <= 'Z')
			s[i] = (char)(s[i] ^ 0x20);
	return js_with_from(r, copy, v->from);
}

static struct js_value *repeat(struct js_reader *r, const struct js_value *v, const struct js_value *times)
{
	scoped(buf_finish) struct buf b = { 0 };
	double n;

	if (!js_to_number(times, &n) || !(n >= 0) || n * v->len > JS_MAX_TEXT / 4.0)
		return NULL;
	for (; n >= 1 && v->len; n--)
		buf_add(&b, v->data, v->len);
	return js_fold(r, &b, js_flags(v), v->from);
}

static struct js_value *text_method(struct js_reader *r, uint32_t at_node, struct js_value *v,
				    const char *method, const struct js_args *args)
{
	uint32_t len = v->len, at, to;
	struct js_value *a = arg(r, args, 0);

	if (!strcmp(method, "toString") || !strcmp(method, "valueOf") || !strcmp(method, "normalize")) {
		if ((v->flags & JS_BYTES) && a->type == JS_V_TEXT &&
		    (js_is_text(a, "base64") || js_is_text(a, "hex")))
			return js_unknown(r, js_from_all(r, v));
		return v;
	}
	if (!strcmp(method, "trim") || !strcmp(method, "trimEnd") || !strcmp(method, "trimStart")) {
		for (at = 0; at < len && strchr(" \n\t\r", v->data[at]); at++)
			;
		for (to = len; to > at && strchr(" \n\t\r", v->data[to - 1]); to--)
			;
		return js_with_from(r, js_text(r, v->data + at, to - at, js_flags(v)), v->from);
	}
	if (!strcmp(method, "toLowerCase") || !strcmp(method, "toUpperCase"))
		return change_case(r, v, method[2] == 'U');
	if (!strcmp(method, "slice") || !strcmp(method, "subarray"))
		return slice(r, v, index_of(r, args, 0, len, 0), index_of(r, args, 1, len, len));
	if (!strcmp(method, "substring"))
		return slice(r, v, index_of(r, args, 0, len, 0), index_of(r, args, 1, len, len));
	if (!strcmp(method, "substr")) {
		double n = len;

		at = index_of(r, args, 0, len, 0);
		if (args->n > 1)
			js_to_number(arg(r, args, 1), &n);
		return slice(r, v, at, n >= 0 && n < len - at ? at + (uint32_t)n : len);
	}
	if (!strcmp(method, "charAt") || !strcmp(method, "at")) {
		at = index_of(r, args, 0, len, 0);
		return slice(r, v, at, at < len ? at + 1 : len);
	}
	if (!strcmp(method, "charCodeAt") || !strcmp(method, "codePointAt")) {
		at = index_of(r, args, 0, len, 0);
		return at < len ? js_number(r, (unsigned char)v->data[at]) : NULL;
	}
	if (!strcmp(method, "split"))
		return split(r, v, a);
	if (!strcmp(method, "replace") || !strcmp(method, "replaceAll"))
		return js_replace(r, at_node, v, args, method[7] == 'A');
	if (!strcmp(method, "repeat"))
		return repeat(r, v, a);
	if (!strcmp(method, "concat")) {
		scoped(buf_finish) struct buf b = { 0 };

		js_add_text(r, &b, v);
		for (size_t i = 0; i < args->n; i++)
			js_add_text(r, &b, args->list[i]);
		return js_fold(r, &b, js_flags(v) | JS_PIECED, v->from);
	}
	return NULL;
}

struct js_value *js_join(struct js_reader *r, const struct js_value *v, const struct js_value *by)
{
	scoped(buf_finish) struct buf b = { 0 };
	unsigned int flags = JS_PIECED;
	const struct js_from *from = v->from;

	for (uint32_t i = 0; i < v->list->n && b.len < JS_MAX_TEXT; i++) {
		if (i)
			by->type == JS_V_UNDEFINED ? buf_add(&b, ",", 1) : js_add_text(r, &b, by);
		js_add_text(r, &b, v->list->items[i]);
		flags |= js_flags(v->list->items[i]);
		from = js_from_join(r, from, v->list->items[i]->from);
	}
	if (v->list->has_more)
		buf_add(&b, FACT_NOT_KNOWN, 1);
	return js_fold(r, &b, flags, from);
}

/* Those from FROM to TO, backwards when asked. */
static struct js_value *some_items(struct js_reader *r, const struct js_value *v, uint32_t from, uint32_t to,
				   bool is_backwards)
{
	struct js_value *list = js_list(r);

	for (uint32_t i = from; i < to && i < v->list->n && list->type == JS_V_LIST; i++) {
		struct js_value *item = v->list->items[is_backwards ? to - 1 - (i - from) : i];

		if (is_backwards && item->type == JS_V_TEXT && item->len == 1)
			item = js_with_from(r, js_text(r, item->data, 1, item->flags | JS_DECODED),
					    item->from);
		js_list_add(r, list, item);
		r->steps++;
	}
	if (list->type == JS_V_LIST)
		list->list->has_more = v->list->has_more;
	return js_with_from(r, list, v->from);
}

static struct js_value *push(struct js_reader *r, struct js_value *v, const struct js_args *args)
{
	for (size_t i = 0; i < args->n; i++) {
		js_list_add(r, v, args->list[i]);
		/* Where it came from is known of the whole list wherever it was filled. */
		v->from = js_from_join(r, v->from, js_from_all(r, args->list[i]));
	}
	if (r->loops || r->branches)
		v->list->has_more = v->list->has_more || r->loops;
	return js_number(r, v->list->n);
}

/* map, forEach, filter and the like: F for each. */
struct js_value *js_each(struct js_reader *r, uint32_t at, struct js_value *v, const char *method,
			 struct js_value *f)
{
	struct js_value *list = js_list(r), *last = js_undefined(r);
	uint32_t rounds = v->list->n; /* the function may add to the list */

	for (uint32_t i = 0; i < rounds && i < v->list->n && !r->has_stopped; i++) {
		struct js_args args = { .list = { v->list->items[i], js_number(r, i), v }, .n = 3 };

		if (r->call_steps > r->max_call_steps && i) {
			if (list->type == JS_V_LIST)
				list->list->has_more = true;
			break;
		}
		args.list[0] = js_with_from(r, args.list[0], v->from);
		if (f->type == JS_V_NAME)
			args.n = 1;
		last = js_apply(r, at, f, NULL, &args);
		js_list_add(r, list, last);
	}
	if (list->type == JS_V_LIST && v->list->has_more)
		list->list->has_more = true;
	if (!strcmp(method, "map"))
		return js_with_from(r, list, v->from);
	if (!strcmp(method, "filter"))
		return v;
	return js_unknown(r, js_from_all(r, v));
}

static struct js_value *reduce(struct js_reader *r, uint32_t at, struct js_value *v,
			       const struct js_args *args, bool is_right)
{
	struct js_value *sum = args->n > 1 ? args->list[1] : NULL;
	uint32_t rounds = v->list->n;

	for (uint32_t i = 0;
	     i < rounds && i < v->list->n && !r->has_stopped && r->call_steps <= r->max_call_steps; i++) {
		struct js_value *item = v->list->items[is_right ? v->list->n - 1 - i : i];
		struct js_args each_args = { .list = { sum, item, js_number(r, i) }, .n = 3 };

		sum = sum ? js_apply(r, at, args->list[0], NULL, &each_args) : item;
	}
	return sum ? sum : js_undefined(r);
}

bool js_is_one_of(const char *s, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(s, list[i]))
			return true;
	return false;
}

static struct js_value *list_method(struct js_reader *r, uint32_t at, struct js_value *v, const char *method,
				    struct js_args *args)
{
	static const char *const eachs[] = { "map",  "forEach", "filter",    "some", "every",
					     "find", "flatMap", "findIndex", "sort" };
	struct js_value *a = arg(r, args, 0);
	uint32_t n = v->list->n;

	if (!strcmp(method, "join") || !strcmp(method, "toString"))
		return js_join(r, v, a);
	if (!strcmp(method, "reverse") || !strcmp(method, "toReversed"))
		return some_items(r, v, 0, n, true);
	if (!strcmp(method, "slice") || !strcmp(method, "splice"))
		return some_items(r, v, index_of(r, args, 0, n, 0),
				  method[1] == 'l' ? index_of(r, args, 1, n, n) : n, false);
	if (!strcmp(method, "push") || !strcmp(method, "unshift"))
		return push(r, v, args);
	if (!strcmp(method, "concat")) {
		struct js_value *all = some_items(r, v, 0, n, false);

		for (size_t i = 0; i < args->n; i++)
			for (uint32_t j = 0;
			     j < (args->list[i]->type == JS_V_LIST ? args->list[i]->list->n : 1);
			     j++, r->steps++)
				js_list_add(r, all,
					    args->list[i]->type == JS_V_LIST ? args->list[i]->list->items[j]
									     : args->list[i]);
		return all;
	}
	if ((!strcmp(method, "pop") || !strcmp(method, "shift")) && n) {
		struct js_value *taken = v->list->items[method[0] == 'p' ? n - 1 : 0];

		if (!r->loops) {
			v->list->n--;
			if (method[0] == 's')
				v->list->items++;
			v->list->cap = v->list->n;
		}
		return taken;
	}
	if (!strcmp(method, "at") || !strcmp(method, "values") || !strcmp(method, "flat"))
		return method[0] == 'a' && n ? js_member(r, v, js_number(r, index_of(r, args, 0, n, 0))) : v;
	if (args->n && js_is_one_of(method, eachs, sizeof(eachs) / sizeof(*eachs)))
		return js_each(r, at, v, method, a);
	if (args->n && !strncmp(method, "reduce", 6))
		return reduce(r, at, v, args, method[6] != '\0');
	return NULL;
}

static struct js_value *in_radix(struct js_reader *r, double number, const struct js_value *radix)
{
	char digits[64];
	size_t at = sizeof(digits);
	double base = 10;
	uint64_t n;

	if (radix->type != JS_V_UNDEFINED && !js_to_number(radix, &base))
		return NULL;
	if (!(number >= 0) || !js_is_whole(number) || !(base >= 2 && base <= 36))
		return NULL;
	n = (uint64_t)number;
	do {
		digits[--at] = "0123456789abcdefghijklmnopqrstuvwxyz"[n % (uint64_t)base];
		n /= (uint64_t)base;
	} while (n);
	return js_text_copy(r, digits + at, sizeof(digits) - at, base > 16 ? JS_DECODED : 0);
}

/* f.call(this, ...), f.apply(this, [...]), f.bind(this, ...) */
struct js_value *js_call_by(struct js_reader *r, uint32_t at, struct js_value *f, const char *method,
			    struct js_args *args)
{
	struct js_args rest = { 0 };
	struct js_value *list = arg(r, args, 1);

	if (!strcmp(method, "apply") && list->type == JS_V_LIST) {
		for (uint32_t i = 0; i < list->list->n && rest.n < JS_MAX_ARGS; i++)
			rest.list[rest.n++] = list->list->items[i];
	} else if (!strcmp(method, "apply")) {
		rest.list[rest.n++] = js_unknown(r, js_from_all(r, list));
	} else {
		for (size_t i = 1; i < args->n; i++)
			rest.list[rest.n++] = args->list[i];
	}
	if (!strcmp(method, "bind")) {
		if (rest.n)
			js_apply(r, at, f, arg(r, args, 0), &rest);
		return f;
	}
	return js_apply(r, at, f, arg(r, args, 0), &rest);
}

/* Promises are what they will be. */
static struct js_value *then(struct js_reader *r, uint32_t at, struct js_value *on, const char *method,
			     struct js_args *args)
{
	struct js_args given = { .list = { on }, .n = 1 };
	struct js_value *v = on;

	if (strcmp(method, "then") != 0)
		given.n = 0;
	for (size_t i = 0; i < args->n && i < 2; i++) {
		struct js_value *got = js_apply(r, at, args->list[i], NULL, &given);

		if (i == 0 && given.n)
			v = js_with_from(r, got, on->from);
		given.n = 0;
	}
	return v;
}

struct js_value *js_method(struct js_reader *r, uint32_t at, struct js_value *on, const char *method,
			   struct js_args *args)
{
	double number;

	if (!strcmp(method, "then") || !strcmp(method, "catch") || !strcmp(method, "finally"))
		return then(r, at, on, method, args);
	switch (on->type) {
	case JS_V_TEXT:
		return text_method(r, at, on, method, args);
	case JS_V_LIST:
		return list_method(r, at, on, method, args);
	case JS_V_NUMBER:
		number = on->number;
		return !strcmp(method, "toString") ? in_radix(r, number, arg(r, args, 0)) : NULL;
	case JS_V_NAME:
	case JS_V_FUNCTION:
		if (!js_is_name(on, "Reflect") &&
		    (!strcmp(method, "call") || !strcmp(method, "apply") || !strcmp(method, "bind")))
			return js_call_by(r, at, on, method, args);
		return NULL;
	default:
		return NULL;
	}
}
