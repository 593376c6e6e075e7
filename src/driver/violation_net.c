/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a box was refused of the network, as violations: each with the smallest rule that would allow it, or
 * with the reason why no rule does.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "driver/violation.h"
#include "net/control.h"
#include "policy/egress.h"

#define ADDRESS_TEXT 48
#define TLS_PORT     443 /* of a name that was only looked up: what nearly every program wants of it */

/* Whether a rule would help, and which. */
enum advice {
	ADVISE_NOTHING, /* the sentence says why not */
	ADVISE_RULE,    /* for the name, or the address where there is none */
	ADVISE_NAMED,   /* the same, but only if the name is the one that no rule has */
	ADVISE_RANGE,   /* for the address to which the name leads */
	ADVISE_UDP,     /* the rule there is, for UDP */
};

static const struct {
	const char *says; /* a pattern: the name or address */
	enum advice advice;
} reasons[NET_REASONS] = {
	[NET_NO_REASON] = { "net: %s is refused", ADVISE_RULE },
	[NET_NO_RULE] = { "net: no rule for %s", ADVISE_RULE },
	[NET_BAD_NAME] = { "net: '%s' is not a name that can be looked up", ADVISE_NOTHING },
	[NET_NOT_PUBLIC] = { "net: %s leads to an address that is not public", ADVISE_RANGE },
	[NET_WRONG_SNI] = { "net: the TLS connection to %s names a host that no rule has, or none",
			    ADVISE_NAMED },
	[NET_HIDDEN_SNI] = { "net: the TLS connection to %s encrypts its host name (ECH), so no rule can be "
			     "checked",
			     ADVISE_NOTHING },
	[NET_WRONG_HOST] = { "net: the HTTP request to %s names a host that no rule has, or none",
			     ADVISE_NAMED },
	[NET_BAD_HTTP] = { "net: the HTTP request to %s can be read in more than one way", ADVISE_NOTHING },
	[NET_NO_ADDRESS] = { "net: this machine finds no address of %s", ADVISE_NOTHING },
	[NET_UNREACHED] = { "net: %s does not answer", ADVISE_NOTHING },
	[NET_OVER_BUDGET] = { "net: the bytes that the rule for %s allows are used up; a larger bytes= in "
			      "the "
			      "rule allows more",
			      ADVISE_NOTHING },
	[NET_QUIC] = { "net: UDP to %s, where only TCP is allowed (QUIC; clients fall back to TCP)",
		       ADVISE_UDP },
	[NET_WRONG_METHOD] = { "net: the rule for %s does not have this method or path", ADVISE_NOTHING },
	[NET_WRONG_SECRET] = { "net: a placeholder was sent to %s, where its secret does not belong",
			       ADVISE_NOTHING },
	[NET_TOO_MANY] = { "net: too many connections at once, the last to %s", ADVISE_NOTHING },
	[NET_DENIED] = { "net: the person who was asked did not allow %s", ADVISE_RULE },
	[NET_NOBODY] = { "net: there was no terminal to ask at about %s", ADVISE_NOTHING },
};

/* "1.2.3.4", "[2001:db8::1]" */
static void write_host(const struct egress_address *a, char *ret, size_t cap)
{
	char text[ADDRESS_TEXT] = "?";

	egress_address_text(a, text, sizeof(text));
	snprintf(ret, cap, a->family == 6 ? "[%s]" : "%s", text);
}

int violation_address_rule(const struct egress_address *a, uint16_t port, bool udp, char **ret)
{
	const char *end = udp ? "/udp" : "";
	char host[ADDRESS_TEXT];

	*ret = NULL;
	switch (egress_classify(a)) {
	case EGRESS_LOOPBACK: /* that of the host; what runs there is reached by a name of its own */
		return asprintf(ret, "net:host:%u%s", port, end) < 0 ? -ENOMEM : 0;
	case EGRESS_PUBLIC:
	case EGRESS_PRIVATE:
	case EGRESS_LINK:
		write_host(a, host, sizeof(host));
		return asprintf(ret, "net:egress:%s/%d:%u%s", host, a->family == 6 ? 128 : 32, port, end) < 0
			       ? -ENOMEM
			       : 0;
	case EGRESS_METADATA: /* hands out the machine's own credentials */
	case EGRESS_MULTICAST:
	case EGRESS_RESERVED:
		break;
	}
	return asprintf(ret, "%s", "") < 0 ? -ENOMEM : 0;
}

/* What it went to: "evil.example:443", of a look-up "evil.example". */
static void write_target(const struct net_row *row, char *ret, size_t cap)
{
	char host[ADDRESS_TEXT];

	write_host(&row->to, host, sizeof(host));
	if (row->act == NET_AGENT)
		snprintf(ret, cap, "ssh key %s", row->name);
	else if (row->act == NET_LOOKUP)
		snprintf(ret, cap, "%s", row->name);
	else
		snprintf(ret, cap, "%s:%u", row->name[0] ? row->name : host, row->port);
}

