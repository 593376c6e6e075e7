/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of the language and of its host, by their names, whose outcome can be told from their
 * arguments, as far as they serve to put texts together, to hide them, or to reach a function by another way
 * than its name.
 */
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "scan/javascript/javascript.h"

static struct js_value *arg(struct js_reader *r, const struct js_args *args, size_t i)
{
	return i < args->n ? args->list[i] : js_undefined(r);
}

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

static struct js_value *bytes(struct js_reader *r, struct js_args *args)
{
	struct js_value *v = arg(r, args, 0), *encoding = arg(r, args, 1), *got = NULL;
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
static struct js_value *join_path(struct js_reader *r, const struct js_args *args, bool is_resolve)
{
	scoped(buf_finish) struct buf b = { 0 };
	const struct js_from *from = NULL;
	unsigned int flags = 0;

	for (size_t i = 0; i < args->n; i++) {
		const struct js_value *v = args->list[i];
		bool is_place = (v->type == JS_V_TEXT && v->len && (v->data[0] == '/' || v->data[0] == '~'));

		if (is_resolve && is_place)
			b.len = 0;
		if (b.len && b.data[b.len - 1] != '/')
			buf_add(&b, "/", 1);
		js_add_text(r, &b, v);
		if (b.len == 1 && b.data[0] == '.' && i + 1 < args->n)
			b.len = 0; /* "./x" is "x" */
		from = js_from_join(r, from, js_from_all(r, v));
		flags |= js_flags(v);
	}
	return js_fold(r, &b, flags, from);
}

static struct js_value *values_of(struct js_reader *r, struct js_value *v, const char *which)
{
	struct js_value *list = js_list(r);

	if (v->type != JS_V_OBJECT || list->type != JS_V_LIST)
		return js_unknown(r, js_from_all(r, v));
	for (struct js_prop *p = v->object->first; p; p = p->next) {
		struct js_value *key = js_text(r, p->key, strlen(p->key), 0), *pair;

		if (!strcmp(which, "Object.entries")) {
			pair = js_list(r);
			js_list_add(r, pair, key);
			js_list_add(r, pair, p->value);
			js_list_add(r, list, pair);
		} else {
			js_list_add(r, list, which[7] == 'k' ? key : p->value);
		}
	}
	list->from = v->from;
	return list;
}

static struct js_value *assign_all(struct js_reader *r, struct js_args *args)
{
	struct js_value *to = arg(r, args, 0);

	for (size_t i = 1; i < args->n; i++) {
		const struct js_value *v = args->list[i];

		if (to->type == JS_V_OBJECT && v->type == JS_V_OBJECT)
			for (struct js_prop *p = v->object->first; p; p = p->next)
				js_object_set(r, to, p->key, strlen(p->key), p->value);
		to = js_with_from(r, to, js_from_all(r, v));
	}
	return to;
}

static struct js_value *parse_int(struct js_reader *r, const struct js_args *args)
{
	double base = 10, value = 0;
	const struct js_value *v = arg(r, args, 0);
	uint32_t i = 0;

	/* Of a fraction the rest stays: nobody hides a text in one. */
	if (v->type != JS_V_TEXT)
		return js_to_number(v, &value) ? js_number(r, value) : js_unknown(r, js_from_all(r, v));
	if (v->len > 2 && v->data[0] == '0' && (v->data[1] | 0x20) == 'x') {
		base = 16;
		i = 2;
	}
	if (args->n > 1 && !js_to_number(args->list[1], &base))
		return js_unknown(r, v->from);
	for (; i < v->len; i++) {
		static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
		char c = v->data[i] >= 'A' && v->data[i] <= 'Z' ? (char)(v->data[i] | 0x20) : v->data[i];
		const char *d = c ? strchr(digits, c) : NULL;

		if (!d || d - digits >= base)
			break;
		value = value * base + (double)(d - digits);
	}
	return js_number(r, value);
}

static struct js_value *decoded(struct js_reader *r, struct js_value *v, const char *name)
{
	const struct js_from *from = js_from_add(r, js_from_all(r, v), name);
	struct js_value *got = !strcmp(name, "atob") ? js_decode(r, v, "base64") : js_unescape(r, v);

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
	static const char *const same[] = {
		"util.promisify",
		"Promise.resolve",
		"Promise.all",
		"Promise.allSettled",
		"Object.freeze",
		"Object.seal",
		"String.raw",
		"structuredClone",
		"url.fileURLToPath",
		"path.normalize",
		"path.toNamespacedPath",
		"Object.getPrototypeOf",
		"Array.from",
		"Uint8Array",
		"Uint8Array.from",
		"Array.of",
		"fs.realpathSync",
		"encodeURIComponent",
		"encodeURI",
		"String",
		"Object",
		"TextDecoder().decode",
		"TextEncoder().encode",
		"Buffer.concat",
		"Set",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!strcmp(name, texts[i][0]))
			return js_with_from(r, js_text(r, texts[i][1], strlen(texts[i][1]), 0),
					    js_from_add(r, NULL, texts[i][0]));
	if (!args->n || !js_is_one_of(name, same, sizeof(same) / sizeof(*same)))
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

static struct js_value *reflect(struct js_reader *r, uint32_t at, const char *name, struct js_args *args)
{
	struct js_value *f = arg(r, args, 0), *got;
	struct js_args way = { .list = { arg(r, args, 1), arg(r, args, 2) }, .n = 2 };

