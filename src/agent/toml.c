/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Appends one table to a TOML text, between two markers, and removes it again. The text is read only as far
 * as needed to know that it is complete (an unterminated string would swallow the table) and has no server of
 * that name.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "agent/edit.h"

#define BEGIN "# >>> aisbx, written by 'aisbx install codex'; 'aisbx uninstall codex' removes it"
#define END   "# <<< aisbx"

/* What is known of the text when all of it was read. */
struct survey {
	const char *key; /* the table of the servers */
	size_t begin,
		end; /* the marks: first byte of the one, first behind the other; end 0: there are none */
	bool has_begin;
	bool named;   /* there is a server of our name, outside of the marks */
	bool inline_; /* the servers are no table that one can be added to */
	int depth;    /* of the table we are in: how far its name begins as ours does */
	size_t line;
};

static bool is_triple(const char *t, char quote)
{
	return t[0] == quote && t[1] == quote && t[2] == quote;
}

static bool skip_text(const char *t, size_t *at)
{
	char quote = t[*at];
	bool multi = is_triple(t + *at, quote);
	size_t i = *at + (multi ? 3 : 1);

	for (; t[i]; i++) {
		if (t[i] == '\\' && quote == '"' && t[i + 1]) {
			i++;
		} else if (t[i] == '\n' && !multi) {
			return false;
		} else if (multi ? is_triple(t + i, quote) : t[i] == quote) {
			i += multi ? 3 : 1;
			while (multi && t[i] == quote) /* up to two more belong to the text */
				i++;
			*at = i;
			return true;
		}
	}
	return false;
}

/* A value, to the end of its line: strings, brackets, and lines within those. */
static bool skip_value(const char *t, size_t *at)
{
	char open[64];
	size_t depth = 0, i = *at;

	for (; t[i] && (depth || t[i] != '\n');) {
		if (t[i] == '"' || t[i] == '\'') {
			if (!skip_text(t, &i))
				return false;
			continue;
		}
		if (t[i] == '#') {
			i += strcspn(t + i, "\n");
			continue;
		}
		if (strchr("[{", t[i])) {
			if (depth == sizeof(open))
				return false;
			open[depth++] = t[i] == '[' ? ']' : '}';
		} else if ((t[i] == ']' || t[i] == '}') && (!depth || open[--depth] != t[i])) {
			return false;
		}
		i++;
	}
	*at = i;
	return depth == 0;
}

/* A name of several parts, "a . 'b'.c"; AT is then at what ends it. RET: how many parts, and how many are
 * PATH's. */
static bool read_name(const char *t, size_t *at, const char *const path[2], int *ret_parts, int *ret_same)
{
	size_t i = *at;

	*ret_parts = *ret_same = 0;
	for (;;) {
		size_t from, len;

		i += strspn(t + i, " \t");
		from = i;
		if (t[i] == '"' || t[i] == '\'') {
			if (!skip_text(t, &i) || memchr(t + from, '\n', i - from) ||
			    memchr(t + from, '\\', i - from))
				return false; /* an escape may spell any name */
			from++;
			len = i - from - 1;
		} else {
			i += strspn(t + i,
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
			len = i - from;
			if (!len)
				return false;
		}
		if (*ret_same == *ret_parts && *ret_parts < 2 && strlen(path[*ret_parts]) == len &&
		    !strncmp(path[*ret_parts], t + from, len))
			++*ret_same;
		++*ret_parts;
		i += strspn(t + i, " \t");
		if (t[i] != '.')
			break;
		i++;
	}
	*at = i;
	return true;
}

static bool read_header(const char *t, size_t *at, struct survey *s)
{
	const char *path[2] = { s->key, AGENT_ENTRY };
	size_t i = *at + 1;
	bool list = t[i] == '[';
	int parts, same;

	i += list;
	if (!read_name(t, &i, path, &parts, &same) || t[i] != ']' || (list && t[i + 1] != ']'))
		return false;
	i += 1 + list;
	s->depth = same == parts ? same : same == 2 ? 2 : -1;
	s->named = s->named || same == 2;
	s->inline_ = s->inline_ || (list && same == 1 && parts == 1);
	i += strspn(t + i, " \t\r");
	*at = i;
	return !t[i] || t[i] == '\n' || t[i] == '#';
}

static bool read_pair(const char *t, size_t *at, struct survey *s)
{
	const char *path[2] = { s->depth == 1 ? AGENT_ENTRY : s->key, AGENT_ENTRY };
	int parts, same;

	if (!read_name(t, at, path, &parts, &same) || t[*at] != '=')
		return false;
	if (s->depth == 1 && same > 0)
		s->named = true;
	if (s->depth == 0 && same > 0)
		s->inline_ = true;
	++*at;
	return skip_value(t, at);
}

static void note_mark(const char *t, size_t at, struct survey *s)
{
	size_t len = strcspn(t + at, "\r\n");

	if (len == strlen(BEGIN) && !strncmp(t + at, BEGIN, len)) {
		s->has_begin = true;
		s->begin = at;
	} else if (s->has_begin && !s->end && len == strlen(END) && !strncmp(t + at, END, len)) {
		s->end = at + len;
	}
}

/* False: it is not, or not surely, TOML; S->line says where. */
static bool read_all(const char *t, struct survey *s)
{
	for (size_t i = 0; t[i];) {
		size_t start = i;
		bool ours = s->has_begin && !s->end, good = true, named = s->named;

		i += strspn(t + i, " \t\r");
		if (t[i] == '#' && i == start)
			note_mark(t, i, s);
		if (t[i] == '[')
			good = read_header(t, &i, s);
		else if (t[i] != '#' && t[i] != '\n' && t[i])
			good = read_pair(t, &i, s);
		if (!good)
			return false;
		if (ours)
			s->named = named;
		i += strcspn(t + i, "\n");
		for (size_t k = start; k < i; k++)
			s->line += t[k] == '\n';
		s->line += t[i] == '\n';
		i += t[i] == '\n';
	}
	return true;
}

static int look(const char *text, size_t len, const char *key, struct survey *ret, struct aisbx_error *e)
{
	*ret = (struct survey){ .key = key, .line = 1 };
	if (memchr(text, '\0', len) || !read_all(text, ret))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "from line %zu on it cannot be parsed safely as TOML", ret->line);
	if (ret->has_begin != (ret->end > 0))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "one of the two markers around our part is missing");
	return 0;
}

