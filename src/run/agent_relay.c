/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process between programs of the box and the person's ssh-agent. Each client has one frame under way: it
 * is read, judged, perhaps asked about, passed on, and its answer is written back, before the next is read.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "net/ssh_agent.h"
#include "run/agents.h"
#include "sys/confine.h"
#include "sys/sys.h"

#define MAX_CLIENTS 16
/* The agent takes a request, and lists its keys, at once. Signing may wait for a person. */
#define PATIENCE_S 5

enum { LISTENER, CONTROL, NOWHERE, FIRST_OTHER }; /* its descriptors */

enum stage {
	READING, /* a request */
	ASKED,   /* the person */
	WAITING, /* for the agent's answer */
	WRITING, /* an answer */
};

struct client {
	enum stage stage;
	int fd;         /* owned; -1: gone */
	int agent;      /* owned; -1: not connected yet */
	uint32_t id;    /* of its question */
	uint8_t *frame; /* owned */
	size_t have, written;
};

struct relay {
	const char *real; /* borrowed; the agent's path */
	struct client clients[MAX_CLIENTS];
	size_t n;
	uint32_t last_id;
};

int agent_connect(const char *path)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	scoped(drop_fd) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(at.sun_path))
		return -ENAMETOOLONG;
	strcpy(at.sun_path, path);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0 ||
	    connect(fd, (struct sockaddr *)&at, sizeof(at)) < 0)
		return -errno;
	return take_fd(&fd);
}

static void drop(struct client *c)
{
	close_fd(&c->fd);
	close_fd(&c->agent);
	free(c->frame);
	c->frame = NULL;
}

/* 1: a frame is there, 0: not yet, -1: there will be none. Never reads beyond it. */
static int fill(struct client *c, int fd, int flags)
{
	size_t want = SSH_AGENT_HEAD + (c->have < SSH_AGENT_HEAD ? 0 : ssh_agent_body(c->frame));
	ssize_t n = recv(fd, c->frame + c->have, want - c->have, flags);

	if (n <= 0)
		return n < 0 && (errno == EINTR || (errno == EAGAIN && flags & MSG_DONTWAIT)) ? 0 : -1;
	c->have += (size_t)n;
	if (c->have < SSH_AGENT_HEAD)
		return 0;
	if (!ssh_agent_body(c->frame))
		return -1;
	return c->have == SSH_AGENT_HEAD + ssh_agent_body(c->frame);
}

static void refuse(struct client *c)
{
	static const uint8_t failure[] = { 0, 0, 0, 1, SSH_AGENT_FAILURE };

	memcpy(c->frame, failure, sizeof(failure));
	c->have = sizeof(failure);
	c->written = 0;
	c->stage = WRITING;
}

static bool send_all(int fd, const uint8_t *data, size_t len)
{
	while (len) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		len -= (size_t)n;
	}
	return true;
}

static void pass_on(const struct relay *r, struct client *c)
{
	if (c->agent < 0)
		c->agent = agent_connect(r->real);
	if (c->agent < 0 || !send_all(c->agent, c->frame, c->have)) {
		close_fd(&c->agent);
		refuse(c);
		return;
	}
	c->have = 0;
	c->stage = WAITING;
}

/* What the person calls the key, asked for anew: keys come and go. */
static bool find_name(const struct relay *r, const struct ssh_agent_sign *sign, char ret[SSH_AGENT_TEXT])
{
	static const uint8_t list[] = { 0, 0, 0, 1, SSH_AGENT_LIST };
	struct client asking = { .frame = malloc(SSH_AGENT_HEAD + SSH_AGENT_BODY_MAX),
				 .fd = -1,
				 .agent = agent_connect(r->real) };
	bool found = false;
	int filled = 0;

	if (asking.frame && asking.agent >= 0 && send_all(asking.agent, list, sizeof(list)))
		while (!filled)
			filled = fill(&asking, asking.agent, 0);
	if (filled > 0)
		found = ssh_agent_name(asking.frame + SSH_AGENT_HEAD, asking.have - SSH_AGENT_HEAD, sign->key,
				       sign->key_len, ret);
	drop(&asking);
	return found;
}

static void ask(struct relay *r, struct client *c, const struct ssh_agent_sign *sign)
{
	struct net_message m = { .word = NET_ASK, .row = { .act = NET_AGENT, .count = 1 } };
	char name[SSH_AGENT_TEXT];

	if (!find_name(r, sign, name)) { /* the agent would not sign with it either */
		refuse(c);
		return;
	}
	m.id = c->id = ++r->last_id;
	snprintf(m.row.name, sizeof(m.row.name), "%s", name);
	snprintf(m.row.rule, sizeof(m.row.rule), "%s", sign->about);
	if (sys_send(CONTROL, &m, sizeof(m), NULL, 0) < 0)
		_exit(0);
	c->stage = ASKED;
}

