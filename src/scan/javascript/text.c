/* SPDX-License-Identifier: Apache-2.0 */
/* Strings: what literals mean, how other values are converted, how encodings are decoded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "scan/javascript/javascript.h"

#define MAX_LISTS 4u /* in each other */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* N hex digits at S, or -1. */
static long hex_number(const char *s, const char *end, unsigned int n)
{
	long value = 0;

	if ((size_t)(end - s) < n)
		return -1;
	for (unsigned int i = 0; i < n; i++) {
		int d = hex_digit(s[i]);

		if (d < 0)
			return -1;
		value = value << 4 | d;
	}
	return value;
}

void js_add_character(struct buf *b, unsigned long c)
{
	char utf8[4];
	size_t n = 0;

	if (c < 0x80) {
		utf8[n++] = (char)c;
	} else if (c < 0x800) {
		utf8[n++] = (char)(0xc0 | c >> 6);
	} else if (c < 0x10000) {
		utf8[n++] = (char)(0xe0 | c >> 12);
		utf8[n++] = (char)(0x80 | (c >> 6 & 0x3f));
	} else {
		utf8[n++] = (char)(0xf0 | (c >> 18 & 7));
		utf8[n++] = (char)(0x80 | (c >> 12 & 0x3f));
		utf8[n++] = (char)(0x80 | (c >> 6 & 0x3f));
	}
	if (c >= 0x80)
		utf8[n++] = (char)(0x80 | (c & 0x3f));
	buf_add(b, utf8, n);
}

/* The escape whose backslash is before S; where it ends. */
static const char *add_escape(struct buf *b, const char *s, const char *end)
{
	static const char letters[] = "nrtbfv0", meant[] = "\n\r\t\b\f\v";
	const char *l = strchr(letters, *s);
	long c = -1;

	if (*s == 'x' && (c = hex_number(s + 1, end, 2)) >= 0) {
		js_add_character(b, (unsigned long)c);
		return s + 3;
	}
	if (*s == 'u' && (c = hex_number(s + 1, end, 4)) >= 0) {
		js_add_character(b, (unsigned long)c);
		return s + 5;
	}
	if (*s == 'u' && end - s > 2 && s[1] == '{') {
		unsigned long wide = 0;

		for (s += 2; s < end && hex_digit(*s) >= 0 && wide < 0x110000; s++)
			wide = wide << 4 | (unsigned long)hex_digit(*s);
		js_add_character(b, wide & 0x1fffff);
		return s < end ? s + 1 : s;
	}
	if (*s == '\n')
		return s + 1;
	if (*s && l)
		buf_add(b, &meant[l - letters], 1);
	else
		buf_add(b, s, 1);
	return s + 1;
}

struct js_value *js_unquote(struct js_reader *r, const char *s, size_t len)
{
	scoped(buf_finish) struct buf b = { 0 };
	const char *end = s + len, *slash = memchr(s, '\\', len);
	bool is_hidden = false;

	if (!slash)
		return js_text(r, s, len, 0);
	if (len > JS_MAX_TEXT)
		return js_unknown(r, NULL);
	while (slash && slash + 1 < end) {
		const char *behind;

		buf_add(&b, s, (size_t)(slash - s));
		behind = add_escape(&b, slash + 1, end);
		/* Letters written as numbers are meant not to be read. */
		is_hidden |= (slash[1] == 'x' || slash[1] == 'u') && b.len && b.data[b.len - 1] > ' ' &&
			     b.data[b.len - 1] < 0x7f;
		s = behind;
		slash = s < end ? memchr(s, '\\', (size_t)(end - s)) : NULL;
	}
	if (s < end && !slash)
		buf_add(&b, s, (size_t)(end - s));
	return js_fold(r, &b, is_hidden ? JS_DECODED : 0, NULL);
}

struct js_value *js_fold(struct js_reader *r, struct buf *b, unsigned int flags, const struct js_from *from)
{
	struct js_value *v =
		b->failed ? js_unknown(r, NULL) : js_text_copy(r, b->data ? b->data : "", b->len, flags);

