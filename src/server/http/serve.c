/* SPDX-License-Identifier: Apache-2.0 */
/* `aisbx serve`: the servers that use HTTP, on one address; messages to people, the log, shutdown. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/value.h"
#include "box/file_url.h"
#include "server/http/http.h"
#include "server/http/token.h"
#include "server/http/e2b_http.h"
#include "server/http/mcp_http.h"
#include "server/http/signed_files.h"
#include "server/mcp/serve.h"
#include "server/core/call.h"
#include "server/core/server.h"

/* "AISBX" on the keys of a telephone. */
#define DEFAULT_ADDRESS "127.0.0.1:24729"

struct serve {
	struct loop *loop;
	struct http *http;
	struct mcp_http *mcp;
	struct transfers *transfers;
	struct e2b_http *e2b; /* NULL: not asked for */
	unsigned int going;   /* of these three, that have not stopped */
	int signals;          /* owned */
	struct watch *signals_watch;
	char *token_file; /* owned; NULL: anybody on this machine */
	struct strlist origins, hosts;
	char cwd[PATH_MAX];
	bool stopping;
};

static const struct http_place places[] = {
	{ "/healthz", "GET", true },
	{ "/mcp", "GET, POST, DELETE", false },
	{ FILE_URL_PLACE, "GET, PUT", true, .streams = TRANSFER_MOST }, /* the address is the token */
	{ NULL, NULL, false },
};

static void answer(void *ctx, struct exchange *x)
{
	static const char well[] = "{\"status\":\"ok\",\"version\":\"" AISBX_VERSION "\"}\n";
	const struct serve *s = ctx;

	if (exchange_is_admitted(x))
		e2b_http_request(s->e2b, x);
	else if (!strcmp(exchange_path(x), "/mcp"))
		mcp_http_request(s->mcp, x);
	else if (!strcmp(exchange_path(x), FILE_URL_PLACE))
		signed_files_request(s->transfers, x);
	else
		exchange_reply(x, 200, "application/json", well, sizeof(well) - 1);
}

static json_t *text_json(const char *text)
{
	scoped(buf_finish) struct buf b = { 0 };

	buf_add_utf8(&b, text, strlen(text));
	return json_string(buf_str(&b) ? b.data : "");
}

/* One line, in one write: other processes write to the same place. */
static void log_request(void *ctx, const struct http_record *r)
{
	scoped(drop_mem) char *line = NULL;
	char when[64];
	struct timespec now;
	struct tm tm;
	json_t *j;

	(void)ctx;
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(when + strlen(when), sizeof(when) - strlen(when), ".%03dZ", (int)(now.tv_nsec / 1000000));
	j = json_pack("{s:s, s:s, s:o, s:o, s:i, s:f, s:o}", "time", when, "trace_id", r->trace_id, "method",
		      text_json(r->method), "path", text_json(r->path), "status", (int)r->status, "ms", r->ms,
		      "token", text_json(r->token));
	line = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(6));
	json_decref(j);
	if (line)
		fprintf(stderr, "%s\n", line);
}

static enum http_admit admit(void *ctx, struct exchange *x, size_t *ret_max_body)
{
	const struct serve *s = ctx;

	return e2b_http_admit(s->e2b, x, ret_max_body);
}

static void on_stopped(void *ctx)
{
	struct serve *s = ctx;

	if (!--s->going)
		loop_stop(s->loop);
}

/* What was wanted is cancelled; when that has ended whoever still waits is sent away. */
static void stop(struct serve *s)
{
	s->stopping = true;
	s->going = s->e2b ? 3 : 2;
	transfers_stop(s->transfers, on_stopped, s);
	mcp_http_stop(s->mcp, on_stopped, s);
	if (s->e2b)
		e2b_http_stop(s->e2b, on_stopped, s);
}

static void on_signal(void *ctx, uint32_t events)
{
	struct serve *s = ctx;
	struct signalfd_siginfo info;

	(void)events;
	if (read(s->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (s->stopping) /* who asks again does not want to wait */
		loop_stop(s->loop);
	else
		stop(s);
}

static bool flag(const json_t *args, const char *name)
{
	return json_is_true(json_object_get(args, name));
}

static void add_all(struct strlist *l, const json_t *args, const char *name)
{
	const json_t *value;
	size_t i;

	json_array_foreach(json_object_get(args, name), i, value) strlist_add(l, json_string_value(value));
}

/* The file must be kept to oneself, so a token that is not there yet is made only in the usual place. */
static int find_tokens(struct serve *s, const json_t *args, struct aisbx_error *e)
{
	const char *named = json_string_value(json_object_get(args, "token-file"));

	if (flag(args, "no-token"))
		return 0;
	s->token_file = named ? strdup(named) : http_token_file(e);
	if (!s->token_file)
		return named ? aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "find the tokens") : e->code;
	return 0;
}

static int show_token(const struct serve *s, struct aisbx_error *e)
{
	struct tokens t;
	int r;

	if (!s->token_file)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "with --no-token there is none to show");
	r = tokens_open(&t, s->token_file, e);
	if (r < 0)
		return r;
	printf("%s\n", tokens_text(&t, "default") ? tokens_text(&t, "default") : t.items[0].text);
	tokens_finish(&t);
	return 0;
}

