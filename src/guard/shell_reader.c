/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guard's reader of shell: lists, pipelines and simple commands, with words of known value. It reads only
 * what sh, bash and zsh read the same way. The reader of shell in scan/ knows much more and guesses the rest:
 * that is right for advice, and wrong for permission.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/scope.h"
#include "base/unicode.h"
#include "guard/syntax_tree.h"

struct reader {
	struct guard *g;
	const char *s;
	size_t len, at;
	unsigned int depth;
};

/* Under these names a command is told how to print, not what to do. */
static const char *const told[] = { "LANG",     "LANGUAGE",    "LC_ALL",      "LC_COLLATE",
				    "LC_CTYPE", "LC_MESSAGES", "LC_NUMERIC",  "LC_TIME",
				    "TZ",       "NO_COLOR",    "FORCE_COLOR", "CLICOLOR",
				    "COLUMNS",  "LINES",       "CI",          NULL };
/* Of these the value is no secret, though it is not looked at. */
static const char *const shown[] = {
	"PWD",           "USER",           "LOGNAME",        "SHELL",       "PATH",
	"LANG",          "LC_ALL",         "TERM",           "EDITOR",      "VISUAL",
	"PAGER",         "TMPDIR",         "HOSTNAME",       "VIRTUAL_ENV", "GOPATH",
	"GOROOT",        "JAVA_HOME",      "CARGO_HOME",     "NVM_DIR",     "XDG_CONFIG_HOME",
	"XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "DISPLAY",     "CI",
	"SHLVL",         "COLUMNS",        "LINES",          NULL
};

static bool in_list(const char *const *list, const char *name, size_t len)
{
	for (; *list; list++)
		if (strlen(*list) == len && !memcmp(*list, name, len))
			return true;
	return false;
}

struct guard_word *guard_word_add(struct guard_word **list, size_t *n)
{
	struct guard_word *grown = *list;

	if (*n >= GUARD_MAX_WORDS)
		return NULL;
	if (!(*n & (*n - 1)))
		grown = reallocarray(*list, *n ? *n * 2 : 1, sizeof(*grown));
	if (!grown)
		return NULL;
	*list = grown;
	grown[*n] = (struct guard_word){ 0 };
	return &grown[(*n)++];
}

struct guard_command *guard_tree_add(struct guard_tree *t)
{
	struct guard_command *grown = t->commands;

	if (t->n >= GUARD_MAX_COMMANDS)
		return NULL;
	if (!(t->n & (t->n - 1)))
		grown = reallocarray(t->commands, t->n ? t->n * 2 : 1, sizeof(*grown));
	if (!grown)
		return NULL;
	t->commands = grown;
	grown[t->n] = (struct guard_command){ .from = GUARD_NONE };
	return &grown[t->n++];
}

static void finish_words(struct guard_word *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(list[i].text);
		free(list[i].pattern);
	}
	free(list);
}

static void command_finish(struct guard_command *c)
{
	finish_words(c->words, c->n);
	finish_words(c->inputs, c->n_inputs);
}

void guard_tree_finish(struct guard_tree *t)
{
	for (size_t i = 0; i < t->n; i++)
		command_finish(&t->commands[i]);
	free(t->commands);
	*t = (struct guard_tree){ 0 };
}

static bool refuse(struct reader *r, size_t from, size_t len, const char *why)
{
	return guard_say(r->g, GUARD_LOOK, "reader", from, from + len <= r->len ? len : r->len - from, "%s",
			 why);
}

static char peek(const struct reader *r, size_t ahead)
{
	return r->at + ahead < r->len ? r->s[r->at + ahead] : '\0';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (!first && is_digit(c));
}

static bool ends_word(char c)
{
	return c == '\0' || is_blank(c) || (c && strchr("\n;&|<>()", c));
}

/* Letters and signs that show as what they are. Not those that are nothing, turn the direction, or are a
 * space. */
static bool is_plain(unsigned int c)
{
	static const unsigned int odd[] = { 0xad,   0x34f,  0x61c,  0x115f, 0x1160, 0x1680, 0x17b4,
					    0x17b5, 0x180b, 0x180c, 0x180d, 0x180e, 0x180f, 0x3164 };

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
		if (c == odd[i])
			return false;
	return (c > 0xa0 && c < 0x2000) || (c >= 0x2010 && c <= 0x2027) || (c >= 0x20a0 && c < 0x2c00) ||
	       (c > 0x3000 && c < 0xd800) || (c >= 0x1f300 && c < 0x1fb00);
}

