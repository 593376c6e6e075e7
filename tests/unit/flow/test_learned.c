/* SPDX-License-Identifier: Apache-2.0 */
/* A learned profile has the narrowest rules for what a command used of its network. */
#include "support/test.h"

#include "base/scope.h"
#include "flow/learned.h"
#include "net/control.h"

static struct net_row used(uint32_t act, const char *name, uint16_t port, const char *rule)
{
	struct net_row row = { .act = act, .verdict = NET_ALLOWED, .count = 1, .port = port };

	snprintf(row.name, sizeof(row.name), "%s", name);
	snprintf(row.rule, sizeof(row.rule), "%s", rule);
	return row;
}

static void rules_that_were_used(void **state)
{
	struct net_row rows[] = {
		used(NET_LOOKUP, "only.example.org", 0, "net:egress:*.example.org:443"),
		used(NET_TCP, "a.example.org", 443, "net:egress:*.example.org:443"),
		used(NET_TCP, "a.example.org", 443, "net:egress:*.example.org:443"), /* another address */
		used(NET_UDP, "time.example.org", 123, "net:egress:time.example.org:123/udp"),
		used(NET_TCP, "", 5432, "net:egress:10.0.0.0/8:5432"),
		used(NET_TCP, "api.example.org", 443, "https://api.example.org/v1/* GET"),
		used(NET_IN, "", 80, ""),
	};
	struct violation refused = { .kind = "net",
				     .what = "look up evil.example",
				     .rule = "net: no rule for evil.example",
				     .allow_with = "net:egress:evil.example:443" };
	const struct run_options run = { 0 };
	const struct trial t = { .run = &run,
				 .first = { .outcome = { .net = rows, .n_net = sizeof(rows) / sizeof(*rows) },
					    .violations = &refused,
					    .n_violations = 1 } };
	struct trial_case c = { .profile = { .net = NET_ALLOW } };
	scoped(learned_finish) struct learned found = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_int_equal(learned_write(&t, &c, NULL, &found, &e), 0);
	assert_non_null(strstr(found.text.data, "\nnet: allow "));
	assert_non_null(strstr(found.text.data,
			       "\negress:\n"
			       "  - \"net:egress:a.example.org:443\"  # the command connected there\n"
			       "  - \"net:egress:time.example.org:123/udp\"  # the command connected there\n"
			       "  - \"net:egress:10.0.0.0/8:5432\"  # the command connected there\n"
			       "  - \"https://api.example.org/v1/* GET\"  # the command connected there\n"));
	assert_null(strstr(found.text.data, "only.example.org"));
	assert_non_null(strstr(found.text.data,
			       "# Refused, but not needed: look up evil.example; egress would "
			       "allow it with net:egress:evil.example:443\n"));
}

static void none_without_a_network(void **state)
{
	const struct run_options run = { 0 };
	const struct trial t = { .run = &run };
	struct trial_case c = { .profile = { .net = NET_NONE } };
	scoped(learned_finish) struct learned found = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_int_equal(learned_write(&t, &c, NULL, &found, &e), 0);
	assert_null(strstr(found.text.data, "egress"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_that_were_used),
		cmocka_unit_test(none_without_a_network),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
