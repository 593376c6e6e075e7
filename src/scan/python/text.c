/* SPDX-License-Identifier: Apache-2.0 */
/* Concatenated strings in Python: literals, formats, joins, slices, decoders, as far as constants go. */
#include <ctype.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/scope.h"
#include "base/str.h"
#include "scan/python/python.h"

static void add_utf8(struct buf *b, unsigned long c)
{
	char out[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)(n == 1 ? c : (0xf00u >> n & 0xf0) | c);
	buf_add(b, out, n);
}

static unsigned long read_digits(const char *s, size_t len, unsigned int base, size_t most, size_t *ret_n)
{
	unsigned long v = 0;
	size_t n = 0;

	for (; n < len && n < most; n++) {
		int c = tolower((unsigned char)s[n]);
		unsigned int d = isdigit(c)   ? (unsigned int)(c - '0')
				 : isalpha(c) ? (unsigned int)(c - 'a') + 10
					      : 99;

		if (d >= base)
			break;
		v = v * base + d;
	}
	*ret_n = n;
	return v;
}

/* One escape sequence behind its backslash; how many bytes of it were read. */
static size_t unescape(struct buf *b, const char *s, size_t len)
{
	static const char from[] = "abfnrtv\\'\"", to[] = "\a\b\f\n\r\t\v\\'\"";
	const char *simple = len && *s ? strchr(from, *s) : NULL;
	static const char numbered[] = "xuU";
	const char *number = len && *s ? strchr(numbered, *s) : NULL;
	size_t n, most = number ? (size_t)2 << (number - numbered) : 0; /* digits */
	unsigned long c;

	if (!len)
		return 0;
	if (simple) {
		buf_add(b, &to[simple - from], 1);
		return 1;
	}
	if (*s == '\n')
		return 1;
	if (*s >= '0' && *s <= '7') {
		c = read_digits(s, len, 8, 3, &n);
		add_utf8(b, c & 0x1ff);
		return n;
	}
	c = most ? read_digits(s + 1, len - 1, 16, most, &n) : 0;
	if (most && n == most && c < 0x110000) {
		if (most == 2 && c >= 0x80) /* of bytes, mostly */
			buf_add(b, &(char){ (char)c }, 1);
		else
			add_utf8(b, c);
		return 1 + most;
	}
	buf_add(b, "\\", 1);
	return 0;
}

/* It means what it says, byte by byte. */
static bool is_plain_literal(const char *text, size_t len, bool is_raw, bool is_format)
{
	return (is_raw || !memchr(text, '\\', len)) &&
	       !(is_format && (memchr(text, '{', len) || memchr(text, '}', len)));
}

const struct py_value *py_literal(struct py *p, const char *text, size_t len, bool is_raw, bool is_format)
{
	scoped(buf_finish) struct buf b = { 0 };

	if (is_plain_literal(text, len, is_raw, is_format))
		return py_borrow(p, text, len);
	for (size_t i = 0; i < len && b.len < PY_MAX_TEXT; i++) {
		if (text[i] == '\\' && !is_raw) {
			i += unescape(&b, text + i + 1, len - i - 1);
		} else {
			buf_add(&b, text + i, 1);
			if (is_format && i + 1 < len && (text[i] == '{' || text[i] == '}') &&
			    text[i + 1] == text[i])
				i++;
		}
	}
	return b.failed ? &py_unknown : py_text(p, b.data, b.len);
}

static void add_value(struct py *p, struct buf *b, const struct py_value *v, bool *is_known)
{
	const char *text;
	size_t len;

	if (b->len > PY_MAX_TEXT)
		return;
	if (py_text_of(p, v, &text, &len) == 0 && py_work(p, len)) {
		buf_add(b, text, len);
		*is_known = true;
	} else if (!b->len || b->data[b->len - 1] != *FACT_NOT_KNOWN) {
		buf_add(b, FACT_NOT_KNOWN, 1);
	}
}

