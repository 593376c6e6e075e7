/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses with tree-sitter, within a time limit: error recovery can take far longer than parsing valid text.
 */
#include "scan/core/tree.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define MAX_BROKEN  100u
#define CHECK_EVERY 1024u

static uint64_t allowed_until_us; /* processor time of this process; 0: no end */

static uint64_t used_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

void tree_allow(unsigned int ms)
{
	allowed_until_us = used_us() + (uint64_t)ms * 1000u;
}

static bool is_spent(void)
{
	return allowed_until_us && used_us() > allowed_until_us;
}

static bool stop_parser(TSParseState *state)
{
	unsigned int *calls = state->payload;

	return !(++*calls % 16) && is_spent();
}

struct input {
	const char *text;
	size_t len;
};

static const char *give_text(void *payload, uint32_t at, TSPoint point, uint32_t *ret_len)
{
	const struct input *in = payload;

	(void)point;
	*ret_len = at < in->len ? (uint32_t)(in->len - at) : 0;
	return *ret_len ? in->text + at : "";
}

static void tell_unread(struct tree *t, const char *why)
{
	struct fact f = {
		.kind = FACT_UNREAD, .line = 1, .column = 1, .end_line = 1, .end_column = 1, .name = why
	};

	if (t->outer) {
		f = *t->outer->at;
		f.kind = FACT_UNREAD;
		f.flags |= FACT_NESTED;
		f.name = why;
		f.args = f.from = (struct strlist){ 0 };
	}
	facts_add(t->facts, &f);
}

int tree_open(const TSLanguage *language, const char *text, size_t len, const struct scan_outer *outer,
	      struct facts *facts, struct tree *ret)
{
	struct tree t = { .text = text, .len = len, .outer = outer, .facts = facts };
	struct input in = { text, len };
	unsigned int calls = 0;
	TSParser *parser;

	if (len > INT32_MAX || (outer && outer->depth > FACT_MAX_DEPTH)) {
		tell_unread(&t, len > INT32_MAX ? "size" : "depth");
		return -EFBIG;
	}
	parser = ts_parser_new();
	if (parser && ts_parser_set_language(parser, language) && !is_spent())
		t.ts = ts_parser_parse_with_options(
			parser, NULL,
			(TSInput){ .payload = &in, .read = give_text, .encoding = TSInputEncodingUTF8 },
			(TSParseOptions){ .payload = &calls, .progress_callback = stop_parser });
	ts_parser_delete(parser);
	if (!t.ts) {
		tell_unread(&t, "time");
		return -ETIME;
	}
	*ret = t;
	return 0;
}

void tree_finish(struct tree *t)
{
	if (t->ts)
		ts_tree_delete(t->ts);
	t->ts = NULL;
}

bool tree_late(struct tree *t)
{
	if (!t->is_late && is_spent()) {
		t->is_late = true;
		tell_unread(t, "time");
	}
	return t->is_late;
}

struct fact tree_fact(const struct tree *t, TSNode at, enum fact_kind kind, const char *name)
{
	TSPoint start = ts_node_start_point(at), end = ts_node_end_point(at);
	struct fact f = { .kind = kind, .name = name };

	if (t->outer) {
		f.line = t->outer->at->line;
		f.column = t->outer->at->column;
		f.end_line = t->outer->at->end_line;
		f.end_column = t->outer->at->end_column;
		f.flags = FACT_NESTED | (t->outer->at->flags & FACT_INDIRECT);
	} else {
		f.line = start.row + 1;
		f.column = start.column + 1;
		f.end_line = end.row + 1;
		f.end_column = end.column + 1;
	}
	return f;
}

void tree_tell_broken(struct tree *t)
{
	TSNode root = ts_tree_root_node(t->ts);
	struct tree_walk w;
	unsigned int n = 0;

	if (!ts_node_has_error(root))
		return;
	tree_walk_start(&w, t, root);
	while (n < MAX_BROKEN && tree_walk_next(&w)) {
		bool is_wrong = ts_node_is_error(w.node) || ts_node_is_missing(w.node);

		w.skip = is_wrong || !ts_node_has_error(w.node);
		if (is_wrong && !w.is_leaving) {
			struct fact f = tree_fact(t, w.node, FACT_BROKEN,
						  ts_node_is_missing(w.node) ? "missing" : "error");

			facts_add(t->facts, &f);
			n++;
		}
	}
	tree_walk_finish(&w);
}

const char *tree_bytes(const struct tree *t, TSNode n, size_t *ret_len)
{
	uint32_t start, end;

	*ret_len = 0;
	if (ts_node_is_null(n))
		return "";
	start = ts_node_start_byte(n);
	end = ts_node_end_byte(n);
	if (start > end || end > t->len)
		return "";
	*ret_len = end - start;
	return t->text + start;
}

char *tree_text(const struct tree *t, TSNode n)
{
	size_t len, kept = 0;
	const char *bytes = tree_bytes(t, n, &len);
	char *copy;

	len = len < FACT_MAX_TEXT ? len : FACT_MAX_TEXT;
	copy = malloc(len + 1);
	if (!copy)
		return NULL;
	for (size_t i = 0; i < len; i++)
		if (bytes[i])
			copy[kept++] = bytes[i];
	copy[kept] = '\0';
	return copy;
}

bool tree_text_is(const struct tree *t, TSNode n, const char *text)
{
	size_t len;
	const char *bytes = tree_bytes(t, n, &len);

	return len == strlen(text) && !memcmp(bytes, text, len);
}

void tree_walk_start(struct tree_walk *w, struct tree *t, TSNode from)
{
	*w = (struct tree_walk){ .tree = t, .cursor = ts_tree_cursor_new(from), .node = from };
}

/* From a node whose children are done: to the next one beside it, else back up. False above
 * where it began. */
static bool go_on(struct tree_walk *w)
{
	if (w->depth == 0)
		return false;
	if (ts_tree_cursor_goto_next_sibling(&w->cursor)) {
		w->is_leaving = false;
	} else {
		ts_tree_cursor_goto_parent(&w->cursor);
		w->depth--;
		w->is_leaving = true;
	}
	return true;
}

bool tree_walk_next(struct tree_walk *w)
{
	if (++w->steps % CHECK_EVERY == 0 && tree_late(w->tree))
		return false;
	if (!w->has_begun) {
		w->has_begun = true;
		return true;
	}
	if (w->is_leaving) {
		if (!go_on(w))
			return false;
	} else if (!w->skip && ts_tree_cursor_goto_first_child(&w->cursor)) {
		w->depth++;
	} else {
		w->is_leaving = true;
	}
	w->skip = false;
	w->node = ts_tree_cursor_current_node(&w->cursor);
	return true;
}

void tree_walk_finish(struct tree_walk *w)
{
	ts_tree_cursor_delete(&w->cursor);
}
