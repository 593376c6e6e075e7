/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds one member to an object of a JSON text, or removes it; every other byte is kept: order, indentation,
 * line ends. What was added can be recognized by how it is written, so that removing it restores the previous
 * text exactly: an object that we made has a space or a line end after its '{', an entry added to somebody's
 * empty object has none before it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "agent/edit.h"

/* A member of an object, by offsets into the text. */
struct member {
	bool there;
	size_t key, value, end;
	size_t before; /* end of what comes before it: the '{', or the previous value */
	size_t next;   /* key of the one behind it; 0: it is the last */
};

struct object {
	size_t open, close; /* of its brackets */
	size_t n;
	struct member wanted, last;
};

/* All of these walk over a text that jansson has taken: what must be there is there. */
static size_t skip_blanks(const char *t, size_t i)
{
	return i + strspn(t + i, " \t\r\n");
}

static size_t skip_string(const char *t, size_t i)
{
	for (i++; t[i] && t[i] != '"'; i++)
		i += t[i] == '\\' && t[i + 1];
	return i + (t[i] == '"');
}

static size_t skip_value(const char *t, size_t i)
{
	size_t depth = 0;

	if (t[i] == '"')
		return skip_string(t, i);
	if (t[i] != '{' && t[i] != '[')
		return i + strcspn(t + i, ",]} \t\r\n");
	do {
		if (t[i] == '"') {
			i = skip_string(t, i);
			continue;
		}
		depth += t[i] == '{' || t[i] == '[';
		depth -= t[i] == '}' || t[i] == ']';
		i++;
	} while (depth && t[i]);
	return i;
}

/* The object at OPEN, and in it NAME. */
static struct object survey(const char *t, size_t open, const char *name)
{
	struct object o = { .open = open };
	size_t before = open + 1, i = skip_blanks(t, open + 1);

	while (t[i] == '"') {
		struct member m = { .there = true, .key = i, .before = before };
		size_t end = skip_string(t, i);

		m.value = skip_blanks(t, skip_blanks(t, end) + 1);
		m.end = skip_value(t, m.value);
		if (o.wanted.there && !o.wanted.next)
			o.wanted.next = m.key;
		if (end - i == strlen(name) + 2 && !strncmp(t + i + 1, name, strlen(name)))
			o.wanted = m;
		o.last = m;
		o.n++;
		before = m.end;
		i = skip_blanks(t, m.end);
		if (t[i] == ',')
			i = skip_blanks(t, i + 1);
	}
	o.close = i;
	return o;
}

/* How new lines are written: UNIT per level, NEWLINE and MARGIN before each; UNIT NULL: all in one. */
struct style {
	char newline[3];
	char margin[64];
	char unit[16];
	bool lines;
};

static void dump_word(const json_t *v, struct buf *b)
{
	scoped(drop_mem) char *text = json_dumps(v, JSON_ENCODE_ANY);

	buf_addf(b, "%s", text ? text : "null");
	b->failed = b->failed || !text;
}

static void dump_break(const struct style *s, int depth, struct buf *b)
{
	buf_addf(b, "%s%s", s->newline, s->margin);
	for (int i = 0; i < depth; i++)
		buf_addf(b, "%s", s->unit);
}

/* Objects over lines, lists in one. */
static void dump(const json_t *v, const struct style *s, int depth, struct buf *b)
{
	const char *key;
	json_t *item;
	size_t i, n = 0;

	if (json_is_array(v)) {
		json_array_foreach((json_t *)v, i, item)
		{
			buf_addf(b, i ? ", " : "[");
			dump(item, s, depth, b);
		}
		buf_addf(b, json_array_size(v) ? "]" : "[]");
	} else if (json_is_object(v)) {
		buf_addf(b, "{");
		json_object_foreach((json_t *)v, key, item)
		{
			buf_addf(b, "%s", n++ ? s->lines ? "," : ", " : "");
			if (s->lines)
				dump_break(s, depth + 1, b);
			buf_addf(b, "\"%s\": ", key);
			dump(item, s, depth + 1, b);
		}
		if (s->lines && n)
			dump_break(s, depth, b);
		buf_addf(b, "}");
	} else {
		dump_word(v, b);
	}
}