/* A text of what B has, made from FROM. */
static const struct py_value *finish_text(struct py *p, const struct buf *b, const struct py_from *from,
					  bool is_indirect)
{
	struct py_value *v;
	char *copy;

	if (b->failed || b->len > PY_MAX_TEXT || !(copy = py_alloc(p, b->len + 1)) ||
	    !(v = py_new(p, PY_TEXT)))
		return NULL;
	if (b->len)
		memcpy(copy, b->data, b->len);
	v->text = copy;
	v->n = b->len;
	v->from = from;
	v->is_indirect = is_indirect;
	return v;
}

const struct py_value *py_join_texts(struct py *p, const struct py_value *const *parts, size_t n)
{
	scoped(buf_finish) struct buf b = { 0 };
	const struct py_from *from = NULL;
	bool is_known = false, is_indirect = false;

	for (size_t i = 0; i < n; i++) {
		add_value(p, &b, parts[i], &is_known);
		from = py_from_join(p, from, py_from_of(p, parts[i]));
		is_indirect |= parts[i]->is_indirect;
	}
	return is_known || n == 0 ? finish_text(p, &b, from, is_indirect) : NULL;
}

static bool from_digits(struct buf *b, const char *s, size_t len, const char *alphabet, unsigned int bits)
{
	unsigned int have = 0, word = 0;

	for (size_t i = 0; i < len; i++) {
		const char *at = s[i] ? strchr(alphabet, s[i]) : NULL;

		if (isspace((unsigned char)s[i]) || s[i] == '=')
			continue;
		if (!at)
			return false;
		word = word << bits | (unsigned int)(at - alphabet);
		have += bits;
		if (have >= 8) {
			have -= 8;
			buf_add(b, &(char){ (char)(word >> have & 0xff) }, 1);
		}
	}
	return true;
}

static bool rot13(struct buf *b, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		int c = (unsigned char)s[i], low = tolower(c);

		if (low >= 'a' && low <= 'z')
			c += low < 'n' ? 13 : -13;
		buf_add(b, &(char){ (char)c }, 1);
	}
	return true;
}

static bool decode_hex(struct buf *b, const char *s, size_t len)
{
	scoped(buf_finish) struct buf low = { 0 };

	for (size_t i = 0; i < len; i++)
		if (s[i] != ':' && s[i] != '-')
			buf_add(&low, &(char){ (char)tolower((unsigned char)s[i]) }, 1);
	return !low.failed && from_digits(b, low.data ? low.data : "", low.len, "0123456789abcdef", 4);
}

static bool decode_base64(struct buf *b, const char *s, size_t len)
{
	scoped(buf_finish) struct buf plain = { 0 };

	for (size_t i = 0; i < len; i++) /* also the alphabet for URLs */
		buf_add(&plain, &(char){ s[i] == '-' ? '+' : s[i] == '_' ? '/' : s[i] }, 1);
	return !plain.failed &&
	       from_digits(b, plain.data ? plain.data : "", plain.len,
			   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 6);
}

static bool decode_base32(struct buf *b, const char *s, size_t len)
{
	return from_digits(b, s, len, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5);
}

static bool decode_escapes(struct buf *b, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] == '\\')
			i += unescape(b, s + i + 1, len - i - 1);
		else
			buf_add(b, s + i, 1);
	return true;
}

static bool decode_same(struct buf *b, const char *s, size_t len)
{
	buf_add(b, s, len);
	return true;
}

static const struct decoder {
	const char *name;
	bool (*run)(struct buf *b, const char *s, size_t len);
} decoders[] = {
	{ "base64", decode_base64 },
	{ "hex", decode_hex },
	{ "base32", decode_base32 },
	{ "rot13", rot13 },
	{ "rot", rot13 },
	{ "unicodeescape", decode_escapes },
	{ "stringescape", decode_escapes },
	{ "rawunicodeescape", decode_escapes },
	{ "utf8", decode_same },
	{ "ascii", decode_same },
	{ "latin1", decode_same },
	{ "iso88591", decode_same },
	{ "cp1252", decode_same },
	{ "utf8sig", decode_same },
};

