/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes a connection: its bytes go through the library to our checks, in some pieces, and what is handed
 * over is answered at once, later or in parts. Whatever comes, nothing reaches the handler that http.h says
 * does not, and nothing is left.
 */
#include <malloc.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/http/http_check.h"
#include "server/http/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define TOKEN     "token-of-the-fuzzer-0123456789"
#define MAX_BODY  1024
#define MAX_TURNS 64
#define MAX_FILE  4096

static const struct http_place places[] = {
	{ "/echo", "GET, POST", false },
	{ "/later", "POST", false },
	{ "/parts", "GET, POST", false },
	{ "/open", "GET", true },
	{ "/stream", "GET, PUT", true, .streams = MAX_FILE },
	{ NULL, NULL, false },
};

static struct loop *loop;
static struct http *servers[2]; /* without and with tokens */
static struct exchange *waiting;
static unsigned int parts, ends, handed;
static bool with_token;
static size_t came; /* of a body that streams */
static bool complete, enough;

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static void on_end(void *ctx)
{
	(void)ctx;
	waiting = NULL;
	ends++;
}

static void check(const struct exchange *x, const struct http_place *place)
{
	const char *host = exchange_header(x, "Host"), *origin = exchange_header(x, "Origin");
	const char *type = exchange_header(x, "Content-Type");
	size_t len;
	const char *body = exchange_body(x, &len);

	must(place->path && http_check_has_word(place->allow, exchange_method(x)));
	must(host && (!strcasecmp(host, "localhost:0") ||
		      !strcmp(host, ":0"))); /* it has no address of the internet */
	must(!origin || http_check_origin(origin, NULL));
	must(strcmp(exchange_method(x), "POST") != 0 || (type && http_check_is_json(type)));
	must(len <= MAX_BODY && body[len] == '\0');
	must(strlen(exchange_trace(x)) == 32);
	must(!with_token || place->open || !strcmp(exchange_token(x), "fuzzer"));
}

/* It has enough after every other piece. */
static bool on_body(void *ctx, const char *data, size_t len)
{
	must(waiting == ctx);
	must(!complete && !data == !len);
	must(data || !enough); /* what the connection has already may still come, but not the end */
	came += len;
	must(came <= MAX_FILE);
	complete = !data;
	enough = data && came & 1;
	return !enough;
}

static void on_request(void *ctx, struct exchange *x)
{
	const struct http_place *place = places;
	size_t len;
	const char *body = exchange_body(x, &len);

	(void)ctx;
	while (place->path && strcmp(place->path, exchange_path(x)) != 0)
		place++;
	check(x, place);
	must(!waiting); /* requests of one connection come one after the other */
	handed++;
	exchange_on_end(x, on_end, NULL);
	exchange_add_header(x, "X-Token", exchange_token(x));
	if (place == &places[0] || place == &places[3]) {
		exchange_reply(x, 200, "application/json", body, len);
		return;
	}
	waiting = x;
	parts = 0;
	if (place == &places[4] && exchange_query(x, "now")) {
		exchange_reply(x, 403, NULL, NULL, 0);
		return;
	}
	came = 0;
	complete = enough = false;
	if (place == &places[4])
		exchange_on_body(x, on_body, x);
	if (place == &places[2])
		exchange_begin(x, "text/event-stream");
}

static void go_on(void)
{
	if (!waiting)
		return;
	if (!strcmp(exchange_path(waiting), "/stream")) {
		enough = false;
		exchange_more(waiting);
		if (complete)
			exchange_reply(waiting, 200, NULL, NULL, 0);
	} else if (!strcmp(exchange_path(waiting), "/later")) {
		exchange_reply(waiting, 202, NULL, NULL, 0);
	} else if (parts++ < 3) {
		exchange_send(waiting, "data: x\n\n", 9);
	} else {
		exchange_end(waiting);
	}
}

static struct http *open_server(const char *token_file)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	const struct http_how how = { .address = "127.0.0.1:0",
				      .token_file = token_file,
				      .no_token = !token_file,
				      .places = places,
				      .max_body = MAX_BODY,
				      .client_ms = 3600000,
				      .request = on_request };
	struct http *h = NULL;

	must((loop || loop_new(&loop, &e) == 0) && http_open(loop, &how, &h, &e) == 0);
	return h;
}

static char path[] = "/tmp/fuzz-http-XXXXXX"; /* of the tokens: they are read again and again */

static void remove_tokens(void)
{
	unlink(path);
}

static void open_servers(void)
{
	int fd = mkstemp(path);

	atexit(remove_tokens);
	must(fd >= 0 && dprintf(fd, "fuzzer %s\n", TOKEN) > 0);
	close(fd);
	servers[0] = open_server(NULL);
	servers[1] = open_server(path);
}

static void turn(const struct http *h)
{
	MHD_run(h->daemon);
	if (waiting) {
		go_on();
		MHD_run(h->daemon);
	}
}

static void read_answers(int fd, bool *first)
{
	char room[4096];
	ssize_t n;

	while ((n = recv(fd, room, sizeof(room), MSG_DONTWAIT)) > 0) {
		if (*first)
			must(n > 12 && (!strncmp(room, "HTTP/1.1 ", 9) || !strncmp(room, "HTTP/1.0 ", 9)));
		*first = false;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct sockaddr_in from = { .sin_family = AF_INET };
	size_t pieces, at = 0, before;
	bool first = true;
	struct http *h;
	int sv[2];

	if (!servers[0])
		open_servers();
	if (!len || len > 60000 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sv) < 0)
		return 0;
	with_token = data[0] & 1;
	pieces = 1 + (data[0] >> 1 & 3);
	h = servers[with_token];
	ends = handed = 0;
	must(MHD_add_connection(h->daemon, sv[0], (const struct sockaddr *)&from, sizeof(from)) == MHD_YES);
	for (data++, len--; at < len; at += before) {
		before = (len - at) / pieces + 1 < len - at ? (len - at) / pieces + 1 : len - at;
		if (send(sv[1], data + at, before, MSG_NOSIGNAL) < 0)
			break;
		turn(h);
		read_answers(sv[1], &first);
	}
	shutdown(sv[1], SHUT_WR);
	for (int i = 0; h->n_peers && i < MAX_TURNS; i++) {
		turn(h);
		read_answers(sv[1], &first);
		if (i > 1 && h->peers && !h->peers->answering)
			shutdown(h->peers->fd, SHUT_RDWR); /* as the sweep would, in its time */
	}
	close(sv[1]);
	must(!h->n_peers && !h->exchanges && !h->n_handed && !h->body_bytes && !waiting && ends == handed);
	return 0;
}
