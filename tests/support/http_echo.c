/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP with a handler for its tests behind it: it answers at once (/echo), later (/later), in parts (/parts,
 * /flood), only with the beginning (/begin) or never (/hang), and says on standard output when an exchange
 * ended.
 */
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/time.h"
#include "server/http/http.h"

#define PARTS     5
#define STEP_MS   20
#define FLOOD     (32u << 20)
#define FLOOD_LOW (1u << 20)

struct job {
	struct exchange *x;
	struct timer *timer;
	char path[32];
	size_t sent;
};

static struct loop *loop;
static struct http *http;

static void on_end(void *ctx)
{
	struct job *j = ctx;

	printf("ended %s %zu\n", j->path, j->sent);
	timer_end(&j->timer);
	free(j);
}

static void echo(struct exchange *x)
{
	size_t len;
	const char *body = exchange_body(x, &len);

	exchange_add_header(x, "X-Token", exchange_token(x));
	exchange_add_header(x, "X-Trace", exchange_trace(x));
	exchange_add_header(x, "X-Path", exchange_path(x));
	exchange_reply(x, 200, "application/octet-stream", body, len);
}

static void later(void *ctx)
{
	struct job *j = ctx;

	if (!strcmp(j->path, "/later")) {
		echo(j->x);
	} else if (!strcmp(j->path, "/parts")) {
		char text[32];

		exchange_send(j->x, text, (size_t)snprintf(text, sizeof(text), "part %zu\n", j->sent));
		if (++j->sent == PARTS)
			exchange_end(j->x);
		else
			timer_set(j->timer, STEP_MS);
	} else { /* never more than a little waits */
		static const char block[65536] = { 'x' };

		while (j->sent < FLOOD && exchange_waiting(j->x) < FLOOD_LOW) {
			exchange_send(j->x, block, sizeof(block));
			j->sent += sizeof(block);
		}
		if (j->sent < FLOOD)
			timer_set(j->timer, 1);
		else
			exchange_end(j->x);
	}
}

static void on_request(void *ctx, struct exchange *x)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct job *j = calloc(1, sizeof(*j));

	(void)ctx;
	if (!j || timer_add(loop, later, j, &j->timer, &e) < 0)
		abort();
	j->x = x;
	snprintf(j->path, sizeof(j->path), "%s", exchange_path(x));
	exchange_on_end(x, on_end, j);
	if (!strcmp(j->path, "/hang"))
		return;
	if (!strcmp(j->path, "/echo") || !strcmp(j->path, "/open")) {
		echo(x);
		return;
	}
	if (strcmp(j->path, "/later") != 0)
		exchange_begin(x, "text/event-stream");
	if (strcmp(j->path, "/begin") != 0)
		timer_set(j->timer, STEP_MS);
}

static void on_log(void *ctx, const struct http_record *r)
{
	(void)ctx;
	printf("log %s %s %u token=%s\n", r->method, r->path, r->status, r->token);
}

static void on_signal(void *ctx, uint32_t events)
{
	(void)ctx;
	(void)events;
	http_close(http);
	loop_stop(loop);
}

static int watch_signals(struct watch **ret, struct aisbx_error *e)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return watch_add(loop, signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), EPOLLIN, on_signal, NULL, ret,
			 e);
}

int main(int argc, char **argv)
{
	static const struct http_place places[] = {
		{ "/echo", "GET, POST", false }, { "/later", "GET, POST", false },
		{ "/parts", "GET", false },      { "/flood", "GET", false },
		{ "/begin", "GET", false },      { "/hang", "GET, POST", false },
		{ "/open", "GET", true },        { NULL, NULL, false },
	};
	const char *origins[] = { NULL, NULL }, *hosts[] = { NULL, NULL };
	struct http_how how = { .address = "127.0.0.1:0",
				.no_token = true,
				.places = places,
				.request = on_request,
				.log = on_log,
				.origins = origins,
				.hosts = hosts };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct watch *signals = NULL;
	int opt;

	while ((opt = getopt(argc, argv, "a:t:o:h:b:c:r:m:")) != -1)
		switch (opt) {
		case 'a':
			how.address = optarg;
			break;
		case 't':
			how.token_file = optarg;
			how.no_token = false;
			break;
		case 'o':
			origins[0] = optarg;
			break;
		case 'h':
			hosts[0] = optarg;
			break;
		case 'b':
			how.max_body = strtoul(optarg, NULL, 10);
			break;
		case 'c':
			how.max_connections = strtoul(optarg, NULL, 10);
			break;
		case 'r':
			how.max_requests = strtoul(optarg, NULL, 10);
			break;
		case 'm':
			how.client_ms = strtoul(optarg, NULL, 10);
			break;
		default:
			return 2;
		}
	mallopt(M_MMAP_THRESHOLD, 128 << 10); /* as aisbx-serve: what was large is given back */
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (loop_new(&loop, &e) < 0 || watch_signals(&signals, &e) < 0 ||
	    http_open(loop, &how, &http, &e) < 0) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	printf("%s\n", http_url(http));
	if (loop_run(loop, &e) < 0)
		return 1;
	watch_end(&signals);
	loop_destroy(loop);
	printf("closed\n");
	return 0;
}
