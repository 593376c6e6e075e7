/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shell statements in order: both sides of an if, each round of a short loop, functions where they are
 * called.
 */
#include "scan/shell/shell.h"

#include <stdlib.h>

enum sh_kind shell_kind(TSNode n)
{
	static unsigned char kinds[1024];
	static bool is_made;
	static const char *const names[] = { "",
#define X(name) #name,
					     SH_KINDS(X)
#undef X
	};
	TSSymbol symbol = ts_node_is_null(n) ? (TSSymbol)-1 : ts_node_symbol(n);

	if (!is_made) {
		uint32_t count = ts_language_symbol_count(tree_sitter_bash());

		for (TSSymbol i = 0; i < count && i < sizeof(kinds); i++)
			for (unsigned int k = 1; k < SH_KINDS_COUNT; k++)
				if (ts_language_symbol_type(tree_sitter_bash(), i) == TSSymbolTypeRegular &&
				    !strcmp(ts_language_symbol_name(tree_sitter_bash(), i), names[k]))
					kinds[i] = (unsigned char)k;
		is_made = true;
	}
	return symbol < sizeof(kinds) ? (enum sh_kind)kinds[symbol] : SH_other;
}

struct fact shell_place(const struct sh *s, TSNode at)
{
	struct fact f = tree_fact(&s->src->tree, at, FACT_TEXT, NULL);

	if (!s->src->tree.outer) {
		f.line += s->src->row;
		f.end_line += s->src->row;
	}
	return f;
}

void shell_emit(struct sh *s, TSNode at, enum fact_kind kind, const char *name, bool is_indirect,
		const struct words *args, size_t first, const struct strlist *from)
{
	struct fact f = shell_place(s, at);

	f.kind = kind;
	f.name = name;
	if (is_indirect)
		f.flags |= FACT_INDIRECT;
	for (size_t i = first; args && i < args->n && i - first < FACT_MAX_ARGS; i++)
		strlist_add(&f.args, val_text(&args->list[i]));
	if (from)
		f.from = *from;
	facts_add(s->facts, &f);
	strlist_finish(&f.args);
}

static bool is_environment(const char *name)
{
	for (; *name; name++)
		if (*name >= 'a' && *name <= 'z')
			return false;
	return true;
}

static void put_element(struct sh *s, struct entry *e, size_t index, struct val *v)
{
	while (e->value.n < index && index < 256)
		words_add_text(s, &e->value, "");
	if (index < e->value.n) {
		val_finish(&e->value.list[index]);
		e->value.list[index] = *v;
	} else {
		words_add(&e->value, v);
	}
}

/* Variables whose text a shell, or git, runs some time later. */
static const char *const code_variables[] = { "PROMPT_COMMAND", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_EDITOR",
					      "GIT_ASKPASS" };

static void run_variable(struct sh *s, TSNode at, const char *name, const struct val *code)
{
	for (size_t i = 0; i < sizeof(code_variables) / sizeof(code_variables[0]); i++)
		if (!strcmp(name, code_variables[i]))
			shell_code(s, at, code, NULL, NULL);
}

/* A value under a condition does not replace the one before for good. */
static void forget(struct sh *s, struct entry *e)
{
	if (s->conditions && e->value.n && val_is_known(&e->value.list[0])) {
		words_finish(&e->other);
		e->other = e->value;
		e->value = (struct words){ 0 };
	} else {
		words_finish(&e->value);
		if (!s->conditions)
			words_finish(&e->other);
	}
}

static void tell_assigned(struct sh *s, TSNode n, const char *name, const struct words *w)
{
	scoped(drop_mem) char *variable = NULL;

	if (is_environment(name)) {
		if (asprintf(&variable, "$%s", name) >= 0)
			shell_emit(s, n, FACT_USE, variable, false, w, 0, w->n ? &w->list[0].from : NULL);
		if (w->n)
			run_variable(s, n, name, &w->list[0]);
	} else if (w->n && w->list[0].len >= 6 && val_is_known(&w->list[0])) {
		shell_emit(s, n, FACT_TEXT, val_text(&w->list[0]), false, NULL, 0, &w->list[0].from);
	}
}

/* Which element of E the node "name[index]" is; the next one when that cannot be told. */
static size_t index_of(struct sh *s, TSNode name_node, const struct entry *e)
{
	scoped(val_finish) struct val index = { 0 };

	if (!ts_node_is_null(tree_field(name_node, "index")))
		shell_expand_one(s, tree_field(name_node, "index"), &index);
	return strspn(val_text(&index), "0123456789") == index.len && index.len < 4
		       ? (size_t)atoi(val_text(&index))
		       : e->value.n;
}

