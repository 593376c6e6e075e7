/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of Python: parses the text, reads the module, then what was deferred. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/scope.h"
#include "scan/python/python.h"

static void finish(struct py *p)
{
	py_scope_finish(p);
	py_value_finish(p);
	free(p->later);
	free(p->seen);
	if (p->tree.ts)
		ts_tree_cursor_delete(&p->cursor);
	tree_finish(&p->tree);
}

/* Encodings in which a plain letter is that letter. The tree was read as UTF-8. */
static bool is_plain_encoding(const char *name, size_t len)
{
	static const char *const plain[] = { "utf8",    "utf-8", "utf_8",    "latin", "iso-8859",
					     "iso8859", "ascii", "us-ascii", "cp125", "windows-125",
					     "euc",     "gb",    "big5",     "shift", "koi8",
					     "cp437",   "cp850", "mac" };

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (len >= strlen(plain[i]) && !strncasecmp(name, plain[i], strlen(plain[i])))
			return true;
	return false;
}

/* The encoding that the line from TEXT to STOP names; *RET_LEN is 0 when there is none. */
static const char *find_encoding(const char *text, const char *stop, size_t *ret_len)
{
	const char *at, *name;

	*ret_len = 0;
	while (text < stop && isspace((unsigned char)*text))
		text++;
	at = text < stop && *text == '#' ? memmem(text, (size_t)(stop - text), "coding", 6) : NULL;
	if (!at || at + 7 >= stop || (at[6] != ':' && at[6] != '='))
		return NULL;
	for (at += 7; at < stop && (*at == ' ' || *at == '\t'); at++)
		;
	for (name = at; at < stop && (isalnum((unsigned char)*at) || strchr("-_.", *at)); at++)
		;
	*ret_len = (size_t)(at - name);
	return name;
}

/* "# -*- coding: utf-7 -*-" in one of the first two lines: Python then reads something else than is seen
 * here. */
static void tell_encoding(struct py *p)
{
	const char *text = p->tree.text, *end = text + p->tree.len;

	for (unsigned int line = 0; line < 2 && text < end; line++) {
		const char *stop = memchr(text, '\n', (size_t)(end - text)), *name;
		size_t n;

		stop = stop ? stop : end;
		name = find_encoding(text, stop, &n);
		if (n && !is_plain_encoding(name, n))
			py_tell(p, FACT_HIDDEN, ts_tree_root_node(p->tree.ts),
				py_internf(p, "coding: %.*s", (int)(n < 64 ? n : 64), name), NULL, true);
		text = stop + (stop < end);
	}
}

/* Goes through what P is made for; its variables may have been set. */
static int read_all(struct py *p)
{
	p->cursor = ts_tree_cursor_new(ts_tree_root_node(p->tree.ts));
	tree_tell_broken(&p->tree);
	tell_encoding(p);
	py_run(p, ts_tree_root_node(p->tree.ts), p->module);
	py_run_later(p);
	if (p->is_full || !p->work_left) {
		struct fact f = tree_fact(&p->tree, ts_tree_root_node(p->tree.ts), FACT_UNREAD,
					  p->is_full ? "memory" : "size");

		facts_add(p->tree.facts, &f);
	}
	return 0;
}

int py_read_inner(struct py *outer, const char *text, size_t len, const struct scan_outer *at,
		  const struct py_value *names)
{
	scoped(finish) struct py p = { .outer = outer,
				       .names = outer->names,
				       .extra_left = outer->extra_left,
				       .nested_left = outer->nested_left,
				       .work_left = outer->work_left };
	int r = tree_open(tree_sitter_python(), text, len, at, outer->tree.facts, &p.tree);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	p.module = py_scope_new(&p, NULL);
	if (!p.module)
		return -ENOMEM;
	for (size_t i = 0; names && i + 1 < names->n; i += 2)
		if (names->items[i]->kind == PY_TEXT)
			py_set(&p, p.module,
			       py_identifier_text(&p, names->items[i]->text, names->items[i]->n),
			       names->items[i + 1]);
	r = read_all(&p);
	/* Together they may do as much as one alone. */
	outer->extra_left = p.extra_left;
	outer->nested_left = p.nested_left;
	outer->work_left = p.work_left;
	return r;
}

int scan_python(const char *text, size_t len, const struct scan_outer *outer, struct facts *facts)
{
	scoped(finish) struct py p = { .extra_left = PY_MAX_EXTRA,
				       .nested_left = 2 * len + (512u << 10),
				       .work_left = 16 * len + (32u << 20) };
	int r = tree_open(tree_sitter_python(), text, len, outer, facts, &p.tree);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	py_node_init();
	p.module = py_scope_new(&p, NULL);
	return p.module ? read_all(&p) : -ENOMEM;
}
