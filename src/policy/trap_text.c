/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks files by content: JSON and TOML, by the rows KEY of policy/traps.def. A file that cannot be parsed
 * is a trap.
 */
#include <fnmatch.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/casefold.h"
#include "base/scope.h"
#include "policy/trap_row.h"

#define MOST_DEEP 32

static const struct {
	struct trap trap;
	const char *pattern, *key;
} keys[] = {
#define TRAP(kind, pattern, tool, when, proof)
#define GUARD(kind, pattern, tool, when, proof)
#define KEY(kind, pattern, key, tool, when, proof) { { kind, TRAP_WHY(tool, when) }, pattern, key },
#include "policy/traps.def"
#undef TRAP
#undef GUARD
#undef KEY
};

/* One file on its way through the rows. */
struct look {
	const char *name; /* folded, without its directory */
	const struct trap *found;
};

static void name_of(const char *path, char *ret, size_t cap)
{
	const char *last = strrchr(path, '/');

	casefold_path(last ? last + 1 : path, ret, cap);
}

static bool is_named(size_t i, const char *name)
{
	return fnmatch(keys[i].pattern, name, FNM_EXTMATCH | FNM_CASEFOLD) == 0;
}

bool trap_is_read(const char *path)
{
	char name[NAME_MAX + 1];

	name_of(path, name, sizeof(name));
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (is_named(i, name))
			return true;
	return false;
}

static int slashes(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += *text == '/';
	return n;
}

/* "a/b=GLOB" */
static bool key_fits(const char *key, const char *at, const json_t *value)
{
	const char *wanted = strchr(key, '='), *text = json_string_value(value);
	bool deep = !strncmp(key, "**", 2);
	char path[1024];

	snprintf(path, sizeof(path), "%.*s", (int)(wanted ? wanted - key : (long)strlen(key)), key);
	/* "!(...)" of glibc 2.36 crosses slashes even so, hence the count; no list of a key has one in it. */
	if ((!deep && slashes(path) != slashes(at)) ||
	    fnmatch(path, at, FNM_EXTMATCH | (deep ? 0 : FNM_PATHNAME)) != 0)
		return false;
	return !wanted || (text && fnmatch(wanted + 1, text, FNM_EXTMATCH) == 0);
}

static bool array_has(const json_t *array, const json_t *value)
{
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)array, i, item) if (json_equal(item, value)) return true;
	return false;
}

/* NOW is at AT, where OLD was (NULL: nothing). */
static void walk(struct look *l, const char *at, const json_t *old, const json_t *now, int depth)
{
	const json_t *item;
	const char *key;
	char below[512];
	size_t i;

	if (l->found || json_equal(old, now))
		return;
	for (i = 0; i < sizeof(keys) / sizeof(*keys) && !l->found && *at; i++)
		if (is_named(i, l->name) && key_fits(keys[i].key, at, now))
			l->found = &keys[i].trap;
	if (depth == MOST_DEEP) /* nothing that is obeyed lies so deep */
		return;
	json_object_foreach((json_t *)now, key, item)
	{
		snprintf(below, sizeof(below), "%s%s%s", at, *at ? "/" : "", key);
		walk(l, below, json_object_get(old, key), item, depth + 1);
	}
	json_array_foreach((json_t *)now, i, item)
	{
		snprintf(below, sizeof(below), "%s/%zu", at, i);
		walk(l, below, array_has(old, item) ? item : NULL, item, depth + 1);
	}
}

/* A comment begins at TEXT: where it ends. */
static const char *past_comment(const char *text)
{
	const char *end;

	if (text[1] == '*') {
		end = strstr(text + 2, "*/");
		return end ? end + 2 : text + strlen(text);
	}
	while (*text && *text != '\n' && *text != '\r' && strncmp(text, "\xe2\x80\xa8", 3) != 0 &&
	       strncmp(text, "\xe2\x80\xa9", 3) != 0)
		text++;
	return text;
}

static const char *past_string(const char *text)
{
	for (text++; *text && *text != '"'; text++)
		text += *text == '\\' && text[1];
	return *text ? text + 1 : text;
}

/* Without comments, and without commas before an end: as TypeScript and deno read theirs. Heap or NULL. */
static char *plain_json(const char *text)
{
	scoped(buf_finish) struct buf out = { 0 };
	size_t comma = SIZE_MAX; /* where the last comma is, if nothing came since */

	while (*text) {
		const char *end = text + 1;
		bool comment = *text == '/' && (text[1] == '/' || text[1] == '*');

		if (comment)
			end = past_comment(text);
		else if (*text == '"')
			end = past_string(text);
		if ((*text == '}' || *text == ']') && comma != SIZE_MAX)
			out.data[comma] = ' ';
		if (*text == ',')
			comma = out.len;
		else if (!comment && !strchr(" \t\r\n", *text))
			comma = SIZE_MAX;
		buf_add(&out, comment ? " " : text, comment ? 1 : (size_t)(end - text));
		if (out.failed)
			return NULL;
		text = end;
	}
	return buf_str(&out) ? take_mem(&out.data) : NULL;
}

/* A new reference, or NULL. */
static json_t *read_json(const char *text)
{
	scoped(drop_mem) char *plain = NULL;
	json_t *j;

	if (!strncmp(text, "\xef\xbb\xbf", 3)) /* npm passes over a byte order mark */
		text += 3;
	if (!text[strspn(text, " \t\r\n")]) /* nothing in it */
		return json_object();
	j = json_loads(text, JSON_DECODE_ANY, NULL);
	if (j)
		return j;
	plain = plain_json(text);
	return plain ? json_loads(plain, JSON_DECODE_ANY, NULL) : NULL;
}

const struct trap *trap_of_text(const char *path, const char *old_text, const char *text)
{
	static const struct trap unread = {
		"lifecycle", "it cannot be read, or is too large, so it is not known what tools would run"
	};
	char name[NAME_MAX + 1];
	struct look l = { .name = name };
	json_t *(*reader)(const char *);
	json_t *old, *now;

	if (!trap_is_read(path))
		return NULL;
	name_of(path, name, sizeof(name));
	reader = fnmatch("*.toml", name, 0) == 0 ? trap_read_toml : read_json;
	old = old_text ? reader(old_text) : NULL;
	now = text ? reader(text) : NULL;
	if (now)
		walk(&l, "", old, now, 0);
	else
		l.found = &unread;
	json_decref(old);
	json_decref(now);
	return l.found;
}