/* name=value, name+=value, name[1]=value, name=(...) */
static void assign(struct sh *s, TSNode n)
{
	TSNode name_node = tree_field(n, "name"), value_node = tree_field(n, "value"),
	       op = ts_node_child(n, 1);
	bool is_element = shell_kind(name_node) == SH_subscript, is_more = tree_is(op, "+="),
	     has_value = !ts_node_is_null(value_node);
	scoped(words_finish) struct words w = { 0 };
	scoped(drop_mem) char *name =
		tree_text(&s->src->tree, is_element ? tree_field(name_node, "name") : name_node);
	struct entry *e;

	if (has_value && shell_kind(value_node) == SH_array) {
		shell_expand(s, value_node, &w);
	} else {
		struct val v = { 0 };

		if (has_value)
			shell_expand_one(s, value_node, &v);
		words_add(&w, &v);
	}
	if (!name || !(e = table_make(&s->vars, name)))
		return;
	tell_assigned(s, n, name, &w);
	if (is_element && w.n) {
		put_element(s, e, index_of(s, name_node, e), &w.list[0]);
		w.list[0] = (struct val){ 0 };
	} else if (is_more && shell_kind(value_node) != SH_array && e->value.n && w.n) {
		val_join(s, &e->value.list[0], &w.list[0]);
	} else {
		if (!is_more)
			forget(s, e);
		words_copy(s, &e->value, &w, 0);
	}
}

void shell_run_below(struct sh *s, TSNode n)
{
	struct tree_walk w;

	if (s->depth >= SH_MAX_DEPTH) {
		s->was_too_deep = true;
		return;
	}
	s->depth++;
	tree_walk_start(&w, &s->src->tree, n);
	while (tree_walk_next(&w)) {
		enum sh_kind kind = shell_kind(w.node);

		if (w.is_leaving || !w.depth)
			continue;
		if (kind == SH_command_substitution || kind == SH_process_substitution ||
		    kind == SH_command) {
			w.skip = true;
			if (kind == SH_command)
				shell_run(s, w.node, NULL, NULL);
			else
				shell_run_children(s, w.node, NULL, NULL);
		}
	}
	tree_walk_finish(&w);
	s->depth--;
}

void shell_run_children(struct sh *s, TSNode n, const struct val *in, struct val *out)
{
	TSTreeCursor c = ts_tree_cursor_new(n);
	bool was_background = s->is_background, is_more = ts_tree_cursor_goto_first_child(&c);
	enum sh_kind of = shell_kind(n);

	while (is_more && !s->is_late) {
		TSNode child = ts_tree_cursor_current_node(&c);
		const char *next = "";

		is_more = ts_tree_cursor_goto_next_sibling(&c);
		if (is_more)
			next = ts_node_type(ts_tree_cursor_current_node(&c));
		if (!ts_node_is_named(child))
			continue;
		s->is_background = was_background || !strcmp(next, "&");
		if (of == SH_command_substitution && shell_kind(child) == SH_file_redirect) { /* $(<file) */
			struct flow f = { 0 };

			flow_add(s, child, &f);
			if (out)
				val_join(s, out, &f.in);
			flow_finish(&f);
		} else {
			shell_run(s, child, in, out);
		}
	}
	s->is_background = was_background;
	ts_tree_cursor_delete(&c);
}

void shell_call(struct sh *s, TSNode at, struct entry *f, const struct words *words, const struct val *in,
		struct val *out)
{
	struct words params = { 0 }, before = s->params;
	struct source *src = s->src;
	bool was_repeating = s->is_repeating, was_piped = s->is_piped, was_background = s->is_background;

	if (f->is_active) {
		/* It starts itself, and does not wait for it: each of them does so again. */
		if (s->is_piped || s->is_background)
			shell_emit(s, at, FACT_CALL, "shell.fork-bomb", false, words, 0, NULL);
		return;
	}
	if (words)
		words_copy(s, &params, words, 1);
	s->params = params;
	s->src = f->src;
	s->is_repeating |= f->was_called;
	s->is_piped = s->is_background = false;
	f->is_active = f->was_called = true;
	shell_run(s, f->body, in, out);
	f->is_active = false;
	s->is_piped = was_piped;
	s->is_background = was_background;
	s->is_repeating = was_repeating;
	s->src = src;
	words_finish(&s->params);
	s->params = before;
}