const struct py_value *py_decode(struct py *p, const char *text, size_t len, const char *how)
{
	scoped(buf_finish) struct buf b = { 0 };
	char plain[24];
	size_t n = 0;

	for (; *how && n < sizeof(plain) - 1; how++)
		if (*how != '-' && *how != '_')
			plain[n++] = (char)tolower((unsigned char)*how);
	plain[n] = '\0';
	if (n > 5 && !strcmp(plain + n - 5, "codec"))
		plain[n - 5] = '\0';
	if (len > PY_MAX_TEXT || py_is_partly(text, len) || !py_work(p, len * 4))
		return NULL;
	for (size_t i = 0; i < sizeof(decoders) / sizeof(*decoders); i++)
		if (!strcmp(decoders[i].name, plain))
			return decoders[i].run(&b, text, len)
				       ? finish_text(p, &b, NULL, decoders[i].run != decode_same)
				       : NULL;
	return NULL;
}

const struct py_value *py_percent(struct py *p, const struct py_value *format, const struct py_value *values)
{
	scoped(buf_finish) struct buf b = { 0 };
	size_t used = 0;
	bool is_known = true;

	if (!py_work(p, format->n))
		return NULL;
	for (size_t i = 0; i < format->n; i++) {
		const struct py_value *v = &py_unknown;

		if (format->text[i] != '%' || i + 1 >= format->n) {
			buf_add(&b, format->text + i, 1);
			continue;
		}
		i++;
		if (format->text[i] == '%') {
			buf_add(&b, "%", 1);
			continue;
		}
		if (format->text[i] == '(') {
			size_t start = ++i;

			while (i < format->n && format->text[i] != ')')
				i++;
			v = py_item(p, values, py_borrow(p, format->text + start, i - start));
			i++;
		} else if (values->kind == PY_LIST) {
			v = used < values->n ? values->items[used++] : v;
		} else {
			v = used++ ? v : values;
		}
		while (i < format->n && strchr("0123456789.+-# l", format->text[i]))
			i++;
		if (i < format->n && format->text[i] == 'c' && v->kind == PY_INT && v->number >= 0 &&
		    v->number < 0x110000)
			add_utf8(&b, (unsigned long)v->number);
		else
			add_value(p, &b, v, &is_known);
	}
	return finish_text(p, &b, py_from_join(p, format->from, py_from_of(p, values)),
			   format->is_indirect || values->is_indirect);
}

static const struct py_value *format_text(struct py *p, const struct py_value *self, const char *name,
					  const struct py_args *a)
{
	scoped(buf_finish) struct buf b = { 0 };
	const struct py_from *from = self->from;
	size_t next = 0;
	bool is_known = true;

	(void)name;
	if (!py_work(p, self->n))
		return NULL;
	for (size_t i = 0; i < self->n; i++) {
		const struct py_value *v = NULL;
		size_t start = i + 1, n;

		if ((self->text[i] != '{' && self->text[i] != '}') ||
		    (start < self->n && self->text[start] == self->text[i])) {
			buf_add(&b, self->text + i, 1);
			i += self->text[i] == '{' || self->text[i] == '}';
			continue;
		}
		while (i < self->n && self->text[i] != '}')
			i++;
		for (n = 0; start + n < i && !strchr(":!.[", self->text[start + n]); n++)
			;
		if (n == 0)
			v = py_arg(a, next++, NULL);
		else if (isdigit((unsigned char)self->text[start]))
			v = py_arg(a, read_digits(self->text + start, n, 10, 3, &n), NULL);
		else
			v = py_arg(a, PY_MAX_ARGS, py_intern(p, self->text + start, n));
		v = v ? v : &py_unknown;
		add_value(p, &b, v, &is_known);
		from = py_from_join(p, from, py_from_of(p, v));
	}
	return finish_text(p, &b, from, self->is_indirect);
}

