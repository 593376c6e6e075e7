/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that have a language of their own: only a harmless part of it is accepted. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "guard/syntax_tree.h"

static bool refuse(struct guard *g, const struct guard_word *w, const char *why)
{
	return guard_say_word(g, "option", w, "%s", why);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Behind the delimiter that is at *AT: up to the next of it. */
static bool skip_to(const char **at, char end)
{
	const char *c = *at;
	bool in_set = false;

	for (; *c && *c != end; c++) {
		if (*c == '\n')
			return false;
		if (*c == '\\' && c[1])
			c++;
		else if (*c == '[')
			in_set = true;
		else if (*c == ']')
			in_set = false;
	}
	if (!*c || in_set) /* whether a set may hold the delimiter is another thing in each sed */
		return false;
	*at = c + 1;
	return true;
}

static bool skip_address(const char **at)
{
	const char *c = *at;

	if (is_digit(*c)) {
		c += strspn(c, "0123456789");
		if (*c == '~')
			c += 1 + strspn(c + 1, "0123456789");
	} else if (*c == '$') {
		c++;
	} else if (*c == '+') {
		c += 1 + strspn(c + 1, "0123456789");
	} else if (*c == '/') {
		c++;
		if (!skip_to(&c, '/'))
			return false;
		c += *c == 'I';
	}
	*at = c;
	return true;
}

static bool skip_substitution(const char **at)
{
	char end = **at;

	if (!end || strchr("\\\n;{} ", end) || is_digit(end))
		return false;
	++*at;
	if (!skip_to(at, end) || !skip_to(at, end))
		return false;
	*at += strspn(*at, "gpiI0123456789"); /* not e, which runs it, nor w, which writes */
	return true;
}

/* "/a/,/b/ !", before a command. */
static bool skip_addresses(const char **at)
{
	if (!skip_address(at))
		return false;
	if (**at == ',') {
		++*at;
		if (!skip_address(at))
			return false;
	}
	*at += strspn(*at, " ");
	*at += **at == '!';
	*at += strspn(*at, " ");
	return true;
}

/* Printing, deleting, replacing; nothing that reads, writes or runs. */
static bool is_harmless_sed(const char *at)
{
	if (strstr(at, "[]") || strstr(at, "[^]")) /* where such a set ends depends on the sed */
		return false;
	for (at += strspn(at, " \t;\n}"); *at; at += strspn(at, " \t;\n}")) {
		char command;

		if (!skip_addresses(&at) || !*at)
			return false;
		command = *at++;
		if (command == '{')
			continue;
		if (command == 's' ? !skip_substitution(&at) : !strchr("pdqQ=nNDPhHgGx", command))
			return false;
		at += strspn(at, " ");
		if (*at && !strchr(";\n}", *at))
			return false;
	}
	return true;
}

/* The script that the option at I is followed by, in the same word or the next; NULL: it is no such option.
 */
static const char *sed_script(const struct guard_command *c, size_t i)
{
	const char *word = c->words[i].text, *rest;

	if (!strncmp(word, "--expression", 12))
		rest = word[12] ? word + 13 : "";
	else if (word[0] == '-' && word[1] != '-' && strchr(word, 'e'))
		rest = strchr(word, 'e') + 1;
	else
		return NULL;
	return *rest || !strncmp(word, "--expression=", 13) || i + 1 >= c->n ? rest : c->words[i + 1].text;
}

static bool is_harmless_script(const struct guard *g, const struct guard_word *w)
{
	return guard_is_told(g, w) && is_harmless_sed(w->text);
}

bool guard_sed(struct guard *g, const struct guard_command *c, size_t first)
{
	static const struct guard_options o = { "nErsuz", "e",
						"--quiet --silent --regexp-extended --expression= --separate "
						"--unbuffered --null-data --posix",
						false, false };
	static const char why[] = "this script may do more than print";
	struct guard_operands found;
	bool has_script = false;

	if (!guard_take_options(g, c, first, &o, &found))
		return false;
	for (size_t i = first + 1; i < c->n; i++) {
		const char *script = sed_script(c, i);

		if (!script)
			continue;
		has_script = true;
		if (!is_harmless_sed(script) || (i + 1 < c->n && !guard_is_told(g, &c->words[i + 1])) ||
		    c->words[i].unknown)
			return refuse(g, &c->words[i], why);
	}
	for (size_t i = 0; i < found.n; i++) {
		const struct guard_word *w = &c->words[found.at[i]];

		if (i == 0 && !has_script) {
			if (!is_harmless_script(g, w))
				return refuse(g, w, why);
		} else if (!guard_path(g, w, LOOK_CONTENT)) {
			return false;
		}
	}
	return true;
}

static bool has_word(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strstr(text, *words))
			return true;
	return false;
}

