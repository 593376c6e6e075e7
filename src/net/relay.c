/* SPDX-License-Identifier: Apache-2.0 */
/* Connections of the box: accepted, counted, ended. */
#include "net/relay.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/scope.h"

#define ACCEPT_AT_ONCE 64

static void reset(int fd)
{
	const struct linger now = { .l_onoff = 1 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

struct conn *relay_create(struct broker *b, int client_fd)
{
	static const int on = 1;
	struct conn *c = b->n_conns < BROKER_MAX_CONNS ? calloc(1, sizeof(*c)) : NULL;

	if (!c)
		return NULL;
	c->broker = b;
	c->client = (struct side){ .source = { .fd = client_fd, .ready = relay_ready }, .conn = c };
	c->server = (struct side){ .source = { .fd = -1, .ready = relay_ready }, .conn = c };
	for (int i = 0; i < 2; i++)
		c->stretches[i] = (struct stretch){ .pipe = { -1, -1 } };
	c->begun_ms = c->touched_ms = b->loop.now_ms;
	setsockopt(client_fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	c->next = b->conns;
	if (c->next)
		c->next->before = c;
	b->conns = c;
	b->n_conns++;
	return c;
}

static struct net_row row_of(const struct conn *c, enum net_verdict verdict, enum net_reason reason)
{
	struct net_row row = { .act = c->incoming ? NET_IN : NET_TCP,
			       .verdict = verdict,
			       .reason = reason,
			       .count = 1,
			       .sent = c->sent,
			       .received = c->received,
			       .to = c->n_dials && !c->by_proxy
					     ? c->dials[c->dial_at < c->n_dials ? c->dial_at : 0]
					     : c->to,
			       .port = c->port };

	strcpy(row.name, c->name);
	strcpy(row.rule, c->rule);
	return row;
}

static void drop(struct conn *c)
{
	struct broker *b = c->broker;

	c->dead = true;
	names_forget(&c->waiter);
	relay_release(c);
	loop_close(&b->loop, &c->client.source);
	loop_close(&b->loop, &c->server.source);
	if (c->before)
		c->before->next = c->next;
	else
		b->conns = c->next;
	if (c->next)
		c->next->before = c->before;
	b->n_conns--;
	free(c->head);
	free(c->answer);
	c->head = c->answer = NULL;
	loop_free_later(&b->loop, c);
}

void relay_refuse(struct conn *c, enum net_reason reason)
{
	bool broken = reason == NET_UNREACHED || reason == NET_NO_ADDRESS;
	struct net_row row = row_of(c, broken ? NET_BROKEN : NET_REFUSED, reason);

	reset(c->client.source.fd);
	if (c->server.source.fd >= 0)
		reset(c->server.source.fd);
	record_add(c->broker, &row);
	drop(c);
}

void relay_forget(struct conn *c)
{
	drop(c);
}

void relay_end(struct conn *c)
{
	struct net_row row = row_of(c, NET_ALLOWED, NET_NO_REASON);

	if (!c->client.ended || !c->server.ended) { /* one side broke: the other is to see that */
		reset(c->client.source.fd);
		if (c->server.source.fd >= 0)
			reset(c->server.source.fd);
	}
	record_add(c->broker, &row);
	drop(c);
}

void relay_accept(struct source *s, uint32_t events)
{
	struct listener *l = (struct listener *)s;

	(void)events;
	for (int i = 0; i < ACCEPT_AT_ONCE; i++) {
		struct sockaddr_storage to = { 0 };
		socklen_t len = sizeof(to);
		int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		struct conn *c;

		if (fd < 0) {
			if (errno !=
			    EAGAIN) /* no descriptors: it stays ready, and would wake us without end */
				broker_pause(l);
			return;
		}
		c = relay_create(l->broker, fd);
		if (!c || getsockname(fd, (struct sockaddr *)&to, &len) < 0) {
			struct net_row row = { .act = NET_TCP,
					       .verdict = NET_REFUSED,
					       .reason = NET_TOO_MANY,
					       .count = 1,
					       .port = l->port };

			record_add(l->broker, &row);
			if (c) {
				drop(c);
			} else {
				reset(fd);
				close(fd);
			}
			continue;
		}
		address_from_socket(&to, &c->to, &c->port);
		c->dial_port = c->port;
		relay_find(c);
	}
}

/* Whether C may not wait any longer for what it waits for. */
static bool is_overdue(const struct conn *c, uint64_t now)
{
	if (c->state == CONN_DIAL || c->state == CONN_PROXY)
		return now - c->touched_ms >= RELAY_DIAL_MS;
	if (c->state == CONN_ASKED)
		return false;
	if (c->state == CONN_NAMES)
		return now - c->begun_ms >= RELAY_HELLO_MS;
	return now - c->touched_ms >= RELAY_IDLE_MS;
}

void relay_tick(struct broker *b)
{
	uint64_t now = b->loop.now_ms;

	for (struct conn *c = b->conns, *next; c; c = next) {
		next = c->next;
		if (c->resume_ms && now >= c->resume_ms) {
			c->resume_ms = 0;
			relay_want(c);
		}
		relay_hurry(c);
		if (!is_overdue(c, now))
			continue;
		if (c->state == CONN_DIAL) {
			c->dial_at++;
			relay_dial(c);
		} else if (c->state == CONN_OPEN) {
			relay_end(c);
		} else {
			relay_refuse(c, c->state == CONN_PROXY ? NET_UNREACHED : NET_NO_RULE);
		}
	}
}

static bool is_allowed(const struct conn *c)
{
	const struct broker *b = c->broker;

	for (size_t i = 0; i < b->n_rules; i++)
		if (!strcmp(b->rules[i].text, c->rule))
			return true;
	return c->incoming || !c->rule[0];
}

void relay_check(struct broker *b)
{
	for (struct conn *c = b->conns, *next; c; c = next) {
		next = c->next;
		if (!is_allowed(c))
			relay_refuse(c, NET_NO_RULE);
	}
}

void relay_finish(struct broker *b)
{
	while (b->conns)
		relay_end(b->conns);
}
