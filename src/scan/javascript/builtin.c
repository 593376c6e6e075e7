/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Built-in functions of the language and of its host whose result is known from their arguments, as far as
 * they are used to build strings, to hide them, or to reach a function indirectly.
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

/* A call of one of the functions below. */
struct call {
	uint32_t at;
	const char *name;     /* borrowed */
	struct js_value *a;   /* borrowed; its first argument */
	struct js_args *args; /* borrowed */
};

/* Characters by their numbers, in the arguments or in a list. */
static struct js_value *characters(struct js_reader *r, const struct js_args *args)
{
	scoped(buf_finish) struct buf b = { 0 };
	const struct js_from *from = js_from_add(r, NULL, "String.fromCharCode");

	for (size_t i = 0; i < args->n; i++) {
		const struct js_value *v = args->list[i];
		uint32_t n = v->type == JS_V_LIST ? v->list->n : 1;

		from = js_from_join(r, from, js_from_all(r, v));
		for (uint32_t j = 0; j < n && b.len < JS_MAX_TEXT; j++) {
			double c;

			r->steps++;
			if (!js_to_number(v->type == JS_V_LIST ? v->list->items[j] : v, &c))
				return js_unknown(r, from);
			js_add_character(&b, c >= 0 && c < 0x110000 ? (unsigned long)c : '?');
		}
		if (v->type == JS_V_LIST && v->list->has_more)
			return js_unknown(r, from);
	}
	return js_fold(r, &b, JS_DECODED, from);
}

static struct js_value *call_characters(struct js_reader *r, const struct call *c)
{
	return characters(r, c->args);
}

static struct js_value *call_bytes(struct js_reader *r, const struct call *c)
{
	struct js_value *v = c->a, *encoding = arg(r, c->args, 1), *got = NULL;
	char name[16] = "utf8";

	if (encoding->type == JS_V_TEXT && encoding->len < sizeof(name))
		snprintf(name, sizeof(name), "%.*s", (int)encoding->len, encoding->data);
	if (v->type == JS_V_TEXT)
		got = js_decode(r, v, name);
	else if (v->type == JS_V_LIST && v->list->n && !v->list->has_more)
		got = characters(r, &(struct js_args){ .list = { v }, .n = 1 });
	if (!got)
		got = js_unknown(r, js_from_all(r, v));
	return encoding->type == JS_V_TEXT ? js_with_from(r, got, js_from_add(r, NULL, "Buffer.from")) : got;
}

/* A path of parts; an absolute part begins anew for path.resolve only. */
static struct js_value *call_path(struct js_reader *r, const struct call *c)
{
	scoped(buf_finish) struct buf b = { 0 };
	const struct js_from *from = NULL;
	unsigned int flags = 0;

	for (size_t i = 0; i < c->args->n; i++) {
		const struct js_value *v = c->args->list[i];
		bool is_place = (v->type == JS_V_TEXT && v->len && (v->data[0] == '/' || v->data[0] == '~'));

		if (is_place && !strcmp(c->name, "path.resolve"))
			b.len = 0;
		if (b.len && b.data[b.len - 1] != '/')
			buf_add(&b, "/", 1);
		js_add_text(r, &b, v);
		if (b.len == 1 && b.data[0] == '.' && i + 1 < c->args->n)
			b.len = 0; /* "./x" is "x" */
		from = js_from_join(r, from, js_from_all(r, v));
		flags |= js_flags(v);
	}
	return js_fold(r, &b, flags, from);
}

static struct js_value *call_values(struct js_reader *r, const struct call *c)
{
	struct js_value *v = c->a, *list = js_list(r);

	if (v->type != JS_V_OBJECT || list->type != JS_V_LIST)
		return js_unknown(r, js_from_all(r, v));
	for (struct js_prop *p = v->object->first; p; p = p->next) {
		struct js_value *key = js_text(r, p->key, strlen(p->key), 0), *pair;

		if (!strcmp(c->name, "Object.entries")) {
			pair = js_list(r);
			js_list_add(r, pair, key);
			js_list_add(r, pair, p->value);
			js_list_add(r, list, pair);
		} else {
			js_list_add(r, list, !strcmp(c->name, "Object.keys") ? key : p->value);
		}
	}
	list->from = v->from;
	return list;
}

static struct js_value *call_assign(struct js_reader *r, const struct call *c)
{
	struct js_value *to = c->a;

	for (size_t i = 1; i < c->args->n; i++) {
		const struct js_value *v = c->args->list[i];

		if (to->type == JS_V_OBJECT && v->type == JS_V_OBJECT)
			for (struct js_prop *p = v->object->first; p; p = p->next)
				js_object_set(r, to, p->key, strlen(p->key), p->value);
		to = js_with_from(r, to, js_from_all(r, v));
	}
	return to;
}

static struct js_value *call_number(struct js_reader *r, const struct call *c)
{
	double base = 10, value = 0;
	const struct js_value *v = c->a;
	uint32_t i = 0;

	/* Of a fraction the rest stays: nobody hides a text in one. */
	if (v->type != JS_V_TEXT)
		return js_to_number(v, &value) ? js_number(r, value) : js_unknown(r, js_from_all(r, v));
	if (v->len > 2 && v->data[0] == '0' && (v->data[1] | 0x20) == 'x') {
		base = 16;
		i = 2;
	}
	if (c->args->n > 1 && !strcmp(c->name, "parseInt") && !js_to_number(c->args->list[1], &base))
		return js_unknown(r, v->from);
	for (; i < v->len; i++) {
		static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
		char letter = v->data[i] >= 'A' && v->data[i] <= 'Z' ? (char)(v->data[i] | 0x20) : v->data[i];
		const char *d = letter ? strchr(digits, letter) : NULL;

		if (!d || d - digits >= base)
			break;
		value = value * base + (double)(d - digits);
	}
	return js_number(r, value);
}

