/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The listener and its connections. The library waits with an epoll descriptor of its own, which our loop
 * watches; it uses no threads. It closes idle connections; those that are too slow are closed here.
 */
#include "server/http/http.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "server/http/http_check.h"
#include "server/http/internal.h"

#define MAX_BODY        (16u << 20)
#define MAX_CONNECTIONS 2048
#define MAX_REQUESTS    1024
#define CLIENT_MS       30000
/* Request line and headers of one request, and the room its answer is sent from. */
#define CONNECTION_ROOM 32768
/* From elsewhere one address has this part of the connections. */
#define SHARE_OF_ONE 8
#define TURNS        32

/* The library may have more to do at once; after some turns the others of the loop come first. */
static void turn(struct http *h)
{
	MHD_UNSIGNED_LONG_LONG ms = 0;
	bool more = false;

	if (h->running)
		return;
	h->running = true;
	for (int i = 0; i < TURNS && ms == 0; i++) {
		MHD_run(h->daemon);
		if (MHD_get_timeout(h->daemon, &ms) != MHD_YES)
			break;
		more = ms == 0;
	}
	h->running = false;
	timer_set(h->timer, more ? 1 : ms);
}

static void on_ready(void *ctx, uint32_t events)
{
	(void)events;
	turn(ctx);
}

static void on_timer(void *ctx)
{
	turn(ctx);
}

static void on_wake(void *ctx, uint32_t events)
{
	struct http *h = ctx;
	eventfd_t count;

	(void)events;
	eventfd_read(h->wake_fd, &count);
	h->woken = false;
	turn(h);
}

void http_wake(struct http *h)
{
	if (!h->woken && !h->closing)
		h->woken = eventfd_write(h->wake_fd, 1) == 0;
}

struct peer *http_peer(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* The library sees the end of it and closes. */
static void send_away(struct peer *p)
{
	p->sent_away = true;
	shutdown(p->fd, SHUT_RDWR);
}

static uint64_t sweep_period(const struct http *h)
{
	return h->how.client_ms / 4 < 1000 ? h->how.client_ms / 4 + 1 : 1000;
}

/* One byte now and then keeps a connection from being idle; a request must be whole in time, no matter how it
 * comes. */
static void on_sweep(void *ctx)
{
	struct http *h = ctx;
	uint64_t now = time_ms();

	for (struct peer *p = h->peers; p; p = p->next)
		if (!p->answering && !p->sent_away &&
		    (p->half || now - p->since_ms > h->how.client_ms * (p->asking ? 1 : 2)))
			send_away(p);
	if (h->peers)
		timer_set(h->sweep, sweep_period(h));
}

/* When there is hardly room for more, who asks nothing goes first: else those who only connect would keep the
 * others out. */
static void make_room(struct http *h)
{
	struct peer *oldest = NULL;

	if (h->n_peers < h->how.max_connections - h->how.max_connections / 8)
		return;
	for (struct peer *p = h->peers; p; p = p->next)
		if (!p->answering && !p->sent_away && (!oldest || p->since_ms < oldest->since_ms))
			oldest = p;
	if (oldest)
		send_away(oldest);
}

/*
 * The library does not look at a connection whose answer we are thinking about, and overlooks an end that
 * comes together with the last bytes. Who is waited for by nobody any more is gone; others are swept away
 * when they have been answered.
 */
static void on_half(void *ctx, uint32_t events)
{
	struct peer *p = ctx;

	(void)events;
	watch_end(&p->watch);
	p->half = true;
	if (p->exchange)
		exchange_drop_suspended(p->exchange);
}

static void on_connection(void *cls, struct MHD_Connection *c, void **ctx,
			  enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct http *h = cls;
	struct aisbx_error ignored;
	struct peer *p = *ctx;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		make_room(h);
		p = calloc(1, sizeof(*p));
		*ctx = p;
		if (!p || !info) /* it is refused when it asks */
			return;
		*p = (struct peer){
			.http = h, .fd = info->connect_fd, .since_ms = time_ms(), .next = h->peers
		};
		if (h->peers)
			h->peers->prev = p;
		else
			timer_set(h->sweep, sweep_period(h));
		h->peers = p;
		h->n_peers++;
		watch_add(h->loop, p->fd, EPOLLRDHUP, on_half, p, &p->watch, &ignored);
		return;
	}
	if (!p)
		return;
	if (p->next)
		p->next->prev = p->prev;
	if (p->prev)
		p->prev->next = p->next;
	else
		h->peers = p->next;
	h->n_peers--;
	watch_end(&p->watch);
	free(p);
	*ctx = NULL;
}

/* The first line of a request has come. */
static void *on_line(void *cls, const char *line, struct MHD_Connection *c)
{
	struct peer *p = http_peer(c);

	(void)cls;
	(void)line;
	if (p) {
		p->asking = true;
		p->since_ms = time_ms();
	}
	return NULL;
}