/* A '>' outside of braces compares; inside, behind print, it writes. */
static bool compares_only(const char *text)
{
	int depth = 0;
	bool in_text = false;

	if (!strchr(text, '>'))
		return true;
	if (strpbrk(text, "/\\#")) /* what is a pattern and what a division is another matter */
		return false;
	for (const char *c = text; *c; c++) {
		if (*c == '"')
			in_text = !in_text;
		else if (in_text && strchr("{}>", *c))
			return false;
		else if (!in_text && *c == '>' && depth > 0)
			return false;
		depth += *c == '{';
		depth -= *c == '}';
	}
	return !in_text && depth == 0;
}

static bool is_harmless_awk(const char *text)
{
	static const char *const no[] = { "system",   "getline", "ARG", "ENVIRON",  "SYMTAB", "FUNCTAB",
					  "PROCINFO", "@",       "`",   "function", "func ",  NULL };

	if (has_word(text, no) || !compares_only(text))
		return false;
	for (const char *c = text; (c = strchr(c, '|')) != NULL; c += 2)
		if (c[1] != '|')
			return false;
	return true;
}

bool guard_awk(struct guard *g, const struct guard_command *c, size_t first)
{
	static const struct guard_options o = { "", "Fv", "--field-separator=", false, false };
	struct guard_operands found;

	if (!guard_take_options(g, c, first, &o, &found))
		return false;
	for (size_t i = first + 1; i < c->n; i++)
		if (strstr(c->words[i].text, "ARG"))
			return refuse(g, &c->words[i], "this decides which files it reads");
	for (size_t i = 0; i < found.n; i++) {
		const struct guard_word *w = &c->words[found.at[i]];

		if (i == 0 && (!guard_is_told(g, w) || !is_harmless_awk(w->text)))
			return refuse(g, w, "this program may do more than print");
		if (i && !guard_path(g, w, LOOK_CONTENT))
			return false;
	}
	return found.n > 0 || refuse(g, &c->words[first], "its program is missing");
}

bool guard_jq(struct guard *g, const struct guard_command *c, size_t first)
{
	static const struct guard_options o = {
		"rcSsenjaCM", "",
		"--raw-output --compact-output --sort-keys --slurp --exit-status --null-input --join-output "
		"--color-output --monochrome-output --tab",
		false, false
	};
	static const char *const no[] = {
		"env", "ENV", "import", "include", "input_filename", "get_search_list", "$__", NULL
	};
	struct guard_operands found;

	if (!guard_take_options(g, c, first, &o, &found))
		return false;
	for (size_t i = 0; i < found.n; i++) {
		const struct guard_word *w = &c->words[found.at[i]];

		if (i == 0 && (!guard_is_told(g, w) || has_word(w->text, no)))
			return refuse(g, w, "this filter may read more than its input");
		if (i && !guard_path(g, w, LOOK_CONTENT))
			return false;
	}
	return true;
}

bool guard_find(struct guard *g, const struct guard_command *c, size_t first)
{
	static const char
		alone[] = "!|(|)|,|-not|-a|-and|-o|-or|-print|-print0|-ls|-prune|-depth|-d|-quit|-true|"
			  "-false|-empty|-executable|-readable|-writable|-xdev|-mount|-daystart|-nouser|"
			  "-nogroup|-noleaf|-ignore_readdir_race|-warn|-nowarn",
		with[] = "-name|-iname|-path|-ipath|-wholename|-type|-xtype|-maxdepth|-mindepth|-size|-mtime|"
			 "-mmin|-atime|-amin|-ctime|-cmin|-user|-group|-uid|-gid|-perm|-links|-inum|-regex|"
			 "-iregex|-regextype|-printf|-used|-lname|-ilname|-fstype|-newer|-samefile";
	size_t i = first + 1;

	for (; i < c->n && str_is_one_of(c->words[i].text, "-L|-H|-P"); i++)
		;
	for (; i < c->n && c->words[i].text[0] != '-' && !strchr("!(,", c->words[i].text[0]); i++)
		if (!guard_path(g, &c->words[i], LOOK_NAMES))
			return false;
	for (; i < c->n; i++) {
		const struct guard_word *w = &c->words[i];

		if (guard_is_told(g, w) && str_is_one_of(w->text, alone))
			continue;
		if (!guard_is_told(g, w) || !str_is_one_of(w->text, with))
			return refuse(g, w, "the effect of this is not known to be harmless");
		/* An unquoted pattern may become several words, and what comes behind another test. */
		if (++i < c->n && !guard_is_told(g, &c->words[i]))
			return refuse(g, &c->words[i], "a shell may put several names here; quote it");
	}
	return true;
}

