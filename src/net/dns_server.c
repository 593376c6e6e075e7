/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks up names for the programs of the box, whichever resolver they believe to ask. Only names that a rule
 * has are looked up; of the others not a letter leaves the machine, and the answer is "no" at once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>

#include "base/scope.h"
#include "net/broker.h"
#include "net/dns.h"
#include "net/inside.h"

#define TTL_S       60
#define MAX_WAITING 512
#define MAX_STREAMS 64
#define STREAM_MAX  (2 + 4096) /* a question by TCP; none is longer */

/* By which way an answer goes back: a datagram's sender and the address it was sent to, or a stream. */
struct way {
	struct source *source; /* borrowed */
	struct stream *stream; /* borrowed; NULL: a datagram */
	struct sockaddr_storage peer;
	socklen_t peer_len;
	_Alignas(struct cmsghdr) char control[64]; /* which of our addresses was asked */
	size_t control_len;
};

struct server {
	struct source source;
	struct broker *broker; /* borrowed */
};

/* A client by TCP. */
struct stream {
	struct source source;
	struct broker *broker; /* borrowed */
	uint8_t data[STREAM_MAX];
	size_t len;
	unsigned int waiting; /* answers that are still to come */
	bool ended;
};

/* A question whose name is being looked up. */
struct waiting {
	struct name_waiter waiter;
	struct record_waiter records; /* instead, if it is not about addresses */
	char name[EGRESS_NAME_MAX];
	struct broker *broker; /* borrowed */
	struct dns_query query;
	struct way way;
};

static size_t n_waiting, n_streams;

static void end_stream(struct stream *t)
{
	t->ended = true;
	if (t->source.fd >= 0) {
		loop_close(&t->broker->loop, &t->source);
		n_streams--;
	}
	if (!t->waiting)
		loop_free_later(&t->broker->loop, t);
}

