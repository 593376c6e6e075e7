/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A flat copy of the tree without what does not matter here (comments, types, punctuation): nodes are
 * accessed in constant time, however many siblings they have, and reading it needs no cursor.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "scan/javascript/javascript.h"

#define MAX_SYMBOLS 1024u
#define MAX_FIELDS  256u

/* What the numbers of a grammar mean to us. */
struct meaning {
	uint8_t kinds[MAX_SYMBOLS], fields[MAX_FIELDS];
	bool is_known;
};

static const char *const kind_names[JS_KINDS_COUNT] = {
#define X(name, text) [JS_##name] = text,
	JS_KINDS(X)
#undef X
};

static const char *const field_names[JS_FIELDS_COUNT] = {
#define X(name) [JS_AT_##name] = #name,
	JS_FIELDS(X)
#undef X
};

static const char *const skipped[] = {
	"comment",
	"html_comment",
	"optional_chain",
	"hash_bang_line",
	"type_annotation",
	"type_arguments",
	"type_parameters",
	"interface_declaration",
	"type_alias_declaration",
	"implements_clause",
	"ambient_declaration",
	"function_signature",
	"accessibility_modifier",
	"override_modifier",
	"asserts_annotation",
	"type_predicate_annotation",
	"jsx_closing_element",
	"abstract_method_signature",
	"method_signature",
};

static uint8_t kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(skipped) / sizeof(*skipped); i++)
		if (!strcmp(skipped[i], name))
			return JS_SKIP;
	for (unsigned int i = JS_SKIP + 1; i < JS_KINDS_COUNT; i++)
		if (!strcmp(kind_names[i], name))
			return (uint8_t)i;
	return !strcmp(name, "abstract_class_declaration") ? JS_CLASS_DECLARATION : JS_OTHER;
}

static const struct meaning *meaning_of(const TSLanguage *language, bool is_typescript)
{
	static struct meaning meanings[2];
	struct meaning *m = &meanings[is_typescript];

	for (uint32_t i = 0; !m->is_known && i < ts_language_symbol_count(language) && i < MAX_SYMBOLS; i++)
		if (ts_language_symbol_type(language, (TSSymbol)i) == TSSymbolTypeRegular)
			m->kinds[i] = kind_of(ts_language_symbol_name(language, (TSSymbol)i));
	for (uint32_t i = 1; !m->is_known && i <= ts_language_field_count(language) && i < MAX_FIELDS; i++)
		for (unsigned int f = 1; f < JS_FIELDS_COUNT; f++)
			if (!strcmp(field_names[f], ts_language_field_name_for_id(language, (TSFieldId)i)))
				m->fields[i] = (uint8_t)f;
	m->is_known = true;
	return m;
}

/* A place for one more node; its number, or 0. */
static uint32_t add_node(struct js_reader *r)
{
	if (r->n_nodes == r->cap_nodes) {
		uint32_t cap = r->cap_nodes ? r->cap_nodes * 2 : 1024;
		struct js_node *grown =
			cap <= JS_MAX_NODES * 2 ? reallocarray(r->nodes, cap, sizeof(*grown)) : NULL;

		if (!grown)
			return 0;
		r->nodes = grown;
		r->cap_nodes = cap;
	}
	return r->n_nodes++;
}

/* Names like _0x1a2b, of which no person wrote ten. */
static void count_disguise(struct js_reader *r, uint32_t at)
{
	const struct js_node *n = &r->nodes[at];
	const char *s = r->tree->text + n->start;

	if (n->end - n->start < 6 || s[0] != '_' || s[1] != '0' || s[2] != 'x')
		return;
	for (uint32_t i = 3; i < n->end - n->start; i++)
		if (!strchr("0123456789abcdefABCDEF", s[i]))
			return;
	if (!r->disguised++)
		r->disguised_at = at;
}

struct path {
	uint32_t *parents, *lasts; /* owned: of each level the node and its last child so far */
	size_t cap;
};

static void path_finish(struct path *p)
{
	free(p->parents);
	free(p->lasts);
}

static bool path_reach(struct path *p, size_t level)
{
	size_t cap = p->cap ? p->cap * 2 : 256;
	uint32_t *parents, *lasts;

	if (level < p->cap)
		return true;
	parents = reallocarray(p->parents, cap, sizeof(*parents));
	if (parents)
		p->parents = parents;
	lasts = reallocarray(p->lasts, cap, sizeof(*lasts));
	if (lasts)
		p->lasts = lasts;
	if (!parents || !lasts)
		return false;
	p->cap = cap;
	return true;
}

