/* SPDX-License-Identifier: Apache-2.0 */
/* The value of a shell word: quotes, variables, ${...}, $(...), braces, as far as known. */
#include "base/str.h"
#include "scan/shell/shell.h"

#include <fnmatch.h>
#include <stdlib.h>

struct builder {
	struct sh *s;
	struct words *out;
	struct val cur;
	bool is_open, has_brace;
	unsigned int quotes;
};

static void put(struct builder *b, const char *text, size_t len)
{
	val_add(b->s, &b->cur, text, len);
	b->is_open = true;
}

static void close_word(struct builder *b)
{
	if (b->is_open)
		words_add(b->out, &b->cur);
	val_finish(&b->cur);
	b->is_open = false;
}

/* Outside of quotes a value falls apart at its spaces. */
static void put_value(struct builder *b, const struct val *v)
{
	const char *p = val_text(v);

	b->cur.is_indirect = true;
	val_take_from(&b->cur, &v->from);
	if (b->quotes) {
		put(b, p, v->len);
		return;
	}
	while (*p) {
		size_t n = strcspn(p, " \t\n");

		if (n) {
			put(b, p, n);
			b->cur.is_indirect = true;
			val_take_from(&b->cur, &v->from);
		}
		p += n;
		if (*p)
			close_word(b);
		p += strspn(p, " \t\n");
	}
}

/* Of arrays and "$@": each a word of its own, the first and last joined with what is beside. */
static void put_words(struct builder *b, const struct words *w, bool is_apart)
{
	for (size_t i = 0; i < w->n; i++) {
		if (i && is_apart)
			close_word(b);
		else if (i)
			put(b, " ", 1);
		put_value(b, &w->list[i]);
	}
}

static void put_unescaped(struct builder *b, const char *text, size_t len, bool is_quoted)
{
	size_t start = 0;

	for (size_t i = 0; i < len; i++) {
		bool is_escape =
			text[i] == '\\' && i + 1 < len && (!is_quoted || strchr("$`\"\\\n", text[i + 1]));

		if (text[i] == SH_BRACE)
			b->has_brace = true;
		if (!is_escape && text[i] != SH_SKIP)
			continue;
		put(b, text + start, i - start);
		start = i + 1;
		b->cur.is_indirect |= text[i] == SH_SKIP;
		if (is_escape && text[++i] == '\n')
			start = i + 1;
	}
	put(b, text + start, len - start);
}

static const struct {
	const char *name, *text;
} given[] = {
	{ "HOME", "~" },         { "IFS", " " }, { "SHELL", "/bin/bash" },
	{ "BASH", "/bin/bash" }, { "0", "$0" },  { "HISTFILE", "~/.bash_history" },
	{ "BASH_SOURCE", "$0" },
};

/* 1 to 999; 0: it is another parameter. */
static size_t parameter_number(const char *name)
{
	return *name >= '1' && *name <= '9' && strlen(name) < 4 ? (size_t)atoi(name) : 0;
}

void shell_param(struct sh *s, const char *name, struct words *ret)
{
	struct entry *e = table_find(&s->vars, name);
	const char *text = FACT_NOT_KNOWN;
	size_t number = parameter_number(name);

	if (s->params.n && str_is_one_of(name, "@|*")) {
		words_copy(s, ret, &s->params, 0);
		return;
	}
	if (number && number <= s->params.n) {
		words_add_copy(s, ret, &s->params.list[number - 1]);
		return;
	}
	if (e && e->value.n) {
		s->has_other |= e->other.n > 0;
		words_copy(s, ret, s->is_otherwise && e->other.n ? &e->other : &e->value, 0);
		return;
	}
	for (size_t i = 0; !e && i < sizeof(given) / sizeof(given[0]); i++)
		if (!strcmp(given[i].name, name))
			text = given[i].text;
	if (!strcmp(name, "PWD"))
		text = s->cwd ? s->cwd : ".";
	words_add_text(s, ret, text);
}