/* The length of the character at AT, of more than one byte; 0: it is none, or not a plain one. */
static size_t wide(const char *s, size_t len, size_t at)
{
	size_t n = unicode_length(s + at, len - at);
	uint32_t code;

	if (n < 2)
		return 0;
	code = unicode_next(s + at, &n);
	return is_plain(code) ? n : 0;
}

static bool check_bytes(struct reader *r)
{
	for (size_t i = 0; i < r->len; i++) {
		unsigned char c = (unsigned char)r->s[i];
		size_t n = c >= 0x80 ? wide(r->s, r->len, i) : 1;

		if (c == 0x7f || (c < 0x20 && c != '\n' && c != '\t'))
			return refuse(r, i, 1, "it contains a control character");
		if (!n)
			return refuse(r, i, 1, "it contains a character that is not displayed as it is");
		i += n - 1;
	}
	return true;
}

/* A word that is being put together. */
struct making {
	struct buf text, pattern;
	bool is_pattern, quoted, unknown, split;
};

static void making_finish(struct making *m)
{
	buf_finish(&m->text);
	buf_finish(&m->pattern);
}

static void add(struct making *m, const char *s, size_t n, bool quoted)
{
	buf_add(&m->text, s, n);
	for (size_t i = 0; i < n; i++) {
		if (quoted && strchr("*?[]\\", s[i]))
			buf_add(&m->pattern, "\\", 1);
		buf_add(&m->pattern, s + i, 1);
	}
	m->quoted |= quoted;
}

static bool read_list(struct reader *r, char stop);

/* Behind "$(", up to its ")". */
static bool read_nested(struct reader *r)
{
	size_t start = r->at;

	if (peek(r, 0) == '(')
		return refuse(r, start, 1, "arithmetic is not supported");
	if (++r->depth > GUARD_MAX_DEPTH)
		return refuse(r, start, 1, "it is nested too deeply");
	if (!read_list(r, ')'))
		return false;
	r->depth--;
	r->at++;
	return true;
}

static bool add_variable(struct reader *r, struct making *m, size_t dollar, const char *name, size_t len,
			 bool quoted)
{
	const char *home = r->g->home;

	if (len == 4 && !memcmp(name, "HOME", 4) && home) {
		for (const char *c = home; *c && !quoted; c++)
			if (!is_name(*c, false) && !strchr("/.-+@,", *c))
				return refuse(r, dollar, len + 1,
					      "the home directory has a name that shells split");
		add(m, home, strlen(home), quoted);
		return true;
	}
	if (!in_list(shown, name, len))
		return refuse(r, dollar, r->at - dollar,
			      "the value of this variable is not known, or may be a secret");
	m->unknown = true;
	m->split |= !quoted;
	return true;
}

/* At a '$'. */
static bool read_dollar(struct reader *r, struct making *m, bool quoted)
{
	size_t dollar = r->at++, start = r->at;
	bool brace = peek(r, 0) == '{';

	if (peek(r, 0) == '(') {
		r->at++;
		m->unknown = true;
		m->split |= !quoted;
		return read_nested(r);
	}
	if (peek(r, 0) == '?') {
		r->at++;
		m->unknown = true;
		return true;
	}
	start += brace;
	r->at = start;
	while (is_name(peek(r, 0), r->at == start))
		r->at++;
	if (r->at > start && (!brace || peek(r, 0) == '}')) {
		size_t len = r->at - start;

		r->at += brace;
		return add_variable(r, m, dollar, r->s + start, len, quoted);
	}
	if (!brace && (ends_word(peek(r, 0)) || (quoted && peek(r, 0) == '"'))) {
		add(m, "$", 1, quoted);
		return true;
	}
	return refuse(r, dollar, 2, "the value of this is not known");
}

static bool read_double(struct reader *r, struct making *m)
{
	size_t start = r->at++;

	m->quoted = true;
	while (r->at < r->len && r->s[r->at] != '"') {
		char c = r->s[r->at];

		if (c == '`')
			return refuse(r, r->at, 1, "commands in backquotes are not supported");
		if (c == '!')
			return refuse(r, r->at, 1, "a shell may insert text from its history here");
		if (c == '$') {
			if (!read_dollar(r, m, true))
				return false;
			continue;
		}
		if (c == '\\' && peek(r, 1) == '\n') {
			r->at += 2;
			continue;
		}
		if (c == '\\' && peek(r, 1) && strchr("$`\"\\", peek(r, 1)))
			r->at++;
		add(m, r->s + r->at++, 1, true);
	}
	if (r->at == r->len)
		return refuse(r, start, r->len - start, "a quote is not closed");
	r->at++;
	return true;
}

