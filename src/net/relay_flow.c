/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes between the two sides: through pipes without being copied, or through a buffer where they are read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/scope.h"
#include "net/relay.h"

#define PIPE_BYTES (256u << 10)
#define AT_ONCE    2 /* pipes full, then the others have their turn */

static struct side *from_of(struct conn *c, int way)
{
	return way == UP ? &c->client : &c->server;
}

static struct side *to_of(struct conn *c, int way)
{
	return way == UP ? &c->server : &c->client;
}

static struct rule_use *use_of(const struct conn *c, const struct egress_rule **ret_rule)
{
	const struct broker *b = c->broker;

	for (size_t i = 0; c->rule[0] && i < b->n_rules; i++)
		if (!strcmp(b->rules[i].text, c->rule)) {
			*ret_rule = &b->rules[i];
			return b->rules[i].bytes || b->rules[i].rate ? &b->uses[i] : NULL;
		}
	return NULL;
}

bool relay_count(struct conn *c, int way, size_t n)
{
	const struct egress_rule *rule;
	struct rule_use *use = use_of(c, &rule);
	uint64_t now = c->broker->loop.now_ms;

	*(way == UP ? &c->sent : &c->received) += n;
	c->touched_ms = now;
	if (!use)
		return true;
	use->bytes += n;
	if (rule->bytes && use->bytes > rule->bytes)
		return false;
	if (rule->rate) { /* what was used is earned back; until then nobody of this rule reads */
		uint64_t earned = (now - use->filled_ms) * rule->rate / 1000;

		use->tokens = use->tokens > earned ? use->tokens - earned : 0;
		use->filled_ms = now;
		use->tokens += n;
		if (use->tokens >= rule->rate / 8)
			c->resume_ms = now + use->tokens * 1000 / rule->rate;
	}
	return true;
}

static bool take_pipe(struct conn *c, struct stretch *s)
{
	struct broker *b = c->broker;

	if (s->pipe[0] >= 0)
		return true;
	if (b->n_pipes) {
		b->n_pipes--;
		memcpy(s->pipe, b->pipes[b->n_pipes], sizeof(s->pipe));
		return true;
	}
	if (pipe2(s->pipe, O_CLOEXEC | O_NONBLOCK) < 0) {
		s->pipe[0] = s->pipe[1] = -1;
		return false;
	}
	fcntl(s->pipe[0], F_SETPIPE_SZ, PIPE_BYTES); /* smaller ones do, too */
	return true;
}

static void give_pipe(struct broker *b, struct stretch *s)
{
	if (s->pipe[0] < 0)
		return;
	if (!s->len && b->n_pipes < sizeof(b->pipes) / sizeof(*b->pipes)) {
		memcpy(b->pipes[b->n_pipes++], s->pipe, sizeof(s->pipe));
	} else {
		close(s->pipe[0]);
		close(s->pipe[1]);
	}
	*s = (struct stretch){ .pipe = { -1, -1 } };
}

void relay_release(struct conn *c)
{
	give_pipe(c->broker, &c->stretches[UP]);
	give_pipe(c->broker, &c->stretches[DOWN]);
}

/* Passes the end on, once all before it has passed. */
static void pass_end(struct conn *c, int way)
{
	struct side *to = to_of(c, way);

	if (!from_of(c, way)->ended || to->shut || c->stretches[way].len || (way == UP && c->head_len))
		return;
	shutdown(to->source.fd, SHUT_WR);
	to->shut = true;
}

