/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the server of a tenant's boxes, and passes lines of JSON to it and from it. */
#include "fleet/agent/tenant.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/spawn.h"
#include "base/str.h"
#include "fleet/agent/watchdog.h"
#include "fleet/core/memory.h"

/* A line of `aisbx rpc` is shorter. */
#define LONGEST_LINE ((size_t)16 << 20)

struct tenant {
	struct loop *loop; /* borrowed */
	struct tenant_listener listener;
	struct tenant *next;
	uint64_t idle_since;
	char name[FLEET_NAME];
	char work[PATH_MAX];
	pid_t pid;           /* of the watchdog */
	int to, from, lease; /* owned; -1: closed */
	struct buf in, out;
	uint64_t until_ms; /* as the watchdog knows it */
};

const char *tenant_name(const struct tenant *t)
{
	return t->name;
}

const char *tenant_work(const struct tenant *t)
{
	return t->work;
}

struct tenant **tenant_next(struct tenant *t)
{
	return &t->next;
}

uint64_t *tenant_idle_since(struct tenant *t)
{
	return &t->idle_since;
}

static void close_watched(struct tenant *t, int *fd)
{
	if (*fd >= 0)
		loop_unwatch(t->loop, *fd);
	close_fd(fd);
}

static void destroy(struct tenant *t)
{
	close_watched(t, &t->to);
	close_watched(t, &t->from);
	close_fd(&t->lease);
	buf_finish(&t->in);
	buf_finish(&t->out);
	free(t);
}

void tenant_kill(struct tenant *t)
{
	close_fd(&t->lease);
}

bool tenant_is_ending(const struct tenant *t)
{
	return t->lease < 0;
}

void tenant_reap(struct tenant *t)
{
	if (waitpid(t->pid, NULL, WNOHANG) != t->pid)
		return;
	t->listener.gone(t->listener.ctx, t);
	destroy(t);
}

void tenant_lease(struct tenant *t, uint64_t until_ms)
{
	if (t->lease < 0 || until_ms == t->until_ms)
		return;
	if (write(t->lease, &until_ms, sizeof(until_ms)) == (ssize_t)sizeof(until_ms))
		t->until_ms = until_ms;
}

/* Takes the whole lines out of what was read. */
static void take_lines(struct tenant *t)
{
	size_t at = 0;
	char *end;

	while (t->in.len > at && (end = memchr(t->in.data + at, '\n', t->in.len - at))) {
		json_t *message = json_loadb(t->in.data + at, (size_t)(end - t->in.data) - at, 0, NULL);

		if (message)
			t->listener.said(t->listener.ctx, t, message);
		json_decref(message);
		at = (size_t)(end - t->in.data) + 1;
	}
	memmove(t->in.data, t->in.data + at, t->in.len - at);
	t->in.len -= at;
}

static void on_output(void *ctx, int fd, short revents)
{
	struct tenant *t = ctx;
	char chunk[65536];
	ssize_t n = read(fd, chunk, sizeof(chunk));

	(void)revents;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		buf_add(&t->in, chunk, (size_t)n);
	if (n <= 0 || t->in.failed || t->in.len > LONGEST_LINE) {
		close_watched(t, &t->from);
		tenant_kill(t);
		return;
	}
	take_lines(t);
}

static void on_room(void *ctx, int fd, short revents)
{
	struct tenant *t = ctx;
	ssize_t n = t->out.len ? write(fd, t->out.data, t->out.len) : 0;

	(void)revents;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		close_watched(t, &t->to);
		tenant_kill(t);
		return;
	}
	memmove(t->out.data, t->out.data + n, t->out.len - (size_t)n);
	explicit_bzero(t->out.data + t->out.len - (size_t)n, (size_t)n); /* a secret may have been in it */
	t->out.len -= (size_t)n;
	if (!t->out.len)
		loop_unwatch(t->loop, fd);
}

