/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a command could not be executed, and what to write instead. Most of these commands were meant for a
 * shell: one word with spaces or pipes, or a word that only a shell knows.
 */
#include "box/exec_error.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/scope.h"
#include "base/shell_words.h"

#define MAX_WORDS 300

/* Words that only a shell knows, and what does the same. */
static const struct {
	const char *words, *instead;
	bool before; /* it does something for a command that follows, and nothing by itself */
} builtins[] = {
	{ "cd|pushd|popd", "a directory is given with -C DIR; or", true },
	{ "export|set|unset|declare|setenv", "variables are given with --env NAME=VALUE; or", true },
	{ "source|.|activate", "a shell reads the file before the command", true },
	{ "alias|unalias|ll|la",
	  "aliases of your shell do not reach a box, so write the command in full, such as" },
	{ "ulimit", "limits are options (--files, --pids, --mem, --file-size); or", true },
	{ "exit|logout|return|exec|eval|trap|jobs|fg|bg|disown|history|shopt|umask|read|local|function|if|"
	  "for|"
	  "while|case|until|then|do|type|command|builtin|hash|let|shift|times|wait|!|{|[[|((",
	  "text for a shell is given to one, as a whole" },
};

static const struct {
	const char *ending, *program;
} interpreters[] = {
	{ ".py", "python3" }, { ".sh", "sh" },   { ".js", "node" },   { ".mjs", "node" },
	{ ".rb", "ruby" },    { ".pl", "perl" }, { ".bash", "bash" }, { ".php", "php" },
};

struct telling {
	const struct strlist *argv;
	const char *prefix; /* before a command: "aisbx run -- " */
	char text[1024];
};

static __attribute__((format(printf, 2, 3))) void hint(struct telling *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->text, sizeof(t->text), fmt, ap);
	va_end(ap);
}

/* "sh -c 'ls | head'" with all words as one text. */
static void hint_shell(struct telling *t, const char *why, bool before)
{
	char text[MAX_WORDS + 16], quoted[2 * MAX_WORDS], *one = text;
	bool source = !strcmp(t->argv->items[0], "source"); /* not every sh knows it by this name */

	if (t->argv->n == 1)
		snprintf(text, MAX_WORDS, "%s", t->argv->items[0]);
	else
		shell_words(t->argv->items, t->argv->n, text, MAX_WORDS);
	if (source)
		memmove(text, text + strlen("sourc"), strlen(text + strlen("sourc")) + 1), text[0] = '.';
	if (before)
		strcat(text, " && COMMAND");
	shell_words(&one, 1, quoted, sizeof(quoted));
	hint(t, "%s: %ssh -c %s", why, t->prefix, quoted);
}

/* FOO=bar make */
static bool is_assignment(const char *word)
{
	size_t n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");

	return n && word[n] == '=';
}

static bool hint_assignment(struct telling *t)
{
	char rest[MAX_WORDS];
	size_t n = 0;

	if (!is_assignment(t->argv->items[0]) || strchr(t->argv->items[0], ' '))
		return false;
	while (n < t->argv->n && is_assignment(t->argv->items[n]))
		n++;
	shell_words(t->argv->items + n, t->argv->n - n, rest, sizeof(rest));
	hint(t, "variables are given with --env: aisbx run --env %s -- %s", t->argv->items[0],
	     *rest ? rest : "COMMAND");
	return true;
}

static bool hint_shell_text(struct telling *t)
{
	const char *word = t->argv->items[0];

	if (hint_assignment(t))
		return true;
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++) {
		char why[200];

		if (!str_is_one_of(word, builtins[i].words))
			continue;
		snprintf(why, sizeof(why), "'%s' is a word of the shell, not a program; %s", word,
			 builtins[i].instead);
		if (!strcmp(word, "ll") || !strcmp(word, "la"))
			hint(t, "%s: %sls -la", why, t->prefix);
		else
			hint_shell(t, why, builtins[i].before);
		return true;
	}
	if (strchr(word, ' ') && !shell_is_special(word, false) && t->argv->n == 1) {
		hint(t, "that is one word with spaces in it; give each word by itself: %s%.300s", t->prefix,
		     word);
		return true;
	}
	if (!shell_is_special(word, true) || word[0] == '/')
		return false;
	hint_shell(t, "a box runs programs, and text for a shell is given to one", false);
	return true;
}

