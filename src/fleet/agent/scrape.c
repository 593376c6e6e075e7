/* SPDX-License-Identifier: Apache-2.0 */
/* A small HTTP server for one page. A few connections at a time; the oldest gives way, so one that says
 * nothing keeps nobody out. */
#include "fleet/agent/scrape.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "fleet/core/memory.h"

#define MOST 16
/* A text is made once in so long, whoever asks. */
#define FRESH_MS 500

struct visitor {
	int fd;             /* -1: none */
	uint64_t number;    /* the lowest is the oldest */
	struct buf in, out; /* OUT: what is left to be sent */
	size_t sent;
};

struct scrape {
	struct loop *loop;
	int fd; /* owned */
	void (*write)(void *ctx, struct buf *out);
	void *ctx;
	struct visitor visitors[MOST];
	uint64_t visits;
	struct buf text;
	uint64_t text_ms;
};

static void leave(struct scrape *s, struct visitor *v)
{
	if (v->fd >= 0) {
		loop_unwatch(s->loop, v->fd);
		close(v->fd);
	}
	buf_finish(&v->in);
	buf_finish(&v->out);
	*v = (struct visitor){ .fd = -1 };
}

void scrape_close(struct scrape *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < MOST; i++)
		leave(s, &s->visitors[i]);
	if (s->fd >= 0) {
		loop_unwatch(s->loop, s->fd);
		close(s->fd);
	}
	buf_finish(&s->text);
	free(s);
}

static const struct buf *text_now(struct scrape *s)
{
	const uint64_t now = loop_now().ms;

	if (s->text.len && now - s->text_ms < FRESH_MS)
		return &s->text;
	buf_finish(&s->text);
	s->write(s->ctx, &s->text);
	s->text_ms = now;
	return &s->text;
}

static void make_answer(struct scrape *s, struct visitor *v, enum scrape_request request)
{
	const bool found = request == SCRAPE_METRICS || request == SCRAPE_HEAD;
	const char *status = found                         ? "200 OK"
			     : request == SCRAPE_NOT_THERE ? "404 Not Found"
			     : request == SCRAPE_METHOD    ? "405 Method Not Allowed\r\nAllow: GET, HEAD"
							   : "400 Bad Request";
	const struct buf *text = found ? text_now(s) : NULL;

	buf_addf(&v->out,
		 "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: "
		 "%zu\r\nConnection: close\r\n\r\n",
		 status, text ? text->len : 0);
	if (request == SCRAPE_METRICS)
		buf_add(&v->out, text->data, text->len);
}

static void send_rest(struct scrape *s, struct visitor *v)
{
	ssize_t n =
		v->out.failed ? -1 : send(v->fd, v->out.data + v->sent, v->out.len - v->sent, MSG_NOSIGNAL);

	if (n > 0)
		v->sent += (size_t)n;
	if ((n < 0 && errno != EAGAIN && errno != EINTR) || v->sent >= v->out.len || v->out.failed)
		leave(s, v);
}

static void hear(struct scrape *s, struct visitor *v)
{
	char chunk[4096];
	ssize_t n = recv(v->fd, chunk, sizeof(chunk), 0);
	enum scrape_request request;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		buf_add(&v->in, chunk, (size_t)n);
	if (n <= 0 || v->in.failed) {
		leave(s, v);
		return;
	}
	request = scrape_read(v->in.data, v->in.len);
	if (request != SCRAPE_MORE)
		make_answer(s, v, request);
}

static void on_visitor(void *ctx, int fd, short revents)
{
	struct scrape *s = ctx;
	struct visitor *v = NULL;

	(void)revents;
	for (size_t i = 0; i < MOST && !v; i++)
		if (s->visitors[i].fd == fd)
			v = &s->visitors[i];
	if (!v)
		return;
	if (!v->out.len)
		hear(s, v);
	if (v->fd >= 0 && v->out.len)
		send_rest(s, v);
	if (v->fd >= 0 && loop_watch(s->loop, fd, v->out.len ? POLLOUT : POLLIN, on_visitor, s) < 0)
		leave(s, v);
}

static void on_arrival(void *ctx, int fd, short revents)
{
	struct scrape *s = ctx;
	struct visitor *v = &s->visitors[0];
	int one = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)revents;
	if (one < 0)
		return;
	for (size_t i = 0; i < MOST && v->fd >= 0; i++)
		if (s->visitors[i].fd < 0 || s->visitors[i].number < v->number)
			v = &s->visitors[i];
	leave(s, v);
	v->fd = one;
	v->number = ++s->visits;
	if (loop_watch(s->loop, one, POLLIN, on_visitor, s) < 0)
		leave(s, v);
}

/* "127.0.0.1:9100" and "[::1]:9100" to their two parts. */
static bool split(const char *where, char *host, size_t cap, const char **ret_port)
{
	const char *colon = strrchr(where, ':');
	size_t len = colon ? (size_t)(colon - where) : 0;
	uint64_t port;

	if (len > 1 && where[0] == '[' && where[len - 1] == ']') {
		where++;
		len -= 2;
	} else if (memchr(where, ':', len))
		return false;
	if (!len || len >= cap || !str_to_u64(colon + 1, &port) || port > 65535)
		return false;
	memcpy(host, where, len);
	host[len] = '\0';
	*ret_port = colon + 1;
	return true;
}

static int listen_at(const char *where, int *ret, struct aisbx_error *e)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
					.ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	scoped(drop_fd) int fd = -1;
	const char *port = NULL;
	char host[64];
	int on = 1, r = 0;

	if (!split(where, host, sizeof(host), &port) || getaddrinfo(host, port, &hints, &found) != 0)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"--metrics must be ADDRESS:PORT, such as 127.0.0.1:9464 or [::1]:9464, not '%.80s'",
			where);
	fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	    bind(fd, found->ai_addr, found->ai_addrlen) < 0 || listen(fd, MOST) < 0)
		r = aisbx_fail(e, AISBX_AREA_RUN, errno, "listen at %s for metrics", where);
	freeaddrinfo(found);
	if (r == 0)
		*ret = take_fd(&fd);
	return r;
}

int scrape_open(struct loop *loop, const char *where, void (*write)(void *ctx, struct buf *out), void *ctx,
		struct scrape **ret, struct aisbx_error *e)
{
	struct scrape *s = fleet_new(sizeof(*s));
	int r;

	s->loop = loop;
	s->write = write;
	s->ctx = ctx;
	s->fd = -1;
	for (size_t i = 0; i < MOST; i++)
		s->visitors[i].fd = -1;
	r = listen_at(where, &s->fd, e);
	if (r == 0 && loop_watch(loop, s->fd, POLLIN, on_arrival, s) < 0)
		r = aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "listen at %s for metrics", where);
	if (r < 0)
		scrape_close(s);
	else
		*ret = s;
	return r;
}

unsigned scrape_port(const struct scrape *s)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} at = { .v6 = { 0 } };
	socklen_t len = sizeof(at);

	if (getsockname(s->fd, &at.any, &len) < 0)
		return 0;
	return ntohs(at.any.sa_family == AF_INET6 ? at.v6.sin6_port : at.v4.sin_port);
}
