/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads TOML as far as traps need it: tables, keys and strings; numbers and dates stay as they are written.
 * It is strict: what it does not understand is refused, and then the file is a trap. Repeated keys, which
 * TOML forbids, become one: the last.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/scope.h"
#include "policy/trap_row.h"

#define MOST_DEEP 32

struct reader {
	const char *at;
	bool failed;
};

static const char bare[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

static void skip(struct reader *r, bool lines)
{
	for (;;) {
		r->at += strspn(r->at, lines ? " \t\r\n" : " \t");
		if (*r->at != '#')
			return;
		r->at += strcspn(r->at, "\n");
	}
}

static bool take(struct reader *r, const char *text)
{
	size_t n = strlen(text);
	bool there = !strncmp(r->at, text, n);

	r->at += there ? n : 0;
	return there;
}

static char *fail(struct reader *r)
{
	r->failed = true;
	return NULL;
}

/* What stands behind a backslash; 0: something that is not read here, as characters by number. */
static char escaped(char c)
{
	static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
	const char *found = c ? strchr(from, c) : NULL;

	return found ? to[found - from] : '\0';
}

/* In quotes of any of the four kinds. Heap or NULL. */
static char *read_quoted(struct reader *r)
{
	scoped(buf_finish) struct buf out = { 0 };
	char quote = *r->at, mark[4] = { quote, quote, quote, '\0' };
	bool lines = take(r, mark);

	if (!lines) {
		r->at++;
		mark[1] = '\0';
	} else if (!take(r, "\n")) {
		take(r, "\r\n");
	}
	while (*r->at && !take(r, mark)) {
		char c = *r->at++;

		if (c == '\n' && !lines)
			return fail(r);
		if (c == '\\' && quote == '"') {
			if (lines && r->at[strspn(r->at, " \t\r")] == '\n') { /* the line goes on */
				r->at += strspn(r->at, " \t\r\n");
				continue;
			}
			c = escaped(*r->at++);
			if (!c)
				return fail(r);
		}
		buf_add(&out, &c, 1);
	}
	if (r->at[-1] != quote)
		return fail(r);
	while (lines && *r->at == quote) { /* quotes before the end belong to the text */
		buf_add(&out, r->at, 1);
		r->at++;
	}
	return buf_str(&out) ? take_mem(&out.data) : fail(r);
}

/* One name of a key. Heap or NULL. */
static char *read_name(struct reader *r)
{
	size_t n = strspn(r->at, bare);
	char *name;

	if (*r->at == '"' || *r->at == '\'')
		return read_quoted(r);
	name = n ? strndup(r->at, n) : NULL;
	r->at += n;
	return name ? name : fail(r);
}

/* The table NAME of one; of an array of tables the last. Borrowed, or NULL. */
static json_t *step_into(struct reader *r, json_t *table, const char *name)
{
	json_t *next = json_object_get(table, name);

	if (!next) {
		json_object_set_new(table, name, json_object());
		next = json_object_get(table, name);
	}
	if (json_is_array(next))
		next = json_array_get(next, json_array_size(next) - 1);
	if (!json_is_object(next))
		r->failed = true;
	return json_is_object(next) ? next : NULL;
}

static json_t *read_value(struct reader *r, int depth);

/* "a.b = value" into TABLE. */
static void read_pair(struct reader *r, json_t *table, int depth)
{
	scoped(drop_mem) char *name = read_name(r);

	skip(r, false);
	while (!r->failed && take(r, ".")) {
		table = step_into(r, table, name);
		skip(r, false);
		free(name);
		name = read_name(r);
		skip(r, false);
	}
	if (r->failed || !take(r, "=")) {
		r->failed = true;
		return;
	}
	skip(r, false);
	if (json_object_set_new(table, name, read_value(r, depth + 1)) < 0)
		r->failed = true;
}

static json_t *read_array(struct reader *r, int depth)
{
	json_t *array = json_array();

	for (skip(r, true); !r->failed && !take(r, "]"); skip(r, true)) {
		if (json_array_append_new(array, read_value(r, depth + 1)) < 0)
			r->failed = true;
		skip(r, true);
		if (!take(r, ",") && *r->at != ']')
			r->failed = true;
	}
	return array;
}

static json_t *read_inline(struct reader *r, int depth)
{
	json_t *table = json_object();

	for (skip(r, true); !r->failed && !take(r, "}"); skip(r, true)) {
		read_pair(r, table, depth);
		skip(r, true);
		if (!take(r, ",") && *r->at != '}')
			r->failed = true;
	}
	return table;
}

/* NULL: it failed. */
static json_t *read_value(struct reader *r, int depth)
{
	scoped(drop_mem) char *text = NULL;
	json_t *value;
	size_t n;

	if (depth > MOST_DEEP)
		r->failed = true;
	if (r->failed)
		return NULL;
	if (*r->at == '"' || *r->at == '\'') {
		text = read_quoted(r);
		value = text ? json_string(text) : NULL;
	} else if (take(r, "[")) {
		value = read_array(r, depth);
	} else if (take(r, "{")) {
		value = read_inline(r, depth);
	} else {
		n = strcspn(r->at, ",]}#\r\n\"'[{=");
		value = n ? json_stringn(r->at, n) : NULL;
		r->at += n;
	}
	if (!value)
		r->failed = true;
	return value;
}

/* "[a.b]" or "[[a.b]]": the table that the next keys belong to. Borrowed, or NULL. */
static json_t *read_header(struct reader *r, json_t *top)
{
	bool many = take(r, "[");
	json_t *table = top, *list;

	for (;;) {
		scoped(drop_mem) char *name = NULL;

		skip(r, false);
		name = read_name(r);
		skip(r, false);
		if (r->failed)
			return NULL;
		if (many && *r->at == ']') {
			list = json_object_get(table, name);
			if (!list)
				json_object_set_new(table, name, json_array());
			list = json_object_get(table, name);
			if (json_array_append_new(list, json_object()) < 0)
				r->failed = true;
		}
		table = step_into(r, table, name);
		if (!table || !take(r, "."))
			break;
	}
	if (!take(r, many ? "]]" : "]"))
		r->failed = true;
	return table;
}

json_t *trap_read_toml(const char *text)
{
	struct reader r = { .at = text };
	json_t *top = json_object(), *table = top;

	take(&r, "\xef\xbb\xbf");
	for (skip(&r, true); *r.at && !r.failed; skip(&r, true)) {
		if (take(&r, "["))
			table = read_header(&r, top);
		else
			read_pair(&r, table, 0);
		skip(&r, false);
		if (*r.at && *r.at != '\n' && strncmp(r.at, "\r\n", 2) != 0)
			r.failed = true;
	}
	if (!r.failed)
		return top;
	json_decref(top);
	return NULL;
}
