/* SPDX-License-Identifier: Apache-2.0 */
/* Checks names, modes and links by the table policy/traps.def. */
#include "policy/trap.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/casefold.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "policy/trap_row.h"

/* A row's pattern without lists: most are then plain names, which are found by halving. */
struct name {
	const char *text; /* owned by the table, as folded names are written */
	const struct trap_row *row;
	int slashes;
	char anchor; /* '.': only at the top, '/': only from the root; 0: anywhere */
};

static const struct trap_row rows[] = {
#define TRAP(kind, pattern, tool, when, proof)  { { kind, TRAP_WHY(tool, when) }, pattern, false },
#define GUARD(kind, pattern, tool, when, proof) { { kind, TRAP_WHY(tool, when) }, pattern, true },
#define KEY(kind, pattern, key, tool, when, proof)
#include "policy/traps.def"
#undef TRAP
#undef GUARD
#undef KEY
};

/* Made once, for as long as the process lives. */
static struct {
	struct name *plain, *globs;
	size_t n_plain, n_globs;
	bool failed;
} table;

static bool add(const char *pattern, const struct trap_row *row)
{
	bool anchored = !strncmp(pattern, "./", 2) || *pattern == '/';
	struct name name = { .row = row, .anchor = anchored ? *pattern : '\0' };
	bool glob = strpbrk(pattern, "*?[") != NULL;
	struct name **list = glob ? &table.globs : &table.plain, *grown;
	size_t *n = glob ? &table.n_globs : &table.n_plain;
	char folded[NAME_MAX];

	casefold_path(anchored ? strchr(pattern, '/') + 1 : pattern, folded, sizeof(folded));
	name.text = strdup(folded);
	grown = realloc(*list, (*n + 1) * sizeof(*grown));
	if (grown)
		*list = grown;
	if (!grown || !name.text) {
		free((char *)name.text);
		return false;
	}
	for (const char *c = name.text; *c; c++)
		name.slashes += *c == '/';
	grown[(*n)++] = name;
	return true;
}

/* Where the list that begins at OPEN, its '(', ends. */
static const char *end_of_list(const char *open)
{
	int depth = 0;

	for (const char *c = open; *c; c++) {
		depth += *c == '(';
		depth -= *c == ')';
		if (depth == 0)
			return c;
	}
	return NULL;
}

static bool expand(const char *pattern, const struct trap_row *row);

/* HEAD, one of the members of a list, and TAIL. */
static bool expand_member(const char *pattern, size_t head, const char *member, size_t len, const char *tail,
			  const struct trap_row *row)
{
	scoped(drop_mem) char *one = NULL;

	if (asprintf(&one, "%.*s%.*s%s", (int)head, pattern, (int)len, member, tail) < 0) {
		one = NULL;
		return false;
	}
	return expand(one, row);
}

/* "@(a|b)": each of them; "?(a|b)": also none. "*(...)", any number of them, is taken for up to one. */
static bool expand(const char *pattern, const struct trap_row *row)
{
	const char *open = strchr(pattern, '('), *end = open && open > pattern ? end_of_list(open) : NULL,
		   *from;
	size_t head = end ? (size_t)(open - 1 - pattern) : 0;
	int depth = 0;
	bool ok = true;

	if (!end)
		return add(pattern, row);
	if (open[-1] != '@')
		ok = expand_member(pattern, head, "", 0, end + 1, row);
	from = open + 1;
	for (const char *c = from; ok && c <= end; c++) {
		if ((*c == '|' && depth == 0) || c == end) {
			ok = expand_member(pattern, head, from, (size_t)(c - from), end + 1, row);
			from = c + 1;
		}
		depth += *c == '(';
		depth -= *c == ')';
	}
	return ok;
}

static int by_text(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	return order ? order : x->anchor - y->anchor;
}

static bool fill_table(void)
{
	if (table.n_plain || table.failed)
		return !table.failed;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && !table.failed; i++)
		table.failed = !expand(rows[i].pattern, &rows[i]);
	qsort(table.plain, table.n_plain, sizeof(*table.plain), by_text);
	return !table.failed;
}

static bool fits(const struct name *n, const char *text, size_t len, bool top, bool root)
{
	size_t last = strlen(n->text) - 1;
	char c = n->text[0], z = n->text[last];

	if ((n->anchor == '.' && !top) || (n->anchor == '/' && !root))
		return false;
	if (c != '*' && c != '?' && c != '[' && c != *text)
		return false;
	if (z != '*' && z != '?' && z != ']' && z != text[len - 1])
		return false;
	return fnmatch(n->text, text, FNM_PATHNAME) == 0;
}