/* From the pipe to the other side. False: the connection is gone. */
static bool empty_pipe(struct conn *c, int way)
{
	struct stretch *s = &c->stretches[way];

	while (s->len) {
		ssize_t n = splice(s->pipe[0], NULL, to_of(c, way)->source.fd, NULL, s->len,
				   SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

		if (n < 0 && errno == EAGAIN)
			return true;
		if (n <= 0) {
			relay_end(c);
			return false;
		}
		s->len -= (size_t)n;
	}
	give_pipe(c->broker, s);
	return true;
}

/* A rule's rate is kept by reading no more than an eighth of a second at once. */
static size_t most_at_once(const struct conn *c)
{
	const struct egress_rule *rule = NULL;

	if (!use_of(c, &rule) || !rule->rate || rule->rate / 8 >= PIPE_BYTES)
		return PIPE_BYTES;
	return rule->rate / 8 > 512 ? (size_t)(rule->rate / 8) : 512;
}

/* One pipe full; 0: nothing more at the moment; -1: the connection is gone. */
static int move(struct conn *c, int way)
{
	struct stretch *s = &c->stretches[way];
	ssize_t n;

	if (!take_pipe(c, s)) {
		relay_refuse(c, NET_TOO_MANY);
		return -1;
	}
	n = splice(from_of(c, way)->source.fd, NULL, s->pipe[1], NULL, most_at_once(c),
		   SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
	if (n < 0 && errno == EAGAIN) {
		give_pipe(c->broker, s);
		return 0;
	}
	if (n < 0) {
		relay_end(c);
		return -1;
	}
	if (n == 0) {
		from_of(c, way)->ended = true;
		give_pipe(c->broker, s);
		return 0;
	}
	s->len += (size_t)n;
	if (!relay_count(c, way, (size_t)n)) {
		relay_refuse(c, NET_OVER_BUDGET);
		return -1;
	}
	if (!empty_pipe(c, way))
		return -1;
	return !s->len && n == PIPE_BYTES; /* after less than that there is hardly more yet */
}

/* What was looked at and may pass. False: the connection is gone. */
static bool write_head(struct conn *c)
{
	size_t skip = c->early < c->head_pass ? c->early : c->head_pass;

	if (skip) {
		memmove(c->head, c->head + skip, c->head_len - skip);
		c->head_len -= skip;
		c->head_pass -= skip;
		c->early -= skip;
	}
	while (c->head_pass && c->state == CONN_OPEN) {
		ssize_t n = send(c->server.source.fd, c->head, c->head_pass, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EAGAIN)
			return true;
		if (n < 0) {
			relay_end(c);
			return false;
		}
		memmove(c->head, c->head + n, c->head_len - (size_t)n);
		c->head_len -= (size_t)n;
		c->head_pass -= (size_t)n;
		if (!relay_count(c, UP, (size_t)n)) {
			relay_refuse(c, NET_OVER_BUDGET);
			return false;
		}
	}
	if (c->head && !c->head_len && c->checked && !c->following) {
		free(c->head);
		c->head = NULL;
	}
	return true;
}

void relay_hurry(struct conn *c)
{
	ssize_t n;

	if (!c->unsure || c->peeking || c->state != CONN_OPEN || c->early >= c->head_len)
		return;
	n = send(c->server.source.fd, c->head + c->early, c->head_len - c->early,
		 MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n > 0)
		c->early += (size_t)n;
}

static void wake_at(const struct conn *c, int bytes)
{
	setsockopt(c->client.source.fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes));
}

/* Where the connection may become another program's, the first bytes are left in their place. */
static ssize_t peek_or_read(struct conn *c)
{
	ssize_t n;

	c->peeking = !c->checked && c->broker->tls.fd >= 0;
	if (!c->peeking)
		return recv(c->client.source.fd, c->head + c->head_len, RELAY_HEAD_MAX - c->head_len,
			    MSG_DONTWAIT);
	n = recv(c->client.source.fd, c->head, RELAY_HEAD_MAX, MSG_PEEK | MSG_DONTWAIT);
	if (n > 0 && (size_t)n <= c->head_len) { /* it has ended, or wakes us for nothing */
		errno = EAGAIN;
		if (c->woken++ > 2)
			return 0;
		return -1;
	}
	if (n > 0)
		wake_at(c, (int)n + 1);
	return n;
}

/* It is ours: now they are read. */
static bool finish_peek(struct conn *c)
{
	if (!c->peeking || !c->checked)
		return true;
	wake_at(c, 1);
	c->peeking = false;
	if (c->ends_tls) {
		c->head_len = 0;
		return true;
	}
	if (recv(c->client.source.fd, c->head, c->head_len, MSG_DONTWAIT) == (ssize_t)c->head_len)
		return true;
	relay_end(c);
	return false;
}

/* Client bytes that are looked at before they pass. False: the connection is gone. */
static bool read_head(struct conn *c)
{
	ssize_t n;

	if (!c->head)
		c->head = malloc(RELAY_HEAD_MAX);
	if (!c->head) {
		relay_refuse(c, NET_TOO_MANY);
		return false;
	}
	n = peek_or_read(c);
	if (n < 0 && errno == EAGAIN)
		return true;
	if (n < 0) {
		relay_end(c);
		return false;
	}
	if (n == 0) {
		c->client.ended = true;
		if (c->head_len > c->head_pass) { /* it ends in the middle of what it wants */
			relay_refuse(c, NET_BAD_HTTP);
			return false;
		}
		c->checked = true;
		return true;
	}
	c->head_len = c->peeking ? (size_t)n : c->head_len + (size_t)n;
	relay_look(c);
	return !c->dead && finish_peek(c) && write_head(c);
}

static bool reads_head(const struct conn *c)
{
	return !c->checked || c->following;
}

/* The server's answer to a request for another protocol decides what the client's bytes are. */
static bool hear_answer(struct conn *c)
{
	char text[16];
	ssize_t n;
	int status;

	if (!c->following || c->follow.state != HTTP_FOLLOW_WAIT || c->follow.switched)
		return true;
	n = recv(c->server.source.fd, text, sizeof(text), MSG_PEEK | MSG_DONTWAIT);
	status = n > 0 ? http_status_read(text, (size_t)n) : 0;
	if (status) {
		http_follow_answered(&c->follow, status == 101);
		relay_look(c);
	}
	return !c->dead && write_head(c);
}

static bool may_read(const struct conn *c, int way)
{
	const struct side *from = way == UP ? &c->client : &c->server;

	if (from->ended || c->resume_ms || c->stretches[way].len || c->ends_tls)
		return false;
	if (way == UP && reads_head(c))
		return c->head_len < RELAY_HEAD_MAX && !c->head_pass;
	return c->state == CONN_OPEN && (way == DOWN || !c->head_len);
}

static uint32_t wants(const struct conn *c, int way_in, int way_out)
{
	return (may_read(c, way_in) ? (uint32_t)EPOLLIN : 0) |
	       (c->stretches[way_out].len || (way_out == UP && c->head_pass && c->state == CONN_OPEN)
			? (uint32_t)EPOLLOUT
			: 0);
}

void relay_want(struct conn *c)
{
	struct loop *l = &c->broker->loop;
	int r = loop_want(l, &c->client.source, wants(c, UP, DOWN));

	if (r == 0 && c->state == CONN_PROXY)
		r = loop_want(l, &c->server.source, EPOLLIN);
	else if (r == 0 && c->state == CONN_OPEN)
		r = loop_want(l, &c->server.source, wants(c, DOWN, UP));
	if (r < 0)
		relay_end(c);
}

/* Moves what can be moved one way. False: the connection is gone. */
static bool flow(struct conn *c, int way)
{
	if (c->stretches[way].len && !empty_pipe(c, way))
		return false;
	if (way == UP && c->head_pass && !write_head(c))
		return false;
	if (way == UP && reads_head(c)) {
		if (may_read(c, UP) && !read_head(c))
			return false;
	} else {
		for (int i = 0; i < AT_ONCE && may_read(c, way); i++) {
			int n = move(c, way);

			if (n < 0)
				return false;
			if (n == 0)
				break;
		}
	}
	if (c->state == CONN_OPEN)
		pass_end(c, way);
	return true;
}

void relay_ready(struct source *s, uint32_t events)
{
	struct side *side = (struct side *)s;
	struct conn *c = side->conn;

	if (side == &c->server && c->state == CONN_DIAL) {
		relay_dialled(c);
		if (c->dead || c->state != CONN_OPEN)
			return;
	} else if (side == &c->server && c->state == CONN_PROXY) {
		relay_proxy_ready(c, events);
		if (c->dead || c->state != CONN_OPEN)
			return;
	} else if (events & (EPOLLERR | EPOLLHUP) && c->state != CONN_OPEN) {
		relay_end(c); /* the client is gone before there was anything to talk to */
		return;
	}
	if (!flow(c, UP))
		return;
	if (c->ends_tls && c->state == CONN_OPEN) {
		ended_pass(c);
		return;
	}
	if (c->state == CONN_OPEN && (!hear_answer(c) || !flow(c, DOWN)))
		return;
	if (c->client.shut && c->server.shut) {
		relay_end(c);
		return;
	}
	relay_want(c);
}
