/* SPDX-License-Identifier: Apache-2.0 */
/* Connects to the checked addresses, one after the other, or to the upstream proxy. */
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/scope.h"
#include "net/relay.h"

#define ANSWER_MAX 16384

/* What is dialled: the address in turn, or the proxy's. */
static const struct egress_address *address_at(const struct conn *c, uint16_t *ret_port)
{
	const struct upstream *u = &c->broker->upstream;

	*ret_port = c->by_proxy ? u->port : c->dial_port;
	if (c->dial_at >= (c->by_proxy ? u->n : c->n_dials))
		return NULL;
	return c->by_proxy ? &u->addresses[c->dial_at] : &c->dials[c->dial_at];
}

static int begin(struct conn *c, const struct egress_address *a, uint16_t port)
{
	static const int on = 1;
	struct sockaddr_storage to;
	socklen_t len = address_to_socket(a, port, &to);
	int fd = socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	c->server.source.fd = fd;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	return connect(fd, (struct sockaddr *)&to, len) < 0 && errno != EINPROGRESS ? -errno : 0;
}

void relay_dial(struct conn *c)
{
	const struct egress_address *a;
	uint16_t port;

	c->state = CONN_DIAL;
	for (; (a = address_at(c, &port)); c->dial_at++) {
		loop_close(&c->broker->loop, &c->server.source);
		c->touched_ms = c->broker->loop.now_ms;
		if (begin(c, a, port) == 0 && loop_want(&c->broker->loop, &c->server.source, EPOLLOUT) == 0) {
			relay_want(c);
			return;
		}
	}
	relay_refuse(c, NET_UNREACHED);
}

static bool ask_proxy(struct conn *c)
{
	char text[EGRESS_NAME_MAX * 2 + 2048];
	size_t n = upstream_request(&c->broker->upstream, c->name, c->port, text, sizeof(text));

	c->answer = malloc(ANSWER_MAX);
	c->state = CONN_PROXY;
	/* A new connection takes as much at once. */
	return c->answer && n && send(c->server.source.fd, text, n, MSG_NOSIGNAL) == (ssize_t)n;
}

/* To another machine the kernel finds the sizes itself: what is on its way there may be much. */
static void limit_local(int fd)
{
	struct sockaddr_storage here = { 0 }, there = { 0 };
	socklen_t here_len = sizeof(here), there_len = sizeof(there);
	struct egress_address a, b;
	uint16_t port;

	if (getsockname(fd, (struct sockaddr *)&here, &here_len) < 0 ||
	    getpeername(fd, (struct sockaddr *)&there, &there_len) < 0)
		return;
	address_from_socket(&here, &a, &port);
	address_from_socket(&there, &b, &port);
	if (egress_address_same(&a, &b))
		address_limit_buffers(fd, 512 << 10, 256 << 10);
}

void relay_dialled(struct conn *c)
{
	int err = 0;
	socklen_t len = sizeof(err);

	if (getsockopt(c->server.source.fd, SOL_SOCKET, SO_ERROR, &err, &len) < 0 || err) {
		c->dial_at++;
		relay_dial(c);
		return;
	}
	c->touched_ms = c->broker->loop.now_ms;
	limit_local(c->server.source.fd);
	if (!c->by_proxy) {
		c->state = CONN_OPEN;
	} else if (!c->name[0] || !ask_proxy(c)) {
		relay_refuse(c, NET_UNREACHED);
		return;
	}
	relay_want(c);
}

void relay_proxy_ready(struct conn *c, uint32_t events)
{
	/* Not one byte more than its answer: what follows is the host's. */
	ssize_t n = recv(c->server.source.fd, c->answer, ANSWER_MAX, MSG_PEEK | MSG_DONTWAIT);
	int done = n > 0 ? upstream_answer(c->answer, (size_t)n) : -1;

	(void)events;
	if (n < 0 && errno == EAGAIN)
		return;
	if (done < 0 || (done == 0 && (size_t)n <= c->answer_len)) {
		relay_refuse(c, NET_UNREACHED);
		return;
	}
	c->answer_len = (size_t)n;
	if (done == 0)
		return;
	if (recv(c->server.source.fd, c->answer, (size_t)done, MSG_DONTWAIT) != done) {
		relay_refuse(c, NET_UNREACHED);
		return;
	}
	free(c->answer);
	c->answer = NULL;
	c->state = CONN_OPEN;
	c->touched_ms = c->broker->loop.now_ms;
	relay_want(c);
}