	if (!strcmp(name, "Reflect.get") || !strcmp(name, "Object.getOwnPropertyDescriptor")) {
		got = js_copy(r, js_member(r, f, arg(r, args, 1)));
		got->flags |= got->type == JS_V_NAME ? JS_DEVIOUS : 0;
		return got;
	}
	if (!strcmp(name, "Reflect.construct")) {
		way.list[1] = way.list[0];
		way.list[0] = js_undefined(r);
	}
	if (f->type == JS_V_NAME) {
		f = js_copy(r, f);
		f->flags |= f->type == JS_V_NAME ? JS_DEVIOUS : 0;
	}
	return js_call_by(r, at, f, "apply", &way);
}

struct js_value *js_builtin(struct js_reader *r, uint32_t at, const char *name, struct js_args *args)
{
	static const char *const requires[] = { "module.createRequire", "module.createRequireFromPath",
						"Module.createRequire" };
	struct js_value *a = arg(r, args, 0);

	switch (name[0]) {
	case 'S':
		if (!strcmp(name, "String.fromCharCode") || !strcmp(name, "String.fromCodePoint"))
			return characters(r, args);
		break;
	case 'B':
		if (!strcmp(name, "Buffer.from") || !strcmp(name, "Buffer") ||
		    !strcmp(name, "buffer.Buffer.from"))
			return bytes(r, args);
		break;
	case 'a':
	case 'd':
	case 'u':
		if (!strcmp(name, "atob") || !strcmp(name, "decodeURIComponent") ||
		    !strcmp(name, "decodeURI") || !strcmp(name, "unescape"))
			return decoded(r, a, name);
		break;
	case 'p':
		if (!strcmp(name, "path.join") || !strcmp(name, "path.resolve") ||
		    !strcmp(name, "path.posix.join"))
			return join_path(r, args, name[5] == 'r');
		if (!strcmp(name, "parseInt"))
			return parse_int(r, args);
		break;
	case 'J':
		if (!strcmp(name, "JSON.stringify") && (a->type == JS_V_OBJECT || a->type == JS_V_LIST)) {
			scoped(buf_finish) struct buf b = { 0 };

			js_add_json(r, &b, a, 0);
			return js_fold(r, &b, 0, js_from_all(r, a));
		}
		break;
	case 'N':
		if (!strcmp(name, "Number"))
			return parse_int(r, &(struct js_args){ .list = { a }, .n = 1 });
		break;
	case 'O':
		if (!strcmp(name, "Object.values") || !strcmp(name, "Object.keys") ||
		    !strcmp(name, "Object.entries"))
			return values_of(r, a, name);
		if (!strcmp(name, "Object.assign"))
			return assign_all(r, args);
		if (!strcmp(name, "Object.getOwnPropertyDescriptor"))
			return reflect(r, at, name, args);
		break;
	case 'R':
		if (!strcmp(name, "Reflect.get") || !strcmp(name, "Reflect.apply") ||
		    !strcmp(name, "Reflect.construct"))
			return reflect(r, at, name, args);
		break;
	case 'D':
		if (!strcmp(name, "Deno.env.get") && a->type == JS_V_TEXT)
			return js_member(r, js_name(r, "process.env", 0), a);
		if (!strcmp(name, "Deno.env.toObject"))
			return js_name(r, "process.env", 0);
		break;
	default:
		if (js_is_one_of(name, requires, sizeof(requires) / sizeof(*requires)))
			return js_name(r, "require", 0);
	}
	return simple(r, name, args);
}
