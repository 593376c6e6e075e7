/* SPDX-License-Identifier: Apache-2.0 */
/* `aisbx mcp`: one client on standard input and output, one message per line. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "box/sessions.h"
#include "server/core/call.h"
#include "server/core/json.h"
#include "server/core/lines.h"
#include "server/mcp/mcp.h"
#include "server/mcp/serve.h"
#include "server/core/server.h"

struct stdio {
	struct mcp_channel channel; /* first: a channel is found to be this */
	struct loop *loop;
	struct lines *lines; /* NULL: nobody reads any more */
	struct mcp *mcp;
	struct mcp_session *session; /* NULL: it has ended */
	char cwd[PATH_MAX];
	int signals; /* owned */
	struct watch *signals_watch;
	bool stopping, stopped;
	int status;
};

static void on_send(struct mcp_channel *ch, const json_t *message)
{
	struct stdio *s = (struct stdio *)ch;
	scoped(drop_mem) char *text = s->lines ? json_dumps(message, JSON_COMPACT | VALUE_REALS) : NULL;

	if (text)
		lines_send(s->lines, text, strlen(text));
}

static bool is_full(struct mcp_channel *ch)
{
	const struct stdio *s = (struct stdio *)ch;

	return !s->lines || lines_is_full(s->lines);
}

static void on_stopped(void *ctx)
{
	struct stdio *s = ctx;

	s->stopped = true;
	if (s->lines)
		lines_end(s->lines);
	else
		loop_stop(s->loop);
}

/* Who stops reading or writing does not want what is under way any more. */
static void stop(struct stdio *s)
{
	if (s->stopping)
		return;
	s->stopping = true;
	s->session = NULL;
	mcp_stop(s->mcp, on_stopped, s);
}

static void on_signal(void *ctx, uint32_t events)
{
	struct stdio *s = ctx;
	struct signalfd_siginfo info;

	(void)events;
	if (read(s->signals, &info, sizeof(info)) != sizeof(info))
		return;
	s->status = 128 + (int)info.ssi_signo;
	if (s->stopping)
		loop_stop(s->loop);
	stop(s);
}

static void on_line(void *ctx, const char *text, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct stdio *s = ctx;
	json_t *message;

	if (!s->session)
		return;
	message = server_json_read(text, len, &e);
	if (message) {
		mcp_receive(s->session, &s->channel, message);
	} else {
		message = mcp_error_message(NULL, MCP_PARSE_ERROR, e.text, NULL);
		on_send(&s->channel, message);
	}
	json_decref(message);
}

static void on_end(void *ctx, int why)
{
	struct stdio *s = ctx;

	if (why == -E2BIG) {
		json_t *message =
			mcp_error_message(NULL, MCP_PARSE_ERROR,
					  "the message is too long; the connection is closed", NULL);

		on_send(&s->channel, message);
		json_decref(message);
	}
	if (why < 0)
		s->status = EXIT_AISBX;
	stop(s);
}

static void on_gone(void *ctx)
{
	struct stdio *s = ctx;

	if (lines_lost(s->lines)) {
		fprintf(stderr, "%s: write an answer: %s\n", server_program, strerror(lines_lost(s->lines)));
		s->status = EXIT_AISBX;
	}
	lines_close(s->lines);
	s->lines = NULL;
	if (s->stopped)
		loop_stop(s->loop);
	stop(s);
}

static void on_flushed(void *ctx)
{
	struct stdio *s = ctx;

	lines_close(s->lines);
	s->lines = NULL;
	loop_stop(s->loop);
}

void mcp_how_from(const json_t *args, const char *cwd, struct mcp_how *ret_how)
{
	const char *tools = json_string_value(json_object_get(args, "tools"));
	uint64_t ms = 0, page = 0;

	value_number(json_object_get(args, "page-size"), &page);
	value_ms(json_object_get(args, "answer-within"), &ms);
	*ret_how = (struct mcp_how){ .cwd = cwd,
				     .env = (const char *const *)environ,
				     .sessions = true,
				     .all_tools = tools && !strcmp(tools, "all"),
				     .fixtures = json_is_true(json_object_get(args, "conformance-fixtures")),
				     .page = (unsigned int)page,
				     .answer_within_ms = ms };
}

/* A new one for each session, unless the person names one or lets it have everything. */
void mcp_owner_new(char ret[static MCP_OWNER_MAX])
{
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		abort(); /* it asks for 8 bytes and cannot be interrupted */
	snprintf(ret, MCP_OWNER_MAX, "mcp-%016llx", (unsigned long long)number);
}

void mcp_owner_of_token(const char *token, bool session, char ret[static MCP_OWNER_MAX])
{
	if (!token[0])
		token = "none";
	if (session)
		box_session_name(token, ret);
	else
		snprintf(ret, MCP_OWNER_MAX, BOX_TOKEN_OWNER "%s", token);
}

static int begin(struct stdio *s, const json_t *args, struct aisbx_error *e)
{
	static const struct lines_events events = { on_line, NULL, on_end, on_gone, on_flushed };
	const char *owner = json_string_value(json_object_get(args, "owner"));
	char own[MCP_OWNER_MAX];
	struct mcp_how how;
	int in, out, r;

	if (!getcwd(s->cwd, sizeof(s->cwd)) || s->cwd[0] != '/')
		return aisbx_fail(e, AISBX_AREA_USAGE, errno ? errno : ENOENT, "find the current directory");
	mcp_how_from(args, s->cwd, &how);
	mcp_owner_new(own);
	if (!owner)
		owner = json_is_true(json_object_get(args, "share")) ? NULL : own;
	r = loop_new(&s->loop, e);
	if (r == 0)
		r = watch_add_end(s->loop, on_signal, s, &s->signals, &s->signals_watch, e);
	if (r == 0)
		r = mcp_open(s->loop, &how, &s->mcp, e);
	if (r == 0 && !(s->session = mcp_session_new(s->mcp, owner, false)))
		r = aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "make a session");
	if (r == 0)
		r = lines_take_stdio(&in, &out, e);
	if (r == 0)
		r = lines_open(s->loop, in, out, &events, s, &s->lines, e);
	if (r == 0)
		mcp_session_set_channel(s->session, &s->channel);
	return r;
}

int mcp_main(const json_t *args)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct stdio s = { .channel = { .send = on_send, .full = is_full }, .signals = -1 };
	int r = begin(&s, args, &e);

	if (r == 0)
		r = loop_run(s.loop, &e);
	if (s.lines)
		lines_close(s.lines);
	watch_end(&s.signals_watch);
	close_fd(&s.signals);
	mcp_close(s.mcp);
	call_finish();
	loop_destroy(s.loop);
	return r < 0 ? server_fail(&e) : s.status;
}
