/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose address it is that the box connects to: a name it was given it for, an address that a rule has, or a
 * name of a rule that it knows from elsewhere (its own hosts file).
 */
#include <string.h>

#include "net/inside.h"
#include "net/relay.h"

static void take_rule(struct conn *c, const struct egress_rule *r)
{
	strcpy(c->rule, r->text);
}

static bool is_gateway(const struct egress_address *a)
{
	static const struct egress_address four = { 4, INSIDE_GATEWAY },
					   six = { 6, { 0xfd, 0xa1, 0x5b, [15] = 1 } };

	return egress_address_same(a, &four) || egress_address_same(a, &six);
}

/* The host itself, on its loopback. */
static void dial_host(struct conn *c)
{
	static const struct egress_address loopbacks[] = { { 4, { 127, [3] = 1 } }, { 6, { [15] = 1 } } };
	const struct broker *b = c->broker;

	strcpy(c->name, EGRESS_HOST_NAME);
	for (size_t i = 0; i < b->n_rules; i++)
		if (b->rules[i].kind == EGRESS_LOCAL && b->rules[i].port == c->port && !b->rules[i].udp) {
			take_rule(c, &b->rules[i]);
			memcpy(c->dials, loopbacks, sizeof(loopbacks));
			c->n_dials = 2;
			c->checked = true;
			relay_dial(c);
			return;
		}
	relay_refuse(c, NET_NO_RULE);
}

static bool dial_name(struct conn *c);

static void dial_address(struct conn *c, const struct egress_rule *r)
{
	take_rule(c, r);
	c->by_range = c->checked = true;
	c->dials[0] = c->to;
	c->n_dials = 1;
	relay_dial(c);
}

static void add_dial(struct conn *c, const struct name *m, const struct egress_address *a)
{
	if (names_may_dial(&c->broker->names, m, a, c->port, false))
		c->dials[c->n_dials++] = *a;
}

/* The address that the box chose comes first; the others of the name serve if that one does not answer. */
static void set_dials(struct conn *c, const struct name *m)
{
	c->by_proxy = upstream_serves(&c->broker->upstream, m->text, c->port);
	c->n_dials = 0;
	if (!m->shown.family)
		add_dial(c, m, &c->to);
	for (size_t i = 0; i < m->n && c->n_dials < NAMES_MAX_ADDRESSES; i++)
		if (m->shown.family || !egress_address_same(&m->real[i], &c->to))
			add_dial(c, m, &m->real[i]);
}

static void ask_next(struct conn *c);

static void name_known(struct name_waiter *w)
{
	struct conn *c = (struct conn *)((char *)w - offsetof(struct conn, waiter));

	w->name = NULL;
	if (c->state == CONN_NAMES && !dial_name(c))
		ask_next(c);
}

/* The only name of the address is allowed, but where it is was not asked yet, or has no good answer. */
static void ask_address(struct conn *c, const struct name *m)
{
	if (m->asked_ms && !m->asking) {
		relay_refuse(c, m->state == NAME_FORBIDDEN || m->n ? NET_NOT_PUBLIC : NET_NO_ADDRESS);
		return;
	}
	c->waiter.known = name_known;
	if (names_ask(&c->broker->names, m->text, &c->waiter) < 0)
		relay_refuse(c, NET_NO_ADDRESS);
}

/* True if the address belongs to a name that may be reached by this port. */
static bool dial_name(struct conn *c)
{
	const struct broker *b = c->broker;
	const struct name *m, *only = NULL;
	size_t found = 0;

	for (size_t i = 0; (m = names_at(&b->names, &c->to, i)); i++) {
		const struct egress_rule *r =
			egress_match_name(b->rules, b->n_rules, m->text, c->port, false);

		if (!r)
			continue;
		if (!found++) {
			strcpy(c->name, m->text);
			take_rule(c, r);
			set_dials(c, m);
			only = m;
		} else { /* which of them is meant its first bytes tell */
			c->name[0] = '\0';
		}
	}
	if (found && !c->n_dials && (!c->by_proxy || only->n))
		ask_address(c, only);
	else if (found)
		relay_dial(c);
	return found;
}

static void refuse_address(struct conn *c)
{
	struct broker *b = c->broker;
	const struct name *m = names_at(&b->names, &c->to, 0);

	if (m)
		strcpy(c->name, m->text); /* known, but not by this port */
	if (b->flags & NET_FLAG_ASK)
		asking_begin(c);
	else
		relay_refuse(c, NET_NO_RULE);
}

/* The names of the rules, one after the other: most were asked for before. */
static void ask_next(struct conn *c)
{
	const struct broker *b = c->broker;

	while (c->rule_at < b->n_rules) {
		const struct egress_rule *r = &b->rules[c->rule_at++];

		if (r->kind != EGRESS_NAMES || r->any || r->below || r->udp ||
		    (r->port && r->port != c->port))
			continue;
		c->waiter.known = name_known;
		if (names_ask(&c->broker->names, r->name, &c->waiter) == 0)
			return;
	}
	refuse_address(c);
}

void relay_find(struct conn *c)
{
	const struct broker *b = c->broker;
	const struct egress_rule *range;

	c->state = CONN_NAMES;
	c->rule_at = 0;
	if (is_gateway(&c->to)) {
		dial_host(c);
		return;
	}
	if (dial_name(c))
		return;
	range = egress_match_address(b->rules, b->n_rules, &c->to, c->port, false);
	if (range)
		dial_address(c, range);
	else
		ask_next(c);
}

bool relay_is_named(struct conn *c, const char *host)
{
	const struct broker *b = c->broker;
	const struct egress_rule *r = egress_match_name(b->rules, b->n_rules, host, c->port, false);
	const struct name *m;

	if (c->by_range || c->incoming)
		return true;
	for (size_t i = 0; r && (m = names_at(&b->names, &c->to, i)); i++)
		if (!strcmp(m->text, host)) {
			strcpy(c->name, host);
			take_rule(c, r);
			return true;
		}
	return false;
}
