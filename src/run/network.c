/* SPDX-License-Identifier: Apache-2.0 */
/* Talks to the broker. Each request waits for its answer, which takes milliseconds. */
#include "run/network.h"
#include "run/spec.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/program.h"
#include "base/scope.h"
#include "base/spawn.h"
#include "base/time.h"
#include "sys/sys.h"

/* It looks up the proxy of the environment at its start, which takes as long as resolvers take. */
#define PATIENCE_MS 20000
#define TOLD_MAX    8
/* Names whose addresses are remembered. */
#define MAX_NAMES 256
/* Messages that are heard in one turn: however much it says, the box is looked after. */
#define HEARD_MAX 256

void network_init(struct network *n)
{
	*n = (struct network){ .control = -1, .tls = -1, .say_fd = -1, .asker_ends = -1 };
	agents_init(&n->agents);
}

void network_finish(struct network *n)
{
	close_fd(&n->control);
	if (n->pid > 0) {
		kill(n->pid, SIGKILL);
		waitpid(n->pid, NULL, 0);
		n->pid = 0;
	}
	if (n->asker > 0) {
		kill(n->asker, SIGKILL);
		waitpid(n->asker, NULL, 0);
		n->asker = 0;
	}
	close_fd(&n->asker_ends);
	agents_finish(&n->agents);
	network_finish_tls(n);
	strlist_finish(&n->rules);
	free(n->rows);
	free(n->names);
	n->rows = NULL;
	n->names = NULL;
	free(n->asks);
	n->asks = NULL;
	n->n_asks = 0;
}

int network_start_program(const char *name, const char *const *passed, pid_t *ret_pid, int *ret_control,
			  struct aisbx_error *e)
{
	const char *const argv[] = { name, NULL };
	scoped(strlist_finish) struct strlist env = { 0 };
	scoped(drop_fd) int program = -1, null_fd = -1;
	int pair[2], r = program_open(name, &program, e);

	if (r < 0)
		return r;
	for (; *passed; passed++)
		if (getenv(*passed))
			strlist_addf(&env, "%s=%s", *passed, getenv(*passed));
	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	r = env.failed ? -ENOMEM : null_fd < 0 ? -errno : sys_socketpair(SOCK_SEQPACKET, pair);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "start %s", name);
	{
		static const char *const none[] = { NULL };
		struct spawn s = { .exec_fd = program,
				   .argv = argv,
				   .env = env.n ? (const char *const *)env.items : none,
				   .fds = { null_fd, null_fd, null_fd, pair[1] },
				   .n_fds = 4 };

		r = spawn_start(&s, ret_pid, e);
	}
	close(pair[1]);
	if (r < 0)
		close(pair[0]);
	else
		*ret_control = pair[0];
	return r;
}

int network_spawn(struct network *n, struct aisbx_error *e)
{
	/* What tells the broker the way to the outside, and nothing else. */
	static const char *const passed[] = { "https_proxy", "HTTPS_PROXY", "all_proxy",
					      "ALL_PROXY",   "no_proxy",    "NO_PROXY",
					      "LOCALDOMAIN", "RES_OPTIONS", NULL };

	return network_start_program("aisbx-net", passed, &n->pid, &n->control, e);
}

static const char *reason_text(uint32_t reason)
{
	static const char *const texts[NET_REASONS] = {
		[NET_NO_RULE] = "no rule allows it",
		[NET_BAD_NAME] = "it is not a name that can be looked up",
		[NET_NOT_PUBLIC] = "its address is this machine's, the local network's or a cloud's metadata",
		[NET_WRONG_SNI] = "TLS names a host that is not the one it connects to",
		[NET_HIDDEN_SNI] = "TLS hides the name of the host",
		[NET_WRONG_HOST] = "HTTP names a host that is not the one it connects to",
		[NET_BAD_HTTP] = "servers read such a request in different ways",
		[NET_OVER_BUDGET] = "the rule's bytes are used up",
		[NET_TOO_MANY] = "it has too many connections",
		[NET_WRONG_METHOD] = "the rule has another method or path",
		[NET_WRONG_SECRET] = "a secret does not belong there",
		[NET_DENIED] = "you said no",
		[NET_NOBODY] = "nobody could be asked",
	};

	return reason < NET_REASONS && texts[reason] ? texts[reason] : "no rule allows it";
}

