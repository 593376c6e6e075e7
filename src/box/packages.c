/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the notes of package managers as hostile text, and compares them. */
#include "box/packages.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/str.h"

#define USERS_MAX 1000

const char *package_manager_name(enum package_manager m)
{
	static const char *const names[] = { "dpkg", "apk", "pip" };

	return names[m];
}

const char *package_change_name(enum package_change_kind kind)
{
	static const char *const names[] = {
#define X(id, name) name,
		PACKAGE_CHANGES(X)
#undef X
	};

	return names[kind];
}

void package_list_finish(struct package_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].name);
		free(l->items[i].version);
	}
	free(l->items);
	*l = (struct package_list){ 0 };
}

void package_changes_finish(struct package_changes *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->items[i].name);
		free(c->items[i].version);
		free(c->items[i].previous);
	}
	free(c->items);
	*c = (struct package_changes){ 0 };
}

void package_changes_keep(struct package_changes *c,
			  bool (*wanted)(void *ctx, const struct package_change *c), void *ctx)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (wanted(ctx, &c->items[i])) {
			c->items[kept++] = c->items[i];
			continue;
		}
		free(c->items[i].name);
		free(c->items[i].version);
		free(c->items[i].previous);
	}
	c->n = kept;
}

/* A part of a text. */
struct span {
	const char *text;
	size_t len;
};

/* No option, no path, nothing that a terminal or a shell obeys: it may end in a command that a person copies.
 */
static bool is_word(struct span s)
{
	if (!s.len || s.len > PACKAGE_WORD_MAX || !isalnum((unsigned char)s.text[0]))
		return false;
	for (size_t i = 0; i < s.len; i++)
		if ((signed char)s.text[i] <= 0 ||
		    (!isalnum((unsigned char)s.text[i]) && !strchr("+.-_~:", s.text[i])))
			return false;
	return true;
}

static bool is_equal(struct span s, const char *word)
{
	return s.len == strlen(word) && !memcmp(s.text, word, s.len);
}

/* The next line of TEXT, which is advanced, without its end. */
static struct span next_line(struct span *text)
{
	const char *end = memchr(text->text, '\n', text->len);
	struct span line = { text->text, end ? (size_t)(end - text->text) : text->len };
	size_t used = line.len + (end != NULL);

	text->text += used;
	text->len -= used;
	return line;
}

/* What follows KEY in LINE, without blanks around it; empty: it is another line. */
static struct span value_of(struct span line, const char *key)
{
	size_t n = strlen(key);

	if (line.len < n || memcmp(line.text, key, n) != 0)
		return (struct span){ NULL, 0 };
	line.text += n;
	line.len -= n;
	while (line.len && (*line.text == ' ' || *line.text == '\t')) {
		line.text++;
		line.len--;
	}
	while (line.len && (line.text[line.len - 1] == ' ' || line.text[line.len - 1] == '\r'))
		line.len--;
	return line;
}

/* One entry on the way. */
struct entry {
	struct span name, version, arch, status;
};

static enum package_state state_of(struct span status)
{
	const char *last = status.len ? memrchr(status.text, ' ', status.len) : NULL;
	struct span word =
		last ? (struct span){ last + 1, status.len - (size_t)(last + 1 - status.text) } : status;

	if (is_equal(word, "installed"))
		return PACKAGE_INSTALLED;
	return is_equal(word, "unpacked") || is_equal(word, "half-configured") ||
			       is_equal(word, "half-installed") || is_equal(word, "triggers-awaited") ||
			       is_equal(word, "triggers-pending")
		       ? PACKAGE_UNPACKED
		       : PACKAGE_ABSENT;
}

static int add(struct package_list *l, const struct entry *e, enum package_state state)
{
	struct package p = { .state = state };

	if (!is_word(e->name) || !is_word(e->version) || e->arch.len >= sizeof(p.arch) ||
	    (e->arch.len && !is_word(e->arch))) {
		l->skipped++;
		return 0;
	}
	if (l->n == PACKAGES_MAX)
		return -E2BIG;
	if ((l->n & (l->n - 1)) == 0) {
		void *grown = realloc(l->items, (l->n ? l->n * 2 : 1) * sizeof(*l->items));

		if (!grown)
			return -ENOMEM;
		l->items = grown;
	}
	if (e->arch.len)
		memcpy(p.arch, e->arch.text, e->arch.len);
	p.name = strndup(e->name.text, e->name.len);
	p.version = strndup(e->version.text, e->version.len);
	if (!p.name || !p.version) {
		free(p.name);
		free(p.version);
		return -ENOMEM;
	}
	l->items[l->n++] = p;
	return 0;
}