/* A bound of a slice of something LEN long: from its end when negative. */
static long long clamp(long long n, long long low, long long high)
{
	return n < low ? low : n > high ? high : n;
}

/* A bound of a slice of something LEN long: from its end when negative. */
static long long bound(const long long *at, long long otherwise, long long len, long long low, long long high)
{
	return clamp(at ? *at + (*at < 0 ? len : 0) : otherwise, low, high);
}

static void add_item(struct buf *b, const struct py_value *v, long long at)
{
	if (v->kind == PY_TEXT)
		buf_add(b, v->text + at, 1);
	else
		buf_add(b, &v->items[at], sizeof(v->items[at]));
}

const struct py_value *py_slice(struct py *p, const struct py_value *v, const long long *from,
				const long long *to, long long step)
{
	long long len = (long long)v->n, low = step > 0 ? 0 : -1, start, end;
	bool is_text = v->kind == PY_TEXT;
	scoped(buf_finish) struct buf b = { 0 };

	if (step == 0 || len > PY_MAX_TEXT || !py_work(p, v->n * 4) || (!is_text && v->kind != PY_LIST))
		return NULL;
	start = bound(from, step > 0 ? 0 : len - 1, len, low, len + low);
	end = bound(to, step > 0 ? len : -1, len, low, len);
	step = clamp(step, -len - 1, len + 1);
	for (long long i = start; step > 0 ? i < end : i > end; i += step)
		add_item(&b, v, i);
	if (b.failed)
		return NULL;
	if (is_text)
		return finish_text(p, &b, v->from, v->is_indirect || step < 0);
	return py_with_from(p, py_list_of(p, &b, PY_LIST), v->from);
}

static const struct py_value *join_list(struct py *p, const struct py_value *self, const char *name,
					const struct py_args *a)
{
	scoped(buf_finish) struct buf b = { 0 };
	const struct py_value *list = py_arg(a, 0, NULL);
	const struct py_from *from;
	bool is_known = false, is_indirect;

	(void)name;
	if (!list)
		return NULL;
	from = py_from_join(p, self->from, py_from_of(p, list));
	is_indirect = list->is_indirect;
	if (list->kind == PY_TEXT && self->n == 0)
		return list;
	if (list->kind != PY_LIST || !py_work(p, list->n * 8))
		return NULL;
	for (size_t i = 0; i < list->n && b.len <= PY_MAX_TEXT; i++) {
		if (i)
			buf_add(&b, self->text, self->n);
		add_value(p, &b, list->items[i], &is_known);
		is_indirect |= list->items[i]->is_indirect;
	}
	return is_known || !list->n ? finish_text(p, &b, from, is_indirect) : NULL;
}

static const struct py_value *replace(struct py *p, const struct py_value *self, const char *name,
				      const struct py_args *a)
{
	scoped(buf_finish) struct buf b = { 0 };
	const struct py_value *old = py_arg(a, 0, NULL), *new = py_arg(a, 1, NULL);
	bool is_found = false;

	(void)name;
	if (!py_work(p, self->n * 4) || !old || !new || old->kind != PY_TEXT || new->kind != PY_TEXT ||
	    !old->n)
		return NULL;
	for (size_t i = 0; i < self->n && b.len <= PY_MAX_TEXT;) {
		bool is_here = self->n - i >= old->n && !memcmp(self->text + i, old->text, old->n);

		buf_add(&b, is_here ? new->text : self->text + i, is_here ? new->n : 1);
		i += is_here ? old->n : 1;
		is_found |= is_here;
	}
	return finish_text(p, &b, py_from_join(p, self->from, new->from), is_found || self->is_indirect);
}

/* Where the part that begins at AT ends: before BY, or a space when that is NULL. */
static const char *part_end(const char *at, const char *end, const struct py_value *by)
{
	if (by) {
		const char *next = memmem(at, (size_t)(end - at), by->text, by->n);

		return next ? next : end;
	}
	while (at < end && !isspace((unsigned char)*at))
		at++;
	return at;
}

