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

static int listen_to(struct conversation *c, image_progress_fn *progress, void *ctx, struct aisbx_error *e)
{
	scoped(drop_file) FILE *f = fdopen(c->from, "r");
	scoped(drop_mem) char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	int r = 0;

	if (!f)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "read the answer of %s", IMAGE_HELPER);
	c->from = -1;
	while (r == 0 && (len = getline(&line, &cap, f)) > 0)
		r = len > IMAGE_LINE_MAX ? aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
							"%s gave an answer that is too long", IMAGE_HELPER)
					 : take_line(c, line, (size_t)len, progress, ctx, e);
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
