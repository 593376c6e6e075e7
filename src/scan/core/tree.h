/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Syntax trees as the readers of all languages use them: parsing within a time limit, the text of a node, its
 * position, walking without recursion. Only the readers include this: the parsers are in the helper, not in
 * aisbx.
 */
#ifndef SCAN_CORE_TREE_H
#define SCAN_CORE_TREE_H

#include <stdbool.h>
#include <string.h>

#include <tree_sitter/api.h>

#include "scan/core/fact.h"

const TSLanguage *tree_sitter_bash(void);
const TSLanguage *tree_sitter_javascript(void);
const TSLanguage *tree_sitter_python(void);
const TSLanguage *tree_sitter_typescript(void);

struct tree {
	TSTree *ts;       /* owned */
	const char *text; /* borrowed */
	size_t len;
	const struct scan_outer *outer; /* borrowed, or NULL */
	struct facts *facts;            /* borrowed */
	bool is_late;                   /* the time limit is reached, and the fact that says so was added */
};

/*
 * The processor time for everything that is read from now on, in milliseconds; not set: no limit. What is not
 * read in time is a fact, FACT_UNREAD.
 */
void tree_allow(unsigned int ms);

/*
 * 0, or -errno after a FACT_UNREAD was added: -ENOMEM, -ETIME, or -EFBIG for a text or nesting that is too
 * large.
 */
int tree_open(const TSLanguage *language, const char *text, size_t len, const struct scan_outer *outer,
	      struct facts *facts, struct tree *ret);
void tree_finish(struct tree *t);
/* Whether the time limit is reached. For loops of the readers that are longer than a walk. */
bool tree_late(struct tree *t);

/* Kind, position and flags: FACT_NESTED and the position of the outermost program for one inside another. */
struct fact tree_fact(const struct tree *t, TSNode at, enum fact_kind kind, const char *name);
/* Adds a FACT_BROKEN for each syntax error; at most 100. */
void tree_tell_broken(struct tree *t);

/* The bytes of a node, borrowed and without a NUL at the end. */
const char *tree_bytes(const struct tree *t, TSNode n, size_t *ret_len);
/* A copy of them without NULs, cut at FACT_MAX_TEXT; owned by the caller. NULL: no memory. */
char *tree_text(const struct tree *t, TSNode n);
bool tree_text_is(const struct tree *t, TSNode n, const char *text);

static inline bool tree_is(TSNode n, const char *type)
{
	return !ts_node_is_null(n) && !strcmp(ts_node_type(n), type);
}

static inline TSNode tree_field(TSNode n, const char *name)
{
	return ts_node_child_by_field_name(n, name, (uint32_t)strlen(name));
}

/*
 * Through all nodes below (and with) one, before their children and, if asked, again behind them. The depth
 *of hostile nesting costs heap, not stack. Beware of ts_node_parent(): it begins at the root.
 *
 *	scoped(tree_walk_finish) struct tree_walk w;
 *	tree_walk_start(&w, t, ts_tree_root_node(t->ts));
 *	while (tree_walk_next(&w))
 *		if (!w.is_leaving && tree_is(w.node, "call")) ...
 */
struct tree_walk {
	struct tree *tree;
	TSTreeCursor cursor;
	TSNode node;
	unsigned int depth; /* of node, from 0 */
	bool is_leaving;    /* after its children; nodes without children are left, too */
	bool skip;          /* set while entering: do not go into its children */
	bool has_begun;
	unsigned int steps;
};

void tree_walk_start(struct tree_walk *w, struct tree *t, TSNode from);
/* False at the end, or if the time limit is reached. */
bool tree_walk_next(struct tree_walk *w);
void tree_walk_finish(struct tree_walk *w);

#endif
