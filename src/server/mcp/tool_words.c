/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What aisbx says to people at a command line, as it is said to a model: arguments instead of options, tools
 * instead of commands. What only a person can do stays a command, and is said to be the person's.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/str.h"
#include "server/mcp/tool_internal.h"

#define COMMAND "aisbx "

/* What has been said so far. */
struct speech {
	const struct op *op; /* whose arguments are meant; NULL: of none */
	bool all;            /* as for tools_list() */
	struct buf *out;
	bool commands;    /* there is a command that is no tool */
	struct buf unset; /* options that the tool does not have, with commas */
};

/* A command line in a text, read by the row of its operation. */
struct command {
	const struct op *op;
	size_t n_plain;     /* positional words so far */
	struct buf line;    /* for a person, without its long options: */
	struct buf options; /* these */
	struct buf args;    /* for a model: "box: b, name: s" */
	const struct op_param *last;
	bool persons; /* it has what no tool takes */
};

static void command_finish(struct command *c)
{
	buf_finish(&c->line);
	buf_finish(&c->options);
	buf_finish(&c->args);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t';
}

/* The next word of [AT, END), quotes and all; 0: there is none. */
static size_t word_len(const char *at, const char *end)
{
	const char *c = at;
	char quote = 0;

	for (; c < end && (quote || !is_blank(*c)); c++) {
		if (*c == '\'' || *c == '"')
			quote = !quote ? *c : quote == *c ? 0 : quote;
	}
	return (size_t)(c - at);
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

/* Of an option that begins at AT with two hyphens: its name. */
static size_t option_name(const char *at, const char *end, char *ret, size_t cap)
{
	size_t n = 2;

	while (at + n < end && n - 2 < cap - 1 && is_name_char(at[n])) {
		ret[n - 2] = at[n];
		n++;
	}
	ret[n - 2] = '\0';
	return n;
}

static const struct op_param *by_letter(const struct op *op, char letter)
{
	for (const struct op_param *p = op->params; p->name; p++)
		if (p->letter == letter)
			return p;
	return NULL;
}

static const struct op_param *nth_positional(const struct op *op, size_t n)
{
	const struct op_param *last = NULL;

	for (const struct op_param *p = op->params; p->name; p++) {
		if (!(p->flags & OP_POSITIONAL))
			continue;
		last = p;
		if (!n--)
			return p;
	}
	return last && (last->type == OP_LIST || last->type == OP_COMMAND) ? last : NULL;
}

/* P: NULL where the row has no such thing. */
static void add_arg(struct command *c, const struct op_param *p, const char *value, size_t len)
{
	char name[64];

	if (p && (p->flags & OP_LINE))
		return;
	if (!p || !tool_shows(c->op, p)) {
		c->persons = true;
		return;
	}
	if (p == c->last && value) { /* another word of a list */
		buf_addf(&c->args, " %.*s", (int)len, value);
		return;
	}
	c->last = p;
	tool_param_name(p, name, sizeof(name));
	buf_addf(&c->args, "%s%s: %.*s", c->args.len ? ", " : "", name, value ? (int)len : 4,
		 value ? value : "true");
}

/* The word behind an option that takes a value; AT moves behind it. */
static size_t value_len(const struct op_param *p, const char **at, const char *end)
{
	if (!p || p->type == OP_FLAG)
		return 0;
	*at = skip_blanks(*at, end);
	return word_len(*at, end);
}

static const char *take_option(struct command *c, const char *at, const char *end)
{
	char name[64];
	const char *value = at + option_name(at, end, name, sizeof(name));
	const struct op_param *p = op_param_by_name(c->op, name);
	size_t len;

	if (!strcmp(name, "json"))
		return value;
	if (value < end && *value == '=') {
		value++;
		len = word_len(value, end);
	} else {
		len = value_len(p, &value, end);
	}
	add_arg(c, p, len ? value : NULL, len);
	if (p && p->letter)
		buf_addf(&c->line, " -%c%s%.*s", p->letter, len ? " " : "", (int)len, value);
	else
		buf_addf(&c->options, "%s'%s%s%.*s'", c->options.len ? " and " : "", name, len ? " " : "",
			 (int)len, value);
	return value + len;
}

static const char *take_word(struct command *c, const char *at, const char *end)
{
	size_t len = word_len(at, end);
	const struct op_param *p;

	if (len == 2 && !memcmp(at, "--", 2))
		return at + len;
	if (len > 2 && !memcmp(at, "--", 2))
		return take_option(c, at, end);
	p = len == 2 && *at == '-' ? by_letter(c->op, at[1]) : NULL;
	if (p) {
		const char *value = at + len;
		size_t n = value_len(p, &value, end);

		add_arg(c, p, n ? value : NULL, n);
		buf_addf(&c->line, " -%c%s%.*s", p->letter, n ? " " : "", (int)n, value);
		return value + n;
	}
	add_arg(c, nth_positional(c->op, c->n_plain++), at, len);
	buf_addf(&c->line, " %.*s", (int)len, at);
	return at + len;
}

/* The operation of the words at AT, behind "aisbx "; RET: behind its name. NULL: that is no command. */
static const struct op *named_op(const char *at, const char *end, const char **ret)
{
	size_t one = word_len(at, end);
	const char *more = skip_blanks(at + one, end);
	char name[64];

	for (size_t len = (size_t)(more - at) + word_len(more, end); len; len = len > one ? one : 0) {
		const struct op *op = NULL;

		if (len < sizeof(name)) {
			memcpy(name, at, len);
			name[len] = '\0';
			op = op_by_name(name);
		}
		*ret = at + len;
		if (op)
			return op;
	}
	return NULL;
}

/* A command line stands at [AT, END); false: it is none. */
static bool say_command(struct speech *s, const char *at, const char *end)
{
	scoped(command_finish) struct command c = { 0 };
	scoped(drop_mem) char *name = NULL;

	c.op = named_op(at + strlen(COMMAND), end, &at);
	if (!c.op)
		return false;
	buf_addf(&c.line, COMMAND "%s", c.op->name);
	while ((at = skip_blanks(at, end)) < end)
		at = take_word(&c, at, end);
	name = tool_is_offered(c.op, s->all) && !c.persons ? tool_name(c.op) : NULL;
	if (name) {
		buf_addf(s->out, "%s", name);
		if (c.args.len)
			buf_addf(s->out, "(%.*s)", (int)c.args.len, c.args.data);
		return true;
	}
	buf_addf(s->out, "'%.*s'", (int)c.line.len, c.line.data);
	if (c.options.len)
		buf_addf(s->out, " with the option %.*s", (int)c.options.len, c.options.data);
	s->commands = true;
	return true;
}

/* Where a command line ends that begins at AT: at the quote that closes QUOTE, or with its sentence. */
static const char *end_of_command(const char *at, char quote)
{
	const char *end = quote ? strchr(at, quote) : NULL;
	size_t n = 0;

	if (end)
		return end;
	while (at[n] && !(strchr(";,.):", at[n]) && (!at[n + 1] || is_blank(at[n + 1]))))
		n++;
	return at + n;
}

static bool anybody_has(const char *option)
{
	for (size_t i = 0; ops[i]; i++)
		if (op_param_by_name(ops[i], option))
			return true;
	return false;
}

/* One option in a sentence; how much of the text that was, 0 if it is another program's. */
static size_t say_option(struct speech *s, const char *at, char before)
{
	const char *quote = before == '\'' || before == '`' || before == '"' ? "" : "'";
	const struct op_param *p;
	char name[64], shown[64];
	size_t len = option_name(at, at + strlen(at), name, sizeof(name));

	if (!*name || !anybody_has(name))
		return 0;
	p = s->op ? op_param_by_name(s->op, name) : NULL;
	snprintf(shown, sizeof(shown), "%s", name);
	if (p && tool_shows(s->op, p))
		tool_param_name(p, shown, sizeof(shown));
	else if (s->op && !(s->unset.len && buf_str(&s->unset) && strstr(s->unset.data, name)))
		buf_addf(&s->unset, "%s'%s'", s->unset.len ? ", " : "", name);
	buf_addf(s->out, "%s%s%s", quote, shown, quote);
	return len;
}

/* What is left is the person's. */
static void say_whose(struct speech *s)
{
	const bool told =
		buf_str(s->out) && (strstr(s->out->data, "person") || strstr(s->out->data, "terminal"));

	if (told)
		return;
	if (s->commands)
		buf_addf(s->out, " (only the person can run aisbx commands, in a terminal)");
	else if (s->unset.len)
		buf_addf(s->out, " (only the person can set %.*s)", (int)s->unset.len, s->unset.data);
}

void tool_words(const struct op *op, bool all, const char *text, struct buf *out)
{
	struct speech s = { .op = op, .all = all, .out = out };
	char before = ' ';

	for (const char *at = text; *at;) {
		const bool starts = is_blank(before) || strchr("'`\"(", before);
		const bool quoted = at > text && (before == '\'' || before == '`');
		size_t len = 0;

		if (starts && !strncmp(at, COMMAND, strlen(COMMAND))) {
			const char *end = end_of_command(at, quoted ? before : 0);

			if (quoted && out->len) /* what comes has quotes of its own, or needs none */
				out->len--;
			if (say_command(&s, at, end))
				len = (size_t)(end - at) + (quoted && *end == before);
			else if (quoted)
				buf_add(out, &before, 1);
		} else if (starts && !strncmp(at, "--", 2)) {
			len = say_option(&s, at, before);
		}
		before = len ? ' ' : *at; /* what was put in place of something ends as a word does */
		if (!len)
			buf_add(out, at, 1);
		at += len ? len : 1;
	}
	say_whose(&s);
	buf_finish(&s.unset);
}

/* Fields that aisbx writes; all others may have what a command wrote. */
static const char own_words[] = "error|why|reason|hint|fix|note|files_error|snapshot_error|allow_with";

json_t *tool_said(const struct op *op, bool all, const char *text)
{
	scoped(buf_finish) struct buf out = { 0 };

	tool_words(op, all, text, &out);
	return buf_str(&out) ? json_stringn(out.data, out.len) : NULL;
}

static void set_or_drop(json_t *object, const char *name, json_t *value)
{
	if (value)
		json_object_set_new(object, name, value);
	else
		json_object_del(object, name);
}

/* The option that raises a limit, as the name of the argument: a new reference, NULL if there is none. */
static json_t *raised_by(const struct op *op, const char *option)
{
	const struct op_param *p = strncmp(option, "--", 2) ? NULL : op_param_by_name(op, option + 2);
	char name[64];

	if (!p || !tool_shows(op, p))
		return NULL;
	tool_param_name(p, name, sizeof(name));
	return json_string(name);
}

void tool_words_in(const struct op *op, bool all, json_t *data)
{
	const char *name;
	json_t *part;
	void *next;
	size_t i;

	json_object_foreach_safe(data, next, name, part)
	{
		const char *text = json_string_value(part);

		if (!text)
			tool_words_in(op, all, part);
		else if (!strcmp(name, "raise_with"))
			set_or_drop(data, name, raised_by(op, text));
		else if (str_is_one_of(name, own_words) && (strstr(text, "--") || strstr(text, COMMAND)))
			json_object_set_new(data, name, tool_said(op, all, text));
	}
	json_array_foreach(data, i, part) tool_words_in(op, all, part);
}