/* At once, so that nobody waits for what will not come. */
static void tell(struct network *n, const struct net_row *row)
{
	char host[EGRESS_NAME_MAX], place[EGRESS_NAME_MAX + 8];
	const char *end = n->raw ? "\r\n" : "\n", *start = n->raw ? "\r" : "";

	/* The machine's own name and services of a domain are asked for by programs, not by people. */
	if (row->act == NET_LOOKUP && (row->name[0] == '_' || !strchr(row->name, '.')))
		return;
	if (n->say_fd < 0 || row->verdict != NET_REFUSED || n->told++ >= TOLD_MAX)
		return;
	if (row->act == NET_AGENT) {
		dprintf(n->say_fd, "%saisbx: refused: sign with ssh key %s: %s%s", start, row->name,
			reason_text(row->reason), end);
		return;
	}
	snprintf(host, sizeof(host), "%s", row->name);
	if (!host[0] && row->to.family)
		egress_address_text(&row->to, host, sizeof(host));
	snprintf(place, sizeof(place), row->act == NET_LOOKUP ? "%s" : "%s:%u", host[0] ? host : "a host",
		 row->port);
	if (row->reason == NET_NO_RULE && row->name[0])
		dprintf(n->say_fd, "%saisbx: refused: %s; allow it with --net %s:%u%s%s", start, place,
			row->name, row->port ? row->port : 443, row->act == NET_UDP ? "/udp" : "", end);
	else
		dprintf(n->say_fd, "%saisbx: refused: %s: %s%s", start, place, reason_text(row->reason), end);
}

static void keep(struct network *n, const struct net_row *row)
{
	if (n->n_rows == n->cap_rows) {
		size_t cap = n->cap_rows ? n->cap_rows * 2 : 16;
		struct net_row *more = cap > NET_MAX_ROWS ? NULL : reallocarray(n->rows, cap, sizeof(*more));

		if (!more) {
			n->not_kept++;
			return;
		}
		n->rows = more;
		n->cap_rows = cap;
	}
	n->rows[n->n_rows++] = *row;
}

/* One message; 0: there is none (any more). */
static bool receive(struct network *n, struct net_message *ret, int patience_ms)
{
	struct pollfd p = { .fd = n->control, .events = POLLIN };
	int fds[SYS_MAX_FDS];
	ssize_t got;

	if (n->control < 0 || poll(&p, 1, patience_ms) <= 0)
		return false;
	got = sys_recv(n->control, ret, sizeof(*ret), fds, MSG_DONTWAIT);
	for (int i = 0; got >= 0 && i < SYS_MAX_FDS; i++)
		drop_fd(&fds[i]);
	if (got == sizeof(*ret) && network_message_check(ret))
		return true;
	if (got != -EAGAIN) {
		log_debug(got > 0 ? "the broker says what none says" : "the broker is gone");
		close_fd(&n->control); /* it ends then, and the box's network with it */
	}
	return false;
}

static void remember(struct network *n, const struct net_row *row)
{
	struct network_name *more;

	if (!row->to.family || n->n_names >= MAX_NAMES)
		return;
	more = reallocarray(n->names, n->n_names + 1, sizeof(*more));
	if (!more)
		return;
	n->names = more;
	more += n->n_names++;
	more->address = row->to;
	strcpy(more->name, row->name);
}

void network_note(struct network *n, const struct net_row *row)
{
	for (size_t i = 0; i < n->n_rows; i++)
		if (n->rows[i].act == row->act && n->rows[i].verdict == row->verdict &&
		    n->rows[i].reason == row->reason && !strcmp(n->rows[i].name, row->name) &&
		    !strcmp(n->rows[i].rule, row->rule)) {
			n->rows[i].count++;
			return;
		}
	tell(n, row);
	keep(n, row);
}

void network_refused(struct network *n, const struct run_address *to, bool udp)
{
	struct net_row row = { .act = udp ? NET_UDP : NET_TCP,
			       .verdict = NET_REFUSED,
			       .reason = NET_NO_RULE,
			       .count = 1,
			       .port = to->port,
			       .to = { .family = to->family == AF_INET ? 4 : 6 } };

	memcpy(row.to.bytes, to->bytes, sizeof(row.to.bytes));
	for (size_t i = 0; i < n->n_names; i++)
		if (egress_address_same(&n->names[i].address, &row.to))
			strcpy(row.name, n->names[i].name);
	for (size_t i = 0; i < n->n_rows; i++)
		if (n->rows[i].act == row.act && n->rows[i].port == row.port &&
		    egress_address_same(&n->rows[i].to, &row.to)) {
			n->rows[i].count++;
			return;
		}
	tell(n, &row);
	keep(n, &row);
}

