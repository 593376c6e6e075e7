/* SPDX-License-Identifier: Apache-2.0 */
/* Redirections, here-documents and pipes of shell: which text goes where. */
#include "base/str.h"
#include "scan/shell/shell.h"

#include <stdlib.h>

void flow_finish(struct flow *f)
{
	val_finish(&f->in);
	words_finish(&f->paths);
	val_finish(&f->broken_tail);
}

static void add_in(struct flow *f)
{
	val_finish(&f->in);
	f->has_in = true;
}

static void add_file(struct sh *s, TSNode n, struct flow *f, const char *op, bool is_error_stream,
		     TSNode dest)
{
	scoped(val_finish) struct val path = { 0 }, full = { 0 };
	bool is_dup = str_is_one_of(op, ">&|<&|>&-|<&-");

	if (shell_kind(dest) == SH_process_substitution && *op == '>') {
		f->process = dest;
		f->has_out = true;
		return;
	}
	shell_expand_one(s, dest, &path);
	if (is_dup && (!path.len || strspn(val_text(&path), "0123456789-") == path.len))
		return;
	shell_resolve(s, val_text(&path), &full);
	val_take_from(&full, &path.from);
	if (*op == '<') {
		add_in(f);
		val_set_unknown(s, &f->in);
		shell_read_file(s, val_text(&full), &f->in);
		shell_emit(s, n, FACT_USE, val_text(&full), false, NULL, 0, NULL);
		return;
	}
	f->has_out |= !is_error_stream;
	full.is_indirect = strstr(op, ">>") != NULL;
	words_add(&f->paths, &full);
}

static void add_file_redirect(struct sh *s, TSNode n, struct flow *f)
{
	uint32_t count = ts_node_child_count(n);
	const char *op = ">";
	bool is_error_stream = false, is_tail = false;

	for (uint32_t i = 0; i < count && i < 256; i++) {
		TSNode child = ts_node_child(n, i);

		if (shell_kind(child) == SH_file_descriptor) {
			is_error_stream = tree_text_is(&s->src->tree, child, "2");
		} else if (ts_node_is_error(child)) {
			/* "<<END >file | command": the grammar has no such thing, bash has. */
			uint32_t from = ts_node_end_byte(child), to = ts_node_end_byte(n);

			is_tail = tree_text_is(&s->src->tree, child, "|");
			if (is_tail && to > from && !f->broken_tail.len)
				val_add(s, &f->broken_tail, s->src->tree.text + from, to - from);
		} else if (!ts_node_is_named(child) && !is_tail) {
			op = ts_node_type(child);
		} else if (!is_tail) {
			add_file(s, n, f, op, is_error_stream, child);
		}
	}
}

static void add_heredoc(struct sh *s, TSNode n, struct flow *f)
{
	uint32_t count = ts_node_child_count(n);
	bool is_raw = false;

	add_in(f);
	for (uint32_t i = 0; i < count && i < 256; i++) {
		TSNode child = ts_node_child(n, i);
		size_t len;
		const char *text;

		switch ((unsigned int)shell_kind(child)) {
		case SH_heredoc_start:
			text = tree_bytes(&s->src->tree, child, &len);
			is_raw = memchr(text, '\'', len) || memchr(text, '"', len) ||
				 memchr(text, '\\', len) || memchr(text, SH_SKIP, len);
			break;
		case SH_heredoc_body:
			shell_expand_heredoc(s, child, is_raw, &f->in);
			break;
		case SH_file_redirect:
			add_file_redirect(s, child, f);
			break;
		case SH_heredoc_end:
		case SH_file_descriptor:
			break;
		default:
			if (ts_node_is_named(child) && !ts_node_is_error(child))
				f->tail = child;
		}
	}
}

void flow_add(struct sh *s, TSNode redirect, struct flow *f)
{
	uint32_t count;

	switch ((unsigned int)shell_kind(redirect)) {
	case SH_file_redirect:
		add_file_redirect(s, redirect, f);
		break;
	case SH_heredoc_redirect:
		add_heredoc(s, redirect, f);
		break;
	case SH_herestring_redirect:
		add_in(f);
		count = ts_node_named_child_count(redirect);
		for (uint32_t i = 0; i < count && i < 16; i++)
			if (shell_kind(ts_node_named_child(redirect, i)) != SH_file_descriptor)
				shell_expand_one(s, ts_node_named_child(redirect, i), &f->in);
		break;
	default:
		break;
	}
}

void flow_end(struct sh *s, TSNode at, struct flow *f, struct val *content, struct val *out)
{
	for (size_t i = 0; i < f->paths.n; i++) {
		const struct val *path = &f->paths.list[i];
		const struct val nothing = { 0 };

		shell_write(s, at, val_text(path), path->is_indirect ? ">>" : ">",
			    f->has_out ? content : &nothing);
	}
	if (!ts_node_is_null(f->process) && f->process.id)
		shell_run_children(s, f->process, content, NULL);
	if (f->broken_tail.len)
		shell_code(s, at, &f->broken_tail, content, out);
	if (f->tail.id) {
		bool was_piped = s->is_piped;

		s->is_piped |= shell_kind(f->tail) == SH_pipeline;
		shell_run(s, f->tail, shell_kind(f->tail) == SH_pipeline ? content : NULL, out);
		s->is_piped = was_piped;
	} else if (out && !f->has_out) {
		val_join(s, out, content);
	}
}

/* LAST_IN: what the last command reads instead of the pipe ("a | b <<END"), or NULL. */
void shell_pipeline(struct sh *s, TSNode n, const struct val *in, const struct val *last_in, struct val *out)
{
	TSTreeCursor c = ts_tree_cursor_new(n);
	bool was_piped = s->is_piped, has_in = in != NULL;
	struct val between = { 0 };
	TSNode stage = { 0 };

	if (in)
		val_join(s, &between, in);
	if (ts_tree_cursor_goto_first_child(&c)) {
		bool is_more = true;

		while (is_more) {
			struct val next = { 0 };

			stage = ts_tree_cursor_current_node(&c);
			do
				is_more = ts_tree_cursor_goto_next_sibling(&c);
			while (is_more && !ts_node_is_named(ts_tree_cursor_current_node(&c)));
			if (!ts_node_is_named(stage))
				continue;
			s->is_piped |= is_more;
			shell_run(s, stage, !is_more && last_in ? last_in : has_in ? &between : NULL, &next);
			val_finish(&between);
			between = next;
			has_in = true;
		}
	}
	ts_tree_cursor_delete(&c);
	if (out)
		val_join(s, out, &between);
	val_finish(&between);
	s->is_piped = was_piped;
}