static void take(struct span line, const char *key, struct span *ret)
{
	struct span value = value_of(line, key);

	if (value.text)
		*ret = value;
}

int packages_read_dpkg(const char *text, size_t len, struct package_list *ret)
{
	struct span rest = { text, len };
	struct entry e = { 0 };
	int r = 0;

	while (r == 0 && rest.len) {
		struct span line = next_line(&rest);

		if (line.len) {
			take(line, "Package:", &e.name);
			take(line, "Version:", &e.version);
			take(line, "Architecture:", &e.arch);
			take(line, "Status:", &e.status);
		}
		if (line.len && rest.len)
			continue;
		if (e.name.text && state_of(e.status) != PACKAGE_ABSENT)
			r = add(ret, &e, state_of(e.status));
		e = (struct entry){ 0 };
	}
	return r;
}

int packages_read_apk(const char *text, size_t len, struct package_list *ret)
{
	struct span rest = { text, len };
	struct entry e = { 0 };
	int r = 0;

	while (r == 0 && rest.len) {
		struct span line = next_line(&rest);

		if (line.len) {
			take(line, "P:", &e.name);
			take(line, "V:", &e.version);
		}
		if (line.len && rest.len)
			continue;
		if (e.name.text)
			r = add(ret, &e, PACKAGE_INSTALLED);
		e = (struct entry){ 0 };
	}
	return r;
}

bool packages_add_pip(const char *dir_name, struct package_list *ret)
{
	static const char end[] = ".dist-info";
	size_t n = strlen(dir_name);
	const char *dash;
	struct entry e;

	if (n <= strlen(end) || strcmp(dir_name + n - strlen(end), end) != 0)
		return false;
	n -= strlen(end);
	dash = memchr(dir_name, '-', n);
	if (!dash)
		return false;
	e = (struct entry){ .name = { dir_name, (size_t)(dash - dir_name) },
			    .version = { dash + 1, n - (size_t)(dash + 1 - dir_name) } };
	return is_word(e.name) && is_word(e.version) && add(ret, &e, PACKAGE_INSTALLED) == 0;
}

static int by_name(const void *a, const void *b)
{
	const struct package *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->arch, y->arch);
}

void package_list_sort(struct package_list *l)
{
	if (l->n)
		qsort(l->items, l->n, sizeof(*l->items), by_name);
}

static int order_of(char c)
{
	if (isdigit((unsigned char)c) || !c)
		return 0;
	if (isalpha((unsigned char)c))
		return c;
	return c == '~' ? -1 : (unsigned char)c + 256;
}

/* One part of a version, up to a '-' or the end. */
static int compare_part(struct span a, struct span b)
{
	size_t i = 0, k = 0;

#define AT(s, at) ((at) < (s).len ? (s).text[at] : '\0')
	while (i < a.len || k < b.len) {
		int first = 0;

		while ((i < a.len && !isdigit((unsigned char)a.text[i])) ||
		       (k < b.len && !isdigit((unsigned char)b.text[k]))) {
			int order = order_of(AT(a, i)) - order_of(AT(b, k));

			if (order)
				return order;
			i++;
			k++;
		}
		while (AT(a, i) == '0')
			i++;
		while (AT(b, k) == '0')
			k++;
		for (; isdigit((unsigned char)AT(a, i)) && isdigit((unsigned char)AT(b, k)); i++, k++)
			first = first ? first : AT(a, i) - AT(b, k);
		if (isdigit((unsigned char)AT(a, i)))
			return 1;
		if (isdigit((unsigned char)AT(b, k)))
			return -1;
		if (first)
			return first;
	}
#undef AT
	return 0;
}