static void put_node(struct builder *b, TSNode n);

static void put_children(struct builder *b, TSNode n)
{
	TSTreeCursor c = ts_tree_cursor_new(n);

	if (ts_tree_cursor_goto_first_child(&c))
		do
			put_node(b, ts_tree_cursor_current_node(&c));
		while (ts_tree_cursor_goto_next_sibling(&c));
	ts_tree_cursor_delete(&c);
}

/* Between children there are bytes the grammar gives to none of them. */
static void put_with_gaps(struct builder *b, TSNode n, uint32_t start, uint32_t end)
{
	TSTreeCursor c = ts_tree_cursor_new(n);
	const char *text = b->s->src->tree.text;
	uint32_t at = start;

	if (ts_tree_cursor_goto_first_child(&c))
		do {
			TSNode child = ts_tree_cursor_current_node(&c);
			uint32_t from = ts_node_start_byte(child), to = ts_node_end_byte(child);

			if (!ts_node_is_named(child) || from < at || to > end || from == to)
				continue;
			if (from > at)
				put_unescaped(b, text + at, from - at, true);
			put_node(b, child);
			at = to;
		} while (ts_tree_cursor_goto_next_sibling(&c));
	ts_tree_cursor_delete(&c);
	if (end > at)
		put_unescaped(b, text + at, end - at, true);
}

static void put_string(struct builder *b, TSNode n)
{
	uint32_t start = ts_node_start_byte(n) + 1, end = ts_node_end_byte(n);

	b->quotes++;
	b->is_open = true;
	if (end > start && b->s->src->tree.text[end - 1] == '"')
		end--;
	if (end >= start)
		put_with_gaps(b, n, start, end);
	b->quotes--;
}

static void put_substitution(struct builder *b, TSNode n)
{
	scoped(val_finish) struct val out = { 0 };
	char *cwd = b->s->cwd ? strdup(b->s->cwd) : NULL;

	shell_run_children(b->s, n, NULL, &out);
	free(b->s->cwd);
	b->s->cwd = cwd;
	while (out.len && out.text[out.len - 1] == '\n')
		out.text[--out.len] = '\0';
	put_value(b, &out);
}

/* <(...) is a file of its own; what is in it is kept under that name. */
static void put_process(struct builder *b, TSNode n)
{
	struct sh *s = b->s;
	struct val out = { 0 };
	char name[32];

	shell_run_children(s, n, NULL, &out);
	snprintf(name, sizeof(name), "/dev/fd/%zu", 63 + s->n_fds++);
	val_take_from(&b->cur, &out.from);
	put(b, name, strlen(name));
	table_set(s, &s->files, name, &out);
}

struct expansion {
	char name[128];
	const char *rest, *op; /* within the text: behind the name, behind its index */
	size_t rest_len, op_len;
	bool is_indirect, is_length, is_all;
	size_t index;
	TSNode operand, last; /* the first and the last node behind the operator */
};

