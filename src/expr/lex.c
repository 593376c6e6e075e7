/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of an expression, one after the other; and the message for an error at one of them. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/scope.h"
#include "expr/tree.h"

#define MAX_DIGITS  15 /* what a double holds exactly */
#define MAX_EXCERPT 60

const char *const expr_error_texts[EXPR_ERROR_COUNT] = {
#define EXPR_ERROR_TEXT(name, text) text,
	EXPR_ERRORS(EXPR_ERROR_TEXT)
#undef EXPR_ERROR_TEXT
};

/* On one line, in characters of one column each as far as we know. Returns how many. */
static size_t add_plain(struct buf *b, const char *text, size_t len)
{
	scoped(buf_finish) struct buf clean = { 0 };
	size_t columns = 0;

	buf_add_utf8(&clean, text, len);
	for (size_t i = 0; i < clean.len; i++) {
		unsigned char c = (unsigned char)clean.data[i];

		if (!memcmp(clean.data + i, "\xEF\xBF\xBD", clean.len - i < 3 ? 1 : 3) &&
		    clean.len - i >= 3) {
			buf_add(b, "?", 1);
			i += 2;
		} else {
			buf_add(b, c < 0x20 || c == 0x7F ? " " : (const char *)&c, 1);
		}
		columns += (c & 0xC0) != 0x80;
	}
	return columns;
}

const char *expr_slice(const char *text, size_t from, size_t to, char buf[static EXPR_SLICE + 8])
{
	scoped(buf_finish) struct buf b = { 0 };
	size_t n = to - from > EXPR_SLICE ? EXPR_SLICE : to - from;

	add_plain(&b, text + from, n);
	if (n < to - from)
		buf_add(&b, "...", 3);
	strncpy(buf, buf_str(&b) ? b.data : "", EXPR_SLICE + 7);
	buf[EXPR_SLICE + 7] = '\0';
	return buf;
}

/* The lines below the message: what stands around the byte AT, and a caret below it. */
static void add_excerpt(struct buf *b, const struct expr_reader *r, size_t at)
{
	size_t from = at > MAX_EXCERPT / 2 ? at - MAX_EXCERPT / 2 : 0, to = from + MAX_EXCERPT, columns;

	if (to > r->len)
		to = r->len;
	while (from < at && ((unsigned char)r->text[from] & 0xC0) == 0x80)
		from++;
	buf_add(b, "\n  ", 3);
	columns = add_plain(b, r->text + from, at - from);
	add_plain(b, r->text + at, to - at);
	buf_addf(b, "\n  %*s^", (int)columns, "");
}

int expr_complain_of(const struct expr_reader *r, enum expr_error id, size_t at, const char *const *args,
		     size_t n)
{
	scoped(buf_finish) struct buf b = { 0 };

	for (const char *t = expr_error_texts[id]; *t; t++) {
		if (t[0] == '%' && (size_t)(t[1] - '0') < n)
			buf_addf(&b, "%s", args[*++t - '0']);
		else
			buf_add(&b, t, 1);
	}
	add_excerpt(&b, r, at);
	return aisbx_refuse(r->e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL, "%s",
			    buf_str(&b) ? b.data : expr_error_texts[id]);
}

static const struct unit {
	const char *name;
	int type;
	double factor;
} units[] = {
	{ "", EXPR_NUMBER, 1 },       { "b", EXPR_SIZE, 1 },        { "k", EXPR_SIZE, 0x1p10 },
	{ "kb", EXPR_SIZE, 0x1p10 },  { "kib", EXPR_SIZE, 0x1p10 }, { "mb", EXPR_SIZE, 0x1p20 },
	{ "mib", EXPR_SIZE, 0x1p20 }, { "g", EXPR_SIZE, 0x1p30 },   { "gb", EXPR_SIZE, 0x1p30 },
	{ "gib", EXPR_SIZE, 0x1p30 }, { "t", EXPR_SIZE, 0x1p40 },   { "tb", EXPR_SIZE, 0x1p40 },
	{ "tib", EXPR_SIZE, 0x1p40 }, { "ms", EXPR_TIME, 1 },       { "s", EXPR_TIME, 1e3 },
	{ "sec", EXPR_TIME, 1e3 },    { "min", EXPR_TIME, 60e3 },   { "h", EXPR_TIME, 3600e3 },
	{ "d", EXPR_TIME, 86400e3 },  { "m", EXPR_MINUTES, 1 },
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* 12, 0.5, 256m, 30s. */
static int read_quantity(struct expr_reader *r)
{
	struct expr_token *t = &r->token;
	char buf[EXPR_SLICE + 8], digits[MAX_DIGITS + 2] = "";
	size_t at = r->at, unit, n;
	const char *s = r->text;

	while (isdigit((unsigned char)s[at]))
		at++;
	if (s[at] == '.' && isdigit((unsigned char)s[at + 1]))
		for (at++; isdigit((unsigned char)s[at]); at++)
			;
	unit = at;
	while (is_word(s[at]))
		at++;
	n = unit - r->at;
	if (n > MAX_DIGITS)
		return expr_complain(r, BAD_NUMBER, r->at, expr_slice(s, r->at, unit, buf));
	memcpy(digits, s + r->at, n);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strlen(units[i].name) != at - unit ||
		    strncasecmp(units[i].name, s + unit, at - unit) != 0)
			continue;
		*t = (struct expr_token){ TOKEN_QUANTITY, r->at, at, strtod(digits, NULL) * units[i].factor,
					  units[i].type };
		r->at = at;
		return 0;
	}
	return expr_complain(r, BAD_UNIT, unit, expr_slice(s, unit, at, buf));
}

