/* SPDX-License-Identifier: Apache-2.0 */
/* What the broker says, and what is said to it. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/scope.h"
#include "net/tls/tls.h"

#define MAX_FDS   2
#define MAX_QUEUE 1024u
#define SEALS     (F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW)

static size_t length(const struct tls_message *m)
{
	return offsetof(struct tls_message, text) + strnlen(m->text, sizeof(m->text) - 1) + 1;
}

bool control_flush(struct tls *t)
{
	while (t->queue) {
		struct said *s = t->queue;

		if (send(t->control, s->bytes, s->len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
			return errno == EAGAIN || errno == EINTR || errno == ENOBUFS;
		t->queue = s->next;
		if (!t->queue)
			t->queue_end = &t->queue;
		t->n_queue--;
		free(s);
	}
	return true;
}

void control_say(struct tls *t, const struct tls_message *m)
{
	size_t len = length(m);
	struct said *s;

	/* TLS_CLOSED and answers are always said: there are only so many connections. */
	if (t->n_queue >= MAX_QUEUE && (m->word == TLS_ROW || m->word == TLS_BYTES))
		return;
	s = malloc(sizeof(*s) + len);
	if (!s)
		return;
	s->next = NULL;
	s->len = len;
	memcpy(s->bytes, m, len);
	*t->queue_end = s;
	t->queue_end = &s->next;
	t->n_queue++;
	control_flush(t);
}

static void drop_fds(int (*fds)[MAX_FDS])
{
	for (int i = 0; i < MAX_FDS; i++)
		drop_fd(&(*fds)[i]);
}

/* 0: nothing there; 1: a message; -1: the end, or something that is no message. */
static int receive(const struct tls *t, struct tls_message *ret, int fds[MAX_FDS], int flags)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(MAX_FDS * sizeof(int))];
	} control;
	struct iovec iov = { ret, sizeof(*ret) };
	struct msghdr h = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = control.room,
			    .msg_controllen = sizeof(control.room) };
	ssize_t n;

	memset(ret, 0, sizeof(*ret));
	n = recvmsg(t->control, &h, flags | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&h); c; c = CMSG_NXTHDR(&h, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
			memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
	ret->text[sizeof(ret->text) - 1] = ret->name[sizeof(ret->name) - 1] = '\0';
	return (size_t)n < offsetof(struct tls_message, row) || (h.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) ? -1
													 : 1;
}

static int read_config(int fd, struct config **ret, struct aisbx_error *e)
{
	struct stat st;
	char *data;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0 || (fcntl(fd, F_GET_SEALS) & SEALS) != SEALS)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_RUN, EINVAL,
				    "the configuration of aisbx-tls is not sealed");
	if (!st.st_size || st.st_size > TLS_CONFIG_MAX)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_RUN, EINVAL,
				    "the configuration of aisbx-tls is too long, or empty");
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "read the configuration of aisbx-tls");
	r = config_read(data, (size_t)st.st_size, ret, e);
	munmap(data, (size_t)st.st_size);
	return r;
}

int control_setup(struct tls *t, struct aisbx_error *e)
{
	struct tls_message m;
	scoped(drop_fds) int fds[MAX_FDS] = { -1, -1 };

	if (receive(t, &m, fds, 0) <= 0 || m.word != TLS_SETUP)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_RUN, EINVAL,
				    "aisbx-tls is started by aisbx, not by people");
	return read_config(fds[0], &t->config, e);
}

static void fail(struct tls *t, uint32_t id, const struct aisbx_error *e)
{
	struct tls_message m = { .word = TLS_FAILED, .id = id, .error = *e };

	control_say(t, &m);
}

static void renew(struct tls *t, const struct tls_message *m, int fds[MAX_FDS])
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct tls_message answer = { .word = TLS_READY, .id = m->id };
	struct config *c = NULL;

	if (read_config(fds[0], &c, &e) < 0) {
		fail(t, m->id, &e);
		return;
	}
	config_drop(t->config);
	t->config = c;
	control_say(t, &answer);
}

/* Sockets of other kinds have no such thing. */
static void hurry(int fd)
{
	int one = 1;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

static void begin(struct tls *t, const struct tls_message *m, int fds[MAX_FDS])
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	char name[EGRESS_NAME_MAX];
	struct conn *c;

	if (fds[0] < 0 || fds[1] < 0 || !m->port || !egress_name(m->name, strlen(m->name), name) ||
	    fcntl(fds[0], F_SETFL, O_NONBLOCK) < 0 || fcntl(fds[1], F_SETFL, O_NONBLOCK) < 0) {
		aisbx_refuse(&e, AISBX_KIND_USAGE, AISBX_AREA_RUN, EINVAL, "not a connection to a name");
		fail(t, m->id, &e);
		return;
	}
	hurry(fds[0]);
	hurry(fds[1]);
	if (t->n_conns >= TLS_MAX_CONNS || !(c = conn_create(t, m->id, name, m->port, fds[0], fds[1]))) {
		aisbx_refuse(&e, AISBX_KIND_LIMIT, AISBX_AREA_RUN, EMFILE,
			     "too many connections that are read");
		fail(t, m->id, &e);
		return;
	}
	fds[0] = fds[1] = -1;
	if (shake_begin(c))
		conn_step(c);
	else
		conn_over(c);
}

static void cut(const struct tls *t, uint32_t id)
{
	for (struct conn *c = t->conns; c; c = c->next)
		if (c->id == id)
			conn_over(c);
}

bool control_hear(struct tls *t)
{
	struct tls_message m;
	scoped(drop_fds) int fds[MAX_FDS] = { -1, -1 };
	int r = receive(t, &m, fds, MSG_DONTWAIT);

	if (r <= 0)
		return r == 0;
	switch (m.word) {
	case TLS_CONFIG:
		renew(t, &m, fds);
		return true;
	case TLS_CONNECTION:
		begin(t, &m, fds);
		return true;
	case TLS_CUT:
		cut(t, m.id);
		return true;
	case TLS_END:
		t->ending = true;
		return true;
	default:
		return false;
	}
}
