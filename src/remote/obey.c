/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The other end: goes to the directory and runs aisbx there. Without a terminal nobody tells a command that
 * the person who started it has gone, by Ctrl-C or because the line broke; so this waits beside it, and ends
 * it when nobody reads its output any more.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "remote/remote.h"

/* Between one request to end and the next, stronger one. */
#define PATIENCE_MS 5000

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "aisbx: %s: %s\n", what, why);
	return REMOTE_EXIT;
}

/* Beside this program, if it was called by a path; else the one on PATH. Heap or NULL. */
static char *find_program(const char *self)
{
	const char *slash = strrchr(self, '/');
	size_t dir = slash ? (size_t)(slash - self) + 1 : 0, size = dir + sizeof("aisbx");
	char *path = malloc(size);

	if (path)
		snprintf(path, size, "%.*saisbx", (int)dir, self);
	return path;
}

static void become(const char *program, const struct remote_call *c)
{
	size_t n = 0;
	char **words;

	while (c->words[n])
		n++;
	words = calloc(n + 2, sizeof(*words));
	if (words) {
		words[0] = "aisbx";
		memcpy(words + 1, c->words, n * sizeof(*words));
		execvp(program, words);
	}
	complain(program, strerror(words ? errno : ENOMEM));
}

/* Its write end belongs to this process and the handler. */
static int wake[2] = { -1, -1 };

static void on_child(int sig)
{
	int before = errno;

	(void)sig;
	(void)!write(wake[1], "", 1);
	errno = before;
}

static bool listen_for_child(void)
{
	struct sigaction act = { .sa_handler = on_child, .sa_flags = SA_NOCLDSTOP | SA_RESTART };

	if (pipe(wake) < 0)
		return false;
	for (int i = 0; i < 2; i++)
		if (fcntl(wake[i], F_SETFD, FD_CLOEXEC) < 0 || fcntl(wake[i], F_SETFL, O_NONBLOCK) < 0)
			return false;
	sigemptyset(&act.sa_mask);
	return sigaction(SIGCHLD, &act, NULL) == 0;
}

/* Until CHILD has ended; when nobody hears it any more it is asked to, three times. */
static int attend(pid_t child)
{
	static const int requests[] = { SIGHUP, SIGTERM, SIGKILL };
	struct pollfd p[2] = { { .fd = STDOUT_FILENO }, { .fd = wake[0], .events = POLLIN } };
	size_t asked = 0;
	int status;

	while (waitpid(child, &status, WNOHANG) == 0) {
		char drain[16];
		int n = poll(p, 2, asked && asked < 3 ? PATIENCE_MS : -1);

		if (n < 0)
			continue;
		if (asked < 3 && (n == 0 || p[0].revents)) {
			kill(child, requests[asked++]);
			p[0].fd = -1; /* it would be told for ever */
		}
		while (read(wake[0], drain, sizeof(drain)) > 0)
			;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run_beside(const char *program, const struct remote_call *c)
{
	pid_t child;

	if (!listen_for_child())
		return complain("start the command", strerror(errno));
	child = fork();
	if (child < 0)
		return complain("start the command", strerror(errno));
	if (child == 0) {
		signal(SIGCHLD, SIG_DFL);
		become(program, c);
		_exit(REMOTE_EXIT);
	}
	close(STDIN_FILENO); /* else who writes to it never learns that the command reads no more */
	return attend(child);
}

static int obey(const char *self, const struct remote_call *c)
{
	char *program;
	int status = REMOTE_EXIT;

	if (chdir(c->dir) < 0) {
		fprintf(stderr,
			"aisbx: the other machine has no directory '%s' (%s); name one that is there with "
			"--remote-dir DIR or ssh://HOST/DIR\n",
			c->dir, strerror(errno));
		return REMOTE_EXIT;
	}
	unsetenv("AISBX_REMOTE"); /* this is the end of the line */
	for (char **v = c->env; *v; v++)
		if (putenv(*v) != 0)
			return complain("set variables", strerror(errno));
	program = find_program(self);
	if (!program)
		return complain("start the command", strerror(ENOMEM));
	if (!isatty(STDOUT_FILENO))
		status = run_beside(program, c);
	else
		become(program, c); /* with a terminal the kernel tells everybody */
	free(program);
	return status;
}

int remote_obey(const char *self, const char *text)
{
	struct remote_call c;
	int status;

	if (!remote_decode(text, &c))
		return complain("what came by ssh", "no command; is aisbx of the same version at both ends?");
	status = obey(self, &c);
	remote_call_finish(&c);
	return status;
}
