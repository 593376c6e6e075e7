/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prepares the text of a shell program before it is parsed: the grammar reads some of what bash understands
 * differently ({rm,-rf,/}, \r\m, 5<>file), and a program could hide behind that. Also splits the program into
 * lines, so that a part that is not shell does not affect the lines after it.
 */
#include "scan/shell/shell.h"

#define MAX_STACK   512u
#define MAX_PENDING 8u
#define MAX_BRACE   4096u

enum context { IN_CODE, IN_PAREN, IN_TICKS, IN_ARITHMETIC, IN_EXPANSION, IN_QUOTES };

struct heredoc {
	char end[64];
	bool is_indented;
};

struct lexer {
	char *text;
	size_t len, at, line_start;
	unsigned char stack[MAX_STACK];
	size_t n;
	struct heredoc pending[MAX_PENDING];
	size_t n_pending;
	bool is_word_start;
	size_t braces_until; /* up to here it is known that no brace expansion begins */
	sh_line_fn on_line;
	void *ctx;
};

static char peek(const struct lexer *l, size_t ahead)
{
	return l->at + ahead < l->len ? l->text[l->at + ahead] : '\0';
}

static enum context top(const struct lexer *l)
{
	return l->n ? (enum context)l->stack[l->n - 1] : IN_CODE;
}

static void push(struct lexer *l, enum context c)
{
	if (l->n < MAX_STACK)
		l->stack[l->n++] = (unsigned char)c;
}

static void pop(struct lexer *l)
{
	if (l->n)
		l->n--;
}