static void take_note(struct network *n, const struct net_message *m)
{
	if (m->word == NET_ROW && !m->value)
		tell(n, &m->row);
	if (m->word == NET_NAME)
		remember(n, &m->row);
	if (m->word == NET_ASK)
		network_queue(n, m);
}

void network_hear(struct network *n)
{
	struct net_message m;

	for (int i = 0; i < HEARD_MAX && receive(n, &m, 0); i++)
		take_note(n, &m);
	for (int i = 0; i < NETWORK_MAX_ASKS && agents_hear(&n->agents, &m); i++)
		network_asked_to_sign(n, &m);
	network_ask_person(n);
}

static int gone(struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
			    "the broker of the box's network ended or does not answer");
}

static int ask(struct network *n, const struct net_message *m, const int *fds, size_t n_fds,
	       struct aisbx_error *e)
{
	uint64_t until = time_ms() + PATIENCE_MS;
	struct net_message got;
	int r = sys_send(n->control, m, sizeof(*m), fds, n_fds);

	if (r < 0)
		return gone(e);
	while (time_ms() < until && receive(n, &got, (int)(until - time_ms()))) {
		if (got.word == NET_READY)
			return 0;
		if (got.word == NET_FAILED) {
			*e = got.error;
			return e->code < 0 ? e->code : gone(e);
		}
		take_note(n, &got);
	}
	return gone(e);
}

/* A host that gets a secret is aisbx-tls's, whatever else is allowed there. */
static int write_ends(const struct run_net *net, int fd)
{
	int r = 0;

	for (size_t i = 0; net && r == 0 && i < net->n_injected; i++) {
		const struct run_injected *s = &net->injected[i];
		scoped(drop_mem) char *text = NULL;
		int len = s->port ? asprintf(&text, "ends net:egress:%s:%u", s->host, s->port)
				  : asprintf(&text, "ends net:egress:%s:*", s->host);

		r = len < 0 ? -ENOMEM : sys_write_all(fd, text, (size_t)len + 1);
	}
	return r;
}

static int seal_rules(const struct network *n, const struct strlist *rules, int *ret_fd,
		      struct aisbx_error *e)
{
	scoped(drop_fd) int fd = sys_memfd("rules");
	int r = fd < 0 ? fd : 0;

	for (size_t i = 0; r == 0 && i < rules->n; i++)
		r = sys_write_all(fd, rules->items[i], strlen(rules->items[i]) + 1);
	if (r == 0)
		r = write_ends(n->net, fd);
	if (r == 0 && lseek(fd, 0, SEEK_SET) < 0)
		r = -errno;
	if (r == 0)
		r = sys_memfd_seal(fd);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "write down the rules of the network");
	*ret_fd = take_fd(&fd);
	return 0;
}

/* A way into the local network is nothing that a person should overlook. */
static void say_private(const struct network *n)
{
	for (size_t i = 0; n->say_fd >= 0 && i < n->rules.n; i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct egress_rule r;

		if (egress_rule_parse(n->rules.items[i], &r, &e) == 0 && r.kind == EGRESS_RANGE &&
		    egress_classify(&r.from) != EGRESS_PUBLIC)
			dprintf(n->say_fd, "aisbx: %s lets the box into a private network\n", r.text);
	}
}

int network_begin(struct network *n, const int namespaces[2], const struct strlist *rules, uint32_t flags,
		  struct aisbx_error *e)
{
	const struct net_message m = { .word = NET_SETUP, .flags = flags };
	scoped(drop_fd) int sealed = -1;
	int r = n->control < 0 ? network_spawn(n, e) : 0;

	if (r == 0)
		r = seal_rules(n, rules, &sealed, e);
	if (r == 0) {
		const int fds[NET_SETUP_FDS + 1] = { namespaces[0], namespaces[1], sealed, n->tls };

		r = ask(n, &m, fds, n->tls < 0 ? NET_SETUP_FDS : NET_SETUP_FDS + 1, e);
	}
	for (size_t i = 0; r == 0 && i < rules->n; i++)
		strlist_add(&n->rules, rules->items[i]);
	if (n->rules.failed)
		r = aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "remember the rules of the network");
	n->up = r == 0;
	n->asks_all = flags & NET_FLAG_ASK;
	if (n->up)
		say_private(n);
	return r;
}

