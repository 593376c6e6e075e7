/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aisbx-net: the broker of one box. Gets the box's namespaces and rules from its supervisor, starts its
 * inside half and its resolver, puts up its walls, and then serves until it is told to end or the supervisor
 * is gone.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/std_fds.h"
#include "base/time.h"
#include "net/broker.h"
#include "net/inside.h"
#include "net/resolver.h"
#include "net/rules.h"
#include "net/wall.h"
#include "sys/sys.h"

#define DNS_PORT 53
#define TICK_MS  1000
#define RATE_MS  20

int broker_say(const struct broker *b, const struct net_message *m, bool patient)
{
	return send(b->control.fd, m, sizeof(*m), MSG_NOSIGNAL | (patient ? 0 : MSG_DONTWAIT)) < 0 ? -errno
												   : 0;
}

static void say(const struct broker *b, enum net_word word, const struct aisbx_error *e)
{
	struct net_message m = { .word = word };

	if (e)
		m.error = *e;
	broker_say(b, &m, true);
}

static _Noreturn void die(const struct broker *b, const struct aisbx_error *e)
{
	say(b, NET_FAILED, e);
	_exit(125);
}

int broker_listen(struct broker *b, uint16_t port, bool udp, const struct egress_address *at)
{
	struct inside_question q = { .word = udp ? INSIDE_UDP : INSIDE_TCP, .port = port };
	struct listener *l;
	int fd;

	if (at)
		q.address = *at;
	for (size_t i = 0; i < b->n_listeners; i++) {
		l = b->listeners[i];
		if (l->port == port && l->udp == udp && !l->published &&
		    !memcmp(&l->at, &q.address, sizeof(q.address)))
			return 0;
	}
	if (b->n_listeners == BROKER_MAX_PORTS)
		return -ENOSPC;
	fd = inside_ask(b->inside, &q);
	if (fd < 0)
		return fd;
	l = calloc(1, sizeof(*l));
	if (!l) {
		close(fd);
		return -ENOMEM;
	}
	*l = (struct listener){ .source = { .fd = fd, .ready = udp ? datagrams_ready : relay_accept },
				.broker = b,
				.port = port,
				.at = q.address,
				.udp = udp };
	b->listeners[b->n_listeners++] = l;
	return loop_want(&b->loop, &l->source, EPOLLIN);
}

/*
 * Datagrams have no beginning at which they could be refused. So their port is open at the addresses of a
 * rule's name alone; everywhere else the kernel refuses them.
 */
static void open_datagrams(struct names *n, const struct name *m)
{
	struct broker *b = (struct broker *)((char *)n - offsetof(struct broker, names));

	for (size_t i = 0; i < b->n_rules; i++) {
		const struct egress_rule *r = &b->rules[i];

		if (!r->udp || !r->port || !egress_match_name(r, 1, m->text, r->port, true))
			continue;
		if (m->shown.family)
			broker_listen(b, r->port, true, &m->shown);
		for (size_t k = 0; !m->shown.family && k < m->n; k++)
			broker_listen(b, r->port, true, &m->real[k]);
	}
}

static void name_settled(struct names *n, const struct name *m)
{
	const struct broker *b = (struct broker *)((char *)n - offsetof(struct broker, names));
	struct net_message said = { .word = NET_NAME };

	open_datagrams(n, m);
	strcpy(said.row.name, m->text);
	for (size_t i = 0; i < (m->shown.family ? 1 : m->n); i++) {
		said.row.to = m->shown.family ? m->shown : m->real[i];
		broker_say(b, &said, false);
	}
}

/* A rule's port is open before the rule holds; one that no rule has any more is closed, so that it refuses.
 */
static int open_ports(struct broker *b)
{
	for (size_t i = 0; i < b->n_rules; i++) {
		const struct egress_rule *r = &b->rules[i];
		bool now = r->port && (r->kind == EGRESS_RANGE || r->kind == EGRESS_LOCAL ||
				       (r->kind == EGRESS_NAMES && !r->udp));
		int err = now ? broker_listen(b, r->port, r->udp, NULL) : 0;

		if (err < 0)
			return err;
	}
	for (size_t i = 0; i < b->names.n; i++)
		if (b->names.all[i]->state == NAME_KNOWN)
			open_datagrams(&b->names, b->names.all[i]);
	return 0;
}

static bool is_wanted(const struct broker *b, const struct listener *l)
{
	if (b->flags & NET_FLAG_ASK)
		return true;
	for (size_t i = 0; i < b->n_rules; i++)
		if ((!b->rules[i].port || b->rules[i].port == l->port) && b->rules[i].udp == l->udp)
			return true;
	return l->published;
}

static void close_ports(struct broker *b)
{
	for (size_t i = 0; i < b->n_listeners;) {
		struct listener *l = b->listeners[i];

		if (is_wanted(b, l)) {
			i++;
			continue;
		}
		loop_close(&b->loop, &l->source);
		loop_free_later(&b->loop, l);
		b->listeners[i] = b->listeners[--b->n_listeners];
	}
}