static const struct py_value *split(struct py *p, const struct py_value *self, const char *name,
				    const struct py_args *a)
{
	scoped(buf_finish) struct buf items = { 0 };
	const struct py_value *by = !strcmp(name, "split") ? py_arg(a, 0, NULL) : py_borrow(p, "\n", 1);
	const char *end = self->text + self->n, *at = self->text, *next;

	if (!py_work(p, self->n * 4) || (by && (by->kind != PY_TEXT || !by->n)))
		return NULL;
	for (; at <= end && items.len < PY_MAX_ROUNDS * sizeof(void *); at = next + (by ? by->n : 1)) {
		const struct py_value *v;

		next = part_end(at, end, by);
		v = py_with_from(p, py_borrow(p, at, (size_t)(next - at)), self->from);
		if (by || next > at)
			buf_add(&items, &v, sizeof(v));
	}
	return items.failed ? NULL : py_list_of(p, &items, PY_LIST);
}

static const struct py_value *change_case(struct py *p, const struct py_value *self, const char *name,
					  const struct py_args *a)
{
	scoped(buf_finish) struct buf b = { 0 };

	(void)a;

	if (!py_work(p, self->n * 4))
		return NULL;
	for (size_t i = 0; i < self->n && i <= PY_MAX_TEXT; i++) {
		int c = (unsigned char)self->text[i];

		c = *name == 'l' || *name == 'c' ? tolower(c)
		    : *name == 'u'               ? toupper(c)
		    : islower(c)                 ? toupper(c)
						 : tolower(c);
		buf_add(&b, &(char){ (char)c }, 1);
	}
	return finish_text(p, &b, self->from, self->is_indirect);
}

static const struct py_value *strip(struct py *p, const struct py_value *self, const char *name,
				    const struct py_args *a)
{
	const struct py_value *what = py_arg(a, 0, NULL);
	size_t start = 0, end = self->n;
	const char *set = what && what->kind == PY_TEXT ? what->text : " \t\n\r\f\v";
	size_t n = what && what->kind == PY_TEXT ? what->n : 6;
	struct py_value *v;

	while (*name != 'r' && start < end && memchr(set, self->text[start], n))
		start++;
	while (*name != 'l' && end > start && memchr(set, self->text[end - 1], n))
		end--;
	v = py_new(p, PY_TEXT);
	if (!v)
		return NULL;
	*v = *self;
	v->text = self->text + start;
	v->n = end - start;
	return v;
}

static const struct py_value *translate(struct py *p, const struct py_value *self, const char *name,
					const struct py_args *a)
{
	const struct py_value *table = py_arg(a, 0, NULL);
	scoped(buf_finish) struct buf b = { 0 };
	bool is_known = true;

	(void)name;
	if (!table || table->kind != PY_DICT || table->n > 2 * 64 || !py_work(p, self->n * 64))
		return NULL;
	for (size_t i = 0; i < self->n; i++) {
		const struct py_value *to = NULL;

		for (size_t k = 0; k + 1 < table->n && !to; k += 2) {
			const struct py_value *key = table->items[k];

			if (key->kind == PY_INT ? key->number == (unsigned char)self->text[i]
						: py_text_is(key, (char[]){ self->text[i], 0 }))
				to = table->items[k + 1];
		}
		if (to && to->kind == PY_INT)
			add_utf8(&b, (unsigned long)to->number & 0x1fffff);
		else if (to && to->kind != PY_CONST)
			add_value(p, &b, to, &is_known);
		else if (!to)
			buf_add(&b, &self->text[i], 1);
	}
	return finish_text(p, &b, self->from, true);
}