static void judge(struct relay *r, struct client *c)
{
	struct ssh_agent_sign sign;

	switch (ssh_agent_judge(c->frame + SSH_AGENT_HEAD, c->have - SSH_AGENT_HEAD, &sign)) {
	case SSH_AGENT_PASS:
		pass_on(r, c);
		break;
	case SSH_AGENT_ASK:
		ask(r, c, &sign);
		break;
	case SSH_AGENT_REFUSE:
		refuse(c);
		break;
	}
}

static void write_answer(struct client *c)
{
	ssize_t n = send(c->fd, c->frame + c->written, c->have - c->written, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		drop(c);
		return;
	}
	c->written += n > 0 ? (size_t)n : 0;
	if (c->written < c->have)
		return;
	c->have = c->written = 0;
	c->stage = READING;
}

static void attend(struct relay *r, struct client *c)
{
	int filled;

	switch (c->stage) {
	case READING:
		filled = fill(c, c->fd, MSG_DONTWAIT);
		if (filled < 0)
			drop(c);
		else if (filled)
			judge(r, c);
		break;
	case ASKED: /* it hung up: the answer is for nobody */
		drop(c);
		break;
	case WAITING:
		filled = fill(c, c->agent, MSG_DONTWAIT);
		if (filled < 0) {
			close_fd(&c->agent);
			refuse(c);
		} else if (filled) {
			c->written = 0;
			c->stage = WRITING;
		}
		break;
	case WRITING:
		write_answer(c);
		break;
	}
}

static void take_answer(struct relay *r, const struct net_message *m)
{
	for (size_t i = 0; i < r->n; i++) {
		struct client *c = &r->clients[i];

		if (c->stage != ASKED || c->id != m->id)
			continue;
		if (m->value > 0)
			pass_on(r, c);
		else
			refuse(c);
	}
}

/* All there are: who answers does not wait for us. */
static void hear_answers(struct relay *r)
{
	struct net_message m;
	ssize_t n;

	while ((n = recv(CONTROL, &m, sizeof(m), MSG_DONTWAIT)) == sizeof(m) && m.word == NET_ANSWER)
		take_answer(r, &m);
	if (n >= 0 || (errno != EAGAIN && errno != EINTR))
		_exit(0);
}

static void welcome(struct relay *r)
{
	struct client c = { .fd = accept4(LISTENER, NULL, NULL, SOCK_CLOEXEC), .agent = -1 };

	if (c.fd < 0)
		return;
	c.frame = malloc(SSH_AGENT_HEAD + SSH_AGENT_BODY_MAX);
	if (!c.frame)
		drop(&c);
	else
		r->clients[r->n++] = c;
}

static struct pollfd wish(const struct client *c)
{
	switch (c->stage) {
	case READING:
		return (struct pollfd){ .fd = c->fd, .events = POLLIN };
	case WAITING:
		return (struct pollfd){ .fd = c->agent, .events = POLLIN };
	case WRITING:
		return (struct pollfd){ .fd = c->fd, .events = POLLOUT };
	case ASKED:
		break;
	}
	return (struct pollfd){ .fd = c->fd }; /* only that it hangs up */
}

static void turn(struct relay *r)
{
	struct pollfd p[2 + MAX_CLIENTS] = { { .fd = CONTROL, .events = POLLIN },
					     { .fd = r->n < MAX_CLIENTS ? LISTENER : -1, .events = POLLIN } };
	size_t n = r->n, left = 0;

	for (size_t i = 0; i < n; i++)
		p[2 + i] = wish(&r->clients[i]);
	if (poll(p, 2 + n, -1) < 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (p[2 + i].revents)
			attend(r, &r->clients[i]);
	for (size_t i = 0; i < n; i++)
		if (r->clients[i].fd >= 0)
			r->clients[left++] = r->clients[i];
	r->n = left;
	if (p[0].revents)
		hear_answers(r);
	if (p[1].revents)
		welcome(r);
}

_Noreturn void agent_relay(int listener, int control, const char *real)
{
	static const char *const nothing[] = { NULL };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct relay r = { .real = real };
	int null_fd = open("/dev/null", O_RDWR);
	sigset_t all;

	sigfillset(&all); /* the supervisor ends it, whatever is typed */
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "aisbx-agent");
	listener = fcntl(listener, F_DUPFD, FIRST_OTHER); /* each may be where another belongs */
	control = fcntl(control, F_DUPFD, FIRST_OTHER);
	null_fd = fcntl(null_fd, F_DUPFD, FIRST_OTHER);
	if (dup2(listener, LISTENER) < 0 || dup2(control, CONTROL) < 0 || dup2(null_fd, NOWHERE) < 0 ||
	    sys_close_range(FIRST_OTHER, ~0U) < 0 || confine_self(nothing, &e) < 0)
		_exit(1);
	for (;;)
		turn(&r);
}