/* TEXT: some names of a path, one behind the other. */
static const struct trap_row *find(const char *text, int slashes, bool top, bool root)
{
	static const char anchors[] = { '\0', '.', '/' };
	size_t len = strlen(text);

	for (size_t i = 0; i < sizeof(anchors) && len; i++) {
		const struct name wanted = { .text = text, .anchor = anchors[i] }, *found;

		if ((anchors[i] == '.' && !top) || (anchors[i] == '/' && !root))
			continue;
		found = bsearch(&wanted, table.plain, table.n_plain, sizeof(*table.plain), by_text);
		if (found)
			return found->row;
	}
	for (size_t i = 0; i < table.n_globs && len; i++)
		if (table.globs[i].slashes == slashes && fits(&table.globs[i], text, len, top, root))
			return table.globs[i].row;
	return NULL;
}

#define MOST_NAMES 4 /* of a pattern */

static const struct trap_row *row_of(const char *path)
{
	static const struct trap_row unknown = { { "startup", "there was not enough memory to check it" },
						 "",
						 false };
	char folded[2 * PATH_MAX];
	bool absolute = *path == '/';

	if (!fill_table())
		return &unknown;
	casefold_path(path + (absolute ? 1 : 0), folded, sizeof(folded));
	for (char *part = folded; part && *part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL) {
		bool first = part == folded, last = !strchr(part, '/');
		char *end = part;

		for (int n = 0; n < MOST_NAMES && end; n++) {
			const struct trap_row *row;

			end = strchr(n ? end + 1 : end, '/');
			if (end)
				*end = '\0';
			/* Of a path elsewhere nobody knows where its top is: then any last name
			 * may be there. */
			row = find(part, n, absolute ? last || (n == 1 && !end) : first, absolute && first);
			if (end)
				*end = '/';
			if (row)
				return row;
		}
	}
	return NULL;
}

const struct trap *trap_of_name(const char *path)
{
	static const struct trap elsewhere = {
		"git-config", "it tells git where the repository is, and so which programs to run"
	};
	const char *last = strrchr(path, '/');
	const struct trap_row *row;
	char name[NAME_MAX + 1];

	casefold_path(last ? last + 1 : path, name, sizeof(name));
	if (!strcmp(name, ".git"))
		return &elsewhere;
	row = row_of(path);
	return row ? &row->trap : NULL;
}

const struct trap *trap_of_removal(const char *path)
{
	const struct trap_row *row = row_of(path);

	return row && row->guards ? &row->trap : NULL;
}

const struct trap *trap_in_git(const char *path)
{
	static const struct trap inside = { "git-config",
					    "it is in a git directory, where git finds programs to run" };
	char folded[2 * PATH_MAX];

	casefold_path(path, folded, sizeof(folded));
	for (char *part = folded, *next; part; part = next) {
		next = strchr(part, '/');
		if (next)
			*next++ = '\0';
		if (str_is_one_of(part, ".git|git~1"))
			return &inside;
	}
	return NULL;
}

/* What the bits really do: the group's counts only where the group may run it. */
static mode_t rights_of(mode_t mode)
{
	return S_ISREG(mode) ? (mode & S_ISUID) | (mode & S_IXGRP ? mode & S_ISGID : 0) : 0;
}

const struct trap *trap_of_mode(mode_t old_mode, mode_t mode)
{
	static const struct trap setuid = { "setuid",
					    "whoever runs it gets the rights of its owner or group" };

	return rights_of(mode) & ~rights_of(old_mode) ? &setuid : NULL;
}

const struct trap *trap_of_link(const char *root, const char *path, const char *target)
{
	static const struct trap leaves = { "symlink", "it leads out of the tree" };
	scoped(drop_mem) char *whole = path_join(root, path);
	char *slash = whole ? strrchr(whole, '/') : NULL;
	scoped(drop_mem) char *end = NULL;
	const char *below;

	if (!slash)
		return &leaves;
	*(slash == whole ? slash + 1 : slash) = '\0';
	end = path_resolve(whole, target);
	below = end ? path_below(end, root) : NULL;
	if (!below)
		return &leaves;
	return trap_of_name(below) || trap_in_git(below) ? &trap_by_link : NULL;
}

const struct trap trap_capability = { "capability",
				      "it had file capabilities in the box; they are not promoted" };
const struct trap trap_by_link = {
	"symlink",
	"a link leads from it, or to it, between here and a place whose files tools obey without being asked"
};
