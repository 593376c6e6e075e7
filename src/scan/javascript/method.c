/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The methods of strings, lists, numbers, functions and promises whose result is known from their arguments.
 */
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "base/str.h"
#include "scan/javascript/javascript.h"

static struct js_value *arg(struct js_reader *r, const struct js_args *args, size_t i)
{
	return i < args->n ? args->list[i] : js_undefined(r);
}

/* A call of one of the methods below. */
struct call {
	uint32_t at;
	const char *method;   /* borrowed */
	struct js_value *v;   /* borrowed; what it is a method of */
	struct js_value *a;   /* borrowed; its first argument */
	struct js_args *args; /* borrowed */
};

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

static struct js_value *part(struct js_reader *r, const struct js_value *v, uint32_t from, uint32_t to)
{
	if (from > to)
		from = to;
	return js_with_from(r, js_text(r, v->data + from, to - from, js_flags(v) | JS_PIECED), v->from);
}

static struct js_value *slice(struct js_reader *r, const struct call *c)
{
	uint32_t len = c->v->len;

	return part(r, c->v, index_of(r, c->args, 0, len, 0), index_of(r, c->args, 1, len, len));
}

static struct js_value *substr(struct js_reader *r, const struct call *c)
{
	uint32_t len = c->v->len, at = index_of(r, c->args, 0, len, 0);
	double n = len;

	if (c->args->n > 1)
		js_to_number(arg(r, c->args, 1), &n);
	return part(r, c->v, at, n >= 0 && n < len - at ? at + (uint32_t)n : len);
}

static struct js_value *char_at(struct js_reader *r, const struct call *c)
{
	uint32_t len = c->v->len, at = index_of(r, c->args, 0, len, 0);

	return part(r, c->v, at, at < len ? at + 1 : len);
}

static struct js_value *code_at(struct js_reader *r, const struct call *c)
{
	uint32_t at = index_of(r, c->args, 0, c->v->len, 0);

	return at < c->v->len ? js_number(r, (unsigned char)c->v->data[at]) : NULL;
}

static struct js_value *as_text(struct js_reader *r, const struct call *c)
{
	if ((c->v->flags & JS_BYTES) && c->a->type == JS_V_TEXT &&
	    (js_is_text(c->a, "base64") || js_is_text(c->a, "hex")))
		return js_unknown(r, js_from_all(r, c->v));
	return c->v;
}

static struct js_value *trim(struct js_reader *r, const struct call *c)
{
	const struct js_value *v = c->v;
	uint32_t at = 0, to = v->len;

	while (at < to && strchr(" \n\t\r", v->data[at]))
		at++;
	while (to > at && strchr(" \n\t\r", v->data[to - 1]))
		to--;
	return js_with_from(r, js_text(r, v->data + at, to - at, js_flags(v)), v->from);
}

static struct js_value *split(struct js_reader *r, const struct call *c)
{
	const struct js_value *v = c->v, *by = c->a;
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

static struct js_value *change_case(struct js_reader *r, const struct call *c)
{
	bool is_upper = !strcmp(c->method, "toUpperCase");
	struct js_value *copy = js_text_copy(r, c->v->data, c->v->len, js_flags(c->v));
	char *s = copy->type == JS_V_TEXT ? (char *)copy->data : NULL;

	for (uint32_t i = 0; s && i < copy->len; i++)
		if (is_upper ? s[i] >= 'a' && s[i] <= 'z' : s[i] >= 'A' && s[i] <= 'Z')
			s[i] = (char)(s[i] ^ 0x20);
	return js_with_from(r, copy, c->v->from);
}

static struct js_value *repeat(struct js_reader *r, const struct call *c)
{
	scoped(buf_finish) struct buf b = { 0 };
	double n;

	if (!js_to_number(c->a, &n) || !(n >= 0) || n * c->v->len > JS_MAX_TEXT / 4.0)
		return NULL;
	for (; n >= 1 && c->v->len; n--)
		buf_add(&b, c->v->data, c->v->len);
	return js_fold(r, &b, js_flags(c->v), c->v->from);
}

static struct js_value *replace(struct js_reader *r, const struct call *c)
{
	return js_replace(r, c->at, c->v, c->args, !strcmp(c->method, "replaceAll"));
}

static struct js_value *concat_texts(struct js_reader *r, const struct call *c)
{
	scoped(buf_finish) struct buf b = { 0 };

	js_add_text(r, &b, c->v);
	for (size_t i = 0; i < c->args->n; i++)
		js_add_text(r, &b, c->args->list[i]);
	return js_fold(r, &b, js_flags(c->v) | JS_PIECED, c->v->from);
}

struct method {
	const char *names;
	struct js_value *(*call)(struct js_reader *r, const struct call *c);
};

static const struct method text_methods[] = {
	{ "toString|valueOf|normalize", as_text },
	{ "trim|trimEnd|trimStart", trim },
	{ "toLowerCase|toUpperCase", change_case },
	{ "slice|subarray|substring", slice },
	{ "substr", substr },
	{ "charAt|at", char_at },
	{ "charCodeAt|codePointAt", code_at },
	{ "split", split },
	{ "replace|replaceAll", replace },
	{ "repeat", repeat },
	{ "concat", concat_texts },
};

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

static struct js_value *push(struct js_reader *r, const struct call *c)
{
	struct js_value *v = c->v;

