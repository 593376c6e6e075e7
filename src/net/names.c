/* SPDX-License-Identifier: Apache-2.0 */
/* Names and their addresses: asked once, checked once, kept. */
#include "net/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/scope.h"

/* A name without an address may get one; those that have some may get others. */
#define AGAIN_NONE_MS  3000
#define AGAIN_KNOWN_MS 300000

/* Made-up addresses: a range for tests of networks, which no host on the Internet has. */
#define MADE_UP_FIRST 0xc6120001u /* 198.18.0.1 */
#define MADE_UP_COUNT 0x1fffdu

bool name_has(const struct name *m, const struct egress_address *a)
{
	if (m->shown.family)
		return egress_address_same(&m->shown, a);
	for (size_t i = 0; i < m->n; i++)
		if (egress_address_same(&m->real[i], a))
			return true;
	return false;
}

struct name *names_at(const struct names *n, const struct egress_address *a, size_t i)
{
	for (size_t k = 0; k < n->n; k++)
		if (name_has(n->all[k], a) && !i--)
			return n->all[k];
	return NULL;
}

static struct egress_address made_up(uint32_t number)
{
	uint32_t a = MADE_UP_FIRST + number % MADE_UP_COUNT;

	return (struct egress_address){ .family = 4,
					.bytes = { (uint8_t)(a >> 24), (uint8_t)(a >> 16), (uint8_t)(a >> 8),
						   (uint8_t)a } };
}

/* The same for the same name in every box and every run, as long as nobody else has it. */
static void make_up(const struct names *n, struct name *m)
{
	uint32_t hash = 2166136261u;

	for (const char *c = m->text; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 16777619u;
	for (;; hash++) {
		struct egress_address a = made_up(hash);
		size_t i = 0;

		while (i < n->n && (n->all[i] == m || !egress_address_same(&n->all[i]->shown, &a)))
			i++;
		if (i == n->n) {
			m->shown = a;
			return;
		}
	}
}

/* Whether a rule lets M be reached by something whose first bytes do not tell the name. */
static bool is_opaque(const struct names *n, const struct name *m)
{
	for (size_t i = 0; i < n->n_rules; i++) {
		const struct egress_rule *r = &n->rules[i];

		if (egress_match_lookup(r, 1, m->text) && r->port != 443 && r->port != 80)
			return true;
	}
	return false;
}

/* Two names at one address that nothing else tells apart. */
static bool is_shared(const struct names *n, const struct name *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct name *other;

		for (size_t k = 0; (other = names_at(n, &m->real[i], k)); k++)
			if (other != m && (is_opaque(n, m) || is_opaque(n, other)))
				return true;
	}
	return false;
}

static bool may_be_reached(const struct names *n, const struct name *m, const struct egress_address *a)
{
	enum egress_class class = egress_classify(a);

	if (class == EGRESS_PUBLIC)
		return true;
	for (size_t i = 0; class == EGRESS_PRIVATE && i < n->n_rules; i++)
		if (n->rules[i].private && egress_match_lookup(&n->rules[i], 1, m->text))
			return true;
	for (size_t i = 0; i < n->n_rules; i++) /* with any port: that of a connection is checked later */
		if (n->rules[i].kind == EGRESS_RANGE &&
		    egress_match_address(&n->rules[i], 1, a, n->rules[i].port, n->rules[i].udp))
			return true;
	return false;
}

bool names_may_dial(const struct names *n, const struct name *m, const struct egress_address *a,
		    uint16_t port, bool udp)
{
	enum egress_class class = egress_classify(a);

	if (class == EGRESS_PUBLIC)
		return true;
	for (size_t i = 0; class == EGRESS_PRIVATE && i < n->n_rules; i++)
		if (n->rules[i].private && egress_match_name(&n->rules[i], 1, m->text, port, udp))
			return true;
	return egress_match_address(n->rules, n->n_rules, a, port, udp);
}

static void add_address(const struct names *n, struct name *m, const struct egress_address *a)
{
	if (!may_be_reached(n, m, a)) {
		m->forbidden = *a;
		return;
	}
	for (size_t i = 0; i < m->n; i++)
		if (egress_address_same(&m->real[i], a))
			return;
	if (m->n < NAMES_MAX_ADDRESSES)
		m->real[m->n++] = *a;
}

static void wake(struct name *m)
{
	while (m->waiters) {
		struct name_waiter *w = m->waiters;

		m->waiters = w->next;
		w->next = NULL;
		w->known(w);
	}
}