/* The next word is a text, whatever it is: "-v" and what follows it would be counted with, which may run
 * commands. */
#define COMPARES_NUMBERS "-eq|-ne|-lt|-le|-gt|-ge"

/* Why W, behind the word BEFORE, makes the test one that is not read; NULL: it does not. */
static const char *why_not_tested(const struct guard *g, const struct guard_word *w, const char *before)
{
	static const char tests[] =
		"-e|-f|-d|-r|-w|-x|-s|-L|-h|-O|-G|-nt|-ot|-ef|-n|-z|-a|-o|" COMPARES_NUMBERS;

	if (guard_may_match(g, w))
		return "what this matches is not known";
	/* Behind these it is a text, whatever it is: "-v" and what follows it would be counted with, which
	 * may run commands. */
	if (w->unknown && (w->split || !str_is_one_of(before, "-n|-z|=|!=|==")))
		return "the value tested here is not known";
	if (w->text[0] == '-')
		return str_is_one_of(w->text, tests) ? NULL : "this test is not supported";
	return strpbrk(w->text, "[]$`") && !str_is_one_of(w->text, "]|]]")
		       ? "a shell may evaluate this as arithmetic, and run what is in brackets"
		       : NULL;
}

bool guard_test(struct guard *g, const struct guard_command *c, size_t first)
{
	const char *name = c->words[first].text;
	const char *last = c->words[c->n - 1].text;
	bool has_number = false;

	if ((!strcmp(name, "[") && strcmp(last, "]") != 0) ||
	    (!strcmp(name, "[[") && strcmp(last, "]]") != 0))
		return refuse(g, &c->words[first], "this test is not supported");
	for (size_t i = first + 1; i < c->n; i++) {
		const char *why = why_not_tested(g, &c->words[i], c->words[i - 1].text);

		if (why)
			return refuse(g, &c->words[i], why);
		has_number |= str_is_one_of(c->words[i].text, COMPARES_NUMBERS);
	}
	for (size_t i = first + 1; has_number && i < c->n; i++) {
		const char *word = c->words[i].text;

		if (c->words[i].unknown ||
		    (word[0] != '-' && word[0] != ']' && word[strspn(word, "0123456789")]))
			return refuse(g, &c->words[i], "a shell evaluates this as arithmetic");
	}
	return true;
}

/* A terminal does as it is told by what comes behind an escape character. */
static bool has_escape(const char *text)
{
	for (const char *c = text; (c = strchr(c, '\\')) != NULL; c += 2) {
		if (!c[1] || !strchr("nrt\\\"'", c[1]))
			return true;
	}
	return false;
}

static bool check_words(struct guard *g, const struct guard_command *c, size_t first)
{
	for (size_t i = first + 1; i < c->n; i++) {
		if (guard_may_match(g, &c->words[i]) && !guard_path(g, &c->words[i], LOOK_NAMES))
			return false;
		if (has_escape(c->words[i].text))
			return refuse(g, &c->words[i], "a terminal may interpret this as a command");
	}
	return true;
}

bool guard_echo(struct guard *g, const struct guard_command *c, size_t first)
{
	return check_words(g, c, first);
}

static bool has_number_format(const char *format)
{
	for (const char *c = format; (c = strchr(c, '%')) != NULL; c += 2)
		if (c[1] != 's' && c[1] != '%')
			return true;
	return false;
}

/* "printf -v" sets a variable, and counts in its brackets. */
bool guard_printf(struct guard *g, const struct guard_command *c, size_t first)
{
	if (c->n > first + 1 && (c->words[first + 1].text[0] == '-' || c->words[first + 1].unknown ||
				 c->words[first + 1].pattern))
		return refuse(g, &c->words[first + 1], "the effect of this is not known to be harmless");
	for (size_t i = first + 2; i < c->n; i++) /* some shells count to get a number */
		if (c->words[i].unknown && has_number_format(c->words[first + 1].text))
			return refuse(g, &c->words[i], "a shell may evaluate this as arithmetic");
	for (size_t i = first + 1; i < c->n; i++)
		if (strchr(c->words[i].text, '[') || strstr(c->words[i].text, "%(") ||
		    strstr(c->words[i].text, "%n"))
			return refuse(g, &c->words[i],
				      "a shell may evaluate this as arithmetic, and run what is in brackets");
	return check_words(g, c, first);
}