static bool read_single(struct reader *r, struct making *m)
{
	const char *start = r->s + r->at + 1, *end = memchr(start, '\'', r->len - r->at - 1);

	m->quoted = true;
	if (!end)
		return refuse(r, r->at, r->len - r->at, "a quote is not closed");
	add(m, start, (size_t)(end - start), true);
	r->at += (size_t)(end - start) + 2;
	return true;
}

/* "{}" of find and xargs, "@{u}" of git: the same for all shells. */
static bool read_brace(struct reader *r, struct making *m, size_t start)
{
	size_t n = 1;

	while (is_name(peek(r, n), false) || peek(r, n) == '-')
		n++;
	if (r->s[r->at] != '{' || peek(r, n) != '}' ||
	    (n == 1 ? r->at != start || !ends_word(peek(r, 2)) : r->at == start || r->s[r->at - 1] != '@'))
		return refuse(r, r->at, 1, "braces are not supported");
	add(m, r->s + r->at, n + 1, false);
	r->at += n + 1;
	return true;
}

static bool read_tilde(struct reader *r, struct making *m, size_t start)
{
	if (r->at != start) {
		add(m, "~", 1, false);
	} else if (r->g->home && (peek(r, 1) == '/' || ends_word(peek(r, 1)))) {
		add(m, r->g->home, strlen(r->g->home), true);
		m->quoted = false;
	} else {
		return refuse(r, start, 2, "the owner of this home directory is not known");
	}
	r->at++;
	return true;
}

/* The word is "[" or "[[". */
static bool is_test(const struct reader *r, size_t start)
{
	size_t n = start;

	while (n < r->len && r->s[n] == '[')
		n++;
	return n - start <= 2 && (n == r->len || ends_word(r->s[n]));
}

/* Why the character at hand, outside of quotes, is not read; NULL: it is. */
static const char *why_not_bare(const struct reader *r, size_t start)
{
	char c = r->s[r->at], next = peek(r, 1);
	bool goes_on = next != '=' && !ends_word(next);

	if (c == '`')
		return "commands in backquotes are not supported";
	if (c == '!' && goes_on)
		return "a shell may insert text from its history here";
	if (c == '=' && r->at == start && goes_on)
		return "some shells insert a path here";
	if (c == '\\' && !next)
		return "it ends with a backslash";
	return (unsigned char)c >= 0x80 ? "there is a letter outside of quotes that looks like another"
					: NULL;
}

/* One character, or what begins with it, outside of quotes. */
static bool read_bare(struct reader *r, struct making *m, size_t start)
{
	const char *why = why_not_bare(r, start);
	char c = r->s[r->at];

	if (why)
		return refuse(r, r->at, 1, why);
	switch (c) {
	case '\'':
		return read_single(r, m);
	case '"':
		return read_double(r, m);
	case '$':
		return read_dollar(r, m, false);
	case '{':
	case '}':
		return read_brace(r, m, start);
	case '~':
		return read_tilde(r, m, start);
	case '\\':
		if (peek(r, 1) != '\n')
			add(m, r->s + r->at + 1, 1, true);
		r->at += 2;
		return true;
	default:
		m->is_pattern |= c == '*' || c == '?' || (c == '[' && !is_test(r, start));
		add(m, r->s + r->at++, 1, false);
		return true;
	}
}

static bool read_word(struct reader *r, struct guard_word *ret)
{
	scoped(making_finish) struct making m = { 0 };
	size_t start = r->at;

	while (!ends_word(peek(r, 0)) && r->at < r->len)
		if (!read_bare(r, &m, start))
			return false;
	if (peek(r, 0) == '(')
		return refuse(r, r->at, 1, "brackets here mean different things to different shells");
	*ret = (struct guard_word){ .offset = start,
				    .len = r->at - start,
				    .quoted = m.quoted,
				    .unknown = m.unknown,
				    .split = m.split };
	ret->text = buf_str(&m.text) ? strdup(m.text.data) : NULL;
	if (m.is_pattern)
		ret->pattern = buf_str(&m.pattern) ? strdup(m.pattern.data) : NULL;
	if (!ret->text || (m.is_pattern && !ret->pattern)) {
		r->g->verdict->failed = true;
		return false;
	}
	return true;
}