/* As the member M at DEPTH is written, whose key is behind a line end or not. */
static struct style style_of(const char *t, const struct member *m, int depth)
{
	struct style s = { .newline = "\n" };
	size_t line = m->key, margin;

	while (line > m->before && strchr(" \t", t[line - 1]))
		line--;
	margin = m->key - line;
	if (line == m->before || t[line - 1] != '\n' || margin >= sizeof(s.margin))
		return s;
	s.lines = true;
	if (line >= 2 && t[line - 2] == '\r')
		strcpy(s.newline, "\r\n");
	memcpy(s.margin, t + line, margin);
	if (margin && t[line] == '\t')
		strcpy(s.unit, "\t");
	else if (margin / (size_t)depth > 0 && margin / (size_t)depth < sizeof(s.unit))
		memset(s.unit, ' ', margin / (size_t)depth);
	else
		strcpy(s.unit, "  ");
	return s;
}

static const char *name_of(const struct agent_entry *entry)
{
	return entry->name ? entry->name : AGENT_ENTRY;
}

/* {KEY: {NAME: VALUE}}, as a file of its own. */
static void dump_file(const struct agent_entry *entry, struct buf *b)
{
	static const struct style s = { .newline = "\n", .unit = "  ", .lines = true };

	buf_addf(b, "{\n  \"%s\": {\n    \"%s\": ", entry->key, name_of(entry));
	dump(entry->value, &s, 2, b);
	buf_addf(b, "\n  }\n}\n");
}

static int no_memory(struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "edit the configuration");
}

/* TEXT as JSON; NULL and an error for what is none, or has comments, which are not to be lost. */
static json_t *parse(const char *text, size_t len, struct aisbx_error *e)
{
	json_error_t at = { 0 };
	json_t *root = memchr(text, '\0', len) ? NULL : json_loadb(text, len, JSON_REJECT_DUPLICATES, &at);

	if (json_is_object(root))
		return root;
	if (root || memchr(text, '\0', len))
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			     "it does not contain a JSON object");
	else
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			     "line %d, column %d is not plain JSON (%.80s)", at.line, at.column, at.text);
	json_decref(root);
	return NULL;
}

/* TEXT with the bytes from FROM to TO replaced. */
static int splice(const char *text, size_t len, size_t from, size_t to, const struct buf *with,
		  struct buf *ret, struct aisbx_error *e)
{
	buf_add(ret, text, from);
	if (with)
		buf_add(ret, with->data ? with->data : "", with->len);
	buf_add(ret, text + to, len - to);
	return ret->failed || (with && with->failed) || !buf_str(ret) ? no_memory(e) : 0;
}

/* ", KEY: " as the members of O are written, or as its first; with the style for the value. */
static struct style begin_member(const char *t, const struct object *o, int depth, const char *key,
				 struct buf *b)
{
	struct style s = { .newline = "\n" };

	if (o->n) {
		s = style_of(t, &o->last, depth);
		buf_addf(b, ",%s%s", s.lines ? s.newline : " ", s.margin);
	}
	buf_addf(b, "\"%s\": ", key);
	return s;
}

/* An object of ours around the entry: it is known again by what is behind its '{'. */
static void dump_servers(const struct agent_entry *entry, const struct style *s, struct buf *b)
{
	buf_addf(b, "{");
	if (s->lines)
		dump_break(s, 1, b);
	else
		buf_addf(b, " ");
	buf_addf(b, "\"%s\": ", name_of(entry));
	dump(entry->value, s, 1, b);
	if (s->lines)
		dump_break(s, 0, b);
	else
		buf_addf(b, " ");
	buf_addf(b, "}");
}

/* Where the entry is, or should be. */
struct place {
	json_t *root, *servers, *entry; /* root is owned */
	struct object top, in;
};

static void place_finish(struct place *p)
{
	json_decref(p->root);
}

static int look(const char *text, size_t len, const struct agent_entry *entry, struct place *ret,
		struct aisbx_error *e)
{
	const char *key = entry->key, *name = name_of(entry);