static bool has_every_port(const struct network *n, uint16_t port, bool udp, bool *ret_listed)
{
	bool every = false;

	*ret_listed = false;
	for (size_t i = 0; i < n->rules.n; i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct egress_rule r;

		if (egress_rule_parse(n->rules.items[i], &r, &e) < 0)
			continue;
		if (r.kind == EGRESS_SOCKET || r.kind == EGRESS_AGENT)
			continue;
		every = every || (!r.port && r.udp == udp);
		*ret_listed = *ret_listed || (r.port == port && r.udp == udp);
	}
	return every;
}

/* Their port is open at the addresses of rules only. */
static bool is_known(const struct network *n, const struct egress_address *to, uint16_t port)
{
	for (size_t i = 0; i < n->n_names; i++)
		if (egress_address_same(&n->names[i].address, to))
			return true;
	for (size_t i = 0; i < n->rules.n; i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct egress_rule r;

		if (egress_rule_parse(n->rules.items[i], &r, &e) == 0 &&
		    egress_match_address(&r, 1, to, port, true))
			return true;
	}
	return false;
}

bool network_decides(struct network *n, const struct run_address *to, bool udp)
{
	const struct net_message m = { .word = NET_LISTEN,
				       .port = to->port,
				       .flags = udp ? NET_FLAG_UDP : 0 };
	struct egress_address at = { .family = to->family == AF_INET ? 4 : 6 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	bool listed;

	memcpy(at.bytes, to->bytes, sizeof(at.bytes));
	if (!n->up)
		return false;
	network_hear(n); /* what it gave out before this */
	if (to->port == 53)
		return true;
	/* Only a hint: a program that has another port in mind than it showed is refused by the kernel. */
	if ((has_every_port(n, to->port, udp, &listed) || (n->asks_all && !udp)) && !listed)
		return ask(n, &m, NULL, 0, &e) == 0;
	return listed && (!udp || is_known(n, &at, to->port));
}

static int set_rules(struct network *n, const struct strlist *rules, struct aisbx_error *e)
{
	const struct net_message m = { .word = NET_RULES };
	scoped(drop_fd) int fd = -1;
	int r = network_change_tls(n, rules, e);

	if (r == 0)
		r = seal_rules(n, rules, &fd, e);
	return r < 0 ? r : ask(n, &m, &fd, 1, e);
}

/* Adds or takes away one; the broker has all or none of it. */
static int change_rules(struct network *n, bool add, const char *text, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist next = { 0 };
	struct egress_rule rule;
	bool found = false;
	int r = egress_rule_parse(text, &rule, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n->rules.n; i++) {
		bool same = !strcmp(n->rules.items[i], rule.text);

		found = found || same;
		if (!same || add)
			strlist_add(&next, n->rules.items[i]);
	}
	if (!add && !found)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
				    "the box has no rule '%s'", rule.text);
	if (add && found)
		return 0;
	if (add && rule.kind == EGRESS_AGENT)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
				    "a box gets an agent when it starts; end it first, then allow '%s'",
				    rule.text);
	if (add)
		strlist_add(&next, rule.text);
	if (next.failed)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "change the rules of the network");
	r = set_rules(n, &next, e);
	if (r == 0) {
		struct strlist old = n->rules;

		n->rules = next;
		next = old;
		if (rule.kind == EGRESS_AGENT) /* it was taken away */
			agents_finish(&n->agents);
	}
	return r;
}

int network_answer(struct network *n, uint32_t id, int value, const char *rule, struct aisbx_error *e)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	int r = value > 0 ? change_rules(n, true, rule, e) : 0;
	/* A rule that cannot be made is a no: who asked does not wait for ever. */
	const struct net_message m = { .word = NET_ANSWER, .id = id, .value = r < 0 ? 0 : value };
	int answered = ask(n, &m, NULL, 0, r < 0 ? &ignored : e);

	return r < 0 ? r : answered;
}