	for (size_t i = 0; i < c->args->n; i++) {
		js_list_add(r, v, c->args->list[i]);
		/* Where it came from is known of the whole list wherever it was filled. */
		v->from = js_from_join(r, v->from, js_from_all(r, c->args->list[i]));
	}
	if (r->loops || r->branches)
		v->list->has_more = v->list->has_more || r->loops;
	return js_number(r, v->list->n);
}

/* pop and shift */
static struct js_value *take_one(struct js_reader *r, const struct call *c)
{
	bool is_first = !strcmp(c->method, "shift");
	struct js_list *list = c->v->list;
	struct js_value *taken;

	if (!list->n)
		return NULL;
	taken = list->items[is_first ? 0 : list->n - 1];
	if (!r->loops) {
		list->n--;
		list->items += is_first;
		list->cap = list->n;
	}
	return taken;
}

static struct js_value *concat_lists(struct js_reader *r, const struct call *c)
{
	struct js_value *all = some_items(r, c->v, 0, c->v->list->n, false);

	for (size_t i = 0; i < c->args->n; i++) {
		struct js_value *more = c->args->list[i];
		bool is_list = more->type == JS_V_LIST;

		for (uint32_t j = 0; j < (is_list ? more->list->n : 1); j++, r->steps++)
			js_list_add(r, all, is_list ? more->list->items[j] : more);
	}
	return all;
}

static struct js_value *join_items(struct js_reader *r, const struct call *c)
{
	return js_join(r, c->v, c->a);
}

static struct js_value *reverse(struct js_reader *r, const struct call *c)
{
	return some_items(r, c->v, 0, c->v->list->n, true);
}

static struct js_value *slice_items(struct js_reader *r, const struct call *c)
{
	uint32_t n = c->v->list->n, to = strcmp(c->method, "slice") ? n : index_of(r, c->args, 1, n, n);

	return some_items(r, c->v, index_of(r, c->args, 0, n, 0), to, false);
}

static struct js_value *item_at(struct js_reader *r, const struct call *c)
{
	uint32_t n = c->v->list->n;

	return n ? js_member(r, c->v, js_number(r, index_of(r, c->args, 0, n, 0))) : c->v;
}

static struct js_value *itself(struct js_reader *r, const struct call *c)
{
	(void)r;
	return c->v;
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

static struct js_value *for_each(struct js_reader *r, const struct call *c)
{
	return c->args->n ? js_each(r, c->at, c->v, c->method, c->a) : NULL;
}

static struct js_value *reduce(struct js_reader *r, const struct call *c)
{
	struct js_value *sum = c->args->n > 1 ? c->args->list[1] : NULL, *v = c->v;
	bool is_right = !strcmp(c->method, "reduceRight");
	uint32_t rounds = v->list->n;

	if (!c->args->n)
		return NULL;
	for (uint32_t i = 0;
	     i < rounds && i < v->list->n && !r->has_stopped && r->call_steps <= r->max_call_steps; i++) {
		struct js_value *item = v->list->items[is_right ? v->list->n - 1 - i : i];
		struct js_args each_args = { .list = { sum, item, js_number(r, i) }, .n = 3 };

		sum = sum ? js_apply(r, c->at, c->a, NULL, &each_args) : item;
	}
	return sum ? sum : js_undefined(r);
}

static const struct method list_methods[] = {
	{ "join|toString", join_items },
	{ "reverse|toReversed", reverse },
	{ "slice|splice", slice_items },
	{ "push|unshift", push },
	{ "concat", concat_lists },
	{ "pop|shift", take_one },
	{ "at", item_at },
	{ "values|flat", itself },
	{ "map|forEach|filter|some|every|find|flatMap|findIndex|sort", for_each },
	{ "reduce|reduceRight", reduce },
};

static struct js_value *call_method(struct js_reader *r, const struct method *list, size_t n,
				    const struct call *c)
{
	for (size_t i = 0; i < n; i++)
		if (str_is_one_of(c->method, list[i].names))
			return list[i].call(r, c);
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
	struct call c = { .at = at, .method = method, .v = on, .args = args };

	if (str_is_one_of(method, "then|catch|finally"))
		return then(r, at, on, method, args);
	switch (on->type) {
	case JS_V_TEXT:
		c.a = arg(r, args, 0);
		return call_method(r, text_methods, sizeof(text_methods) / sizeof(*text_methods), &c);
	case JS_V_LIST:
		c.a = arg(r, args, 0);
		return call_method(r, list_methods, sizeof(list_methods) / sizeof(*list_methods), &c);
	case JS_V_NUMBER:
		return !strcmp(method, "toString") ? in_radix(r, on->number, arg(r, args, 0)) : NULL;
	case JS_V_NAME:
	case JS_V_FUNCTION:
		if (!js_is_name(on, "Reflect") && str_is_one_of(method, "call|apply|bind"))
			return js_call_by(r, at, on, method, args);
		return NULL;
	default:
		return NULL;
	}
}