/* What a rule has used stays used while it stays. */
static struct rule_use *carry_uses(const struct broker *b, const struct egress_rule *rules, size_t n)
{
	struct rule_use *uses = calloc(n ? n : 1, sizeof(*uses));

	for (size_t i = 0; uses && i < n; i++) {
		strcpy(uses[i].text, rules[i].text);
		uses[i].filled_ms = b->loop.now_ms;
		for (size_t k = 0; k < b->n_rules; k++)
			if (!strcmp(b->uses[k].text, rules[i].text))
				uses[i] = b->uses[k];
	}
	return uses;
}

/* All of the new ones at once; at no time more than the old or the new ones allow. */
static int set_rules(struct broker *b, int fd, struct aisbx_error *e)
{
	struct rule_set s = { 0 };
	struct rule_use *uses;
	int r = rule_set_read(fd, &s, e);

	if (r < 0)
		return r;
	uses = carry_uses(b, s.rules, s.n);
	if (!uses) {
		rule_set_finish(&s);
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "read the rules of the network");
	}
	free(b->rules);
	free(b->ends);
	free(b->uses);
	b->rules = s.rules;
	b->n_rules = s.n;
	b->ends = s.ends;
	b->n_ends = s.n_ends;
	b->uses = uses;
	b->names.rules = s.rules;
	b->names.n_rules = s.n;
	relay_check(b);
	ended_check(b);
	datagrams_check(b);
	close_ports(b);
	r = open_ports(b);
	if (r == 0)
		asking_again(b);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_RUN, -r, "open the ports of the rules in the box's gateway")
		     : 0;
}

static int publish(struct broker *b, uint16_t port, int *fd, struct aisbx_error *e)
{
	struct listener *l = b->n_listeners < BROKER_MAX_PORTS ? calloc(1, sizeof(*l)) : NULL;

	if (!l || *fd < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "publish port %u of the box", port);
	*l = (struct listener){ .source = { .fd = take_fd(fd), .ready = ports_accept },
				.broker = b,
				.port = port,
				.published = true };
	b->listeners[b->n_listeners++] = l;
	return loop_want(&b->loop, &l->source, EPOLLIN);
}

static _Noreturn void end(struct broker *b)
{
	b->ending = true;
	relay_finish(b);
	ended_finish(b);
	datagrams_tick(b);
	record_say_all(b);
	_exit(0);
}

static int obey(struct broker *b, const struct net_message *m, int *fds, struct aisbx_error *e)
{
	int r;

	switch ((enum net_word)m->word) {
	case NET_RULES:
		return set_rules(b, fds[0], e);
	case NET_LISTEN:
		r = broker_listen(b, m->port, m->flags & NET_FLAG_UDP, NULL);
		return r < 0 ? aisbx_fail(e, AISBX_AREA_RUN, -r, "open port %u in the box's gateway", m->port)
			     : 0;
	case NET_PUBLISH:
		return publish(b, m->port, &fds[0], e);
	case NET_END:
		end(b);
	case NET_ANSWER:
		asking_answered(b, m->id, m->value);
		return 0;
	case NET_SETUP:
	case NET_READY:
	case NET_FAILED:
	case NET_ROW:
	case NET_NAME:
	case NET_ASK:
	case NET_BYE:
	default:
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
				    "the broker does not know that request");
	}
}

static void hear(struct source *s, uint32_t events)
{
	struct broker *b = (struct broker *)((char *)s - offsetof(struct broker, control));
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct net_message m;
	int fds[SYS_MAX_FDS];
	ssize_t n = sys_recv(s->fd, &m, sizeof(m), fds, MSG_DONTWAIT);

	(void)events;
	if (n == -EAGAIN)
		return;
	if (n != sizeof(m))
		_exit(125); /* the supervisor is gone, and the box with it */
	say(b, obey(b, &m, fds, &e) < 0 ? NET_FAILED : NET_READY, &e);
	for (int i = 0; i < SYS_MAX_FDS; i++)
		drop_fd(&fds[i]);
}

/* Where programs of the box believe that a resolver is, if that is the host's own loopback. */
static void open_resolver(struct broker *b, const char *where)
{
	struct inside_question q = { .port = DNS_PORT };

	if (!egress_address_read(where, strlen(where), &q.address) ||
	    egress_classify(&q.address) != EGRESS_LOOPBACK)
		return; /* the gateway answers for all others */
	for (int tcp = 0; tcp < 2; tcp++) {
		int fd;

		q.word = tcp ? INSIDE_BOX_TCP : INSIDE_BOX_UDP;
		fd = inside_ask(b->inside, &q);
		if (fd >= 0)
			dns_server_add(b, fd, tcp);
	}
}

static void read_search(struct broker *b, char *words)
{
	char *rest, *word = strtok_r(words, " \t\n", &rest);

	for (b->n_search = 0; word && b->n_search < 6; word = strtok_r(NULL, " \t\n", &rest))
		if (egress_name(word, strlen(word), b->search[b->n_search]))
			b->n_search++;
}