/* A name with '.' and '-' inside, or one of the three words that join. */
static void read_word(struct expr_reader *r)
{
	static const char *const joins[] = { "and", "or", "not" };
	static const enum expr_token_kind kinds[] = { TOKEN_AND, TOKEN_OR, TOKEN_NOT };
	size_t at = r->at;

	while (is_word(r->text[at]) ||
	       ((r->text[at] == '.' || r->text[at] == '-') && is_word(r->text[at + 1])))
		at++;
	r->token = (struct expr_token){ TOKEN_WORD, r->at, at, 0, 0 };
	for (size_t i = 0; i < 3; i++)
		if (at - r->at == strlen(joins[i]) && !strncmp(r->text + r->at, joins[i], at - r->at))
			r->token.kind = kinds[i];
	r->at = at;
}

static int read_text(struct expr_reader *r)
{
	const char quote[] = { r->text[r->at], '\0' }, *end = strchr(r->text + r->at + 1, *quote);

	if (!end)
		return expr_complain(r, TEXT_OPEN, r->at, quote);
	r->token = (struct expr_token){ TOKEN_TEXT, r->at, (size_t)(end - r->text) + 1, 0, EXPR_TEXT };
	r->at = r->token.to;
	return 0;
}

static const struct sign {
	const char *text;
	enum expr_token_kind kind;
} signs[] = {
	/* the longer ones first */
	{ "==", TOKEN_EQ },   { "!=", TOKEN_NE },   { "<=", TOKEN_LE },   { ">=", TOKEN_GE },
	{ "&&", TOKEN_AND },  { "||", TOKEN_OR },   { "<", TOKEN_LT },    { ">", TOKEN_GT },
	{ "!", TOKEN_NOT },   { "(", TOKEN_OPEN },  { ")", TOKEN_CLOSE }, { "+", TOKEN_PLUS },
	{ "-", TOKEN_MINUS }, { "*", TOKEN_TIMES }, { "/", TOKEN_OVER },
};

static int read_sign(struct expr_reader *r)
{
	const char *s = r->text + r->at;
	char buf[EXPR_SLICE + 8];
	size_t more = 1;

	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
		size_t n = strlen(signs[i].text);

		if (strncmp(s, signs[i].text, n) != 0)
			continue;
		r->token = (struct expr_token){ signs[i].kind, r->at, r->at + n, 0, 0 };
		r->at += n;
		return 0;
	}
	if (*s == '=')
		return expr_complain(r, ONE_EQUAL, r->at);
	if (*s == '&')
		return expr_complain(r, ONE_AND, r->at);
	if (*s == '|')
		return expr_complain(r, ONE_OR, r->at);
	while (((unsigned char)s[more] & 0xC0) == 0x80)
		more++;
	return expr_complain(r, BAD_BYTE, r->at, expr_slice(r->text, r->at, r->at + more, buf));
}

int expr_next(struct expr_reader *r)
{
	while (r->at < r->len && strchr(" \t\r\n", r->text[r->at]))
		r->at++;
	if (r->at == r->len) {
		r->token = (struct expr_token){ TOKEN_END, r->at, r->at, 0, 0 };
		return 0;
	}
	if (isdigit((unsigned char)r->text[r->at]))
		return read_quantity(r);
	if (is_word(r->text[r->at])) {
		read_word(r);
		return 0;
	}
	return r->text[r->at] == '"' || r->text[r->at] == '\'' ? read_text(r) : read_sign(r);
}
