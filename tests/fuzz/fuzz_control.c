/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the control channel of a broker, from both ends. A hostile broker says what it likes: whatever it
 * is, the supervisor shows printable text, keeps rows that can be told, and asks a person about one host and
 * port only. And the broker reads rules: all, or none. The first byte says which; what follows are messages
 * or rules.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/net_report.h"
#include "driver/violation.h"
#include "net/rules.h"
#include "run/network.h"

#define MAX_MESSAGES 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static void must_be_text(const char *text, size_t cap)
{
	size_t len = strnlen(text, cap);

	must(len < cap);
	for (size_t i = 0; i < len; i++)
		must(text[i] >= ' ' && text[i] <= '~');
}

/* The broker is gone as soon as it has said all that. */
static int begin(struct network *n, const uint8_t *data, size_t len)
{
	int pair[2];

	network_init(n);
	must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
	n->control = pair[0];
	n->up = true;
	n->asker = -1; /* somebody is being asked already: no process is made for it */
	for (int i = 0; i < MAX_MESSAGES && len; i++) {
		struct net_message m = { 0 };
		size_t part = len < sizeof(m) ? len : sizeof(m);

		memcpy(&m, data, part);
		must(send(pair[1], &m, sizeof(m), MSG_DONTWAIT) == sizeof(m));
		data += part;
		len -= part;
	}
	must(shutdown(pair[1], SHUT_WR) == 0);
	return pair[1];
}

static void finish(struct network *n, int other)
{
	n->asker = 0;
	network_finish(n);
	close(other);
}

static void check_asks(const struct network *n)
{
	for (size_t i = 0; i < n->n_asks; i++) {
		const struct net_row *row = &n->asks[i].row;
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct egress_rule rule;
		char text[EGRESS_NAME_MAX + 32];

		must_be_text(row->name, sizeof(row->name));
		must(row->port && (row->name[0] || row->to.family));
		if (!row->name[0])
			continue;
		snprintf(text, sizeof(text), "net:egress:%s:%u", row->name, row->port);
		must(egress_rule_parse(text, &rule, &e) < 0 ||
		     (rule.kind == EGRESS_NAMES && !rule.any && !rule.below && rule.port == row->port));
	}
}

static void check_hearing(const uint8_t *data, size_t len)
{
	scoped(drop_fd) int said = memfd_create("said", MFD_CLOEXEC);
	char text[16384];
	struct network n;
	int other = begin(&n, data, len);
	ssize_t got;

	n.say_fd = said;
	network_hear(&n);
	check_asks(&n);
	got = pread(said, text, sizeof(text), 0);
	must(got >= 0 && (size_t)got < sizeof(text));
	for (ssize_t i = 0; i < got; i++)
		must(text[i] == '\n' || (text[i] >= ' ' && text[i] <= '~'));
	finish(&n, other);
}

static void check_asking(const uint8_t *data, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct network n;
	int other = begin(&n, data, len);
	int r = network_answer(&n, 1, 0, NULL, &e);

	must(r <= 0 && (r == 0 || r == e.code));
	must_be_text(e.text, sizeof(e.text));
	finish(&n, other);
}

static void check_rows(const uint8_t *data, size_t len)
{
	struct violation all[RUN_MAX_NET_REFUSALS + MAX_MESSAGES];
	struct run_outcome o = { 0 };
	size_t n_all = 0;
	uint64_t more = 0;
	struct network n;
	int other = begin(&n, data, len);
	json_t *report;

	network_end(&n, &o);
	finish(&n, other);
	must(violations_of_net(&o, all, &n_all, &more) == 0);
	for (size_t i = 0; i < n_all; i++) {
		must_be_text(all[i].what, 4096);
		must_be_text(all[i].rule, 4096);
		must_be_text(all[i].allow_with, 4096);
		free(all[i].what);
		free(all[i].rule);
		free(all[i].allow_with);
	}
	report = net_report(&o);
	must(report && json_array_size(json_object_get(report, "connections")) == o.n_net);
	must(json_integer_value(json_object_get(report, "sent")) >= 0);
	must(json_integer_value(json_object_get(report, "not_kept")) >= 0);
	json_decref(report);
	free(o.net);
}

static void check_rules(const char *text, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct rule_set s = { 0 };
	size_t nuls = 0;

	if (rule_set_parse(text, len, &s, &e) < 0) {
		must(e.code < 0 && e.text[0]);
		return;
	}
	for (size_t i = 0; i < len; i++)
		nuls += !text[i];
	must(s.n + s.n_ends == nuls && s.n <= EGRESS_MAX_RULES && s.n_ends <= EGRESS_MAX_RULES);
	for (size_t i = 0; i < s.n + s.n_ends; i++) {
		const struct egress_rule *rule = i < s.n ? &s.rules[i] : &s.ends[i - s.n];
		struct egress_rule again;

		must(egress_rule_parse(rule->text, &again, &e) == 0 && !strcmp(again.text, rule->text));
	}
	rule_set_finish(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	if (!len)
		return 0;
	switch (data[0] & 3) {
	case 0:
		check_hearing(data + 1, len - 1);
		break;
	case 1:
		check_asking(data + 1, len - 1);
		break;
	case 2:
		check_rows(data + 1, len - 1);
		break;
	default:
		check_rules((const char *)data + 1, len - 1);
	}
	return 0;
}