/* "EPOCH:UPSTREAM-REVISION" */
static void split_version(const char *version, struct span ret[3])
{
	const char *colon = strchr(version, ':'), *dash;

	ret[0] = colon ? (struct span){ version, (size_t)(colon - version) } : (struct span){ "0", 1 };
	version = colon ? colon + 1 : version;
	dash = strrchr(version, '-');
	ret[1] = (struct span){ version, dash ? (size_t)(dash - version) : strlen(version) };
	ret[2] = dash ? (struct span){ dash + 1, strlen(dash + 1) } : (struct span){ "0", 1 };
}

int package_version_compare(const char *a, const char *b)
{
	struct span x[3], y[3];
	int order = 0;

	split_version(a, x);
	split_version(b, y);
	for (int i = 0; i < 3 && order == 0; i++)
		order = compare_part(x[i], y[i]);
	return order;
}

static int add_change(struct package_changes *c, enum package_manager m, enum package_change_kind kind,
		      const struct package *a, const struct package *b)
{
	struct package_change made = { .kind = kind, .manager = m };

	if ((c->n & (c->n - 1)) == 0) {
		void *grown = realloc(c->items, (c->n ? c->n * 2 : 1) * sizeof(*c->items));

		if (!grown)
			return -ENOMEM;
		c->items = grown;
	}
	memcpy(made.arch, b ? b->arch : a->arch, sizeof(made.arch));
	made.name = strdup(b ? b->name : a->name);
	made.version = b ? strdup(b->version) : NULL;
	made.previous = a ? strdup(a->version) : NULL;
	c->items[c->n++] = made;
	return made.name && (!b || made.version) && (!a || made.previous) ? 0 : -ENOMEM;
}

/* Both have it. */
static int compare_one(enum package_manager m, const struct package *a, const struct package *b,
		       struct package_changes *ret)
{
	int order = package_version_compare(a->version, b->version);

	if (order < 0 || (order == 0 && strcmp(a->version, b->version) != 0))
		return add_change(ret, m, PACKAGE_CHANGE_UPGRADED, a, b);
	if (order > 0)
		return add_change(ret, m, PACKAGE_CHANGE_DOWNGRADED, a, b);
	if (a->state == b->state)
		return 0;
	return add_change(ret, m,
			  b->state == PACKAGE_INSTALLED ? PACKAGE_CHANGE_CONFIGURED : PACKAGE_CHANGE_UNPACKED,
			  a, b);
}

int packages_compare(enum package_manager m, const struct package_list *a, const struct package_list *b,
		     struct package_changes *ret)
{
	size_t i = 0, k = 0;
	int r = 0;

	while (r == 0 && (i < a->n || k < b->n)) {
		int order = i == a->n ? 1 : k == b->n ? -1 : by_name(&a->items[i], &b->items[k]);

		if (order < 0)
			r = add_change(ret, m, PACKAGE_CHANGE_REMOVED, &a->items[i], NULL);
		else if (order > 0)
			r = add_change(ret, m,
				       b->items[k].state == PACKAGE_INSTALLED ? PACKAGE_CHANGE_INSTALLED
									      : PACKAGE_CHANGE_UNPACKED,
				       NULL, &b->items[k]);
		else
			r = compare_one(m, &a->items[i], &b->items[k], ret);
		i += order <= 0;
		k += order >= 0;
	}
	return r;
}

static void read_users(const char *text, struct strlist *ret)
{
	struct span rest = { text, strlen(text) };

	while (rest.len && ret->n < USERS_MAX) {
		struct span line = next_line(&rest);
		const char *colon = memchr(line.text, ':', line.len);
		struct span name = { line.text, colon ? (size_t)(colon - line.text) : 0 };

		if ((is_word(name) || (name.len > 1 && *name.text == '_' &&
				       is_word((struct span){ name.text + 1, name.len - 1 }))))
			strlist_addf(ret, "%.*s", (int)name.len, name.text);
	}
}

int packages_new_users(const char *a, const char *b, struct strlist *ret)
{
	scoped(strlist_finish) struct strlist before = { 0 };
	scoped(strlist_finish) struct strlist now = { 0 };

	read_users(a, &before);
	read_users(b, &now);
	for (size_t i = 0; i < now.n; i++)
		if (!strlist_has(&before, now.items[i]))
			strlist_add(ret, now.items[i]);
	return before.failed || now.failed || ret->failed ? -ENOMEM : 0;
}