void tenant_send(struct tenant *t, json_t *message)
{
	char *text = json_dumps(message, JSON_COMPACT);

	json_decref(message);
	if (!text)
		fleet_out_of_memory();
	if (t->to >= 0) {
		buf_add(&t->out, text, strlen(text));
		buf_add(&t->out, "\n", 1);
		if (t->out.failed || loop_watch(t->loop, t->to, POLLOUT, on_room, t) < 0)
			fleet_out_of_memory();
	}
	explicit_bzero(text, strlen(text));
	free(text);
}

static int make_dir(const char *path, struct aisbx_error *e)
{
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "make '%s'", path);
	return 0;
}

/* Its directories; and, in ENV, where aisbx shall keep what: nothing of the agent's own environment but PATH.
 */
static int make_home(struct tenant *t, const char *dir, struct strlist *env, struct aisbx_error *e)
{
	static const char *const places[][2] = { { "state", "XDG_STATE_HOME" },
						 { "config", "XDG_CONFIG_HOME" },
						 { "cache", "XDG_CACHE_HOME" },
						 { "work", "PWD" } };
	const char *path = getenv("PATH");
	char at[PATH_MAX];
	int r;

	snprintf(at, sizeof(at), "%s/tenants", dir);
	r = make_dir(at, e);
	if (r == 0) {
		snprintf(at, sizeof(at), "%s/tenants/%s", dir, t->name);
		r = make_dir(at, e);
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && r == 0; i++) {
		if (snprintf(t->work, sizeof(t->work), "%s/tenants/%s/%s", dir, t->name, places[i][0]) >=
		    (int)sizeof(t->work))
			return aisbx_fail(e, AISBX_AREA_RUN, ENAMETOOLONG, "make the directories of '%s'",
					  t->name);
		r = make_dir(t->work, e);
		strlist_addf(env, "%s=%s", places[i][1], t->work);
	}
	strlist_addf(env, "HOME=%s",
		     dir); /* boxes do not see a home: so none sees another tenant's, or the node's */
	strlist_addf(env, "PATH=%s", path ? path : "/usr/local/bin:/usr/bin:/bin");
	strlist_add(env, "LANG=C.UTF-8");
	return r == 0 && env->failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "start a server") : r;
}

static int start(struct tenant *t, const struct strlist *env, struct aisbx_error *e)
{
	static const char *const words[] = { "aisbx-fleet", WATCHDOG_VERB, NULL };
	scoped(drop_fd) int in = -1, out = -1, lease = -1, self = -1;
	int pair[2];
	struct spawn s;

	self = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	if (self < 0 || pipe2(pair, O_CLOEXEC) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "start a watchdog");
	in = pair[0];
	t->to = pair[1];
	if (pipe2(pair, O_CLOEXEC) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "start a watchdog");
	t->from = pair[0];
	out = pair[1];
	if (pipe2(pair, O_CLOEXEC) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "start a watchdog");
	lease = pair[0];
	t->lease = pair[1];
	if (fcntl(t->to, F_SETFL, O_NONBLOCK) < 0 || fcntl(t->from, F_SETFL, O_NONBLOCK) < 0 ||
	    fcntl(t->lease, F_SETFL, O_NONBLOCK) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "start a watchdog");
	s = (struct spawn){ .exec_fd = self,
			    .argv = words,
			    .env = (const char *const *)env->items,
			    .fds = { in, out, STDERR_FILENO, lease },
			    .n_fds = 4 };
	return spawn_start(&s, &t->pid, e);
}

int tenant_open(struct loop *loop, const char *dir, const char *name, uint64_t until_ms,
		const struct tenant_listener *listener, struct tenant **ret, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist env = { 0 };
	struct tenant *t = fleet_new(sizeof(*t));
	int r;

	t->loop = loop;
	t->listener = *listener;
	t->to = t->from = t->lease = -1;
	snprintf(t->name, sizeof(t->name), "%s", name);
	r = make_home(t, dir, &env, e);
	if (r == 0)
		r = start(t, &env, e);
	if (r == 0 && loop_watch(loop, t->from, POLLIN, on_output, t) < 0)
		fleet_out_of_memory();
	if (r < 0) {
		destroy(t);
		return r;
	}
	tenant_lease(t, until_ms);
	*ret = t;
	return 0;
}