static void skip_blanks(struct reader *r)
{
	while (is_blank(peek(r, 0)) || (peek(r, 0) == '\\' && peek(r, 1) == '\n'))
		r->at += is_blank(peek(r, 0)) ? 1 : 2;
}

/* Whether W is a word that a redirection writes to, and nothing is lost by it. */
static bool read_sink(struct reader *r)
{
	struct guard_word w = { 0 };
	bool is_null;

	skip_blanks(r);
	if (!read_word(r, &w))
		return false;
	is_null = !strcmp(w.text, "/dev/null") && !w.unknown && !w.pattern;
	if (!is_null)
		guard_say(r->g, GUARD_BOX, "write", w.offset, w.len, "it writes to '%s'", w.text);
	free(w.text);
	free(w.pattern);
	return is_null;
}

static bool read_input(struct reader *r, struct guard_command *c)
{
	struct guard_word *w;
	size_t from = r->at;
	bool is_text = peek(r, 0) == '<' && peek(r, 1) == '<';

	if (is_text)
		r->at += 2;
	if (peek(r, 0) && strchr("<>&(", peek(r, 0)))
		return refuse(r, from, 2, "this form of input is not supported");
	skip_blanks(r);
	if (ends_word(peek(r, 0)))
		return refuse(r, from, 1, "a file is missing here");
	w = guard_word_add(&c->inputs, &c->n_inputs);
	if (!w)
		return refuse(r, from, 1, "there are too many of them");
	if (!read_word(r, w))
		return false;
	if (is_text) { /* nobody opens it */
		free(w->text);
		free(w->pattern);
		c->n_inputs--;
	}
	return true;
}

/* At "<", ">", "&>", or the digit before. */
static bool read_redirection(struct reader *r, struct guard_command *c)
{
	size_t start = r->at;
	char number = '\0';

	if (is_digit(peek(r, 0)))
		number = r->s[r->at++];
	if (peek(r, 0) == '<') {
		r->at++;
		return number && number != '0' ? refuse(r, start, 2, "this file descriptor is not supported")
					       : read_input(r, c);
	}
	r->at += peek(r, 0) == '&';
	r->at++;
	if (number && number != '1' && number != '2')
		return refuse(r, start, 2, "this file descriptor is not supported");
	if (peek(r, 0) == '>')
		r->at++;
	if (peek(r, 0) == '&') {
		if ((peek(r, 1) != '1' && peek(r, 1) != '2') || !ends_word(peek(r, 2)))
			return refuse(r, start, 3, "this redirection is not supported");
		r->at += 2;
		return true;
	}
	if (peek(r, 0) && strchr("|(<>", peek(r, 0)))
		return refuse(r, start, 2, "this form of output is not supported");
	return read_sink(r);
}

static bool is_redirection(const struct reader *r)
{
	char c = peek(r, 0), next = peek(r, 1);

	return c == '<' || c == '>' || (c == '&' && next == '>') ||
	       (is_digit(c) && (next == '<' || next == '>'));
}

/* "NAME=" before a command: the length of the name; 0: it is none. */
static size_t assigned(const struct reader *r)
{
	size_t n = 0;

	while (is_name(peek(r, n), n == 0))
		n++;
	return n && (peek(r, n) == '=' || (peek(r, n) == '+' && peek(r, n + 1) == '=')) ? n : 0;
}

static bool read_assignment(struct reader *r, size_t n)
{
	struct guard_word w = { 0 };
	size_t start = r->at;
	bool is_fine = in_list(told, r->s + start, n) && r->s[start + n] == '=';

	if (!is_fine)
		return guard_say(r->g, GUARD_LOOK, "environment", start, n,
				 "the effect of %.*s on a command is not known", (int)(n < 64 ? n : 64),
				 r->s + start);
	if (!read_word(r, &w))
		return false;
	is_fine = !w.unknown && !w.pattern && !memchr(r->s + start, '~', r->at - start);
	free(w.text);
	free(w.pattern);
	return is_fine || refuse(r, start, r->at - start, "the value that this is set to is not known");
}

