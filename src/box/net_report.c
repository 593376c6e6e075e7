/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the broker's rows into JSON: every name that was asked for, every connection, what became of it. */
#include "box/net_report.h"

#include <string.h>

#include "net/control.h"

#define ADDRESS_TEXT 48

static const char *const acts[] = {
	[NET_LOOKUP] = "lookup", [NET_TCP] = "tcp", [NET_UDP] = "udp", [NET_IN] = "in", [NET_AGENT] = "sign",
};
static const char *const verdicts[] = {
	[NET_ALLOWED] = "allowed",
	[NET_REFUSED] = "refused",
	[NET_BROKEN] = "broken",
};
static const char *const reasons[NET_REASONS] = {
	[NET_NO_RULE] = "no-rule",
	[NET_BAD_NAME] = "bad-name",
	[NET_NOT_PUBLIC] = "not-public",
	[NET_WRONG_SNI] = "wrong-sni",
	[NET_HIDDEN_SNI] = "hidden-sni",
	[NET_WRONG_HOST] = "wrong-host",
	[NET_BAD_HTTP] = "bad-http",
	[NET_NO_ADDRESS] = "no-address",
	[NET_UNREACHED] = "unreached",
	[NET_OVER_BUDGET] = "over-budget",
	[NET_QUIC] = "quic",
	[NET_WRONG_METHOD] = "wrong-method",
	[NET_WRONG_SECRET] = "wrong-secret",
	[NET_TOO_MANY] = "too-many",
	[NET_DENIED] = "denied",
	[NET_NOBODY] = "nobody",
};

static const char *word(const char *const *table, size_t n, uint32_t at)
{
	return at < n ? table[at] : NULL;
}
#define WORD(table, at) word(table, sizeof(table) / sizeof(*(table)), at)

/* NULL where there is nothing, or what is no UTF-8. */
static json_t *text_or_null(const char *text)
{
	json_t *s = *text ? json_string(text) : NULL;

	return s ? s : json_null();
}

static const char *address_text(const struct net_row *row, char ret[ADDRESS_TEXT])
{
	ret[0] = '\0';
	if (row->to.family)
		egress_address_text(&row->to, ret, ADDRESS_TEXT);
	return ret;
}

static json_t *row_json(const struct net_row *row)
{
	char address[ADDRESS_TEXT];

	return json_pack("{s:s?, s:o, s:o, s:o, s:s?, s:s?, s:o, s:I, s:I, s:I}", "act", WORD(acts, row->act),
			 "name", text_or_null(row->name), "address", text_or_null(address_text(row, address)),
			 "port",
			 row->act == NET_LOOKUP || row->act == NET_AGENT ? json_null()
									 : json_integer(row->port),
			 "verdict", WORD(verdicts, row->verdict), "reason", WORD(reasons, row->reason),
			 "rule", text_or_null(row->rule), "count", (json_int_t)row->count, "sent",
			 (json_int_t)row->sent, "received", (json_int_t)row->received);
}

static bool holds(const json_t *list, const char *text)
{
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)list, i, item) if (!strcmp(json_string_value(item), text)) return true;
	return false;
}

/* Reached: something was sent there. By address where no name is known. */
static void add_host(json_t *hosts, const struct net_row *row)
{
	char address[ADDRESS_TEXT];
	const char *host = row->name[0] ? row->name : address_text(row, address);
	json_t *s;

	if ((row->act != NET_TCP && row->act != NET_UDP) || row->verdict != NET_ALLOWED || !*host ||
	    holds(hosts, host))
		return;
	s = json_string(host);
	if (s)
		json_array_append_new(hosts, s);
}

json_t *net_report(const struct run_outcome *o)
{
	json_t *hosts, *rows;
	uint64_t sent = 0, received = 0;

	if (!o->net && !o->n_net && !o->net_not_kept)
		return NULL;
	hosts = json_array();
	rows = json_array();
	for (size_t i = 0; i < o->n_net; i++) {
		add_host(hosts, &o->net[i]);
		json_array_append_new(rows, row_json(&o->net[i]));
		sent += o->net[i].act == NET_IN ? 0 : o->net[i].sent;
		received += o->net[i].act == NET_IN ? 0 : o->net[i].received;
	}
	return json_pack("{s:o, s:o, s:I, s:I, s:I}", "hosts", hosts, "connections", rows, "sent",
			 (json_int_t)sent, "received", (json_int_t)received, "not_kept",
			 (json_int_t)o->net_not_kept);
}