	ret->root = parse(text, len, e);
	if (!ret->root)
		return e->code;
	ret->servers = json_object_get(ret->root, key);
	ret->entry = json_object_get(ret->servers, name);
	ret->top = survey(text, skip_blanks(text, 0), key);
	if (ret->servers && !json_is_object(ret->servers))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%s' in it is not an object", key);
	if (ret->top.wanted.there)
		ret->in = survey(text, ret->top.wanted.value, name);
	/* A name may be spelled in other ways ("\u0061isbx"): then it is not ours to touch. */
	if (!ret->servers != !ret->top.wanted.there || !ret->entry != !ret->in.wanted.there)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "names in it contain escape sequences");
	return 0;
}

int agent_json_put(const char *text, size_t len, const struct agent_entry *entry, struct buf *ret,
		   enum agent_edit *ret_edit, struct aisbx_error *e)
{
	scoped(place_finish) struct place p = { 0 };
	scoped(buf_finish) struct buf with = { 0 };
	size_t from, to;
	struct style s;
	bool is_foreign;
	int r;

	*ret_edit = EDIT_CHANGE;
	if (!text) {
		dump_file(entry, ret);
		return buf_str(ret) ? 0 : no_memory(e);
	}
	r = look(text, len, entry, &p, e);
	if (r < 0)
		return r;
	if (p.entry && json_equal(p.entry, entry->value)) {
		*ret_edit = EDIT_NONE;
		return 0;
	}
	is_foreign = p.entry && !agent_is_ours(p.entry);
	if (is_foreign && entry->name)
		return aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_USAGE, EEXIST,
				    "it has other hooks for '%s'; add ours by hand", entry->name);
	if (is_foreign && !entry->force)
		return aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_USAGE, EEXIST,
				    "it has another server called '" AGENT_ENTRY "'; --force replaces it");
	if (p.entry) {
		s = style_of(text, &p.in.wanted, 2);
		dump(entry->value, &s, 0, &with);
		from = p.in.wanted.value;
		to = p.in.wanted.end;
	} else if (p.servers) {
		s = begin_member(text, &p.in, 2, name_of(entry), &with);
		dump(entry->value, &s, 0, &with);
		from = to = p.in.n ? p.in.last.end : p.in.open + 1;
	} else {
		s = begin_member(text, &p.top, 1, entry->key, &with);
		dump_servers(entry, &s, &with);
		from = to = p.top.n ? p.top.last.end : p.top.open + 1;
	}
	return splice(text, len, from, to, &with, ret, e);
}

/* The bytes of a member with the comma that it needs. */
static void extent(const struct object *o, size_t *ret_from, size_t *ret_to)
{
	const struct member *m = &o->wanted;

	*ret_from = m->next ? m->key : o->n == 1 ? o->open + 1 : m->before;
	*ret_to = m->next ? m->next : m->end;
}

int agent_json_drop(const char *text, size_t len, const struct agent_entry *entry, struct buf *ret,
		    enum agent_edit *ret_edit, struct aisbx_error *e)
{
	scoped(place_finish) struct place p = { 0 };
	scoped(buf_finish) struct buf whole = { 0 };
	size_t from, to;
	int r = text ? look(text, len, entry, &p, e) : 0;

	*ret_edit = EDIT_NONE;
	if (r < 0 || !p.entry)
		return r;
	if (entry->name && !agent_is_ours(p.entry))
		return 0; /* of others */
	if (!entry->force && !agent_is_ours(p.entry))
		return aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_USAGE, EEXIST,
				    "its server '" AGENT_ENTRY
				    "' was not written by 'aisbx install'; --force "
				    "removes it");
	dump_file(&(struct agent_entry){ .key = entry->key, .name = entry->name, .value = p.entry }, &whole);
	if (!buf_str(&whole))
		return no_memory(e);
	*ret_edit = whole.len == len && !memcmp(whole.data, text, len) ? EDIT_REMOVE : EDIT_CHANGE;
	if (*ret_edit == EDIT_REMOVE)
		return 0;
	if (p.in.n == 1 && p.in.wanted.key > p.in.open + 1) /* we made it, or it will not be missed */
		extent(&p.top, &from, &to);
	else
		extent(&p.in, &from, &to);
	return splice(text, len, from, to, NULL, ret, e);
}