static int read_ports(const char *text, struct network_port *ret, struct aisbx_error *e)
{
	unsigned int host = 0, box = 0;
	char rest;
	int n = sscanf(text, "%5u:%5u%c", &host, &box, &rest);

	if (n == 1 && !strchr(text, ':')) {
		box = host;
		n = sscanf(text, "%5u%c", &host, &rest) == 1 ? 2 : 3;
	}
	if (n != 2 || host > UINT16_MAX || !box || box > UINT16_MAX)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"'%.40s' is not a port to publish; expected HOSTPORT:PORT such as 8080:80, "
			"or 0:80 for any free port",
			text);
	*ret = (struct network_port){ .host = (uint16_t)host, .box = (uint16_t)box };
	return 0;
}

static int listen_on(struct network_port *p, int *ret_fd, struct aisbx_error *e)
{
	static const int on = 1;
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons(p->host),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	scoped(drop_fd) int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	    bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(fd, 128) < 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &len) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "listen on 127.0.0.1:%u for port %u of the box",
				  p->host, p->box);
	p->host = ntohs(at.sin_port);
	*ret_fd = take_fd(&fd);
	return 0;
}

static int publish(struct network *n, const char *text, char *ret_text, size_t cap, struct aisbx_error *e)
{
	struct net_message m = { .word = NET_PUBLISH };
	scoped(drop_fd) int fd = -1;
	struct network_port port = { 0 };
	int r = read_ports(text, &port, e);

	for (size_t i = 0; r == 0 && i < n->n_ports; i++) /* the same twice is the same */
		if (n->ports[i].box == port.box && (!port.host || port.host == n->ports[i].host)) {
			snprintf(ret_text, cap, "%u:%u", n->ports[i].host, port.box);
			return 0;
		}
	if (r == 0 && n->n_ports == NETWORK_MAX_PORTS)
		r = aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_RUN, ENOSPC, "a box can publish %d ports",
				 NETWORK_MAX_PORTS);
	if (r == 0)
		r = listen_on(&port, &fd, e);
	m.port = port.box;
	if (r == 0)
		r = ask(n, &m, &fd, 1, e);
	if (r < 0)
		return r;
	n->ports[n->n_ports++] = port;
	snprintf(ret_text, cap, "%u:%u", port.host, port.box);
	return 0;
}

static void list(const struct network *n, char *ret_text, size_t cap)
{
	size_t at = 0;

	ret_text[0] = '\0';
	for (size_t i = 0; i < n->rules.n && at + EGRESS_RULE_MAX + 8 < cap; i++)
		at += (size_t)snprintf(ret_text + at, cap - at, "rule %s\n", n->rules.items[i]);
	for (size_t i = 0; i < n->n_ports && at + 32 < cap; i++)
		at += (size_t)snprintf(ret_text + at, cap - at, "port %u %u\n", n->ports[i].host,
				       n->ports[i].box);
}

int network_change(struct network *n, enum run_net_ask what, const char *text, char *ret_text,
		   size_t text_cap, struct aisbx_error *e)
{
	ret_text[0] = '\0';
	switch (what) {
	case RUN_NET_ALLOW:
	case RUN_NET_DENY:
		return change_rules(n, what == RUN_NET_ALLOW, text, e);
	case RUN_NET_PUBLISH:
		return publish(n, text, ret_text, text_cap, e);
	case RUN_NET_LIST:
		list(n, ret_text, text_cap);
		return 0;
	}
	return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
			    "no such request about the network");
}

void network_end(struct network *n, struct run_outcome *ret)
{
	const struct net_message m = { .word = NET_END };
	uint64_t until = time_ms() + PATIENCE_MS;
	struct net_message got;
	bool bye = false;

	if (n->control >= 0 && n->up && sys_send(n->control, &m, sizeof(m), NULL, 0) == 0)
		while (!bye && time_ms() < until && receive(n, &got, (int)(until - time_ms()))) {
			if (got.word == NET_ROW && got.value)
				keep(n, &got.row);
			else
				take_note(n, &got);
			bye = got.word == NET_BYE;
			if (bye)
				n->not_kept += (uint64_t)got.value;
		}
	if (n->up && !n->rows)
		n->rows = calloc(1, sizeof(*n->rows)); /* that it could, and did nothing */
	ret->net = take_mem(&n->rows);
	ret->n_net = n->n_rows;
	ret->net_not_kept = n->not_kept;
	n->n_rows = n->cap_rows = 0;
}
