/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of shell (bash and sh): texts to trees, programs in strings, and what is left at the end. */
#include "scan/shell/shell.h"

#include <errno.h>
#include <stdlib.h>

struct lines {
	size_t (*list)[2]; /* owned: start and end of each line of the outermost level */
	size_t n;
	bool failed;
};

static void keep_line(void *ctx, size_t start, size_t end)
{
	struct lines *l = ctx;
	size_t(*grown)[2] = l->list;

	if (l->failed)
		return;
	if (!(l->n & (l->n - 1)))
		grown = reallocarray(l->list, l->n ? l->n * 2 : 1, sizeof(*grown));
	if (!grown) {
		l->failed = true;
		return;
	}
	l->list = grown;
	l->list[l->n][0] = start;
	l->list[l->n++][1] = end;
}

enum readiness { RAW, NESTED, PREPARED };

/* The text is copied. Keeps the source even when it could not be parsed. */
static struct source *open_source(struct sh *s, const char *text, size_t len, const struct scan_outer *outer,
				  enum readiness readiness, struct lines *lines)
{
	struct source *src = calloc(1, sizeof(*src));

	if (!src || !(src->text = malloc(len + 1))) {
		free(src);
		s->facts->failed = true;
		return NULL;
	}
	memcpy(src->text, text, len);
	src->text[len] = '\0';
	src->next = s->all;
	s->all = src;
	if (readiness != PREPARED)
		shell_text_prepare(src->text, len, readiness == NESTED, lines ? keep_line : NULL, lines);
	if (outer) {
		src->at = *outer->at;
		src->at.args = src->at.from = (struct strlist){ 0 };
		src->at.name = NULL;
		src->outer = (struct scan_outer){ outer->depth, &src->at };
	}
	if (tree_open(tree_sitter_bash(), src->text, len, outer ? &src->outer : NULL, s->facts, &src->tree) <
	    0)
		return NULL;
	return src;
}

static void close_sources(struct sh *s)
{
	while (s->all) {
		struct source *src = s->all;

		s->all = src->next;
		tree_finish(&src->tree);
		free(src->text);
		free(src);
	}
}

void shell_code(struct sh *s, TSNode at, const struct val *code, const struct val *in, struct val *out)
{
	struct fact place = shell_place(s, at);
	struct scan_outer outer = { s->outer_depth + s->code_depth + 1, &place };
	struct source *before = s->src, *src;
	bool was_background = s->is_background;

	if (!code->len || s->depth >= SH_MAX_DEPTH)
		return;
	if (s->codes >= SH_MAX_CODES || s->code_bytes > SH_MAX_CODE) {
		shell_emit(s, at, FACT_HIDDEN, "code", false, NULL, 0, &code->from);
		return;
	}
	s->codes++;
	s->code_bytes += code->len;
	if (code->is_indirect)
		place.flags |= FACT_INDIRECT;
	src = open_source(s, code->text, code->len, &outer, NESTED, NULL);
	if (!src)
		return;
	s->src = src;
	s->code_depth++;
	s->is_background = false;
	shell_run(s, ts_tree_root_node(src->tree.ts), in, out);
	s->is_background = was_background;
	s->code_depth--;
	s->src = before;
}

void shell_other_code(struct sh *s, TSNode at, const struct val *code,
		      int (*read)(const char *, size_t, const struct scan_outer *, struct facts *))
{
	struct fact place = shell_place(s, at);
	struct scan_outer outer = { s->outer_depth + s->code_depth + 1, &place };

	if (!code->len)
		return;
	if (outer.depth > FACT_MAX_DEPTH || s->codes++ >= SH_MAX_CODES ||
	    (s->code_bytes += code->len) > SH_MAX_CODE) {
		shell_emit(s, at, FACT_HIDDEN, "code", false, NULL, 0, &code->from);
		return;
	}
	read(code->text, code->len, &outer, s->facts);
}

/* Functions nobody called are still there for whoever reads this file by "source". */
static void run_uncalled(struct sh *s)
{
	for (size_t i = 0; s->functions.n && i < sizeof(s->functions.slots) / sizeof(s->functions.slots[0]);
	     i++)
		for (struct entry *e = s->functions.slots[i]; e; e = e->next)
			if (!e->was_called && e->src)
				shell_call(s, e->body, e, NULL, NULL, NULL);
}

/* Where the tree has an error, what is around it may be read as something else: line by line it cannot. */
static void run_broken(struct sh *s, struct source *whole, const struct lines *lines)
{
	TSTreeCursor c = ts_tree_cursor_new(ts_tree_root_node(whole->tree.ts));
	bool is_more = ts_tree_cursor_goto_first_child(&c);
	size_t i = 0, counted = 0;
	uint32_t row = 0;

	for (; is_more && !s->is_late; is_more = ts_tree_cursor_goto_next_sibling(&c)) {
		TSNode n = ts_tree_cursor_current_node(&c);
		size_t start = ts_node_start_byte(n), end = ts_node_end_byte(n);

		if (!ts_node_has_error(n))
			continue;
		for (; i < lines->n && lines->list[i][0] < end && !s->is_late; i++) {
			size_t from = lines->list[i][0], len = lines->list[i][1] - from;
			struct source *src;

			if (lines->list[i][1] <= start || (from <= start && lines->list[i][1] >= end))
				continue;
			for (; counted < from; counted++)
				row += whole->text[counted] == '\n';
			src = open_source(s, whole->text + from, len, whole->tree.outer, PREPARED, NULL);
			if (!src)
				continue;
			src->row = row;
			s->src = src;
			shell_run(s, ts_tree_root_node(src->tree.ts), NULL, NULL);
		}
	}
	ts_tree_cursor_delete(&c);
	s->src = whole;
}

static void run_all(struct sh *s, struct source *src, const struct lines *lines)
{
	TSNode root = ts_tree_root_node(src->tree.ts);

	s->src = src;
	tree_tell_broken(&src->tree);
	shell_run(s, root, NULL, NULL);
	run_uncalled(s);
	if (ts_node_has_error(root) && lines->n > 1)
		run_broken(s, src, lines);
	run_uncalled(s);
	if (s->was_too_deep)
		shell_emit(s, root, FACT_HIDDEN, "nesting", false, NULL, 0, NULL);
}

int scan_shell(const char *text, size_t len, const struct scan_outer *outer, struct facts *facts)
{
	struct sh *s = calloc(1, sizeof(*s));
	struct lines lines = { 0 };
	struct source *src;

	if (!s)
		return -ENOMEM;
	s->facts = facts;
	s->outer_depth = outer ? outer->depth : 0;
	src = open_source(s, text, len, outer, outer ? NESTED : RAW, &lines);
	if (src)
		run_all(s, src, &lines);
	free(lines.list);
	close_sources(s);
	words_finish(&s->params);
	table_finish(&s->vars);
	table_finish(&s->functions);
	table_finish(&s->aliases);
	table_finish(&s->files);
	free(s->cwd);
	free(s);
	return facts->failed ? -ENOMEM : 0;
}
