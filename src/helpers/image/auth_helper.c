/* SPDX-License-Identifier: Apache-2.0 */
/* Where a password is kept: files, and programs named docker-credential-NAME. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "base/time.h"
#include "helpers/image/auth.h"

#define ANSWER_MAX (256u << 10)
#define ANSWER_MS  60000 /* it may ask the person */

extern char **environ;

static void wipe_buf(struct buf *b)
{
	if (b->data)
		explicit_bzero(b->data, b->len);
	buf_finish(b);
}

/* The first on PATH, the caller's; only absolute directories count. */
static char *find_program(const char *name)
{
	const char *dir = getenv("PATH"), *end;

	for (dir = dir ? dir : "/usr/local/bin:/usr/bin:/bin"; *dir; dir = *end ? end + 1 : end) {
		scoped(drop_mem) char *file = NULL;
		struct stat st;

		end = strchrnul(dir, ':');
		if (*dir != '/' || asprintf(&file, "%.*s/%s", (int)(end - dir), dir, name) < 0)
			continue;
		if (stat(file, &st) == 0 && S_ISREG(st.st_mode) && access(file, X_OK) == 0)
			return take_mem(&file);
	}
	return NULL;
}

/* All it says, up to its end or the time limit. */
static int listen_to(int from, struct buf *said)
{
	uint64_t until = time_ms() + ANSWER_MS;
	char chunk[4096];

	for (;;) {
		struct pollfd p = { .fd = from, .events = POLLIN };
		uint64_t now = time_ms();
		ssize_t n;

		if (now >= until || said->len > ANSWER_MAX)
			return now >= until ? -ETIMEDOUT : -EFBIG;
		if (poll(&p, 1, (int)(until - now)) <= 0)
			continue;
		n = read(from, chunk, sizeof(chunk));
		if (n == 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
		buf_add(said, chunk, n > 0 ? (size_t)n : 0);
		explicit_bzero(chunk, sizeof(chunk));
	}
}

static int start_helper(const char *name, const char *key, int out, pid_t *ret_pid, struct aisbx_error *e)
{
	scoped(drop_fd) int in = memfd_create("aisbx-host", MFD_CLOEXEC);
	scoped(drop_fd) int err = open("/dev/null", O_WRONLY | O_CLOEXEC);
	scoped(drop_mem) char *program = find_program(name);
	const char *const argv[] = { name, "get", NULL };
	posix_spawn_file_actions_t fds;
	int r;

	if (!program)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
				    "'%s', which keeps the password for this registry, is not on PATH", name);
	if (in < 0 || err < 0 || io_write_all(in, key, strlen(key)) < 0 || lseek(in, 0, SEEK_SET) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "start '%s'", name);
	r = posix_spawn_file_actions_init(&fds);
	if (r)
		return aisbx_fail(e, AISBX_AREA_BOX, r, "start '%s'", name);
	r = posix_spawn_file_actions_adddup2(&fds, in, 0);
	r = r ? r : posix_spawn_file_actions_adddup2(&fds, out, 1);
	r = r ? r : posix_spawn_file_actions_adddup2(&fds, err, 2);
	r = r ? r : posix_spawn(ret_pid, program, &fds, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&fds);
	return r ? aisbx_fail(e, AISBX_AREA_BOX, r, "start '%s'", name) : 0;
}

/* Exit status other than 0: it has none, and says so in ways of its own. */
static int ask_helper(const char *helper, const char *key, struct credentials *ret, struct aisbx_error *e)
{
	scoped(wipe_buf) struct buf said = { 0 };
	scoped(drop_mem) char *name = NULL;
	scoped(drop_fd) int from = -1;
	int fds[2], status = 0, r;
	pid_t pid = 0;

	if (asprintf(&name, "docker-credential-%s", helper) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "start a credential helper");
	if (pipe2(fds, O_CLOEXEC) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "start '%s'", name);
	from = fds[0];
	r = start_helper(name, key, fds[1], &pid, e);
	close(fds[1]);
	if (r < 0)
		return r;
	r = listen_to(from, &said);
	if (r < 0)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "read the answer of '%s'", name);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return 0;
	return auth_file_answer(said.data ? said.data : "", said.len, ret, e);
}

/* *RET stays NULL when there is no such file. */
static int read_file(const char *path, json_t **ret, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	scoped(wipe_buf) struct buf text = { 0 };
	struct stat st;
	int r;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR
			       ? 0
			       : aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > (off_t)AUTH_FILE_MAX)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "'%s' is no file of passwords: no regular file, or too long", path);
	r = io_read_all(fd, AUTH_FILE_MAX, &text);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "read '%s'", path);
	*ret = json_loadb(text.data, text.len, 0, NULL);
	if (!json_is_object(*ret))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL, "'%s' is no JSON object",
				    path);
	return 0;
}

static int find_in(const char *path, const char *host, const char *repository, struct credentials *ret,
		   struct aisbx_error *e)
{
	json_t *file = NULL;
	char helper[64] = "";
	int r = read_file(path, &file, e);

	if (r == 0 && file)
		r = auth_file_helper(file, host, helper, sizeof(helper), e);
	if (r == 0 && helper[0])
		r = ask_helper(helper, auth_file_key(host), ret, e);
	if (r == 0 && !ret->user && !ret->identity_token)
		r = auth_file_find(file, host, repository, ret, e);
	json_decref(file);
	return r;
}

int auth_find(const char *file, const char *host, const char *repository, struct credentials *ret,
	      struct aisbx_error *e)
{
	const char *docker = getenv("DOCKER_CONFIG"), *home = getenv("HOME"),
		   *run = getenv("XDG_RUNTIME_DIR");
	scoped(drop_mem) char *first = NULL;
	scoped(drop_mem) char *second = NULL;
	int r = 0;

	if (file && access(file, F_OK) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", file);
	if (file)
		r = asprintf(&first, "%s", file);
	else if (docker && docker[0] == '/')
		r = asprintf(&first, "%s/config.json", docker);
	else if (home && home[0] == '/')
		r = asprintf(&first, "%s/.docker/config.json", home);
	if (r >= 0 && run && run[0] == '/')
		r = asprintf(&second, "%s/containers/auth.json", run);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "look for a password for '%s'", host);
	r = first ? find_in(first, host, repository, ret, e) : 0;
	if (r == 0 && second && !ret->user && !ret->identity_token && !ret->registry_token)
		r = find_in(second, host, repository, ret, e);
	return r;
}