/* Paths are compared as they came: what is written in another way is another path. */
static size_t keep_escapes(void *cls, struct MHD_Connection *c, char *text)
{
	(void)cls;
	(void)c;
	return strlen(text);
}

static int open_listener(struct http *h, int *ret_fd, struct aisbx_error *e)
{
	struct sockaddr_storage at;
	socklen_t len;
	char text[80];
	scoped(drop_fd) int fd = -1;
	int r = http_check_address(h->how.address, &at, &len, e);

	if (r < 0)
		return r;
	h->local = http_check_is_loopback(&at);
	if (h->how.no_token && !h->local)
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_USAGE, EPERM,
				    "'%s' can be reached from other machines, so clients need a token; "
				    "listen on 127.0.0.1 to do without",
				    h->how.address);
	fd = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int)) < 0 ||
	    bind(fd, (const struct sockaddr *)&at, len) < 0 || listen(fd, 512) < 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &len) < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "listen on '%s'", h->how.address);
	http_check_address_text(&at, text, sizeof(text));
	snprintf(h->url, sizeof(h->url), "http://%s", text);
	*ret_fd = take_fd(&fd);
	return 0;
}

static int start(struct http *h, int listener, struct aisbx_error *e)
{
	const unsigned int most = (unsigned int)h->how.max_connections;
	const union MHD_DaemonInfo *info;
	int r;

	h->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, 0, NULL, NULL,
				     exchange_serve, h, /* */
				     MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
				     (size_t)CONNECTION_ROOM, MHD_OPTION_CONNECTION_LIMIT, most,
				     MHD_OPTION_PER_IP_CONNECTION_LIMIT,
				     h->local ? most : most / SHARE_OF_ONE + 1, MHD_OPTION_CONNECTION_TIMEOUT,
				     (unsigned int)((h->how.client_ms + 999) / 1000),
				     MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_COMPLETED,
				     exchange_done, h, MHD_OPTION_NOTIFY_CONNECTION, on_connection, h,
				     MHD_OPTION_URI_LOG_CALLBACK, on_line, h, MHD_OPTION_UNESCAPE_CALLBACK,
				     keep_escapes, h, MHD_OPTION_END);
	if (!h->daemon) {
		close(listener);
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EIO,
				    "the HTTP library could not listen on '%s'", h->how.address);
	}
	info = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info || info->epoll_fd < 0)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EIO,
				    "the HTTP library has nothing to wait for");
	r = watch_add(h->loop, info->epoll_fd, EPOLLIN, on_ready, h, &h->watch, e);
	if (r == 0)
		turn(h);
	return r;
}

static void apply_defaults(struct http_how *how)
{
	how->max_body = how->max_body ? how->max_body : MAX_BODY;
	how->max_connections = how->max_connections ? how->max_connections : MAX_CONNECTIONS;
	how->max_requests = how->max_requests ? how->max_requests : MAX_REQUESTS;
	how->client_ms = how->client_ms ? how->client_ms : CLIENT_MS;
}

int http_open(struct loop *l, const struct http_how *how, struct http **ret_http, struct aisbx_error *e)
{
	struct http *h = calloc(1, sizeof(*h));
	int listener = -1, r = 0;

	if (!h)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "serve on '%s'", how->address);
	*h = (struct http){ .loop = l, .how = *how, .wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	apply_defaults(&h->how);
	if (!how->no_token)
		r = tokens_open(&h->tokens, how->token_file, e);
	if (r == 0 && h->wake_fd < 0)
		r = aisbx_fail(e, AISBX_AREA_SYS, errno, "serve on '%s'", how->address);
	if (r == 0)
		r = watch_add(l, h->wake_fd, EPOLLIN, on_wake, h, &h->wake, e);
	if (r == 0)
		r = timer_add(l, on_timer, h, &h->timer, e);
	if (r == 0)
		r = timer_add(l, on_sweep, h, &h->sweep, e);
	if (r == 0)
		r = open_listener(h, &listener, e);
	if (r == 0)
		r = start(h, listener, e);
	if (r < 0) {
		http_close(h);
		return r;
	}
	*ret_http = h;
	return 0;
}

void http_close(struct http *h)
{
	if (!h)
		return;
	h->closing = true;
	watch_end(&h->watch);
	if (h->daemon) {
		/* It must not be stopped while anybody is suspended; they come to their end in this turn. */
		for (struct exchange *x = h->exchanges; x; x = exchange_next(x))
			exchange_drop(x);
		turn(h);
		MHD_stop_daemon(h->daemon);
	}
	watch_end(&h->wake);
	close_fd(&h->wake_fd);
	timer_end(&h->timer);
	timer_end(&h->sweep);
	tokens_finish(&h->tokens);
	free(h);
}

const char *http_url(const struct http *h)
{
	return h->url;
}

bool http_is_local(const struct http *h)
{
	return h->local;
}