static void run_redirected(struct sh *s, TSNode n, const struct val *in, struct val *out)
{
	scoped(flow_finish) struct flow f = { 0 };
	scoped(val_finish) struct val content = { 0 };
	TSNode body = tree_field(n, "body");
	uint32_t count = ts_node_named_child_count(n);

	for (uint32_t i = 0; i < count && i < 256; i++)
		if (!ts_node_eq(ts_node_named_child(n, i), body))
			flow_add(s, ts_node_named_child(n, i), &f);
	if (!ts_node_is_null(body)) {
		if (shell_kind(body) == SH_pipeline)
			shell_pipeline(s, body, in, f.has_in ? &f.in : NULL, &content);
		else
			shell_run(s, body, f.has_in ? &f.in : in, &content);
	} else if (f.has_in) {
		val_join(s, &content, &f.in);
	}
	flow_end(s, n, &f, &content, out);
}

static void run_command_once(struct sh *s, TSNode n, const struct val *in, struct val *out)
{
	TSTreeCursor c = ts_tree_cursor_new(n);
	scoped(words_finish) struct words words = { 0 };
	scoped(flow_finish) struct flow f = { 0 };
	scoped(val_finish) struct val content = { 0 };
	TSNode at = n;

	if (ts_tree_cursor_goto_first_child(&c))
		do {
			TSNode child = ts_tree_cursor_current_node(&c);

			switch ((unsigned int)shell_kind(child)) {
			case SH_variable_assignment:
				assign(s, child);
				break;
			case SH_file_redirect:
			case SH_herestring_redirect:
			case SH_heredoc_redirect:
				flow_add(s, child, &f);
				break;
			case SH_comment:
				break;
			case SH_subshell:
				shell_run(s, child, NULL, NULL);
				break;
			case SH_command_name:
				/* The grammar takes assignments of the lines before for its own. */
				if (ts_node_start_point(child).row > ts_node_start_point(n).row)
					at = child;
				shell_expand(s, child, &words);
				break;
			default:
				shell_expand(s, child, &words);
			}
		} while (ts_tree_cursor_goto_next_sibling(&c) && words.n < SH_MAX_WORDS);
	ts_tree_cursor_delete(&c);
	if (words.n)
		shell_command(s, at, &words, f.has_in ? &f.in : in, &content);
	flow_end(s, at, &f, &content, out);
}

/* Once more with the other values of its variables, if there are: c=rm; [ "$X" ] && c=echo; $c */
static void run_command(struct sh *s, TSNode n, const struct val *in, struct val *out)
{
	bool had_other = s->has_other, was_repeating = s->is_repeating;

	s->has_other = false;
	run_command_once(s, n, in, out);
	if (s->has_other && !s->is_otherwise) {
		s->is_otherwise = s->is_repeating = true;
		run_command_once(s, n, in, NULL);
		s->is_otherwise = false;
		s->is_repeating = was_repeating;
	}
	s->has_other = had_other;
}

/* export, local, declare, readonly; unset */
static void run_declaration(struct sh *s, TSNode n)
{
	scoped(words_finish) struct words words = { 0 };
	uint32_t count = ts_node_child_count(n);

	for (uint32_t i = 0; i < count && i < 1024; i++) {
		TSNode child = ts_node_child(n, i);

		if (shell_kind(child) == SH_variable_assignment)
			assign(s, child);
		shell_expand(s, child, &words);
	}
	for (size_t i = 1; i < words.n && shell_kind(n) == SH_unset_command; i++) {
		struct entry *e = table_find(&s->functions, val_text(&words.list[i]));

		if (e)
			e->is_maybe = true;
	}
	if (words.n)
		shell_emit(s, n, FACT_COMMAND, val_text(&words.list[0]), false, &words, 1, NULL);
}

static void run_round(struct sh *s, const char *name, struct val *value, TSNode body, const struct val *in,
		      struct val *out)
{
	table_set(s, &s->vars, name, value);
	if (!ts_node_is_null(body))
		shell_run(s, body, in, out);
}