static void dump_text(const json_t *v, struct buf *b)
{
	scoped(drop_mem) char *text =
		json_dumps(v, JSON_ENCODE_ANY); /* a string of JSON is one of TOML; '/' is not escaped */

	buf_addf(b, "%s", text ? text : "\"\"");
	b->failed = b->failed || !text;
}

/* Without a line end behind it. */
static void dump(const struct agent_entry *entry, struct buf *b)
{
	const char *name;
	json_t *v, *item;
	size_t i;

	buf_addf(b, BEGIN "\n[%s." AGENT_ENTRY "]\n", entry->key);
	json_object_foreach((json_t *)entry->value, name, v)
	{
		buf_addf(b, "%s = ", name);
		if (!json_is_array(v))
			dump_text(v, b);
		json_array_foreach(v, i, item)
		{
			buf_addf(b, i ? ", " : "[");
			dump_text(item, b);
		}
		buf_addf(b, json_is_array(v) ? "]\n" : "\n");
	}
	buf_addf(b, END);
}

static int check_room(const struct survey *s, struct aisbx_error *e)
{
	if (s->named)
		return aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_USAGE, EEXIST,
				    "it has another server called '" AGENT_ENTRY
				    "'; remove or rename that first");
	if (s->inline_)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "its '%s' is written in a form to which no table can be added", s->key);
	return 0;
}

int agent_toml_put(const char *text, size_t len, const struct agent_entry *entry, struct buf *ret,
		   enum agent_edit *ret_edit, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf block = { 0 };
	struct survey s = { 0 };
	int r = text ? look(text, len, entry->key, &s, e) : 0;

	if (r == 0)
		r = check_room(&s, e);
	if (r < 0)
		return r;
	dump(entry, &block);
	if (!buf_str(&block))
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "edit the configuration");
	*ret_edit = s.end && s.end - s.begin == block.len && !memcmp(text + s.begin, block.data, block.len)
			    ? EDIT_NONE
			    : EDIT_CHANGE;
	if (s.end) {
		buf_add(ret, text, s.begin);
		buf_add(ret, block.data, block.len);
		buf_add(ret, text + s.end, len - s.end);
	} else if (!text) {
		buf_addf(ret, "%s\n", block.data);
	} else { /* a text without a last line end gets none: so it is known again */
		bool ends = len && text[len - 1] == '\n';

		buf_add(ret, text, len);
		buf_addf(ret, ends ? "\n%s\n" : "\n\n%s", block.data);
	}
	return buf_str(ret) ? 0 : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "edit the configuration");
}

int agent_toml_drop(const char *text, size_t len, const struct agent_entry *entry, struct buf *ret,
		    enum agent_edit *ret_edit, struct aisbx_error *e)
{
	struct survey s = { 0 };
	int r = text ? look(text, len, entry->key, &s, e) : 0;
	size_t before;

	*ret_edit = EDIT_NONE;
	if (r < 0 || !s.end)
		return r;
	before = s.begin;
	for (int lines = text[s.end] ? 1 : 2; lines && before && text[before - 1] == '\n'; lines--)
		before--;
	*ret_edit = !s.begin && s.end + 1 == len ? EDIT_REMOVE : EDIT_CHANGE;
	s.end += text[s.end] == '\n';
	buf_add(ret, text, before);
	buf_add(ret, text + s.end, len - s.end);
	return buf_str(ret) ? 0 : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "edit the configuration");
}