/* Keeps the node where the walk is below PARENT, or of an operator its bytes. Its number, 0: not kept, not to
 * be entered. */
static uint32_t keep(struct js_reader *r, const struct meaning *m, const struct tree_walk *w, uint32_t parent,
		     uint32_t *last)
{
	TSSymbol symbol = ts_node_symbol(w->node);
	TSFieldId field = ts_tree_cursor_current_field_id(&w->cursor);
	struct js_node n = { .start = ts_node_start_byte(w->node), .end = ts_node_end_byte(w->node) };
	uint32_t at;

	n.field = field < MAX_FIELDS ? m->fields[field] : 0;
	n.kind = symbol < MAX_SYMBOLS ? m->kinds[symbol] : JS_OTHER;
	if (!ts_node_is_named(w->node)) {
		size_t len = n.end - n.start < 4 ? n.end - n.start : 4;

		if (n.field == JS_AT_operator)
			memcpy(r->nodes[parent].op, r->tree->text + n.start, len);
		if (n.kind != JS_IMPORT)
			return 0;
	}
	if (n.kind == JS_SKIP || n.start > n.end || n.end > r->tree->len)
		return 0;
	at = add_node(r);
	if (!at) {
		r->failed = true;
		return 0;
	}
	r->nodes[at] = n;
	if (n.kind == JS_IDENTIFIER)
		count_disguise(r, at);
	if (*last)
		r->nodes[*last].next = at;
	else
		r->nodes[parent].child = at;
	*last = at;
	return at;
}

static int copy_nodes(struct js_reader *r, const struct meaning *m)
{
	scoped(path_finish) struct path p = { 0 };
	scoped(tree_walk_finish) struct tree_walk w;

	tree_walk_start(&w, r->tree, ts_tree_root_node(r->tree->ts));
	while (tree_walk_next(&w)) {
		uint32_t at;

		if (w.is_leaving)
			continue;
		if (!path_reach(&p, w.depth + 1))
			return -ENOMEM;
		if (w.depth == 0) {
			at = add_node(r);
			if (r->nodes)
				r->nodes[0] =
					(struct js_node){ .end = (uint32_t)r->tree->len, .kind = JS_PROGRAM };
		} else {
			at = keep(r, m, &w, p.parents[w.depth - 1], &p.lasts[w.depth - 1]);
			w.skip = !at;
			/* What is in a text is read from its bytes. */
			if (at && (r->nodes[at].kind == JS_STRING || r->nodes[at].kind == JS_META))
				w.skip = true;
		}
		if (r->failed || !r->nodes)
			return -ENOMEM;
		p.parents[w.depth] = at;
		p.lasts[w.depth] = 0;
	}
	return r->n_nodes ? 0 : -ENOMEM;
}

static int find_lines(struct js_reader *r)
{
	const char *text = r->tree->text, *end = text + r->tree->len;
	uint32_t n = 1;

	for (const char *p = text; p < end && (p = memchr(p, '\n', (size_t)(end - p))); p++)
		n++;
	r->lines = calloc(n, sizeof(*r->lines));
	if (!r->lines)
		return -ENOMEM;
	r->n_lines = 1;
	for (const char *p = text; p < end && (p = memchr(p, '\n', (size_t)(end - p))); p++)
		r->lines[r->n_lines++] = (uint32_t)(p + 1 - text);
	return 0;
}

int js_read_tree(struct js_reader *r, bool is_typescript)
{
	int e = copy_nodes(r, meaning_of(ts_tree_language(r->tree->ts), is_typescript));

	return e < 0 ? e : find_lines(r);
}

uint32_t js_child(const struct js_reader *r, uint32_t n, enum js_field field)
{
	uint32_t c = r->nodes[n].child;

	while (c && r->nodes[c].field != field)
		c = r->nodes[c].next;
	return c;
}

const char *js_source(const struct js_reader *r, uint32_t n, size_t *ret_len)
{
	*ret_len = r->nodes[n].end - r->nodes[n].start;
	return r->tree->text + r->nodes[n].start;
}

uint32_t js_bare(const struct js_reader *r, uint32_t n)
{
	uint32_t c;

	for (;; n = c) {
		uint8_t kind = r->nodes[n].kind;

		c = r->nodes[n].child;
		if (!c)
			return n;
		if (kind == JS_TYPE_ASSERTION) {
			while (r->nodes[c].next)
				c = r->nodes[c].next;
			continue;
		}
		if (kind != JS_PARENTHESES && kind != JS_AS && kind != JS_SATISFIES && kind != JS_NON_NULL &&
		    kind != JS_AWAIT)
			return n;
	}
}