static struct js_value *call_decode(struct js_reader *r, const struct call *c)
{
	const struct js_from *from = js_from_add(r, js_from_all(r, c->a), c->name);
	struct js_value *got = !strcmp(c->name, "atob") ? js_decode(r, c->a, "base64") : js_unescape(r, c->a);

	return got ? js_with_from(r, got, from) : js_unknown(r, from);
}

/* Those that give a fixed text, or what they were given. */
static struct js_value *simple(struct js_reader *r, const char *name, struct js_args *args)
{
	static const char *const texts[][2] = {
		{ "os.homedir", "~" },
		{ "os.tmpdir", "/tmp" },
		{ "process.cwd", "." },
		{ "Deno.cwd", "." },
	};
	static const char same[] =
		"util.promisify|Promise.resolve|Promise.all|Promise.allSettled|Object.freeze|Object.seal|"
		"String.raw|structuredClone|url.fileURLToPath|path.normalize|path.toNamespacedPath|"
		"Object.getPrototypeOf|Array.from|Uint8Array|Uint8Array.from|Array.of|fs.realpathSync|"
		"encodeURIComponent|encodeURI|String|Object|TextDecoder().decode|TextEncoder().encode|"
		"Buffer.concat|Set";

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!strcmp(name, texts[i][0]))
			return js_with_from(r, js_text(r, texts[i][1], strlen(texts[i][1]), 0),
					    js_from_add(r, NULL, texts[i][0]));
	if (!args->n || !str_is_one_of(name, same))
		return NULL;
	if (args->n > 1 && !strcmp(name, "Array.from")) {
		if (args->list[0]->type != JS_V_LIST)
			return NULL;
		return js_each(r, 0, args->list[0], "map", args->list[1]);
	}
	if (!strcmp(name, "Buffer.concat") && args->list[0]->type == JS_V_LIST)
		return js_join(r, args->list[0], js_text(r, "", 0, 0));
	if (!strncmp(name, "Text", 4) && args->list[0]->type == JS_V_LIST)
		return characters(r, args);
	if (!strcmp(name, "String") && args->list[0]->type != JS_V_UNKNOWN &&
	    args->list[0]->type != JS_V_NAME) {
		scoped(buf_finish) struct buf b = { 0 };

		js_add_text(r, &b, args->list[0]);
		return js_fold(r, &b, js_flags(args->list[0]), args->list[0]->from);
	}
	return args->list[0];
}

static struct js_value *call_get(struct js_reader *r, const struct call *c)
{
	struct js_value *got = js_copy(r, js_member(r, c->a, arg(r, c->args, 1)));

	got->flags |= got->type == JS_V_NAME ? JS_DEVIOUS : 0;
	return got;
}

static struct js_value *call_reflect(struct js_reader *r, const struct call *c)
{
	struct js_args way = { .list = { arg(r, c->args, 1), arg(r, c->args, 2) }, .n = 2 };
	struct js_value *f = c->a;

	if (!strcmp(c->name, "Reflect.construct")) {
		way.list[1] = way.list[0];
		way.list[0] = js_undefined(r);
	}
	if (f->type == JS_V_NAME) {
		f = js_copy(r, f);
		f->flags |= f->type == JS_V_NAME ? JS_DEVIOUS : 0;
	}
	return js_call_by(r, c->at, f, "apply", &way);
}

static struct js_value *call_json(struct js_reader *r, const struct call *c)
{
	scoped(buf_finish) struct buf b = { 0 };

	if (c->a->type != JS_V_OBJECT && c->a->type != JS_V_LIST)
		return NULL;
	js_add_json(r, &b, c->a, 0);
	return js_fold(r, &b, 0, js_from_all(r, c->a));
}

static struct js_value *call_environment(struct js_reader *r, const struct call *c)
{
	struct js_value *all;

	if (!strcmp(c->name, "Deno.env.get") && c->a->type != JS_V_TEXT)
		return NULL;
	all = js_name(r, "process.env", 0);
	return !strcmp(c->name, "Deno.env.get") ? js_member(r, all, c->a) : all;
}

static struct js_value *call_require(struct js_reader *r, const struct call *c)
{
	(void)c;
	return js_name(r, "require", 0);
}

static const struct {
	const char *names;
	struct js_value *(*call)(struct js_reader *r, const struct call *c);
} builtins[] = {
	{ "String.fromCharCode|String.fromCodePoint", call_characters },
	{ "Buffer.from|Buffer|buffer.Buffer.from", call_bytes },
	{ "atob|decodeURIComponent|decodeURI|unescape", call_decode },
	{ "path.join|path.resolve|path.posix.join", call_path },
	{ "parseInt|Number", call_number },
	{ "JSON.stringify", call_json },
	{ "Object.values|Object.keys|Object.entries", call_values },
	{ "Object.assign", call_assign },
	{ "Object.getOwnPropertyDescriptor|Reflect.get", call_get },
	{ "Reflect.apply|Reflect.construct", call_reflect },
	{ "Deno.env.get|Deno.env.toObject", call_environment },
	{ "module.createRequire|module.createRequireFromPath|Module.createRequire", call_require },
};

struct js_value *js_builtin(struct js_reader *r, uint32_t at, const char *name, struct js_args *args)
{
	const struct call c = { .at = at, .name = name, .a = arg(r, args, 0), .args = args };
	struct js_value *v = NULL;

	for (size_t i = 0; !v && i < sizeof(builtins) / sizeof(*builtins); i++)
		if (str_is_one_of(name, builtins[i].names))
			v = builtins[i].call(r, &c);
	return v ? v : simple(r, name, args);
}
