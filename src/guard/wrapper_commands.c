/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that start others: each is as harmless as what it starts. */
#include <string.h>

#include "base/str.h"
#include "guard/syntax_tree.h"

static bool refuse(struct guard *g, const struct guard_word *w, const char *why)
{
	return guard_say_word(g, "option", w, "%s", why);
}

static bool has_next(struct guard *g, const struct guard_command *c, size_t first, size_t i)
{
	return i < c->n || refuse(g, &c->words[first], "the command it starts is missing");
}

/* Variables that tell how to print. "env" alone prints all there are, secrets among them. */
bool guard_env_command(struct guard *g, const struct guard_command *c, size_t first)
{
	static const char *const fine[] = { "LANG=",     "LC_ALL=",  "LC_COLLATE=", "LC_CTYPE=", "TZ=",
					    "NO_COLOR=", "COLUMNS=", "CI=",         NULL };
	size_t i = first + 1;

	for (; i < c->n && strchr(c->words[i].text, '='); i++) {
		const char *const *at = fine;

		while (*at && strncmp(c->words[i].text, *at, strlen(*at)) != 0)
			at++;
		if (!*at || c->words[i].unknown || c->words[i].pattern)
			return guard_say_word(g, "environment", &c->words[i],
					      "the effect of this on a command is not known");
	}
	if (i == c->n)
		return guard_say_word(g, "environment", &c->words[first],
				      "it shows all variables, secrets among them");
	if (c->words[i].text[0] == '-')
		return refuse(g, &c->words[i], "this option of env is not known to be harmless");
	return guard_simple(g, c, i);
}

static bool is_number(const struct guard_word *w, const char *suffix)
{
	size_t n = strspn(w->text, "0123456789.");

	return n && !w->unknown && !w->pattern &&
	       (!w->text[n] || (!w->text[n + 1] && strchr(suffix, w->text[n])));
}

bool guard_nice(struct guard *g, const struct guard_command *c, size_t first)
{
	size_t i = first + 1;

	if (i + 1 < c->n && !strcmp(c->words[i].text, "-n")) {
		if (!is_number(&c->words[i + 1], ""))
			return refuse(g, &c->words[i + 1], "this is not a number");
		i += 2;
	}
	return has_next(g, c, first, i) && guard_simple(g, c, i);
}

bool guard_timeout(struct guard *g, const struct guard_command *c, size_t first)
{
	size_t i = first + 1;

	if (!has_next(g, c, first, i + 1))
		return false;
	if (!is_number(&c->words[i], "smhd"))
		return refuse(g, &c->words[i], "this is not a duration");
	return guard_simple(g, c, i + 1);
}

bool guard_time(struct guard *g, const struct guard_command *c, size_t first)
{
	size_t i = first + 1 + (c->n > first + 1 && !strcmp(c->words[first + 1].text, "-p"));

	return has_next(g, c, first, i) && guard_simple(g, c, i);
}

/* "command -v NAME" only looks for it. */
bool guard_command_word(struct guard *g, const struct guard_command *c, size_t first)
{
	const char *word = c->n > first + 1 ? c->words[first + 1].text : "";

	if (str_is_one_of(word, "-v|-V"))
		return true;
	return has_next(g, c, first, first + 1) && guard_simple(g, c, first + 1);
}

/* What the command before the '|' prints are names of files in places without secrets. */
struct source {
	bool names;   /* it prints names, and none that is an option */
	bool regular; /* of files, not of links */
	bool ended;   /* by a NUL each: a name with a space is one name */
};

/* The letter C is among the short options of WORD. */
static bool has_letter(const char *word, char c)
{
	return word[0] == '-' && word[1] != '-' && strchr(word, c);
}

#define ENDS_BY_NUL "-print0|-z|--null|-0"

static struct source source_find(const struct guard_command *c)
{
	/* Its names begin with where it starts. */
	struct source s = { .names = !guard_has_long(c, 0, "-printf") && !guard_has_long(c, 0, "-ls") };

	for (size_t i = 1; i < c->n; i++) {
		const char *word = c->words[i].text;

		s.ended |= str_is_one_of(word, ENDS_BY_NUL);
		s.regular |= !strcmp(word, "-type") && i + 1 < c->n && !strcmp(c->words[i + 1].text, "f");
		if (str_is_one_of(word, "-o|-or|,|-ls") || !strncmp(word, "-printf", 7))
			s.regular = false;
	}
	return s;
}

static struct source source_of(struct guard *g, const struct guard_command *c)
{
	struct source s = { 0 };
	const char *name = c->words[0].text;
	bool has_list = false, is_below = false;

	for (size_t i = 1; i < c->n; i++)
		if (c->words[i].text[0] != '-' && guard_is_above_secrets(g, c->words[i].text))
			return s;
	if (guard_is_above_secrets(g, "."))
		return s;
	if (!strcmp(name, "find"))
		return source_find(c);
	for (size_t i = 1; i < c->n; i++) {
		const char *word = c->words[i].text;

		s.ended |= str_is_one_of(word, ENDS_BY_NUL) || has_letter(word, 'Z');
		has_list |= has_letter(word, 'l') || str_is_one_of(word, "--files-with-matches|--files");
		is_below |= has_letter(word, 'r');
	}
	if (!strcmp(name, "rg") || (!strcmp(name, "grep") && is_below))
		s.names = s.regular = has_list;
	else if (!strcmp(name, "git"))
		s.names = c->n > 1 && !strcmp(c->words[1].text, "ls-files");
	return s;
}

/* Programs no word of which does more than to print otherwise. COUNTS: they tell numbers, not what is in a
 * file. */
static bool is_meek(const char *name, bool *ret_counts)
{
	*ret_counts = str_is_one_of(name, "wc|ls|stat|du|md5sum|sha1sum|sha256sum|basename|dirname|echo");
	return *ret_counts || str_is_one_of(name, "cat|head|tail|grep|egrep|fgrep");
}

/* How many words the option of xargs at I is; 0: it is not known. */
static size_t xargs_option(const struct guard_command *c, size_t i)
{
	const char *word = c->words[i].text;
	const struct guard_word *next = i + 1 < c->n ? &c->words[i + 1] : NULL;

	if (str_is_one_of(word, "-0|-r|-r0|-0r"))
		return 1;
	if (!next)
		return 0;
	if (str_is_one_of(word, "-n|-P|-L"))
		return is_number(next, "") ? 2 : 0;
	return !strcmp(word, "-I") && !strcmp(next->text, "{}") ? 2 : 0;
}

bool guard_xargs(struct guard *g, const struct guard_command *c, size_t first)
{
	const struct guard_command *from = c->from == GUARD_NONE ? NULL : &g->tree.commands[c->from];
	struct source s = from ? source_of(g, from) : (struct source){ 0 };
	bool counts, whole = false;
	size_t i, took;

	for (i = first + 1; i < c->n && c->words[i].text[0] == '-'; i += took) {
		whole |= has_letter(c->words[i].text, '0');
		took = xargs_option(c, i);
		if (!took)
			return refuse(g, &c->words[i], "this option of xargs is not known to be harmless");
	}
	if (!has_next(g, c, first, i))
		return false;
	if (c->n_inputs || !s.names || !is_meek(c->words[i].text, &counts) ||
	    (!counts && !(s.regular && s.ended && whole)))
		return refuse(g, &c->words[i], "the files it gets are not known");
	return guard_simple(g, c, i);
}