	return js_with_from(r, v, from);
}

/* Places everybody has, by the names everybody knows. */
static const char *place_of(const char *name)
{
	static const char *const places[][2] = {
		{ "process.env.HOME", "~" },
		{ "process.env.USERPROFILE", "~" },
		{ "__dirname", "." },
		{ "import.meta.dirname", "." },
		{ "import.meta.url", "." },
		{ "__filename", "./__filename" },
		{ "import.meta.filename", "./__filename" },
		{ "process.execPath", "node" },
		{ "process.argv0", "node" },
		{ "process.env.TMPDIR", "/tmp" },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (!strcmp(places[i][0], name))
			return places[i][1];
	return NULL;
}

static void add_number(struct buf *b, double number)
{
	if (js_is_whole(number))
		buf_addf(b, "%.0f", number);
	else
		buf_addf(b, "%.15g", number);
}

static void add_name(struct buf *b, const struct js_value *v)
{
	const char *place = place_of(v->data);
	const char *method = strstr(v->data, ".prototype.");

	if (place)
		buf_add(b, place, strlen(place));
	else if (method)
		buf_addf(b, "function %s() { [native code] }", method + 11);
	else
		buf_add(b, FACT_NOT_KNOWN, 1);
}

/* Lists can hold themselves, so only the first few levels are looked at. */
static void add_text(struct js_reader *r, struct buf *b, const struct js_value *v, unsigned int depth)
{
	if (b->len > JS_MAX_TEXT || r->folded >= JS_MAX_FOLDED || depth > MAX_LISTS) {
		buf_add(b, FACT_NOT_KNOWN, 1);
		return;
	}
	r->steps++;
	switch (v->type) {
	case JS_V_TEXT:
		buf_add(b, v->data, v->len);
		break;
	case JS_V_NUMBER:
		add_number(b, v->number);
		break;
	case JS_V_BOOL:
		buf_addf(b, "%s", v->number != 0 ? "true" : "false");
		break;
	case JS_V_UNDEFINED:
		buf_addf(b, "undefined");
		break;
	case JS_V_NAME:
		add_name(b, v);
		break;
	case JS_V_LIST:
		for (uint32_t i = 0; i < v->list->n && b->len <= JS_MAX_TEXT; i++) {
			if (i)
				buf_add(b, ",", 1);
			add_text(r, b, v->list->items[i], depth + 1);
		}
		break;
	case JS_V_OBJECT:
		buf_addf(b, "[object Object]");
		break;
	case JS_V_REGEX:
	case JS_V_UNKNOWN:
	case JS_V_FUNCTION:
		buf_add(b, FACT_NOT_KNOWN, 1);
	}
}

void js_add_text(struct js_reader *r, struct buf *b, const struct js_value *v)
{
	size_t before = b->len;

	add_text(r, b, v, 0);
	r->folded += b->len - before;
}

void js_add_json(struct js_reader *r, struct buf *b, const struct js_value *v, unsigned int depth)
{
	bool is_list = v->type == JS_V_LIST, is_first = true;

	r->steps++;
	if ((!is_list && v->type != JS_V_OBJECT) || depth > MAX_LISTS || b->len > JS_MAX_TEXT) {
		bool is_text = v->type == JS_V_TEXT;

		buf_add(b, "\"", is_text);
		js_add_text(r, b, v);
		buf_add(b, "\"", is_text);
		return;
	}
	buf_add(b, is_list ? "[" : "{", 1);
	for (uint32_t i = 0; is_list && i < v->list->n && b->len <= JS_MAX_TEXT; i++) {
		buf_add(b, ",", i > 0);
		js_add_json(r, b, v->list->items[i], depth + 1);
	}
	for (struct js_prop *p = is_list ? NULL : v->object->first; p; p = p->next, is_first = false) {
		buf_addf(b, "%s\"%s\":", is_first ? "" : ",", p->key);
		js_add_json(r, b, p->value, depth + 1);
	}
	buf_add(b, is_list ? "]" : "}", 1);
}

unsigned int js_flags(const struct js_value *v)
{
	return v->type == JS_V_TEXT ? v->flags & (JS_PIECED | JS_DECODED) : 0;
}

static bool text_number(const char *s, size_t len, double *ret)
{
	char copy[64], *end;

	if (len >= sizeof(copy))
		return false;
	memcpy(copy, s, len);
	copy[len] = '\0';
	*ret = len ? strtod(copy, &end) : 0;
	return !len || *end == '\0';
}

bool js_to_number(const struct js_value *v, double *ret)
{
	if (v->type == JS_V_LIST && v->list->n == 1 && !v->list->has_more &&
	    v->list->items[0]->type != JS_V_LIST)
		v = v->list->items[0];
	if (v->type == JS_V_NUMBER || v->type == JS_V_BOOL)
		*ret = v->number;
	else if (v->type == JS_V_LIST && v->list->n == 0 && !v->list->has_more)
		*ret = 0;
	else
		return v->type == JS_V_TEXT && text_number(v->data, v->len, ret);
	return true;
}

int js_truth(const struct js_value *v)
{
	switch (v->type) {
	case JS_V_TEXT:
		return v->len > 0;
	case JS_V_NUMBER:
	case JS_V_BOOL:
		return v->number != 0;
	case JS_V_UNDEFINED:
		return 0;
	case JS_V_LIST:
	case JS_V_OBJECT:
	case JS_V_FUNCTION:
	case JS_V_REGEX:
		return 1;
	case JS_V_NAME:
	case JS_V_UNKNOWN:
		break;
	}
	return -1;
}

static int base64_digit(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *d = c ? strchr(digits, c) : NULL;

	return d ? (int)(d - digits) : c == '-' ? 62 : c == '_' ? 63 : -1;
}

static void decode_base64(struct buf *b, const char *s, size_t len)
{
	uint32_t bits = 0;
	unsigned int n = 0;

	for (size_t i = 0; i < len && s[i] != '='; i++) {
		int d = base64_digit(s[i]);
		char byte;

		if (d < 0)
			continue;
		bits = bits << 6 | (uint32_t)d;
		n += 6;
		if (n < 8)
			continue;
		n -= 8;
		byte = (char)(bits >> n);
		buf_add(b, &byte, 1);
	}
}

static void decode_hex(struct buf *b, const char *s, size_t len)
{
	for (size_t i = 0; i + 1 < len; i += 2) {
		long c = hex_number(s + i, s + len, 2);
		char byte = (char)c;

		if (c < 0)
			return;
		buf_add(b, &byte, 1);
	}
}

struct js_value *js_decode(struct js_reader *r, const struct js_value *v, const char *encoding)
{
	scoped(buf_finish) struct buf b = { 0 };

	if (v->type != JS_V_TEXT || v->len > JS_MAX_TEXT)
		return NULL;
	if (!strncmp(encoding, "base64", 6))
		decode_base64(&b, v->data, v->len);
	else if (!strcmp(encoding, "hex"))
		decode_hex(&b, v->data, v->len);
	else
		return js_with_from(r, js_text(r, v->data, v->len, v->flags | JS_BYTES), v->from);
	return js_fold(r, &b, JS_DECODED | JS_BYTES, v->from);
}

struct js_value *js_unescape(struct js_reader *r, const struct js_value *v)
{
	scoped(buf_finish) struct buf b = { 0 };
	const char *s = v->type == JS_V_TEXT ? v->data : NULL, *end;

	if (!s || v->len > JS_MAX_TEXT)
		return NULL;
	end = s + v->len;
	for (; s < end; s++) {
		long c = *s == '%' ? hex_number(s + 1, end, 2) : -1, wide = -1;
		char byte = (char)c;

		if (*s == '%' && end - s > 1 && s[1] == 'u')
			wide = hex_number(s + 2, end, 4);
		if (wide >= 0)
			js_add_character(&b, (unsigned long)wide);
		else
			buf_add(&b, c >= 0 ? &byte : s, 1);
		s += wide >= 0 ? 5 : c >= 0 ? 2 : 0;
	}
	return js_fold(r, &b, JS_DECODED, v->from);
}