static bool is_name_byte(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* "[...]" behind a name: how many bytes it takes. */
static size_t parse_index(const char *text, size_t len, struct expansion *x)
{
	size_t i = 1;

	x->is_all = len > 1 && (text[1] == '@' || text[1] == '*');
	for (; i < len && text[i] >= '0' && text[i] <= '9' && x->index < SH_MAX_WORDS; i++)
		x->index = x->index * 10 + (size_t)(text[i] - '0');
	while (i < len && text[i] != ']')
		i++;
	return i + (i < len);
}

/* By its bytes: "${", "!" or "#", a name, "[...]", an operator, the rest up to "}". */
static bool parse_expansion(const char *text, size_t len, struct expansion *x)
{
	size_t i = 2, n = 0;

	if (len < 4 || text[len - 1] != '}')
		return false;
	len--;
	if ((text[i] == '!' || text[i] == '#') && i + 1 < len)
		*(text[i] == '!' ? &x->is_indirect : &x->is_length) = true, i++;
	while (i < len && n + 1 < sizeof(x->name) && is_name_byte(text[i]))
		x->name[n++] = text[i++];
	if (!n && i < len && strchr("@*#?$!-", text[i]))
		x->name[n++] = text[i++];
	x->rest = text + i;
	x->rest_len = len - i;
	if (i < len && text[i] == '[')
		i += parse_index(text + i, len - i, x);
	else
		x->is_all = str_is_one_of_n(x->name, n, "@|*");
	x->op = text + i;
	x->op_len = len - i;
	return n > 0;
}

static bool has_op(const struct expansion *x, const char *op)
{
	return x->op_len >= strlen(op) && !memcmp(x->op, op, strlen(op));
}

/* ${x:2:3} */
static long clamp(long n, long most)
{
	return n < 0 ? 0 : n > most ? most : n;
}

/* ${x:2:3} */
static void cut(struct sh *s, const struct expansion *x, const struct val *v, struct val *ret)
{
	char spec[64] = "", *end;
	long start, len = (long)v->len, n = len;

	memcpy(spec, x->op + 1, x->op_len - 1 < sizeof(spec) - 1 ? x->op_len - 1 : sizeof(spec) - 1);
	for (char *p = spec; *p; p++)
		if (*p == '(' || *p == ')')
			*p = ' ';
	start = strtol(spec, &end, 10);
	end += strspn(end, " ");
	if (end == spec || (*end && *end != ':') || !val_is_known(v)) {
		val_set_unknown(s, ret);
		return;
	}
	start = clamp(start < 0 ? start + len : start, len);
	if (*end == ':')
		n = strtol(end + 1, NULL, 10);
	n = clamp(n < 0 ? len + n - start : n, len - start);
	val_add(s, ret, val_text(v) + start, (size_t)n);
}

/* What is to be replaced, from START in the operator on, without its quotes: where it ends. */
static size_t take_pattern(struct sh *s, const struct expansion *x, size_t start, struct val *ret)
{
	size_t i = start;

	while (i < x->op_len && x->op[i] != '/')
		i += x->op[i] == '\\' && i + 1 < x->op_len ? 2 : 1;
	for (size_t k = start; k < i && k < x->op_len; k++)
		if (x->op[k] != '\\' && x->op[k] != '\'' && x->op[k] != '"' && x->op[k] != SH_SKIP)
			val_add(s, ret, &x->op[k], 1);
	return i;
}

/* ${x/a/b}, ${x//a/b}: plain texts and patterns of one length at each place. */
static void replace(struct sh *s, const struct expansion *x, const struct val *v, struct val *ret)
{
	scoped(val_finish) struct val old = { 0 }, new = { 0 };
	bool is_every = has_op(x, "//");
	const char *p = val_text(v), *hit = NULL;
	size_t i = take_pattern(s, x, is_every ? 2 : 1, &old);

	if (i + 1 < x->op_len && !ts_node_is_null(x->last))
		shell_expand_one(s, x->last, &new);
	if (!old.len || !val_is_known(v) || strpbrk(old.text, "*?[$")) {
		val_set_unknown(s, ret);
		return;
	}
	while ((is_every || !hit) && (hit = strstr(p, old.text)) != NULL) {
		val_add(s, ret, p, (size_t)(hit - p));
		val_join(s, ret, &new);
		p = hit + old.len;
	}
	val_add(s, ret, p, strlen(p));
}

/* ${x#pattern}, ${x%pattern} and their greedy ones. */
static void trim(struct sh *s, const struct expansion *x, const struct val *v, struct val *ret)
{
	bool is_front = x->op[0] == '#', is_greedy = x->op_len > 1 && x->op[1] == x->op[0];
	scoped(val_finish) struct val pattern = { 0 }, part = { 0 };

	val_add(s, &pattern, x->op + 1 + is_greedy, x->op_len - 1 - is_greedy);
	if (!val_is_known(v) || v->len > 512 || strpbrk(val_text(&pattern), "$'\"")) {
		val_set_unknown(s, ret);
		return;
	}
	for (size_t i = 0; i <= v->len; i++) {
		size_t n = is_greedy ? v->len - i : i; /* how much goes */
		size_t at = is_front ? 0 : v->len - n;

		val_finish(&part);
		val_add(s, &part, val_text(v) + at, n);
		if (!fnmatch(val_text(&pattern), val_text(&part), 0)) {
			val_add(s, ret, val_text(v) + (is_front ? n : 0), v->len - n);
			return;
		}
	}
	val_join(s, ret, v);
}

static void change_case(struct sh *s, const struct expansion *x, const struct val *v, struct val *ret)
{
	bool is_every = x->op_len > 1;

	val_join(s, ret, v);
	for (size_t i = 0; i < ret->len && (is_every || !i); i++) {
		char c = ret->text[i];

		if (x->op[0] == '^' ? c >= 'a' && c <= 'z' : c >= 'A' && c <= 'Z')
			ret->text[i] = (char)(c ^ 32);
	}
}

/* ${x-other}, ${x:=other} */
static void take_other(struct sh *s, const struct expansion *x, const struct val *v, struct val *ret,
		       bool is_kept)
{
	scoped(val_finish) struct val other = { 0 };
	bool is_set = val_is_known(v) && v->len;

	if (!ts_node_is_null(x->operand))
		shell_expand_one(s, x->operand, &other);
	val_join(s, ret, is_set || !other.len ? v : &other);
	if (is_kept && other.len && !is_set)
		table_set(s, &s->vars, x->name, &other);
}

static void transform(struct sh *s, const struct expansion *x, const struct val *v, struct val *ret)
{
	size_t colon = has_op(x, ":") && x->op_len > 1 && strchr("-=+?", x->op[1]) ? 1 : 0;
	char op = x->op_len > colon ? x->op[colon] : '\0';

	val_take_from(ret, &v->from);
	switch (op) {
	case '-':
	case '=':
		take_other(s, x, v, ret, op == '=');
		break;
	case '+':
		if (!ts_node_is_null(x->operand))
			shell_expand_one(s, x->operand, ret);
		break;
	case ':':
		cut(s, x, v, ret);
		break;
	case '/':
		replace(s, x, v, ret);
		break;
	case '#':
	case '%':
		trim(s, x, v, ret);
		break;
	case '^':
	case ',':
		change_case(s, x, v, ret);
		break;
	default:
		val_join(s, ret, v);
	}
}

static void find_operands(TSNode n, struct expansion *x)
{
	uint32_t count = ts_node_child_count(n);
	bool is_behind = false;

	for (uint32_t i = 0; i < count && i < 64; i++) {
		TSNode child = ts_node_child(n, i);
		const char *field = ts_node_field_name_for_child(n, i);

		if (field && !strcmp(field, "operator")) {
			is_behind = !(x->is_indirect || x->is_length) || i > 1;
		} else if (is_behind && ts_node_is_named(child)) {
			if (ts_node_is_null(x->operand))
				x->operand = child;
			x->last = child;
		}
	}
}

/* Inside of quotes the grammar gives the spaces before an expansion to the expansion. */
static const char *bytes_of(struct builder *b, TSNode n, size_t *ret_len)
{
	const char *text = tree_bytes(&b->s->src->tree, n, ret_len);
	size_t spaces = 0;

	while (spaces < *ret_len && strchr(" \t\n", text[spaces]))
		spaces++;
	put(b, text, spaces);
	*ret_len -= spaces;
	return text + spaces;
}

/* Patterns and indexes are plain text to the grammar, but bash runs the commands in them. */
static void run_rest(struct sh *s, TSNode at, const struct expansion *x)
{
	scoped(val_finish) struct val code = { 0 };
	size_t colon = x->op_len && x->op[0] == ':';

	if (!memmem(x->rest, x->rest_len, "$(", 2) && !memchr(x->rest, '`', x->rest_len))
		return;
	if (x->rest == x->op && x->op_len > colon && strchr("-=+", x->op[colon]))
		return; /* those are in the tree */
	val_add(s, &code, ": \"", 3);
	val_add(s, &code, x->rest, x->rest_len);
	val_add(s, &code, "\"", 1);
	shell_code(s, at, &code, NULL, NULL);
}

static void put_expansion(struct builder *b, TSNode n)
{
	struct sh *s = b->s;
	struct expansion x = { 0 };
	scoped(words_finish) struct words w = { 0 };
	size_t len;
	const char *text = bytes_of(b, n, &len);

	b->is_open |= b->quotes > 0;
	if (!parse_expansion(text, len, &x)) {
		put(b, FACT_NOT_KNOWN, 1);
		shell_run_below(s, n);
		return;
	}
	find_operands(n, &x);
	run_rest(s, n, &x);
	shell_param(s, x.name, &w);
	if (x.is_indirect && w.n && val_is_known(&w.list[0])) {
		scoped(words_finish) struct words target = { 0 };

		shell_param(s, val_text(&w.list[0]), &target);
		words_finish(&w);
		words_copy(s, &w, &target, 0);
	}
	if (x.is_length) {
		put(b, FACT_NOT_KNOWN, 1);
	} else if (x.is_all && !x.op_len) {
		put_words(b, &w, true);
	} else {
		scoped(val_finish) struct val v = { 0 };

		if (x.index < w.n)
			transform(s, &x, &w.list[x.index], &v);
		put_value(b, &v);
	}
}

static void put_simple(struct builder *b, TSNode n)
{
	scoped(words_finish) struct words w = { 0 };
	size_t len;
	const char *text = bytes_of(b, n, &len);
	char name[128];

	snprintf(name, sizeof(name), "%.*s", len > 1 ? (int)(len - 1 < 127 ? len - 1 : 127) : 0, text + 1);
	shell_param(b->s, name, &w);
	b->is_open |= b->quotes > 0 && strcmp(name, "@") != 0;
	if (str_is_one_of(name, "@|*")) {
		put_words(b, &w, true);
		return;
	}
	/* $array is its first. */
	if (w.n)
		put_value(b, &w.list[0]);
}

static void put_node(struct builder *b, TSNode n)
{
	struct sh *s = b->s;
	size_t len;
	const char *text = tree_bytes(&s->src->tree, n, &len);

	if (s->depth >= SH_MAX_DEPTH) {
		s->was_too_deep = true;
		put(b, FACT_NOT_KNOWN, 1);
		return;
	}
	s->depth++;
	switch ((unsigned int)shell_kind(n)) {
	case SH_raw_string:
		put(b, text + 1, len >= 2 ? len - 2 : 0);
		b->cur.is_indirect |= len == 2;
		break;
	case SH_ansi_c_string:
		b->cur.is_indirect = true;
		b->is_open = true;
		if (len >= 3)
			shell_unescape(s, &b->cur, text + 2, len - 3);
		break;
	case SH_string:
		put_string(b, n);
		break;
	case SH_concatenation:
	case SH_command_name:
	case SH_translated_string:
		put_children(b, n);
		break;
	case SH_simple_expansion:
		put_simple(b, n);
		break;
	case SH_expansion:
		put_expansion(b, n);
		break;
	case SH_command_substitution:
		put_substitution(b, n);
		break;
	case SH_process_substitution:
		put_process(b, n);
		break;
	case SH_arithmetic_expansion:
		shell_run_below(s, n);
		put(b, FACT_NOT_KNOWN, 1);
		break;
	case SH_array:
		put_children(b, n);
		break;
	case SH_string_content:
		put_unescaped(b, text, len, true);
		break;
	default:
		put_unescaped(b, text, len, b->quotes > 0);
	}
	s->depth--;
}

/* The end of the part that begins at P, between braces: a comma of this pair, or its end. */
static const char *brace_part_end(const char *p)
{
	size_t depth = 0;

	for (; *p && (depth || (*p != ',' && *p != SH_ECARB)); p++) {
		if (*p == SH_BRACE)
			depth++;
		else if (*p == SH_ECARB)
			depth--;
	}
	return p;
}

/* a{b,c}d: the first pair, again and again until none is left. */
static void put_braces(struct sh *s, struct val *v, struct words *ret)
{
	scoped(words_finish) struct words todo = { 0 };
	size_t rounds = 0;

	words_add(&todo, v);
	for (size_t i = 0; i < todo.n; i++) {
		const char *text = val_text(&todo.list[i]), *start = strchr(text, SH_BRACE), *end = start, *p;

		do
			end = end ? brace_part_end(end + 1) : NULL;
		while (end && *end == ',');
		if (!end || !*end || rounds++ > 256) {
			words_add_copy(s, ret, &todo.list[i]);
			continue;
		}
		for (p = start + 1; p <= end; p++) {
			const char *stop = brace_part_end(p);
			struct val one = { .is_indirect = true };

			val_add(s, &one, text, (size_t)(start - text));
			val_add(s, &one, p, (size_t)(stop - p));
			val_add(s, &one, end + 1, strlen(end + 1));
			words_add(todo.n < 512 ? &todo : ret, &one); /* moves the list, not the texts */
			p = stop;
		}
	}
}

void shell_expand(struct sh *s, TSNode n, struct words *ret)
{
	struct words out = { 0 };
	struct builder b = { .s = s, .out = &out };

	if (shell_kind(n) == SH_array) {
		TSTreeCursor c = ts_tree_cursor_new(n);

		if (ts_tree_cursor_goto_first_child(&c))
			do {
				TSNode child = ts_tree_cursor_current_node(&c);

				if (ts_node_is_named(child))
					shell_expand(s, child, ret);
			} while (ts_tree_cursor_goto_next_sibling(&c));
		ts_tree_cursor_delete(&c);
		return;
	}
	put_node(&b, n);
	close_word(&b);
	for (size_t i = 0; i < out.n; i++) {
		if (b.has_brace && out.list[i].text && strchr(out.list[i].text, SH_BRACE))
			put_braces(s, &out.list[i], ret);
		else
			words_add(ret, &out.list[i]);
	}
	words_finish(&out);
}

void shell_expand_one(struct sh *s, TSNode n, struct val *ret)
{
	scoped(words_finish) struct words out = { 0 };
	struct builder b = { .s = s, .out = &out, .quotes = 1 };

	/* Quotes for what is expanded in it, not for the word itself. */
	if (shell_kind(n) == SH_word)
		put_unescaped(&b, s->src->tree.text + ts_node_start_byte(n),
			      ts_node_end_byte(n) - ts_node_start_byte(n), false);
	else
		put_node(&b, n);
	close_word(&b);
	for (size_t i = 0; i < out.n; i++) {
		if (i)
			val_add(s, ret, " ", 1);
		val_join(s, ret, &out.list[i]);
	}
	for (size_t i = 0; i < ret->len; i++) /* an assignment does not expand braces */
		if (ret->text[i] == SH_BRACE || ret->text[i] == SH_ECARB)
			ret->text[i] = ret->text[i] == SH_BRACE ? '{' : '}';
}

void shell_expand_heredoc(struct sh *s, TSNode body, bool is_raw, struct val *ret)
{
	scoped(words_finish) struct words out = { 0 };
	struct builder b = { .s = s, .out = &out, .quotes = 1 };
	uint32_t start = ts_node_start_byte(body), end = ts_node_end_byte(body);

	if (is_raw) {
		val_add(s, ret, s->src->tree.text + start, end - start);
		return;
	}
	put_with_gaps(&b, body, start, end);
	val_join(s, ret, &b.cur);
	val_finish(&b.cur);
}