static int open_http(struct serve *s, const json_t *args, struct aisbx_error *e)
{
	const char *address = json_string_value(json_object_get(args, "listen"));
	const char *log = json_string_value(json_object_get(args, "log"));
	const char *rate = json_string_value(json_object_get(args, "rate"));
	struct http_how how = { .address = address ? address : DEFAULT_ADDRESS,
				.token_file = s->token_file,
				.no_token = !s->token_file,
				.places = places,
				.request = answer,
				.admit = s->e2b ? admit : NULL,
				.log = log && !strcmp(log, "json") ? log_request : NULL,
				.ctx = s };

	add_all(&s->origins, args, "origin");
	add_all(&s->hosts, args, "host");
	if (s->origins.failed || s->hosts.failed)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "serve on '%s'", how.address);
	how.origins = (const char *const *)s->origins.items;
	how.hosts = (const char *const *)s->hosts.items;
	if (rate && !rate_read(rate, &how.rate))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"'%.40s' is not a valid --rate; give requests in a second, minute or hour, "
			"such as 10/s or 600/m",
			rate);
	value_ms(json_object_get(args, "client-timeout"), &how.client_ms);
	return http_open(s->loop, &how, &s->http, e);
}

static int open_mcp(struct serve *s, const json_t *args, struct aisbx_error *e)
{
	struct mcp_how how;

	mcp_how_from(args, s->cwd, &how);
	return mcp_http_open(s->loop, &how, flag(args, "share"), &s->mcp, e);
}

/* Data on standard output, words on standard error. */
static void tell(const struct serve *s, bool as_json)
{
	const char *url = http_url(s->http);

	if (!s->token_file)
		fprintf(stderr, "aisbx: no token: every program of every user on this machine has access\n");
	else if (!as_json)
		fprintf(stderr, "aisbx: the token is in %s; 'aisbx serve --show-token' prints it\n",
			s->token_file);
	if (!http_is_local(s->http))
		fprintf(stderr, "aisbx: other machines can reach this address; the token is sent "
				"unencrypted, so put a TLS proxy in front\n");
	if (as_json) {
		json_t *j = json_pack("{s:s, s:s?, s:i}", "url", url, "token_file", s->token_file, "pid",
				      (int)getpid());

		json_dumpf(j, stdout, JSON_COMPACT);
		json_decref(j);
	} else {
		fputs(url, stdout);
	}
	fputc('\n', stdout);
	fflush(stdout);
}

static int begin(struct serve *s, const json_t *args, struct aisbx_error *e)
{
	int r;

	if (!getcwd(s->cwd, sizeof(s->cwd)) || s->cwd[0] != '/')
		return aisbx_fail(e, AISBX_AREA_USAGE, errno ? errno : ENOENT, "find the current directory");
	r = find_tokens(s, args, e);
	if (r < 0 || flag(args, "show-token"))
		return r < 0 ? r : show_token(s, e);
	r = loop_new(&s->loop, e);
	if (r == 0)
		r = watch_add_end(s->loop, on_signal, s, &s->signals, &s->signals_watch, e);
	if (r == 0)
		r = open_mcp(s, args, e);
	if (r == 0 && flag(args, "e2b"))
		r = e2b_http_open(s->loop, args, &s->e2b, e);
	if (r == 0)
		r = transfers_open(s->loop, s->cwd, &s->transfers, e);
	if (r == 0)
		r = open_http(s, args, e);
	if (r < 0)
		return r;
	tell(s, flag(args, "json"));
	return loop_run(s->loop, e);
}

int serve_main(const json_t *args)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct serve s = { .signals = -1 };
	int r = begin(&s, args, &e);

	http_close(s.http);
	mcp_http_close(s.mcp);
	e2b_http_close(s.e2b);
	transfers_close(s.transfers);
	watch_end(&s.signals_watch);
	close_fd(&s.signals);
	call_finish();
	loop_destroy(s.loop);
	strlist_finish(&s.origins);
	strlist_finish(&s.hosts);
	free(s.token_file);
	return r < 0 ? server_fail(&e) : 0;
}