static void run_for(struct sh *s, TSNode n, const struct val *in, struct val *out)
{
	TSNode body = tree_field(n, "body");
	scoped(drop_mem) char *name = tree_text(&s->src->tree, tree_field(n, "variable"));
	scoped(words_finish) struct words values = { 0 };
	uint32_t count = ts_node_child_count(n);
	bool was_repeating = s->is_repeating, has_values = false;
	struct val rest = { 0 };

	for (uint32_t i = 0; i < count && i < 4096; i++) {
		const char *field = ts_node_field_name_for_child(n, i);

		if (field && !strcmp(field, "value")) {
			has_values = true;
			shell_expand(s, ts_node_child(n, i), &values);
		}
	}
	if (!has_values)
		shell_param(s, "@", &values);
	if (!name)
		return;
	for (size_t i = 0; i < values.n; i++) {
		if (i < SH_MAX_ROUNDS && s->repeats < SH_MAX_REPEATS) {
			run_round(s, name, &values.list[i], body, in, out);
			s->is_repeating = true;
		} else {
			val_add(s, &rest, " ", rest.len ? 1 : 0);
			val_join(s, &rest, &values.list[i]);
		}
	}
	/* All that are left in one round: unquoted they are many words again. */
	if (!values.n || rest.len) {
		if (!values.n)
			val_set_unknown(s, &rest);
		run_round(s, name, &rest, body, in, out);
	}
	val_finish(&rest);
	s->is_repeating = was_repeating;
}

static void define(struct sh *s, TSNode n)
{
	scoped(drop_mem) char *name = tree_text(&s->src->tree, tree_field(n, "name"));
	TSNode body = tree_field(n, "body");
	struct entry *e = name && !ts_node_is_null(body) ? table_make(&s->functions, name) : NULL;

	if (!e || e->is_active)
		return;
	e->is_maybe = s->conditions > 0;
	if (e->src && !e->was_called) /* defined again, unused: somebody may still mean the first */
		shell_call(s, n, e, NULL, NULL, NULL);
	e->src = s->src;
	e->body = body;
	e->was_called = false;
}

static void run_subshell(struct sh *s, TSNode n, const struct val *in, struct val *out)
{
	char *cwd = s->cwd ? strdup(s->cwd) : NULL;

	s->conditions++; /* what is set in there is gone afterwards */
	shell_run_children(s, n, in, out);
	s->conditions--;
	free(s->cwd);
	s->cwd = cwd;
}

static void run_conditional(struct sh *s, TSNode n, const struct val *in, struct val *out)
{
	s->conditions++;
	shell_run_children(s, n, in, out);
	s->conditions--;
}

/* A loop whose "read" takes one line of a known text in each round. */
static void run_while(struct sh *s, TSNode n, const struct val *in, struct val *out)
{
	bool was_repeating = s->is_repeating;
	size_t rounds = 1, before = s->round;

	for (const char *p = in && val_is_known(in) ? val_text(in) : ""; *p && rounds < SH_MAX_ROUNDS; p++)
		rounds += *p == '\n' && p[1];
	for (s->round = 0; s->round < rounds && (!s->round || s->repeats < SH_MAX_REPEATS); s->round++) {
		run_conditional(s, n, in, out);
		s->is_repeating = true;
	}
	s->round = before;
	s->is_repeating = was_repeating;
}

static void run_one(struct sh *s, TSNode n, const struct val *in, struct val *out)
{
	switch ((unsigned int)shell_kind(n)) {
	case SH_command:
		run_command(s, n, in, out);
		break;
	case SH_pipeline:
		shell_pipeline(s, n, in, NULL, out);
		break;
	case SH_redirected_statement:
		run_redirected(s, n, in, out);
		break;
	case SH_subshell:
		run_subshell(s, n, in, out);
		break;
	case SH_variable_assignment:
		assign(s, n);
		break;
	case SH_declaration_command:
	case SH_unset_command:
		run_declaration(s, n);
		break;
	case SH_function_definition:
		define(s, n);
		break;
	case SH_for_statement:
		run_for(s, n, in, out);
		break;
	case SH_while_statement:
		run_while(s, n, in, out);
		break;
	case SH_if_statement:
	case SH_case_statement:
	case SH_list:
		run_conditional(s, n, in, out);
		break;
	case SH_comment:
	case SH_word:
	case SH_number:
	case SH_variable_name:
	case SH_raw_string:
		break;
	case SH_test_command:
	case SH_string:
	case SH_concatenation:
	case SH_expansion:
	case SH_arithmetic_expansion:
		shell_run_below(s, n);
		break;
	default:
		shell_run_children(s, n, in, out);
	}
}

void shell_run(struct sh *s, TSNode n, const struct val *in, struct val *out)
{
	if (s->is_late || ts_node_is_null(n))
		return;
	if (s->depth >= SH_MAX_DEPTH) {
		s->was_too_deep = true;
		return;
	}
	if (++s->steps % 64 == 0 && tree_late(&s->src->tree))
		s->is_late = true;
	s->depth++;
	run_one(s, n, in, out);
	s->depth--;
}
