/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams, for ports that a rule has with "/udp": each pair of ends has a socket of its own outside. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>

#include "base/scope.h"
#include "net/broker.h"

#define MAX_FLOWS 1024
#define IDLE_MS   60000
#define AT_ONCE   64
#define BYTES_MAX 65536

struct flow {
	struct source source; /* outside */
	struct flow *next, *before;
	struct broker *broker; /* borrowed */
	int inside;            /* borrowed */
	struct sockaddr_storage peer;
	socklen_t peer_len;
	_Alignas(struct cmsghdr) char control[64];
	size_t control_len;
	struct egress_address to; /* as the box sees it */
	uint16_t port;
	char name[EGRESS_NAME_MAX], rule[EGRESS_RULE_MAX];
	uint64_t sent, received, touched_ms;
};

static void end(struct flow *f)
{
	struct broker *b = f->broker;
	struct net_row row = { .act = NET_UDP,
			       .verdict = NET_ALLOWED,
			       .count = 1,
			       .sent = f->sent,
			       .received = f->received,
			       .to = f->to,
			       .port = f->port };

	strcpy(row.name, f->name);
	strcpy(row.rule, f->rule);
	record_add(b, &row);
	loop_close(&b->loop, &f->source);
	if (f->before)
		f->before->next = f->next;
	else
		b->flows = f->next;
	if (f->next)
		f->next->before = f->before;
	b->n_flows--;
	loop_free_later(&b->loop, f);
}

static void back(struct source *s, uint32_t events)
{
	struct flow *f = (struct flow *)s;
	static char data[BYTES_MAX];

	(void)events;
	for (int i = 0; i < AT_ONCE; i++) {
		ssize_t n = recv(s->fd, data, sizeof(data), MSG_DONTWAIT);
		struct iovec part = { data, n > 0 ? (size_t)n : 0 };
		struct msghdr m = { .msg_name = &f->peer,
				    .msg_namelen = f->peer_len,
				    .msg_iov = &part,
				    .msg_iovlen = 1,
				    .msg_control = f->control,
				    .msg_controllen = f->control_len };

		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0) { /* the host does not listen there */
			end(f);
			return;
		}
		f->received += (uint64_t)n;
		f->touched_ms = f->broker->loop.now_ms;
		sendmsg(f->inside, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
}

/* The rule that lets it out, and where to. */
static const struct egress_rule *find_rule(const struct broker *b, struct flow *f, struct egress_address *ret)
{
	const struct egress_rule *r;
	const struct name *m;

	for (size_t i = 0; (m = names_at(&b->names, &f->to, i)); i++) {
		r = egress_match_name(b->rules, b->n_rules, m->text, f->port, true);
		if (r && m->n) {
			strcpy(f->name, m->text);
			*ret = m->shown.family ? m->real[0] : f->to;
			return names_may_dial(&b->names, m, ret, f->port, true) ? r : NULL;
		}
	}
	*ret = f->to;
	return egress_match_address(b->rules, b->n_rules, &f->to, f->port, true);
}

static void refuse(struct broker *b, const struct flow *f, enum net_reason reason)
{
	struct net_row row = { .act = NET_UDP,
			       .verdict = NET_REFUSED,
			       .reason = reason,
			       .count = 1,
			       .to = f->to,
			       .port = f->port };

	strcpy(row.name, f->name);
	record_add(b, &row);
}

static int dial(struct flow *f, const struct egress_address *a)
{
	struct sockaddr_storage to;
	socklen_t len = address_to_socket(a, f->port, &to);
	int fd = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	f->source = (struct source){ .fd = fd, .ready = back };
	return fd < 0 || connect(fd, (struct sockaddr *)&to, len) < 0 ? -errno : 0;
}

static struct flow *make(struct broker *b, const struct flow *like)
{
	struct flow *f = b->n_flows < MAX_FLOWS ? calloc(1, sizeof(*f)) : NULL;
	struct egress_address a;
	const struct egress_rule *r;

	if (!f) {
		refuse(b, like, NET_TOO_MANY);
		return NULL;
	}
	*f = *like;
	f->broker = b;
	r = find_rule(b, f, &a);
	if (!r || dial(f, &a) < 0 || loop_want(&b->loop, &f->source, EPOLLIN) < 0) {
		refuse(b, f, r ? NET_UNREACHED : NET_NO_RULE);
		close_fd(&f->source.fd);
		free(f);
		return NULL;
	}
	strcpy(f->rule, r->text);
	f->next = b->flows;
	if (f->next)
		f->next->before = f;
	b->flows = f;
	b->n_flows++;
	return f;
}

static struct flow *find(const struct broker *b, const struct flow *like)
{
	struct flow *f = b->flows;

	while (f && (f->port != like->port || f->peer_len != like->peer_len ||
		     memcmp(&f->peer, &like->peer, like->peer_len) != 0 ||
		     !egress_address_same(&f->to, &like->to)))
		f = f->next;
	return f;
}

void datagrams_ready(struct source *s, uint32_t events)
{
	struct listener *l = (struct listener *)s;
	static char data[BYTES_MAX];

	(void)events;
	for (int i = 0; i < AT_ONCE; i++) {
		struct flow like = { .source = { .fd = -1 }, .inside = s->fd, .port = l->port }, *f;
		struct iovec part = { data, sizeof(data) };
		struct msghdr m = { .msg_name = &like.peer,
				    .msg_namelen = sizeof(like.peer),
				    .msg_iov = &part,
				    .msg_iovlen = 1,
				    .msg_control = like.control,
				    .msg_controllen = sizeof(like.control) };
		ssize_t n = recvmsg(s->fd, &m, MSG_DONTWAIT);

		if (n < 0)
			return;
		like.peer_len = m.msg_namelen;
		like.control_len = m.msg_controllen;
		if (!address_of_datagram(&m, &like.to))
			continue;
		f = find(l->broker, &like);
		f = f ? f : make(l->broker, &like);
		if (!f)
			continue;
		f->sent += (uint64_t)n;
		f->touched_ms = l->broker->loop.now_ms;
		send(f->source.fd, data, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
}

void datagrams_check(struct broker *b)
{
	for (struct flow *f = b->flows, *next; f; f = next) {
		size_t i = 0;

		next = f->next;
		while (i < b->n_rules && strcmp(b->rules[i].text, f->rule) != 0)
			i++;
		if (i == b->n_rules)
			end(f);
	}
}

void datagrams_tick(struct broker *b)
{
	for (struct flow *f = b->flows, *next; f; f = next) {
		next = f->next;
		if (b->ending || b->loop.now_ms - f->touched_ms >= IDLE_MS)
			end(f);
	}
}
