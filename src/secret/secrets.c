/* SPDX-License-Identifier: Apache-2.0 */
/* Reads values of secrets from variables, files and commands of the person, as the person. */
#include "secret/secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/time.h"
#include "secret/secret_spec.h"

/* A password manager may have to ask its person. */
#define COMMAND_MS 60000

/* Where values are read, and for whom. */
struct reading {
	const char *cwd;
	const char *const *env;
	const struct given_secret *given; /* NULL: none */
};

static void forget(void *p, size_t n)
{
	if (p)
		explicit_bzero(p, n);
	free(p);
}

static void drop_value(struct buf *b)
{
	forget(b->data, b->cap);
	*b = (struct buf){ 0 };
}

void box_secrets_finish(struct run_secrets *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->items[i].name);
		forget(s->items[i].value, s->items[i].len);
	}
	free(s->items);
	redactor_destroy(s->redactor);
	strlist_finish(&s->sources);
	strlist_finish(&s->specs);
	*s = (struct run_secrets){ 0 };
}

bool secrets_given(const struct run_secrets *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->items[i].of_project)
			return true;
	return false;
}

static const char *variable(const struct reading *in, const char *name)
{
	size_t n = strlen(name);

	for (const char *const *v = in->env; v && *v; v++)
		if (!strncmp(*v, name, n) && (*v)[n] == '=')
			return *v + n + 1;
	return NULL;
}

static const struct given_secret *given(const struct reading *in, const struct secret_spec *spec)
{
	const struct given_secret *g = spec->source == SECRET_FROM_ENV ? in->given : NULL;

	while (g && g->name && strcmp(g->name, spec->from) != 0)
		g++;
	return g && g->name ? g : NULL;
}

static int read_variable(const struct reading *in, const struct secret_spec *spec, struct buf *ret,
			 struct aisbx_error *e)
{
	const struct given_secret *g = given(in, spec);
	const char *value = variable(in, spec->from);

	if (g) {
		buf_add(ret, g->value, g->len);
		return 0;
	}
	if (!value)
		return aisbx_refuse(
			e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
			"secret '%s': variable '%s' is not set; 'export' it first, or give it from a file: "
			"--secret %s=file:PATH",
			spec->name, spec->from, spec->name);
	buf_add(ret, value, strlen(value));
	return 0;
}

/* Room at once, so that no copy of it is left where a smaller block was. One byte more tells that there is
 * more. */
static ssize_t read_up(int fd, struct buf *ret)
{
	ssize_t n;

	if (!ret->cap) {
		ret->data = malloc(SECRET_MAX_BYTES + 2);
		ret->cap = ret->data ? SECRET_MAX_BYTES + 2 : 0;
	}
	if (!ret->data) {
		errno = ENOMEM;
		return -1;
	}
	n = read(fd, ret->data + ret->len, SECRET_MAX_BYTES + 1 - ret->len);
	ret->len += n > 0 ? (size_t)n : 0;
	return n;
}

static int read_file(const struct reading *in, const struct secret_spec *spec, struct buf *ret,
		     struct aisbx_error *e)
{
	const char *home = !strncmp(spec->from, "~/", 2) ? variable(in, "HOME") : NULL;
	scoped(drop_mem) char *path = path_resolve(home ? home : in->cwd, home ? spec->from + 2 : spec->from);
	scoped(drop_fd) int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
	ssize_t n;

	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, path ? errno : ENOMEM, "secret '%s': read '%s'",
				  spec->name, spec->from);
	while ((n = read_up(fd, ret)) > 0)
		;
	return n < 0 && errno != EINTR ? aisbx_fail(e, AISBX_AREA_USAGE, errno, "secret '%s': read '%s'",
						    spec->name, spec->from)
				       : 0;
}

/* All that comes until the other end closes. -ETIME: it does not in time. */
static int collect(int fd, struct buf *ret)
{
	uint64_t until = time_ms() + COMMAND_MS, now;
	ssize_t n = 1;

	while (n > 0 && ret->len <= SECRET_MAX_BYTES) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		now = time_ms();
		if (now >= until)
			return -ETIME;
		if (poll(&p, 1, (int)(until - now)) <= 0)
			continue;
		n = read_up(fd, ret);
		if (n < 0 && errno == EINTR)
			n = 1;
	}
	return n < 0 ? -errno : 0;
}

static int start_shell(const struct reading *in, const char *command, int out, pid_t *ret_pid)
{
	char *const argv[] = { "sh", "-c", (char *)(uintptr_t)command, NULL };
	posix_spawn_file_actions_t files;
	int r = posix_spawn_file_actions_init(&files);

	if (r)
		return -r;
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, out, 1);
	posix_spawn_file_actions_addchdir_np(&files, in->cwd);
	r = posix_spawn(ret_pid, "/bin/sh", &files, NULL, argv, (char *const *)(uintptr_t)in->env);
	posix_spawn_file_actions_destroy(&files);
	return -r;
}