/* The file of this machine that the name means to the caller. */
static bool find_on_path(const struct run_spec *spec, const char *name, char ret[PATH_MAX])
{
	const char *path = env_find(spec->command.env, "PATH");

	while (path && *path) {
		size_t n = strcspn(path, ":");

		if (n && *path == '/' && snprintf(ret, PATH_MAX, "%.*s/%s", (int)n, path, name) < PATH_MAX &&
		    access(ret, X_OK) == 0)
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}

/* docker run ubuntu:24.04 bash */
static bool hint_image(struct telling *t)
{
	static const char images[] =
		"ubuntu|debian|alpine|fedora|centos|busybox|archlinux|rockylinux|nginx|postgres|"
		"redis|mysql|golang|openjdk";
	const char *word = t->argv->items[0];
	char rest[MAX_WORDS];

	if (!strchr(word, ':') && !str_is_one_of(word, images))
		return false;
	shell_words(t->argv->items + 1, t->argv->n - 1, rest, sizeof(rest));
	hint(t, "a command of an image: aisbx run --image %.200s -- %s; one of this machine: %s%s", word,
	     *rest ? rest : "COMMAND", *t->prefix ? t->prefix : "aisbx run -- ", *rest ? rest : "COMMAND");
	return true;
}

static void hint_not_found(struct telling *t, const struct run_spec *spec, bool person)
{
	const char *word = t->argv->items[0];
	char file[PATH_MAX], other[64];

	if (strchr(word, '/')) {
		hint(t,
		     "the box has no such file (the command starts in '%.200s'), or the program that its "
		     "first "
		     "line names is missing",
		     spec->command.cwd ? spec->command.cwd : "/");
		return;
	}
	if (spec->walls.image) {
		hint(t, "the image has no program of that name on its PATH%s",
		     person ? "; 'aisbx image show IMAGE' shows its variables" : "");
		return;
	}
	if (hint_image(t))
		return;
	snprintf(other, sizeof(other), "%.60s3", word); /* python, pip */
	if (person && find_on_path(spec, word, file))
		hint(t,
		     "this machine has it as '%.200s', which the box does not show; --ro '%.200s' shows it",
		     file, file);
	else if (person && find_on_path(spec, other, file))
		hint(t, "did you mean '%s'?", other);
	else
		hint(t, "no directory on PATH has a program of that name");
}

static void hint_not_executable(struct telling *t)
{
	const char *word = t->argv->items[0], *dot = strrchr(word, '.');

	for (size_t i = 0; dot && i < sizeof(interpreters) / sizeof(*interpreters); i++)
		if (!strcmp(dot, interpreters[i].ending)) {
			hint(t,
			     "make it executable ('chmod +x %.200s'), or name the program that reads it: "
			     "%s%s "
			     "%.200s",
			     word, t->prefix, interpreters[i].program, word);
			return;
		}
	hint(t, "it is a directory, or not executable; 'chmod +x' makes a program of a file, -C DIR enters a "
		"directory");
}

static void choose(struct telling *t, const struct run_spec *spec, int status, bool person)
{
	const char *word = t->argv->items[0];

	if (!*word)
		hint(t, "the command is an empty word");
	else if (status == ENOENT && !hint_shell_text(t))
		hint_not_found(t, spec, person);
	else if (status == EACCES)
		hint_not_executable(t);
	else if (status == ENOEXEC)
		hint(t,
		     "it has no first line such as '#!/bin/sh', or is made for another kind of processor; a "
		     "script: %ssh %.200s",
		     t->prefix, word);
	else if (status == E2BIG)
		hint(t, "its arguments and variables are too long together; put them into a file or into "
			"standard "
			"input ('xargs' splits them)");
}

char *box_exec_error(const struct run_spec *spec, int status, bool person)
{
	struct telling t = { .argv = &spec->command.argv, .prefix = person ? "aisbx run -- " : "" };
	char *text = NULL;

	if (status < 0) {
		if (asprintf(&text, "enter '%s': %s; the box has no such directory; -C DIR names another",
			     spec->command.cwd, strerror(-status)) < 0)
			text = NULL;
		return text;
	}
	choose(&t, spec, status, person);
	if (asprintf(&text, "execute '%.300s': %s%s%s", spec->command.argv.items[0], strerror(status),
		     t.text[0] ? "; " : "", t.text) < 0)
		text = NULL;
	return text;
}
