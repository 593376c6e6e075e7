/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a command of the person's own and waits for it, but not for processes that it leaves behind. */
#include "flow/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"

/* Those of MORE win: who looks a name up takes the first. */
static char **environment(const struct flow_command *c)
{
	size_t n = 0, at = 0;
	char **env;

	while (c->env && c->env[n])
		n++;
	env = calloc(n + c->more->n + 1, sizeof(*env));
	for (size_t i = 0; env && i < c->more->n; i++)
		env[at++] = c->more->items[i];
	for (size_t i = 0; env && i < n; i++)
		env[at++] = (char *)c->env[i];
	return env;
}

/* A file, not a pipe: what the command leaves running in the background must not be waited for. */
static int start(const struct flow_command *c, char *const *env, int kept, pid_t *ret_pid)
{
	posix_spawn_file_actions_t acts;
	posix_spawnattr_t attrs;
	sigset_t none, all;
	int r = posix_spawn_file_actions_init(&acts);

	if (r)
		return r;
	r = posix_spawnattr_init(&attrs);
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setsigmask(&attrs, &none);
	posix_spawnattr_setsigdefault(&attrs, &all);
	posix_spawnattr_setflags(&attrs, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (!r)
		r = posix_spawn_file_actions_addopen(&acts, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	for (int i = 0; !r && i < 2; i++)
		r = posix_spawn_file_actions_adddup2(&acts, c->out_fds[i] < 0 ? kept : c->out_fds[i], i + 1);
	if (!r && c->held_fd >= 0) /* onto itself: it stays open */
		r = posix_spawn_file_actions_adddup2(&acts, c->held_fd, c->held_fd);
	if (!r)
		r = posix_spawn_file_actions_addchdir_np(&acts, c->dir);
	if (!r)
		r = posix_spawnp(ret_pid, c->argv->items[0], &acts, &attrs, c->argv->items, env);
	posix_spawn_file_actions_destroy(&acts);
	posix_spawnattr_destroy(&attrs);
	return r;
}

static void read_end(int kept, struct flow_command_end *ret)
{
	off_t size = lseek(kept, 0, SEEK_END), most = sizeof(ret->said) - 1;
	ssize_t n = pread(kept, ret->said, (size_t)most, size > most ? size - most : 0);

	while (n > 0 && strchr(" \n", ret->said[n - 1]))
		n--;
	ret->said[n > 0 ? n : 0] = '\0';
}

int flow_command_run(const struct flow_command *c, struct flow_command_end *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int kept = memfd_create("output", MFD_CLOEXEC);
	scoped(drop_mem) char **env = environment(c);
	int status, r;
	pid_t pid;

	if (kept < 0 || !env || c->argv->failed)
		return aisbx_fail(e, AISBX_AREA_RUN, kept < 0 ? errno : ENOMEM, "start '%s'",
				  c->argv->items[0]);
	r = start(c, env, kept, &pid);
	if (r)
		return aisbx_fail(e, AISBX_AREA_RUN, r, "start '%s'", c->argv->items[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return aisbx_fail(e, AISBX_AREA_RUN, errno, "wait for '%s'", c->argv->items[0]);
	ret->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	read_end(kept, ret);
	return 0;
}
