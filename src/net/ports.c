/* SPDX-License-Identifier: Apache-2.0 */
/* Published ports: connections that the host's programs make to a port of the box. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "net/inside.h"
#include "net/relay.h"

/* A socket of the box, on its way to a port there: programs listen on either loopback, or on all addresses.
 */
static int connect_inside(struct broker *b, uint16_t port)
{
	static const struct egress_address loopbacks[] = { { 4, { 127, [3] = 1 } }, { 6, { [15] = 1 } } };
	int err = -ECONNREFUSED;

	for (size_t i = 0; i < 2; i++) {
		const struct inside_question q = { .word = INSIDE_CONNECT, .address = loopbacks[i] };
		struct sockaddr_storage to;
		socklen_t len = address_to_socket(&loopbacks[i], port, &to);
		int fd = inside_ask(b->inside, &q);

		if (fd < 0)
			return fd;
		/* On a loopback the answer is there at once. */
		if (connect(fd, (struct sockaddr *)&to, len) == 0 || errno == EINPROGRESS)
			return fd;
		err = -errno;
		close(fd);
	}
	return err;
}

void ports_accept(struct source *s, uint32_t events)
{
	struct listener *l = (struct listener *)s;
	int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), box;
	struct conn *c;

	(void)events;
	if (fd < 0) {
		if (errno != EAGAIN)
			broker_pause(l);
		return;
	}
	box = connect_inside(l->broker, l->port);
	c = box < 0 ? NULL : relay_create(l->broker, fd);
	if (!c) {
		const struct linger now = { .l_onoff = 1 };

		setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
		close(fd);
		if (box >= 0)
			close(box);
		return;
	}
	c->incoming = c->checked = true;
	c->port = l->port;
	c->server.source.fd = box;
	c->state = CONN_DIAL;
	c->n_dials = 0;
	if (loop_want(&l->broker->loop, &c->server.source, EPOLLOUT) < 0)
		relay_end(c);
}