static int run_command(const struct reading *in, const struct secret_spec *spec, struct buf *ret,
		       struct aisbx_error *e)
{
	scoped(drop_fd) int from = -1;
	int ends[2], status = 0, r;
	pid_t pid = 0;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "secret '%s': make a pipe", spec->name);
	from = ends[0];
	r = start_shell(in, spec->from, ends[1], &pid);
	close(ends[1]);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "secret '%s': start a shell", spec->name);
	r = collect(from, ret);
	if (r < 0)
		kill(pid, SIGKILL);
	close_fd(&from); /* one that writes more than anybody reads ends by that */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, -r,
				  "secret '%s': its command did not finish within a minute", spec->name);
	if (ret->len <= SECRET_MAX_BYTES && (!WIFEXITED(status) || WEXITSTATUS(status)))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ECANCELED,
				    "secret '%s': its command ended with %s %d", spec->name,
				    WIFEXITED(status) ? "status" : "signal",
				    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return 0;
}

static int check(const struct secret_spec *spec, const struct buf *value, struct aisbx_error *e)
{
	char mark[SECRET_MAX_NAME + 16];

	snprintf(mark, sizeof(mark), "[secret %s]", spec->name);
	if (value->len > SECRET_MAX_BYTES)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, E2BIG,
				    "secret '%s' is longer than %u bytes", spec->name, SECRET_MAX_BYTES);
	if (value->len < SECRET_MIN || strspn(value->data, " \t\r\n") == value->len)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "secret '%s' has %zu bytes: with fewer than %u it would match too much "
				    "ordinary text to be removed from the output; use a longer one, or pass "
				    "it with --env, where it is not removed",
				    spec->name, value->len, SECRET_MIN);
	if (strlen(value->data) == value->len && strstr(mark, value->data))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"secret '%s' is part of the text that replaces it in output; give it another name",
			spec->name);
	if (spec->as_env && memchr(value->data, '\0', value->len))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "secret '%s' contains a NUL byte, which a variable cannot; omit ',as='",
				    spec->name);
	return 0;
}

/* A variable, what a command prints and what goes into a header is meant without the newline at its end. */
static void trim(const struct secret_spec *spec, struct buf *value)
{
	while ((spec->source == SECRET_FROM_COMMAND || (spec->as_env && !spec->as_file) ||
		spec->inject.host) &&
	       value->len && value->data[value->len - 1] == '\n')
		value->len--;
}

static int read_one(const struct reading *in, const struct secret_spec *spec, struct run_secret *ret,
		    struct aisbx_error *e)
{
	static int (*const readers[])(const struct reading *in, const struct secret_spec *spec,
				      struct buf *ret,
				      struct aisbx_error *e) = { [SECRET_FROM_ENV] = read_variable,
								 [SECRET_FROM_FILE] = read_file,
								 [SECRET_FROM_COMMAND] = run_command };
	scoped(drop_value) struct buf value = { 0 };
	int r = readers[spec->source](in, spec, &value, e);

	if (r < 0)
		return r;
	trim(spec, &value);
	if (!buf_str(&value))
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read secret '%s'", spec->name);
	r = check(spec, &value, e);
	if (r < 0)
		return r;
	*ret = (struct run_secret){ .name = strdup(spec->name),
				    .value = malloc(value.len + 1),
				    .len = value.len,
				    .as_file = spec->as_file && !spec->inject.host,
				    .as_env = spec->as_env && !spec->inject.host };
	if (!ret->name || !ret->value) {
		free(ret->name);
		free(ret->value);
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read secret '%s'", spec->name);
	}
	memcpy(ret->value, value.data, value.len + 1);
	return 0;
}

/* Nor may another process of this user look into it. */
static void keep_to_ourselves(void)
{
	const struct rlimit none = { 1, 1 }; /* less than any dump; boxes get the same */

	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0); /* a limit does not hold where a program takes the dump */
}

static int add(const struct reading *in, const char *text, struct run_secrets *s, struct aisbx_error *e)
{
	scoped(secret_spec_finish) struct secret_spec spec = { 0 };
	int r = secret_spec_parse(text, &spec, e);

	if (r == 0 && s->n == SECRET_MAX)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, E2BIG,
				    "too many secrets: at most %u", SECRET_MAX);
	if (r == 0)
		r = read_one(in, &spec, &s->items[s->n], e);
	if (r < 0)
		return r;
	s->n++;
	if (spec.source == SECRET_FROM_ENV && !given(in, &spec))
		strlist_add(&s->sources, spec.from);
	return 0;
}

bool secret_is_overridden(const struct strlist *specs, size_t at)
{
	size_t n = strcspn(specs->items[at], "=");

	for (size_t i = at + 1; i < specs->n; i++)
		if (strcspn(specs->items[i], "=") == n && !strncmp(specs->items[i], specs->items[at], n))
			return true;
	return false;
}

int box_secrets_read(struct run_secrets *s, const char *cwd, const char *const *env,
		     const struct given_secret *given, struct aisbx_error *e)
{
	const struct strlist *specs = &s->specs;
	const struct reading in = { cwd, env, given };
	size_t all = 0;
	int r = 0;

	if (!specs->n)
		return 0;
	s->items = calloc(SECRET_MAX + 1 + SECRET_PROJECT_MAX, sizeof(*s->items));
	if (!s->items)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the secrets");
	keep_to_ourselves();
	for (size_t i = 0; r == 0 && i < specs->n; i++)
		r = secret_is_overridden(specs, i) ? 0 : add(&in, specs->items[i], s, e);
	for (size_t i = 0; i < s->n; i++)
		all += s->items[i].len;
	if (r == 0 && all > SECRET_MAX_ALL)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, E2BIG,
				    "all secrets together have more than %u bytes", SECRET_MAX_ALL);
	return r == 0 && s->sources.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the secrets") : r;
}