static void settle(struct names *n, struct name *m, const struct resolver_answer *a)
{
	bool known = m->state == NAME_KNOWN;

	m->asking = false;
	for (uint16_t i = 0; i < a->n && i < RESOLVER_MAX_ADDRESSES; i++)
		add_address(n, m, &a->addresses[i]);
	if (m->n)
		m->state = NAME_KNOWN;
	else if (m->forbidden.family)
		m->state = NAME_FORBIDDEN;
	else
		m->state = n->proxied ? NAME_KNOWN : NAME_NONE;
	if (m->state == NAME_KNOWN && !known && !m->shown.family && (!m->n || is_shared(n, m)))
		make_up(n, m);
	if (m->state == NAME_KNOWN && n->settled)
		n->settled(n, m);
	wake(m);
}

static void hear_records(struct names *n, const struct resolver_answer *a)
{
	struct record_waiter **at = &n->records;

	while (*at && (*at)->id != a->id)
		at = &(*at)->next;
	if (*at) {
		struct record_waiter *w = *at;

		*at = w->next;
		w->known(w, a->reply, a->reply_len <= sizeof(a->reply) ? a->reply_len : 0);
	}
}

static void hear(struct source *s, uint32_t events)
{
	struct names *n = (struct names *)((char *)s - offsetof(struct names, resolver));
	static struct resolver_answer a;

	ssize_t got = recv(s->fd, &a, sizeof(a), MSG_DONTWAIT);

	(void)events;
	if (got == 0)
		_exit(125); /* without it no name is ever known */
	if (got != sizeof(a))
		return;
	if (a.record) {
		hear_records(n, &a);
		return;
	}
	for (size_t i = 0; i < n->n; i++)
		if (n->all[i]->id == a.id && n->all[i]->asking)
			settle(n, n->all[i], &a);
}

int names_init(struct names *n, struct loop *l, int resolver_fd)
{
	n->loop = l;
	n->resolver = (struct source){ .fd = resolver_fd, .ready = hear };
	return loop_want(l, &n->resolver, EPOLLIN);
}

static struct name *find(struct names *n, const char *text)
{
	struct name *m;

	for (size_t i = 0; i < n->n; i++)
		if (!strcmp(n->all[i]->text, text))
			return n->all[i];
	if (n->n == NAMES_MAX)
		return NULL;
	if (!(n->n & (n->n - 1))) { /* it doubles */
		struct name **more = reallocarray(n->all, n->n ? n->n * 2 : 1, sizeof(*more));

		if (!more)
			return NULL;
		n->all = more;
	}
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	strncpy(m->text, text, sizeof(m->text) - 1);
	m->id = (uint32_t)n->n + 1;
	n->all[n->n++] = m;
	return m;
}

static bool is_fresh(const struct names *n, const struct name *m)
{
	uint64_t age = n->loop->now_ms - m->asked_ms;

	if (!m->asked_ms)
		return false;
	return m->state == NAME_KNOWN ? age < AGAIN_KNOWN_MS : m->state && age < AGAIN_NONE_MS;
}

int names_ask(struct names *n, const char *name, struct name_waiter *w)
{
	struct name *m = find(n, name);

	if (!m)
		return -ENOSPC;
	w->name = m;
	if (!m->asking && is_fresh(n, m)) {
		w->known(w);
		return 0;
	}
	if (!m->asking) {
		struct resolver_question q = { .id = m->id };

		strcpy(q.name, m->text);
		if (send(n->resolver.fd, &q, sizeof(q), MSG_DONTWAIT) != sizeof(q))
			return -EAGAIN;
		m->asking = true;
		m->asked_ms = n->loop->now_ms;
	}
	w->next = m->waiters;
	m->waiters = w;
	return 0;
}

int names_ask_records(struct names *n, const char *name, uint16_t type, struct record_waiter *w)
{
	struct resolver_question q = { .id = ++n->n_records, .record = type };

	strcpy(q.name, name);
	if (send(n->resolver.fd, &q, sizeof(q), MSG_DONTWAIT) != sizeof(q))
		return -EAGAIN;
	w->id = q.id;
	w->next = n->records;
	n->records = w;
	return 0;
}

struct name *names_invent(struct names *n, const char *name)
{
	struct name *m = find(n, name);

	if (m && !m->shown.family) {
		make_up(n, m);
		m->state = NAME_KNOWN;
	}
	return m;
}

void names_forget(struct name_waiter *w)
{
	struct name_waiter **at = w->name ? &w->name->waiters : NULL;

	while (at && *at && *at != w)
		at = &(*at)->next;
	if (at && *at)
		*at = w->next;
	w->next = NULL;
	w->name = NULL;
}