static void skip_raw(struct lexer *l, bool has_escapes)
{
	while (l->at < l->len && l->text[l->at] != '\'')
		l->at += has_escapes && l->text[l->at] == '\\' ? 2 : 1;
	l->at++;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static bool ends_word(char c)
{
	return is_space(c) || c == ';' || c == '|' || c == '&' || c == '(' || c == ')' || c == '<' ||
	       c == '>' || c == '\0';
}

/* Behind "<<". */
static void begin_heredoc(struct lexer *l)
{
	struct heredoc h = { 0 };
	size_t n = 0;
	char quote = '\0';

	if (peek(l, 0) == '-') {
		h.is_indented = true;
		l->at++;
	}
	while (peek(l, 0) == ' ' || peek(l, 0) == '\t')
		l->at++;
	for (; l->at < l->len; l->at++) {
		char c = l->text[l->at];

		if (quote ? c == quote : (c == '\'' || c == '"')) {
			quote = quote ? '\0' : c;
			continue;
		}
		if ((!quote && ends_word(c)) || c == '\n')
			break;
		if (c != '\\' && n + 1 < sizeof(h.end))
			h.end[n++] = c;
	}
	if (n && l->n_pending < MAX_PENDING)
		l->pending[l->n_pending++] = h;
}

/* At the start of a line: over the bodies of all here-documents that were begun on the one before. */
static void skip_heredocs(struct lexer *l)
{
	for (size_t i = 0; i < l->n_pending; i++) {
		const struct heredoc *h = &l->pending[i];
		size_t end_len = strlen(h->end);
		bool is_end = false;

		while (l->at < l->len && !is_end) {
			const char *line = l->text + l->at;
			const char *stop = memchr(line, '\n', l->len - l->at);
			size_t len = stop ? (size_t)(stop - line) : l->len - l->at;

			l->at += len + (stop ? 1 : 0);
			while (h->is_indented && len && *line == '\t') {
				line++;
				len--;
			}
			is_end = len == end_len && !memcmp(line, h->end, len);
		}
	}
	l->n_pending = 0;
}

static void end_line(struct lexer *l)
{
	l->at++;
	if (l->n_pending)
		skip_heredocs(l);
	if (!l->n) {
		if (l->on_line)
			l->on_line(l->ctx, l->line_start, l->at < l->len ? l->at : l->len);
		l->line_start = l->at;
	}
	l->is_word_start = true;
}

/* At "{": marks it and its end if bash would make words of it. */
static void mark_braces(struct lexer *l)
{
	size_t opens[32], n = 0, end = l->at;
	bool has_comma[32] = { false };
	char quote = '\0';

	if (l->at < l->braces_until)
		return;
	for (; end < l->len && end - l->at < MAX_BRACE; end++) {
		char c = l->text[end];

		if (quote ? c == quote : (c == '\'' || c == '"'))
			quote = quote ? '\0' : c;
		else if (quote)
			continue;
		else if (c == '$' && end + 1 < l->len && l->text[end + 1] == '{')
			break;
		else if (ends_word(c))
			break;
		else if (c == '{' && n < 32)
			has_comma[n] = false, opens[n++] = end;
		else if (c == ',' && n)
			has_comma[n - 1] = true;
		else if (c == '}' && n && has_comma[--n]) {
			l->text[opens[n]] = SH_BRACE;
			l->text[end] = SH_ECARB;
		}
	}
	l->braces_until = end;
}

static void read_dollar(struct lexer *l)
{
	bool is_quoted = top(l) == IN_QUOTES;
	char next = peek(l, 1);

	if (next == '(' && peek(l, 2) == '(') {
		push(l, IN_ARITHMETIC);
		l->at += 3;
	} else if (next == '(') {
		push(l, IN_PAREN);
		l->at += 2;
		l->is_word_start = true;
		return;
	} else if (next == '{') {
		push(l, IN_EXPANSION);
		l->at += 2;
	} else if (next == '\'' && !is_quoted) {
		l->at += 2;
		skip_raw(l, true);
	} else if (next == '"' && !is_quoted) {
		l->text[l->at++] = SH_SKIP;
	} else {
		l->at += next && !ends_word(next) && next != '"' && next != '`' && next != '\\' ? 2 : 1;
	}
	l->is_word_start = false;
}

static void read_ticks(struct lexer *l)
{
	size_t i = l->n;

	while (i && l->stack[i - 1] != IN_TICKS)
		i--;
	if (i)
		l->n = i - 1;
	else
		push(l, IN_TICKS);
	l->at++;
	l->is_word_start = !i;
}

static void read_backslash(struct lexer *l)
{
	char c = peek(l, 1);
	bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			c == '-' || c == '/' || c == '_' || c == '.' || c == '~';

	if (is_plain && top(l) != IN_QUOTES && top(l) != IN_EXPANSION)
		l->text[l->at] = SH_SKIP;
	l->at += 2;
	l->is_word_start = is_space(c);
}

static void read_angle(struct lexer *l)
{
	if (peek(l, 1) == '<' && peek(l, 2) == '<') {
		l->at += 3;
	} else if (peek(l, 1) == '<') {
		l->at += 2;
		begin_heredoc(l);
	} else if (peek(l, 1) == '>') {
		l->text[l->at] = '>';
		l->text[l->at + 1] = ' ';
		l->at += 2;
	} else {
		l->at++;
	}
	l->is_word_start = true;
}

static void read_code(struct lexer *l, char c)
{
	bool was_start = l->is_word_start;

	l->is_word_start = ends_word(c);
	switch (c) {
	case '\n':
		end_line(l);
		return;
	case '\'':
		l->at++;
		skip_raw(l, false);
		return;
	case '"':
		push(l, IN_QUOTES);
		break;
	case '#':
		if (was_start)
			while (l->at + 1 < l->len && l->text[l->at + 1] != '\n')
				l->at++;
		break;
	case '<':
		read_angle(l);
		return;
	case '(':
		if (peek(l, 1) == '(' && was_start) {
			push(l, IN_ARITHMETIC);
			l->at++;
		} else {
			push(l, IN_PAREN);
		}
		break;
	case ')':
		if (top(l) == IN_PAREN)
			pop(l);
		break;
	case '{':
		mark_braces(l);
		break;
	default:
		break;
	}
	l->at++;
}

static void read_inner(struct lexer *l, char c)
{
	enum context in = top(l);

	if (c == '"' && in == IN_QUOTES)
		pop(l);
	else if (c == '"')
		push(l, IN_QUOTES);
	else if (in == IN_EXPANSION && c == '}')
		pop(l);
	else if (in == IN_ARITHMETIC && c == '(')
		push(l, IN_PAREN);
	else if (in == IN_ARITHMETIC && c == ')')
		pop(l);
	l->at += in == IN_ARITHMETIC && c == ')' && peek(l, 1) == ')' ? 2 : 1;
	l->is_word_start = false;
}

static void clean(char *text, size_t len, bool is_nested)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\0' || (text[i] == '\r' && i + 1 < len && text[i + 1] == '\n'))
			text[i] = ' ';
		else if ((text[i] > '\0' && text[i] <= SH_SKIP) && !(is_nested && text[i] == SH_UNKNOWN))
			text[i] = '?';
	}
}

void shell_text_prepare(char *text, size_t len, bool is_nested, sh_line_fn on_line, void *ctx)
{
	struct lexer l = { .text = text, .len = len, .is_word_start = true, .on_line = on_line, .ctx = ctx };

	clean(text, len, is_nested);
	while (l.at < len) {
		char c = text[l.at];
		enum context in = top(&l);

		if (c == '\\')
			read_backslash(&l);
		else if (c == '$')
			read_dollar(&l);
		else if (c == '`')
			read_ticks(&l);
		else if (in == IN_CODE || in == IN_PAREN || in == IN_TICKS)
			read_code(&l, c);
		else
			read_inner(&l, c);
	}
	/* What was never closed is no reason to take the rest for one line. */
	while (on_line && l.line_start < len) {
		const char *stop = memchr(text + l.line_start, '\n', len - l.line_start);
		size_t end = stop ? (size_t)(stop - text) + 1 : len;

		on_line(ctx, l.line_start, end);
		l.line_start = end;
	}
}
