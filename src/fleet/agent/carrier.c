/* SPDX-License-Identifier: Apache-2.0 */
/* A node's side of the process that carries a tree. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/spawn.h"
#include "base/str.h"
#include "fleet/agent/carry.h"
#include "fleet/core/memory.h"

#define LONGEST ((size_t)64 << 10)

struct carrier {
	struct loop *loop; /* borrowed */
	void *ctx;         /* borrowed */
	void (*done)(void *ctx, const json_t *said);
	pid_t pid;
	int from; /* owned */
	struct buf text;
};

static void destroy(struct carrier *c)
{
	loop_unwatch(c->loop, c->from);
	close_fd(&c->from);
	kill(c->pid, SIGKILL); /* it has nothing more to say */
	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
	buf_finish(&c->text);
	free(c);
}

void carrier_stop(struct carrier *c)
{
	if (c)
		destroy(c);
}

static void on_output(void *ctx, int fd, short revents)
{
	struct carrier *c = ctx;
	void (*done)(void *whose, const json_t *said) = c->done;
	void *whose = c->ctx;
	char chunk[4096];
	ssize_t n = read(fd, chunk, sizeof(chunk));
	json_t *said;

	(void)revents;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		buf_add(&c->text, chunk, (size_t)n);
	if (n > 0 && !c->text.failed && c->text.len < LONGEST)
		return;
	said = json_loadb(c->text.data ? c->text.data : "", c->text.len, 0, NULL);
	destroy(c);
	if (done)
		done(whose, said);
	json_decref(said);
}

/* That of the node, with the credentials of the store; but where boxes are is the tenant's. */
static void fill_environment(const char *state, struct strlist *ret)
{
	for (char **v = environ; *v; v++)
		if (strncmp(*v, "XDG_STATE_HOME=", 15) != 0)
			strlist_add(ret, *v);
	strlist_addf(ret, "XDG_STATE_HOME=%s", state);
}

static void fill_words(const struct carry_request *q, struct strlist *ret)
{
	strlist_add(ret, "aisbx-fleet");
	strlist_add(ret, CARRY_VERB);
	strlist_add(ret, q->fetch ? "fetch" : q->send ? "send" : "remove");
	strlist_add(ret, q->place.store ? q->place.store : "");
	strlist_add(ret, q->place.key ? q->place.key : "");
	strlist_add(ret, q->place.tenant);
	strlist_add(ret, q->place.cache ? q->place.cache : "");
	strlist_add(ret, q->fetch ? q->fetch : q->send ? q->send : q->remove);
	if (q->fetch) {
		strlist_add(ret, q->to);
		strlist_add(ret, q->boxes);
	}
}

int carrier_start(struct loop *loop, const struct carry_request *q, struct carrier **ret,
		  struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist words = { 0 }, environment = { 0 };
	scoped(drop_fd) int self = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	scoped(drop_fd) int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	scoped(drop_fd) int from = -1, out = -1;
	struct carrier *c;
	struct spawn s;
	int pair[2], r;

	fill_words(q, &words);
	fill_environment(q->state, &environment);
	if (self < 0 || nothing < 0 || words.failed || environment.failed || pipe2(pair, O_CLOEXEC) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno ? errno : ENOMEM, "start a carrier");
	from = pair[0];
	out = pair[1];
	c = fleet_new(sizeof(*c));
	*c = (struct carrier){ .loop = loop, .ctx = q->ctx, .done = q->done, .from = from };
	s = (struct spawn){ .exec_fd = self,
			    .argv = (const char *const *)words.items,
			    .env = (const char *const *)environment.items,
			    .fds = { nothing, out, STDERR_FILENO },
			    .n_fds = 3 };
	r = spawn_start(&s, &c->pid, e);
	if (r < 0) {
		free(c);
		return r;
	}
	take_fd(&from);
	if (loop_watch(loop, c->from, POLLIN, on_output, c) < 0)
		fleet_out_of_memory();
	*ret = c;
	return 0;
}