static bool read_simple(struct reader *r, struct guard_command *c, bool *ret_any)
{
	c->offset = r->at;
	for (;;) {
		struct guard_word *w;
		size_t name;

		skip_blanks(r);
		if (is_redirection(r)) {
			if (!read_redirection(r, c))
				return false;
			continue;
		}
		if (ends_word(peek(r, 0)))
			break;
		if (peek(r, 0) == '#')
			break;
		name = c->n ? 0 : assigned(r);
		if (name) {
			if (!read_assignment(r, name))
				return false;
			*ret_any = true;
			continue;
		}
		w = guard_word_add(&c->words, &c->n);
		if (!w)
			return refuse(r, r->at, 1, "it has too many words");
		if (!read_word(r, w))
			return false;
	}
	c->len = r->at - c->offset;
	*ret_any |= c->n > 0;
	return *ret_any || refuse(r, c->offset, 1, "a command is missing here");
}

/* ( ... ), whose output may go nowhere. */
static bool read_group(struct reader *r)
{
	struct guard_command none = { 0 };
	bool is_read;

	r->at++;
	is_read = read_nested(r);
	for (skip_blanks(r); is_read && is_redirection(r); skip_blanks(r))
		is_read = read_redirection(r, &none);
	if (is_read && none.n_inputs)
		is_read = refuse(r, r->at - 1, 1, "input for a group is not supported");
	command_finish(&none);
	return is_read;
}

/* One command of a pipe; *FROM is the one before it, then itself. */
static bool read_command(struct reader *r, size_t *from)
{
	struct guard_command c = { .from = *from }, *kept;
	bool any = false, is_read = read_simple(r, &c, &any);
	size_t n = c.n;

	kept = is_read && n ? guard_tree_add(&r->g->tree) : NULL;
	*from = kept ? r->g->tree.n - 1 : GUARD_NONE;
	if (kept)
		*kept = c;
	else
		command_finish(&c);
	if (is_read && n && !kept)
		return refuse(r, r->at, 1, "it has too many commands");
	return is_read;
}

static bool read_pipeline(struct reader *r)
{
	size_t from = GUARD_NONE;

	if (peek(r, 0) == '!' && is_blank(peek(r, 1))) {
		r->at += 2;
		skip_blanks(r);
	}
	for (;;) {
		bool is_group = peek(r, 0) == '(';

		if (is_group ? !read_group(r) : !read_command(r, &from))
			return false;
		if (is_group)
			from = GUARD_NONE;
		skip_blanks(r);
		if (peek(r, 0) != '|' || peek(r, 1) == '|')
			return true;
		r->at += peek(r, 1) == '&' ? 2 : 1;
		for (skip_blanks(r); peek(r, 0) == '\n'; skip_blanks(r))
			r->at++;
	}
}

/* A shell that a person types into may take it for words, so it may hold nothing but plain ones. */
static bool skip_comment(struct reader *r)
{
	size_t start = r->at++;

	for (; r->at < r->len && r->s[r->at] != '\n'; r->at++)
		if (!is_name(r->s[r->at], false) && !strchr(" ,.:", r->s[r->at]))
			return refuse(r, start, r->at - start + 1, "some shells read this comment as words");
	return true;
}

static bool skip_lines(struct reader *r)
{
	for (;;) {
		skip_blanks(r);
		if (peek(r, 0) == '\n')
			r->at++;
		else if (peek(r, 0) != '#')
			return true;
		else if (!skip_comment(r))
			return false;
	}
}

/* What stands behind a command. *RET_WANTED: another has to come, for it is && or ||. */
static bool read_separator(struct reader *r, bool *ret_wanted)
{
	char c = peek(r, 0), next = peek(r, 1);

	*ret_wanted = (c == '&' || c == '|') && next == c;
	if (*ret_wanted)
		r->at += 2;
	else if (c == ';' && next != ';')
		r->at++;
	else if (r->at < r->len && c != '\n' && c != ')' && c != '#')
		return refuse(r, r->at, 1,
			      c == '&' ? "it continues in the background" : "this syntax is not supported");
	return true;
}

/* Up to STOP, which stays, or to the end of the text when it is 0. */
static bool read_list(struct reader *r, char stop)
{
	bool is_wanted = false;

	for (;;) {
		if (!skip_lines(r))
			return false;
		if (r->at == r->len || peek(r, 0) == ')') {
			if (is_wanted || peek(r, 0) != stop)
				return refuse(r, r->at ? r->at - 1 : 0, 1, "it is incomplete");
			return true;
		}
		if (!read_pipeline(r))
			return false;
		skip_blanks(r);
		if (!read_separator(r, &is_wanted))
			return false;
	}
}

bool guard_read(struct guard *g, const char *text, size_t len)
{
	struct reader r = { .g = g, .s = text, .len = len };

	return check_bytes(&r) && read_list(&r, '\0');
}