/* encode() and decode(), and those that leave the text as it is. */
static const struct py_value *recode(struct py *p, const struct py_value *self, const char *name,
				     const struct py_args *a)
{
	const struct py_value *first = py_arg(a, 0, NULL), *v;

	if (!strcmp(name, "decode") && first && first->kind == PY_TEXT) {
		v = py_decode(p, self->text, self->n, py_intern(p, first->text, first->n));
		return v ? py_with_from(p, v, self->from) : NULL;
	}
	return first && (py_text_is(first, "rot13") || py_text_is(first, "rot_13"))
		       ? py_decode(p, self->text, self->n, "rot13")
		       : self;
}

static const struct py_value *add(struct py *p, const struct py_value *self, const char *name,
				  const struct py_args *a)
{
	const struct py_value *first = py_arg(a, 0, NULL);

	(void)name;
	return first ? py_join_texts(p, (const struct py_value *const[]){ self, first }, 2) : NULL;
}

static const struct py_value *text_method(struct py *p, const struct py_value *self, const char *name,
					  const struct py_args *a)
{
	static const struct {
		const char *names;
		const struct py_value *(*call)(struct py *p, const struct py_value *self, const char *name,
					       const struct py_args *a);
	} methods[] = {
		{ "join", join_list },
		{ "format", format_text },
		{ "replace", replace },
		{ "split|splitlines|rsplit", split },
		{ "lower|upper|swapcase|casefold", change_case },
		{ "strip|lstrip|rstrip", strip },
		{ "encode|decode|expandtabs|__str__", recode },
		{ "translate", translate },
		{ "__add__", add },
	};

	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (str_is_one_of(name, methods[i].names))
			return methods[i].call(p, self, name, a);
	return NULL;
}

static const struct py_value *dict_method(struct py *p, const struct py_value *self, const char *name,
					  const struct py_args *a)
{
	const struct py_value *first = py_arg(a, 0, NULL), *v = NULL;
	bool pairs = !strcmp(name, "items"), keys = !strcmp(name, "keys"), values = !strcmp(name, "values");
	scoped(buf_finish) struct buf list = { 0 };

	if (!strcmp(name, "copy"))
		return self;
	if (str_is_one_of(name, "get|pop|__getitem__") && first) {
		v = py_item(p, self, first);
		return v->kind == PY_UNKNOWN && py_arg(a, 1, NULL) ? py_arg(a, 1, NULL) : v;
	}
	if (!pairs && !keys && !values)
		return NULL;
	for (size_t i = 0; i + 1 < self->n; i += 2) {
		v = pairs ? py_list(p, &self->items[i], 2, PY_LIST) : self->items[i + values];
		buf_add(&list, &v, sizeof(v));
	}
	return list.failed ? NULL : py_with_from(p, py_list_of(p, &list, PY_LIST), self->from);
}

/* int.to_bytes(): a number that is a text. */
static const struct py_value *to_bytes(struct py *p, const struct py_value *self, const struct py_args *a)
{
	const struct py_value *size = py_arg(a, 0, "length"), *order = py_arg(a, 1, "byteorder");
	char bytes[8];
	size_t n = size && size->kind == PY_INT && size->number > 0 && size->number <= 8
			   ? (size_t)size->number
			   : 0;

	for (size_t i = 0; i < n; i++)
		bytes[py_text_is(order, "little") ? i : n - 1 - i] =
			(char)((uint64_t)self->number >> (8 * i));
	return n ? py_with_from(p, py_text(p, bytes, n), a->from) : NULL;
}

const struct py_value *py_method(struct py *p, const struct py_value *self, const char *name,
				 const struct py_args *a)
{
	if (self->kind == PY_TEXT)
		return text_method(p, self, name, a);
	if (self->kind == PY_DICT)
		return dict_method(p, self, name, a);
	if (self->kind == PY_INT)
		return !strcmp(name, "to_bytes") ? to_bytes(p, self, a) : NULL;
	if (self->kind == PY_LIST && !strcmp(name, "copy"))
		return self;
	if (self->kind == PY_LIST && str_is_one_of(name, "pop|__getitem__") && py_arg(a, 0, NULL))
		return py_item(p, self, py_arg(a, 0, NULL));
	return NULL;
}