/* The box sees the host's resolv.conf, so it says what its programs do. */
static void read_resolv_conf(struct broker *b)
{
	scoped(drop_file) FILE *f = fopen("/etc/resolv.conf", "re");
	char line[512], word[64];
	bool any = false;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "nameserver %63s", word) == 1) {
			any = true;
			open_resolver(b, word);
		} else if (!strncmp(line, "search ", 7) || !strncmp(line, "domain ", 7)) {
			read_search(b, line + 7);
		}
	}
	if (!any)
		open_resolver(b, "127.0.0.1"); /* whom the C library asks if nothing is written */
}

static int open_dns(struct broker *b)
{
	for (int tcp = 0; tcp < 2; tcp++) {
		const struct inside_question q = { .word = tcp ? INSIDE_TCP : INSIDE_UDP, .port = DNS_PORT };
		int fd = inside_ask(b->inside, &q), r = fd < 0 ? fd : dns_server_add(b, fd, tcp);

		if (r < 0)
			return r;
	}
	read_resolv_conf(b);
	return 0;
}

static int start(struct broker *b, const struct net_message *m, const int *fds, struct aisbx_error *e)
{
	bool gateway = !(m->flags & NET_FLAG_PORTS);
	int resolver = -1, r = inside_start(fds[NET_FD_USERNS], fds[NET_FD_NETNS], gateway, &b->inside, e);

	if (r == 0 && gateway)
		r = upstream_init(&b->upstream, e);
	if (r < 0)
		return r;
	r = resolver_start(&resolver);
	if (r == 0)
		r = loop_init(&b->loop);
	if (r == 0)
		r = names_init(&b->names, &b->loop, resolver);
	if (r == 0)
		r = record_create(b);
	if (r == 0 && gateway)
		r = open_dns(b);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "start the broker");
	b->names.proxied = b->upstream.any;
	b->names.settled = name_settled;
	r = ended_init(b, fds[NET_FD_TLS] < 0 ? -1 : fcntl(fds[NET_FD_TLS], F_DUPFD_CLOEXEC, 3));
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "connect the broker with aisbx-tls");
	r = set_rules(b, fds[NET_FD_RULES], e);
	if (r < 0)
		return r;
	r = loop_want(&b->loop, &b->control, EPOLLIN);
	if (r == 0)
		r = wall_outside();
	return r < 0 ? aisbx_fail(e, AISBX_AREA_RUN, -r, "put up the walls of the broker") : 0;
}

void broker_pause(struct listener *l)
{
	l->broker->paused = true;
	loop_want(&l->broker->loop, &l->source, 0);
}

static void resume(struct broker *b)
{
	b->paused = false;
	for (size_t i = 0; i < b->n_listeners; i++)
		loop_want(&b->loop, &b->listeners[i]->source, EPOLLIN);
}

/* What a box makes the broker keep is not in the box's own limit of memory. */
#define MEMORY_MAX (256ull << 20)

static void set_limits(void)
{
	struct rlimit all;

#ifndef __SANITIZE_ADDRESS__ /* its shadow alone is larger */
	setrlimit(RLIMIT_DATA, &(struct rlimit){ MEMORY_MAX, MEMORY_MAX });
#endif

	if (getrlimit(RLIMIT_NOFILE, &all) == 0) {
		all.rlim_cur = all.rlim_max;
		setrlimit(RLIMIT_NOFILE, &all);
	}
}

static bool is_held(const struct broker *b)
{
	for (size_t i = 0; i < b->n_rules; i++)
		if (b->rules[i].rate && b->n_conns)
			return true;
	return false;
}

static int wait_ms(const struct broker *b)
{
	if (is_held(b))
		return RATE_MS;
	return b->n_conns || b->n_flows || b->paused ? TICK_MS : -1;
}

int main(void)
{
	static struct broker b;
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct net_message m;
	int fds[SYS_MAX_FDS];

	std_fds_hold();
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	signal(SIGPIPE, SIG_IGN);
	b.control = (struct source){ .fd = NET_CONTROL_FD, .ready = hear };
	if (sys_recv(NET_CONTROL_FD, &m, sizeof(m), fds, 0) != sizeof(m) || m.word != NET_SETUP)
		return 125; /* nobody wants it */
	set_limits();
	b.flags = m.flags;
	if (start(&b, &m, fds, &e) < 0)
		die(&b, &e);
	for (int i = 0; i < SYS_MAX_FDS; i++)
		drop_fd(&fds[i]);
	say(&b, NET_READY, NULL);
	for (;;) {
		loop_turn(&b.loop, wait_ms(&b));
		if (b.loop.now_ms - b.ticked_ms >= (is_held(&b) ? RATE_MS : TICK_MS)) {
			b.ticked_ms = b.loop.now_ms;
			relay_tick(&b);
			if (b.paused)
				resume(&b);
			datagrams_tick(&b);
		}
	}
}
