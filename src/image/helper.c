/* SPDX-License-Identifier: Apache-2.0 */
/* A request to aisbx-image: its whole life, from start to the last line. What it says is read as hostile. */
#include "image/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/io.h"
#include "base/program.h"
#include "base/scope.h"
#include "base/spawn.h"
#include "image/wire.h"

/* What the helper reads of the person's surroundings. */
static const char *const passed[] = { "HOME", "PATH", "http_proxy", "https_proxy", "no_proxy", "HTTPS_PROXY",
				      "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "XDG_RUNTIME_DIR",
				      "AISBX_WITHOUT",
				      /* for programs that keep passwords */
				      "DOCKER_CONFIG", "DBUS_SESSION_BUS_ADDRESS", "GNUPGHOME",
				      "PASSWORD_STORE_DIR", "XDG_CONFIG_HOME" };
#define N_PASSED (sizeof(passed) / sizeof(*passed))

struct conversation {
	pid_t pid; /* 0: there is none */
	int from;
	json_t *ok; /* owned */
	bool answered;
};

static void conversation_finish(struct conversation *c)
{
	close_fd(&c->from);
	if (c->pid > 0) {
		kill(c->pid, SIGKILL);
		while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	json_decref(c->ok);
}

static int start(const json_t *request, struct conversation *c, struct aisbx_error *e)
{
	scoped(drop_mem) char *text = json_dumps(request, JSON_COMPACT);
	scoped(drop_fd) int in = memfd_create("aisbx-request", MFD_CLOEXEC);
	scoped(drop_fd) int program = -1;
	scoped(drop_fd) int out = -1;
	static const char *const argv[] = { IMAGE_HELPER, NULL };
	char *env[N_PASSED + 1] = { 0 };
	size_t n = 0;
	int pipe_fds[2];
	int r;

	if (!text || in < 0 || io_write_all(in, text, strlen(text)) < 0 || lseek(in, 0, SEEK_SET) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, text ? errno : ENOMEM, "write a request for %s",
				  IMAGE_HELPER);
	r = program_open(IMAGE_HELPER, &program, e);
	if (r < 0)
		return r;
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "create a pipe to %s", IMAGE_HELPER);
	c->from = pipe_fds[0];
	out = pipe_fds[1];
	for (size_t i = 0; i < N_PASSED; i++) {
		const char *value = getenv(passed[i]);

		if (value && asprintf(&env[n], "%s=%s", passed[i], value) > 0)
			n++;
	}
	r = spawn_start(&(struct spawn){ .exec_fd = program,
					 .argv = argv,
					 .env = (const char *const *)env,
					 .fds = { in, out, STDERR_FILENO },
					 .n_fds = 3 },
			&c->pid, e);
	while (n)
		free(env[--n]);
	return r;
}

static int take_error(const json_t *said, struct aisbx_error *e)
{
	int kind = (int)json_integer_value(json_object_get(said, "kind"));
	int code = (int)json_integer_value(json_object_get(said, "code"));
	const char *text = json_string_value(json_object_get(said, "text"));

	return aisbx_refuse(e, kind > 0 && kind < AISBX_KIND_COUNT ? kind : AISBX_KIND_INTERNAL,
			    AISBX_AREA_BOX, code < 0 && code > -4096 ? -code : EIO, "%s",
			    text ? text : "aisbx-image failed");
}

static int take_line(struct conversation *c, const char *line, size_t len, image_progress_fn *progress,
		     void *ctx, struct aisbx_error *e)
{
	json_t *said = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
	json_t *it;
	int r = 0;

	if (!said || c->answered) {
		r = aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO, "%s gave an invalid answer",
				 IMAGE_HELPER);
	} else if ((it = json_object_get(said, "progress"))) {
		r = progress ? progress(ctx, it) : 0;
		if (r < 0)
			aisbx_fail(e, AISBX_AREA_BOX, -r, "stopped");
	} else if ((it = json_object_get(said, "ok"))) {
		c->ok = json_incref(it);
		c->answered = true;
	} else {
		r = take_error(json_object_get(said, "error"), e);
	}
	json_decref(said);
	return r;
}

/* Signals that end a program and that the caller lets wait, if any: readable when one is there, which then
 * still waits. */
static int ends_that_wait(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t now, set;
	bool any = false;

	sigemptyset(&set);
	if (sigprocmask(SIG_BLOCK, NULL, &now) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (sigismember(&now, ends[i]) == 1) {
			sigaddset(&set, ends[i]);
			any = true;
		}
	return any ? signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK) : -1;
}

/* More of what the helper says; 1: there is some, 0: it is the end. */
static int read_more(struct conversation *c, int signals, struct buf *text, struct aisbx_error *e)
{
	struct pollfd fds[] = { { .fd = c->from, .events = POLLIN }, { .fd = signals, .events = POLLIN } };
	char part[16384];
	ssize_t n;

	while (poll(fds, 2, -1) < 0)
		if (errno != EINTR)
			return aisbx_fail(e, AISBX_AREA_BOX, errno, "wait for %s", IMAGE_HELPER);
	if (fds[1].revents & POLLIN)
		return aisbx_refuse(e, AISBX_KIND_CANCELLED, AISBX_AREA_BOX, EINTR, "interrupted");
	n = read(c->from, part, sizeof(part));
	if (n < 0 && errno != EINTR)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "read the answer of %s", IMAGE_HELPER);
	if (n > 0)
		buf_add(text, part, (size_t)n);
	return text->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the answer of %s", IMAGE_HELPER)
			    : n != 0;
}

/* Each whole line of TEXT, which then has only what follows the last. */
static int take_lines(struct conversation *c, struct buf *text, image_progress_fn *progress, void *ctx,
		      struct aisbx_error *e)
{
	size_t at = 0;
	const char *end;
	int r = 0;

	while (r == 0 && at < text->len && (end = memchr(text->data + at, '\n', text->len - at))) {
		r = take_line(c, text->data + at, (size_t)(end - text->data) - at, progress, ctx, e);
		at = (size_t)(end + 1 - text->data);
	}
	if (at)
		memmove(text->data, text->data + at, text->len - at);
	text->len -= at;
	if (r == 0 && text->len > IMAGE_LINE_MAX)
		r = aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
				 "%s gave an answer that is too long", IMAGE_HELPER);
	return r;
}

static int listen_to(struct conversation *c, image_progress_fn *progress, void *ctx, struct aisbx_error *e)
{
	scoped(drop_fd) int signals = ends_that_wait();
	scoped(buf_finish) struct buf text = { 0 };
	int r;

	while ((r = read_more(c, signals, &text, e)) > 0) {
		r = take_lines(c, &text, progress, ctx, e);
		if (r < 0)
			return r;
	}
	if (r == 0 && text.len)
		r = take_line(c, text.data, text.len, progress, ctx, e);
	if (r == 0 && !c->answered)
		r = aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
				 "%s ended without an answer; is there enough memory, and are its libraries "
				 "installed?",
				 IMAGE_HELPER);
	return r;
}

int image_ask(const json_t *request, image_progress_fn *progress, void *ctx, json_t **ret,
	      struct aisbx_error *e)
{
	scoped(conversation_finish) struct conversation c = { .from = -1 };
	int r = start(request, &c, e);

	if (r == 0)
		r = listen_to(&c, progress, ctx, e);
	if (r < 0)
		return r;
	*ret = c.ok;
	c.ok = NULL;
	return 0;
}
