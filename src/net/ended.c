/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections that aisbx-tls reads, for rules about methods and paths and for hosts that get a secret: both
 * sockets are passed to it; here they are only counted, and cut when their rule ends.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "net/relay.h"
#include "net/tls_control.h"
#include "sys/sys.h"

#define BYE_MS 3000

struct ended {
	struct ended *next;
	uint32_t id;
	uint16_t port;
	struct egress_address to;
	uint64_t sent, received;
	char name[EGRESS_NAME_MAX], rule[EGRESS_RULE_MAX];
};

bool ended_has(const struct broker *b, const char *name, uint16_t port)
{
	if (!name[0])
		return false;
	for (size_t i = 0; i < b->n_rules; i++)
		if (egress_rule_ends_tls(&b->rules[i]) &&
		    egress_match_name(&b->rules[i], 1, name, port, false))
			return true;
	return egress_match_name(b->ends, b->n_ends, name, port, false);
}

static void tell(const struct broker *b, enum tls_word word, uint32_t id)
{
	static struct tls_message m;

	m = (struct tls_message){ .word = word, .id = id };
	sys_send(b->tls.fd, &m, sizeof(m), NULL, 0);
}

static void note(struct broker *b, const struct ended *d, const struct net_row *said, bool sums)
{
	struct net_row row = { .act = NET_TCP,
			       .verdict = said->verdict,
			       .reason = said->reason,
			       .count = 1,
			       .sent = sums ? d->sent : 0,
			       .received = sums ? d->received : 0,
			       .to = d->to,
			       .port = d->port };

	strcpy(row.name, d->name);
	strcpy(row.rule, d->rule);
	if (said->rule[0])
		memcpy(row.rule, said->rule, sizeof(row.rule) - 1);
	record_add(b, &row);
}

static void drop(struct broker *b, struct ended *d)
{
	struct ended **at = &b->ended;

	while (*at != d)
		at = &(*at)->next;
	*at = d->next;
	b->n_conns--;
	free(d);
}

/* False: the rule has no bytes left. */
static bool count(struct broker *b, struct ended *d, const struct net_row *row)
{
	d->sent += row->sent;
	d->received += row->received;
	for (size_t i = 0; i < b->n_rules; i++)
		if (!strcmp(b->rules[i].text, d->rule)) {
			b->uses[i].bytes += row->sent + row->received;
			return !b->rules[i].bytes || b->uses[i].bytes <= b->rules[i].bytes;
		}
	return true;
}

static void obey(struct broker *b, const struct tls_message *m)
{
	struct ended *d = b->ended;

	while (d && d->id != m->id)
		d = d->next;
	if (!d)
		return;
	if (m->word == TLS_ROW) {
		note(b, d, &m->row, false);
	} else if (m->word == TLS_BYTES || m->word == TLS_CLOSED) {
		bool left = count(b, d, &m->row);

		if (m->word == TLS_CLOSED) {
			note(b, d, &m->row, true);
			drop(b, d);
		} else if (!left) {
			const struct net_row over = { .verdict = NET_REFUSED, .reason = NET_OVER_BUDGET };

			note(b, d, &over, false);
			tell(b, TLS_CUT, d->id);
		}
	}
}

/* One message; false: there is none, or it is gone. */
static bool receive(struct broker *b, struct tls_message *ret)
{
	int fds[SYS_MAX_FDS];
	ssize_t n = sys_recv(b->tls.fd, ret, sizeof(*ret), fds, MSG_DONTWAIT);

	for (int i = 0; n > 0 && i < SYS_MAX_FDS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (n == 0 || (n < 0 && n != -EAGAIN))
		loop_close(&b->loop,
			   &b->tls); /* its connections are gone with it, and no new ones are taken */
	ret->row.rule[sizeof(ret->row.rule) - 1] = '\0';
	return n >= (ssize_t)offsetof(struct tls_message, text); /* without all of its text */
}

static void hear(struct source *s, uint32_t events)
{
	struct broker *b = (struct broker *)((char *)s - offsetof(struct broker, tls));
	static struct tls_message m;

	(void)events;
	while (s->fd >= 0 && receive(b, &m))
		obey(b, &m);
}

int ended_init(struct broker *b, int fd)
{
	b->tls = (struct source){ .fd = fd, .ready = hear };
	return fd < 0 ? 0 : loop_want(&b->loop, &b->tls, EPOLLIN);
}

void ended_pass(struct conn *c)
{
	static struct tls_message m;
	static uint32_t last;
	struct broker *b = c->broker;
	struct ended *d = calloc(1, sizeof(*d));
	const int fds[2] = { c->client.source.fd, c->server.source.fd };

	m = (struct tls_message){ .word = TLS_CONNECTION, .id = ++last, .port = c->port };
	strcpy(m.name, c->name);
	if (!d || b->tls.fd < 0 || sys_send(b->tls.fd, &m, sizeof(m), fds, 2) < 0) {
		free(d);
		relay_refuse(c, NET_UNREACHED);
		return;
	}
	*d = (struct ended){ .next = b->ended, .id = last, .port = c->port, .to = c->dials[c->dial_at] };
	strcpy(d->name, c->name);
	strcpy(d->rule, c->rule);
	b->ended = d;
	b->n_conns++;
	relay_forget(c);
}

void ended_check(struct broker *b)
{
	for (const struct ended *d = b->ended; d; d = d->next)
		if (!egress_match_name(b->rules, b->n_rules, d->name, d->port, false))
			tell(b, TLS_CUT, d->id);
}

void ended_finish(struct broker *b)
{
	static struct tls_message m;
	struct pollfd p = { .fd = b->tls.fd, .events = POLLIN };

	if (b->tls.fd < 0)
		return;
	tell(b, TLS_END, 0);
	m.word = 0;
	while (b->tls.fd >= 0 && m.word != TLS_BYE && poll(&p, 1, BYE_MS) > 0)
		while (b->tls.fd >= 0 && m.word != TLS_BYE && receive(b, &m))
			obey(b, &m);
}
