/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a broker as a part of the result: all of them, and only from a box that had rules. */
#include "support/test.h"

#include "box/net_report.h"
#include "net/control.h"

static struct net_row row(uint32_t act, uint32_t verdict, uint32_t reason, const char *name,
			  const char *address)
{
	struct net_row r = { .act = act,
			     .verdict = verdict,
			     .reason = reason,
			     .count = 2,
			     .sent = 10,
			     .received = 20,
			     .port = 443 };

	snprintf(r.name, sizeof(r.name), "%s", name);
	if (address)
		assert_true(egress_address_read(address, strlen(address), &r.to));
	return r;
}

static const char *text(const json_t *net, size_t i, const char *key)
{
	return json_string_value(
		json_object_get(json_array_get(json_object_get(net, "connections"), i), key));
}

static void nothing_without_rules(void **state)
{
	const struct run_outcome o = { 0 };

	(void)state;
	assert_null(net_report(&o));
}

static void rows_and_sums(void **state)
{
	struct net_row rows[] = {
		row(NET_LOOKUP, NET_ALLOWED, 0, "pypi.org", "151.101.0.223"),
		row(NET_TCP, NET_ALLOWED, 0, "pypi.org", "151.101.0.223"),
		row(NET_TCP, NET_ALLOWED, 0, "pypi.org", "151.101.64.223"),
		row(NET_UDP, NET_ALLOWED, 0, "", "1.2.3.4"),
		row(NET_TCP, NET_BROKEN, NET_UNREACHED, "down.example", NULL),
		row(NET_LOOKUP, NET_REFUSED, NET_NO_RULE, "evil.example", NULL),
		row(NET_IN, NET_ALLOWED, 0, "", NULL),
		row(99, 99, 99, "\xff", NULL), /* nonsense from behind a wall is still a row */
	};
	const struct run_outcome o = { .net = rows,
				       .n_net = sizeof(rows) / sizeof(*rows),
				       .net_not_kept = 7 };
	json_t *net = net_report(&o), *hosts = json_object_get(net, "hosts");

	(void)state;
	assert_int_equal(json_array_size(hosts), 2);
	assert_string_equal(json_string_value(json_array_get(hosts, 0)), "pypi.org");
	assert_string_equal(json_string_value(json_array_get(hosts, 1)), "1.2.3.4");
	assert_int_equal(json_array_size(json_object_get(net, "connections")), 8);
	assert_string_equal(text(net, 0, "act"), "lookup");
	assert_string_equal(text(net, 1, "address"), "151.101.0.223");
	assert_string_equal(text(net, 4, "verdict"), "broken");
	assert_string_equal(text(net, 4, "reason"), "unreached");
	assert_string_equal(text(net, 5, "reason"), "no-rule");
	assert_null(text(net, 5, "rule"));
	assert_string_equal(text(net, 6, "act"), "in");
	assert_null(text(net, 7, "act"));
	assert_null(text(net, 7, "name"));
	assert_int_equal(json_integer_value(json_object_get(net, "sent")),
			 70); /* what came in is not the box's */
	assert_int_equal(json_integer_value(json_object_get(net, "received")), 140);
	assert_int_equal(json_integer_value(json_object_get(net, "not_kept")), 7);
	json_decref(net);
}

/* Every reason of the interface has a word. */
static void every_reason_is_named(void **state)
{
	(void)state;
	for (uint32_t reason = 1; reason < NET_REASONS; reason++) {
		struct net_row one = row(NET_TCP, NET_REFUSED, reason, "a.example", NULL);
		const struct run_outcome o = { .net = &one, .n_net = 1 };
		json_t *net = net_report(&o);

		assert_non_null(text(net, 0, "reason"));
		json_decref(net);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_without_rules),
		cmocka_unit_test(rows_and_sums),
		cmocka_unit_test(every_reason_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
