/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This end: the command line becomes one word, and this process becomes ssh. So exit status, streams, the
 * terminal with its size and its keys are ssh's business, which knows it better than we do.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "remote/remote.h"

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

/* Words of AISBX_SSH. */
#define MAX_WORDS   64
#define N_VARIABLES 8

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "aisbx: %s: %s\n", what, why);
	return REMOTE_EXIT;
}

/* Those of remote_variables that are set; heap texts, which the process takes with it. */
static bool take_variables(char *ret[N_VARIABLES + 1])
{
	size_t n = 0;

	for (size_t i = 0; remote_variables[i] && n < N_VARIABLES; i++) {
		const char *name = remote_variables[i], *value = getenv(name);
		size_t size = value ? strlen(name) + strlen(value) + 2 : 0;

		if (!value)
			continue;
		ret[n] = malloc(size);
		if (!ret[n])
			return false;
		snprintf(ret[n++], size, "%s=%s", name, value);
	}
	ret[n] = NULL;
	return true;
}

/* "ssh", or the words of AISBX_SSH, which are split at spaces. */
static size_t take_ssh(char *words[MAX_WORDS])
{
	const char *set = getenv("AISBX_SSH");
	char *text = strdup(set && *set ? set : "ssh"), *rest = text;
	size_t n = 0;

	for (char *w = text ? strtok_r(text, " ", &rest) : NULL; w && n + 8 < MAX_WORDS;
	     w = strtok_r(NULL, " ", &rest))
		words[n++] = w;
	return n;
}

/* A terminal there mixes both outputs into one: only where all of them go to one here. */
static bool has_terminal(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO);
}

static bool is_plain(const char *program)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/+@";

	return program[0] && program[0] != '-' && strspn(program, letters) == strlen(program);
}

static int become_ssh(const char *host, const char *coded)
{
	const char *set = getenv("AISBX_REMOTE_PROGRAM"), *program = set && *set ? set : "aisbx-remote";
	size_t size = strlen(program) + strlen(coded) + sizeof("exec  --run ");
	char *command = malloc(size), *words[MAX_WORDS];
	size_t n = take_ssh(words);

	if (!command || !n)
		return complain("run ssh", strerror(ENOMEM));
	if (!is_plain(program))
		return complain("AISBX_REMOTE_PROGRAM", "use a path of letters, digits and ._-/+@ only");
	/* In place of the shell, which would take part in Ctrl-C. */
	snprintf(command, size, "exec %s --run %s", program, coded);
	words[n++] = has_terminal() ? "-t" : "-T";
	words[n++] = "--";
	words[n++] = (char *)host;
	words[n++] = command;
	words[n] = NULL;
	execvp(words[0], words);
	complain(words[0], strerror(errno));
	return REMOTE_EXIT;
}

int remote_send(const char *place, const char *dir, char **words)
{
	struct remote_place to;
	const char *wrong = remote_place_read(place, &to);
	char here[PATH_MAX], *env[N_VARIABLES + 1], *coded;
	struct remote_call c = { .env = env, .words = words };

	if (wrong)
		return complain(place, wrong);
	c.dir = dir ? dir : to.dir;
	if (!c.dir)
		c.dir = getcwd(here, sizeof(here));
	if (!c.dir)
		return complain("find the current directory", strerror(errno));
	if (c.dir[0] != '/')
		return complain(c.dir, "the directory at the other end has to begin with '/'");
	coded = take_variables(env) ? remote_encode(&c) : NULL;
	if (!coded)
		return complain("send the command", strerror(ENOMEM));
	if (strlen(coded) > REMOTE_MAX)
		return complain("send the command", "it is too long; give large texts by standard input");
	return become_ssh(to.host, coded);
}