static int write_what(const struct net_row *row, const char *target, char **ret)
{
	static const char *const verbs[] = {
		[NET_LOOKUP] = "look up", [NET_UDP] = "send to", [NET_AGENT] = "sign with"
	};
	const char *verb =
		row->act < sizeof(verbs) / sizeof(*verbs) && verbs[row->act] ? verbs[row->act] : "connect";

	return asprintf(ret, "%s %s", verb, target) < 0 ? -ENOMEM : 0;
}

/* The sentence, with what the address is where that is the point. */
static int write_rule(const struct net_row *row, const char *target, char **ret)
{
	uint32_t reason = row->reason < NET_REASONS ? row->reason : NET_NO_REASON;
	enum egress_class class = row->to.family ? egress_classify(&row->to) : EGRESS_PUBLIC;
	scoped(drop_mem) char *sentence = NULL;
	char host[ADDRESS_TEXT];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* each of the table takes one text */
	if (asprintf(&sentence, reasons[reason].says, target) < 0) {
		sentence = NULL;
		return -ENOMEM;
	}
#pragma GCC diagnostic pop
	/* An address that was made up for a name says nothing about it. */
	if (class == EGRESS_PUBLIC || (reason != NET_NOT_PUBLIC && (reason != NET_NO_RULE || row->name[0]))) {
		*ret = take_mem(&sentence);
		return 0;
	}
	write_host(&row->to, host, sizeof(host));
	return asprintf(ret, "%s: %s is %s%s", sentence, host, egress_class_name(class),
			class == EGRESS_METADATA ? ", where a cloud hands out the machine's credentials"
						 : "") < 0
		       ? -ENOMEM
		       : 0;
}

static int write_name_rule(const struct net_row *row, bool udp, char **ret)
{
	return asprintf(ret, "net:egress:%s:%u%s", row->name, row->act == NET_LOOKUP ? TLS_PORT : row->port,
			udp ? "/udp" : "") < 0
		       ? -ENOMEM
		       : 0;
}

static int write_advice(const struct net_row *row, char **ret)
{
	uint32_t reason = row->reason < NET_REASONS ? row->reason : NET_NO_REASON;
	bool udp = row->act == NET_UDP, named = row->name[0] != '\0';
	uint16_t port = row->act == NET_LOOKUP ? TLS_PORT : row->port;

	/* No rule is a yes to every signature. */
	switch (row->act == NET_AGENT ? ADVISE_NOTHING : reasons[reason].advice) {
	case ADVISE_NAMED:
		named = named && !row->rule[0];
		if (!named)
			break;
		return write_name_rule(row, udp, ret);
	case ADVISE_RULE:
	case ADVISE_UDP:
		if (named)
			return write_name_rule(row, udp, ret);
		if (row->to.family)
			return violation_address_rule(&row->to, port, udp, ret);
		break;
	case ADVISE_RANGE:
		if (row->to.family)
			return violation_address_rule(&row->to, port, udp, ret);
		break;
	case ADVISE_NOTHING:
		break;
	}
	return asprintf(ret, "%s", "") < 0 ? -ENOMEM : 0;
}

static int describe_row(const struct net_row *row, struct violation *v)
{
	char target[EGRESS_NAME_MAX + ADDRESS_TEXT];
	int r;

	*v = (struct violation){ .kind = "net", .count = row->count ? row->count : 1 };
	write_target(row, target, sizeof(target));
	r = write_what(row, target, &v->what);
	if (r == 0)
		r = write_rule(row, target, &v->rule);
	if (r == 0)
		r = write_advice(row, &v->allow_with);
	return r;
}

/* A and AAAA of one name are one wish. */
static struct violation *find_like(struct violation *all, size_t n, const struct violation *like)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(all[i].kind, like->kind) && !strcmp(all[i].what, like->what) &&
		    !strcmp(all[i].rule, like->rule))
			return &all[i];
	return NULL;
}

int violations_of_net(const struct run_outcome *o, struct violation *all, size_t *n, uint64_t *ret_more)
{
	const size_t first = *n;

	for (size_t i = 0; i < o->n_net; i++) {
		struct violation v = { 0 }, *same;
		int r = o->net[i].verdict == NET_REFUSED ? describe_row(&o->net[i], &v) : 1;

		if (r > 0)
			continue;
		same = r == 0 ? find_like(all + first, *n - first, &v) : NULL;
		if (!same && (r < 0 || *n - first < RUN_MAX_NET_REFUSALS)) {
			all[(*n)++] = v; /* also a half-made one: who owns the list frees it */
			if (r < 0)
				return r;
			continue;
		}
		if (same)
			same->count += v.count;
		else
			*ret_more += v.count;
		free(v.what);
		free(v.rule);
		free(v.allow_with);
	}
	return 0;
}