static void send_packet(const struct way *w, uint8_t *packet, size_t len)
{
	if (w->stream) {
		packet[0] = (uint8_t)(len >> 8);
		packet[1] = (uint8_t)len;
		/* Who does not read its answers gets no more of them. */
		if (send(w->stream->source.fd, packet, len + 2, MSG_DONTWAIT | MSG_NOSIGNAL) !=
		    (ssize_t)len + 2)
			shutdown(w->stream->source.fd, SHUT_RDWR);
		return;
	}
	{
		struct iovec part = { packet + 2, len };
		struct msghdr m = { .msg_name = (void *)&w->peer,
				    .msg_namelen = w->peer_len,
				    .msg_iov = &part,
				    .msg_iovlen = 1,
				    .msg_control = (void *)w->control,
				    .msg_controllen = w->control_len };

		sendmsg(w->source->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
}

static void answer(const struct dns_query *q, const struct way *w, const struct dns_answer *a)
{
	static uint8_t packet[2 + 16384];
	size_t len = dns_answer_write(q, a, packet + 2, sizeof(packet) - 2, !w->stream);

	if (len)
		send_packet(w, packet, len);
}

static void answer_code(const struct dns_query *q, const struct way *w, uint16_t code)
{
	const struct dns_answer a = { .rcode = code, .ttl = 1 };

	answer(q, w, &a);
}

static void note(struct broker *b, const char *name, uint16_t type, enum net_verdict verdict,
		 enum net_reason reason, const struct egress_address *to)
{
	struct net_row row = {
		.act = NET_LOOKUP, .verdict = verdict, .reason = reason, .record = type, .count = 1
	};

	/* A client asks for both families; that is one wish. */
	if (row.record == DNS_AAAA)
		row.record = DNS_A;
	if (to)
		row.to = *to;
	strcpy(row.name, name);
	record_add(b, &row);
}

/* The real addresses; those of four bytes if there are any, so that nobody tries a family that leads nowhere.
 */
static void answer_addresses(const struct dns_query *q, const struct way *w, const struct name *m)
{
	struct egress_address all[NAMES_MAX_ADDRESSES];
	struct dns_answer a = { .ttl = TTL_S, .addresses = all };
	bool four = m->shown.family == 4;

	for (size_t i = 0; i < m->n; i++)
		four = four || m->real[i].family == 4;
	if (m->shown.family)
		all[a.n_addresses++] = m->shown;
	for (size_t i = 0; !m->shown.family && i < m->n; i++)
		if (m->real[i].family == (four ? 4 : 6))
			all[a.n_addresses++] = m->real[i];
	answer(q, w, &a);
}

static void tell(struct broker *b, const struct dns_query *q, const struct way *w, const struct name *m)
{
	switch (m->state) {
	case NAME_KNOWN:
		note(b, m->text, q->type, NET_ALLOWED, NET_NO_REASON,
		     m->shown.family ? &m->shown : &m->real[0]);
		answer_addresses(q, w, m);
		break;
	case NAME_FORBIDDEN:
		note(b, m->text, q->type, NET_REFUSED, NET_NOT_PUBLIC, &m->forbidden);
		answer_code(q, w, DNS_RCODE_NXDOMAIN);
		break;
	case NAME_NONE:
		note(b, m->text, q->type, NET_BROKEN, NET_NO_ADDRESS, NULL);
		answer_code(q, w, DNS_RCODE_NXDOMAIN);
		break;
	}
}

static bool is_heard(const struct waiting *w)
{
	return !w->way.stream || !w->way.stream->ended;
}

static void finish(struct waiting *w)
{
	if (w->way.stream && --w->way.stream->waiting == 0 && w->way.stream->ended)
		loop_free_later(&w->broker->loop, w->way.stream);
	n_waiting--;
	free(w);
}

static void known(struct name_waiter *nw)
{
	struct waiting *w = (struct waiting *)nw;

	if (is_heard(w))
		tell(w->broker, &w->query, &w->way, nw->name);
	finish(w);
}

/* As the host's resolver has them. A name in one of them is no more than a text: it needs a rule of its own.
 */
static void records_known(struct record_waiter *rw, const uint8_t *packet, size_t len)
{
	struct waiting *w = (struct waiting *)((char *)rw - offsetof(struct waiting, records));
	static struct dns_reply reply;
	struct dns_answer a = { .ttl = TTL_S };
	bool read = len && dns_reply_read(packet, len, w->name, w->query.type, &reply);

	if (read) {
		a.rcode = reply.rcode;
		a.records = reply.records;
		a.n_records = reply.n;
	}
	note(w->broker, w->name, w->query.type, NET_ALLOWED, NET_NO_REASON, NULL);
	if (is_heard(w))
		answer(&w->query, &w->way, &a);
	finish(w);
}

static void look_up(struct broker *b, const struct dns_query *q, const struct way *way, const char *name)
{
	struct waiting *w = n_waiting < MAX_WAITING ? calloc(1, sizeof(*w)) : NULL;
	int r;

	if (!w) {
		answer_code(q, way, DNS_RCODE_SERVFAIL);
		return;
	}
	w->broker = b;
	w->query = *q;
	w->way = *way;
	w->waiter.known = known;
	w->records.known = records_known;
	strcpy(w->name, name);
	n_waiting++;
	if (way->stream)
		way->stream->waiting++;
	r = q->type == DNS_A || q->type == DNS_AAAA
		    ? names_ask(&b->names, name, &w->waiter)
		    : names_ask_records(&b->names, name, q->type, &w->records);
	if (r < 0) {
		answer_code(q, way, DNS_RCODE_SERVFAIL);
		finish(w);
	}
}

/* The host itself, and the box itself. */
static bool answer_own(const struct broker *b, const struct dns_query *q, const struct way *w,
		       const char *name)
{
	static const struct egress_address gateway = { 4, INSIDE_GATEWAY };
	static const struct egress_address self[] = { { 4, { 127, [3] = 1 } }, { 6, { [15] = 1 } } };
	struct dns_answer a = { .ttl = TTL_S };
	size_t len = strlen(name);

	if (!strcmp(name, EGRESS_HOST_NAME)) {
		for (size_t i = 0; i < b->n_rules; i++)
			if (b->rules[i].kind == EGRESS_LOCAL)
				a.n_addresses = 1;
		a.addresses = &gateway;
	} else if (!strcmp(name, "localhost") || (len > 10 && !strcmp(name + len - 10, ".localhost"))) {
		a.addresses = self;
		a.n_addresses = 2;
	}
	if (a.n_addresses)
		answer(q, w, &a);
	return a.n_addresses;
}

static bool is_record(uint16_t type)
{
	return type == DNS_SRV || type == DNS_TXT || type == DNS_CNAME || type == DNS_MX;
}

/* What programs ask for on their own, and nobody misses. */
static bool is_idle(const struct broker *b, const char *name)
{
	size_t len = strlen(name);

	/* A name that was not found is tried again below each domain of the host. */
	for (size_t i = 0; i < b->n_search; i++) {
		size_t n = strlen(b->search[i]);

		if (len > n + 1 && name[len - n - 1] == '.' && !strcmp(name + len - n, b->search[i]))
			return true;
	}
	return len > 5 && !strcmp(name + len - 5, ".arpa");
}

/* The person is asked when something connects: only then it is known what for. Until then nothing leaves. */
static void answer_asked(struct broker *b, const struct dns_query *q, const struct way *w, const char *name)
{
	const struct name *m = names_invent(&b->names, name);

	if (m)
		answer_addresses(q, w, m);
	else
		answer_code(q, w, DNS_RCODE_SERVFAIL);
}

static void answer_name(struct broker *b, const struct dns_query *q, const struct way *w, const char *name)
{
	const struct egress_rule *rule = egress_match_lookup(b->rules, b->n_rules, name);

	if (answer_own(b, q, w, name))
		return;
	if (!rule && b->flags & NET_FLAG_ASK && !is_idle(b, name)) {
		answer_asked(b, q, w, name);
	} else if (!rule) {
		if (!is_idle(b, name))
			note(b, name, q->type, NET_REFUSED, NET_NO_RULE, NULL);
		answer_code(q, w, DNS_RCODE_NXDOMAIN);
	} else if (q->type == DNS_A || q->type == DNS_AAAA || (rule->records && is_record(q->type))) {
		look_up(b, q, w, name);
	} else { /* it is there, but has no such record; what is there for HTTPS would hide the name in TLS */
		answer_code(q, w, DNS_RCODE_NOERROR);
	}
}

static void serve(struct broker *b, const uint8_t *packet, size_t len, const struct way *w)
{
	struct dns_query q;
	enum dns_verdict v = dns_query_read(packet, len, &q);
	char name[EGRESS_NAME_MAX];

	if (v == DNS_DROP)
		return;
	if (v != DNS_OK) {
		answer_code(&q, w, dns_verdict_rcode(v));
	} else if (q.class != DNS_IN) {
		answer_code(&q, w, DNS_RCODE_REFUSED);
	} else if (q.odd || !egress_name(q.name, q.name_len, name)) {
		if (q.name_len) /* the root is asked by who only tries whether we are there */
			note(b, "", q.type, NET_REFUSED, NET_BAD_NAME, NULL);
		answer_code(&q, w, q.name_len ? DNS_RCODE_NXDOMAIN : DNS_RCODE_NOERROR);
	} else {
		answer_name(b, &q, w, name);
	}
}

static void datagram(struct source *s, uint32_t events)
{
	struct server *server = (struct server *)s;

	(void)events;
	for (int i = 0; i < 64; i++) {
		struct way w = { .source = s };
		struct egress_address asked;
		uint8_t packet[4096];
		struct iovec part = { packet, sizeof(packet) };
		struct msghdr m = { .msg_name = &w.peer,
				    .msg_namelen = sizeof(w.peer),
				    .msg_iov = &part,
				    .msg_iovlen = 1,
				    .msg_control = w.control,
				    .msg_controllen = sizeof(w.control) };
		ssize_t n = recvmsg(s->fd, &m, MSG_DONTWAIT);

		if (n < 0)
			return;
		if (!address_of_datagram(&m, &asked))
			continue;
		w.peer_len = m.msg_namelen;
		w.control_len = m.msg_controllen;
		serve(server->broker, packet, (size_t)n, &w);
	}
}

static void stream_ready(struct source *s, uint32_t events)
{
	struct stream *t = (struct stream *)s;
	struct way w = { .source = s, .stream = t };
	ssize_t n = recv(s->fd, t->data + t->len, sizeof(t->data) - t->len, MSG_DONTWAIT);

	(void)events;
	if (n < 0 && errno == EAGAIN)
		return;
	t->len += n > 0 ? (size_t)n : 0;
	while (n > 0 && t->len >= 2) {
		size_t len = (size_t)(t->data[0] << 8 | t->data[1]);

		if (len > sizeof(t->data) - 2) {
			n = 0;
		} else if (t->len < len + 2) {
			return;
		} else {
			serve(t->broker, t->data + 2, len, &w);
			t->len -= len + 2;
			memmove(t->data, t->data + len + 2, t->len);
		}
	}
	if (n <= 0)
		end_stream(t);
}

static void welcome(struct source *s, uint32_t events)
{
	struct server *server = (struct server *)s;
	int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct stream *t = fd >= 0 && n_streams < MAX_STREAMS ? calloc(1, sizeof(*t)) : NULL;

	(void)events;
	if (!t) {
		drop_fd(&fd);
		return;
	}
	t->source = (struct source){ .fd = fd, .ready = stream_ready };
	t->broker = server->broker;
	n_streams++;
	if (loop_want(&server->broker->loop, &t->source, EPOLLIN) < 0)
		end_stream(t);
}

int dns_server_add(struct broker *b, int fd, bool tcp)
{
	struct server *server = calloc(1, sizeof(*server)); /* for as long as the broker lives */

	if (!server) {
		close(fd);
		return -ENOMEM;
	}
	server->broker = b;
	server->source = (struct source){ .fd = fd, .ready = tcp ? welcome : datagram };
	return loop_want(&b->loop, &server->source, EPOLLIN);
}
