/* SPDX-License-Identifier: Apache-2.0 */
/* What the broker refused, as violations: every reason has its words, and the smallest rule where one helps.
 */
#include "support/test.h"

#include <arpa/inet.h>

#include "driver/violation.h"
#include "net/control.h"

static struct net_row refused(uint32_t act, uint32_t reason, const char *name, const char *address,
			      uint16_t port)
{
	struct net_row row = {
		.act = act, .verdict = NET_REFUSED, .reason = reason, .count = 1, .port = port
	};

	snprintf(row.name, sizeof(row.name), "%s", name);
	if (address)
		assert_true(egress_address_read(address, strlen(address), &row.to));
	return row;
}

static void describe(struct driver_result *r, struct net_row *rows, size_t n)
{
	struct run_spec spec = { 0 };
	struct strlist watched = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	*r = (struct driver_result){ .outcome = { .limit = LIMIT_COUNT, .net = rows, .n_net = n } };
	assert_int_equal(violations_describe(r, &spec, &watched, &e), 0);
	r->outcome.net = NULL; /* the caller's */
}

static void each_reason_has_words_and_the_smallest_rule(void **state)
{
	static const struct {
		uint32_t act, reason;
		const char *name, *address;
		uint16_t port;
		const char *what, *rule, *allow;
	} cases[] = {
		{ NET_LOOKUP, NET_NO_RULE, "evil.example", NULL, 0, "look up evil.example",
		  "no rule for evil.example", "net:egress:evil.example:443" },
		{ NET_TCP, NET_NO_RULE, "evil.example", NULL, 8443, "connect evil.example:8443",
		  "no rule for evil.example:8443", "net:egress:evil.example:8443" },
		{ NET_TCP, NET_NO_RULE, "", "1.2.3.4", 25, "connect 1.2.3.4:25", "no rule for 1.2.3.4:25",
		  "net:egress:1.2.3.4/32:25" },
		{ NET_TCP, NET_NO_RULE, "", "2a00:1450::5", 80, "connect [2a00:1450::5]:80", "no rule for",
		  "net:egress:[2a00:1450::5]/128:80" },
		{ NET_TCP, NET_NO_RULE, "", "10.1.2.3", 5432, "connect 10.1.2.3:5432", "10.1.2.3 is private",
		  "net:egress:10.1.2.3/32:5432" },
		{ NET_TCP, NET_NO_RULE, "", "169.254.169.254", 80, "connect 169.254.169.254:80",
		  "the machine's credentials", "" },
		{ NET_UDP, NET_NO_RULE, "time.example", NULL, 123, "send to time.example:123", "no rule for",
		  "net:egress:time.example:123/udp" },
		{ NET_UDP, NET_QUIC, "web.example", NULL, 443, "send to web.example:443", "QUIC",
		  "net:egress:web.example:443/udp" },
		{ NET_LOOKUP, NET_NOT_PUBLIC, "db.example", "10.0.0.9", 0, "look up db.example",
		  "not public: 10.0.0.9 is private", "net:egress:10.0.0.9/32:443" },
		{ NET_TCP, NET_NOT_PUBLIC, "here.example", "127.0.0.1", 5432, "connect here.example:5432",
		  "127.0.0.1 is loopback", "net:host:5432" },
		{ NET_LOOKUP, NET_NOT_PUBLIC, "x.example", NULL, 0, "look up x.example", "not public", "" },
		{ NET_LOOKUP, NET_BAD_NAME, "a..b", NULL, 0, "look up a..b", "not a name", "" },
		{ NET_TCP, NET_WRONG_SNI, "other.example", "1.2.3.4", 443, "connect other.example:443", "TLS",
		  "net:egress:other.example:443" },
		{ NET_TCP, NET_WRONG_SNI, "", "1.2.3.4", 443, "connect 1.2.3.4:443", "TLS", "" },
		{ NET_TCP, NET_HIDDEN_SNI, "a.example", NULL, 443, "connect a.example:443", "ECH", "" },
		{ NET_TCP, NET_WRONG_HOST, "b.example", NULL, 80, "connect b.example:80", "HTTP",
		  "net:egress:b.example:80" },
		{ NET_TCP, NET_BAD_HTTP, "b.example", NULL, 80, "connect b.example:80", "more than one way",
		  "" },
		{ NET_TCP, NET_OVER_BUDGET, "b.example", NULL, 80, "connect b.example:80", "bytes=", "" },
		{ NET_TCP, NET_WRONG_METHOD, "b.example", NULL, 443, "connect b.example:443",
		  "method or path", "" },
		{ NET_TCP, NET_WRONG_SECRET, "b.example", NULL, 443, "connect b.example:443", "placeholder",
		  "" },
		{ NET_TCP, NET_TOO_MANY, "b.example", NULL, 443, "connect b.example:443", "too many", "" },
		{ NET_LOOKUP, NET_DENIED, "b.example", NULL, 0, "look up b.example", "who was asked",
		  "net:egress:b.example:443" },
		{ NET_TCP, NET_REASONS + 7, "b.example", NULL, 443, "connect b.example:443", "refused",
		  "net:egress:b.example:443" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct net_row row = refused(cases[i].act, cases[i].reason, cases[i].name, cases[i].address,
					     cases[i].port);
		struct driver_result r;

		describe(&r, &row, 1);
		assert_int_equal(r.n_violations, 1);
		assert_string_equal(r.violations[0].kind, "net");
		assert_string_equal(r.violations[0].what, cases[i].what);
		assert_non_null(strstr(r.violations[0].rule, cases[i].rule));
		assert_string_equal(r.violations[0].allow_with, cases[i].allow);
		if (*cases[i].allow) { /* what is advised is one */
			struct egress_rule rule;
			struct aisbx_error e = AISBX_ERROR_INIT;

			assert_int_equal(egress_rule_parse(cases[i].allow, &rule, &e), 0);
		}
		driver_result_finish(&r);
	}
}

static void what_was_allowed_or_only_broken_is_none(void **state)
{
	struct net_row rows[2] = { refused(NET_TCP, NET_NO_REASON, "a.example", NULL, 443),
				   refused(NET_LOOKUP, NET_NO_ADDRESS, "b.example", NULL, 0) };
	struct driver_result r;

	(void)state;
	rows[0].verdict = NET_ALLOWED;
	rows[1].verdict = NET_BROKEN;
	describe(&r, rows, 2);
	assert_int_equal(r.n_violations, 0);
	driver_result_finish(&r);
}

static void two_records_of_a_name_are_one(void **state)
{
	struct net_row rows[2] = { refused(NET_LOOKUP, NET_NO_RULE, "a.example", NULL, 0),
				   refused(NET_LOOKUP, NET_NO_RULE, "a.example", NULL, 0) };
	struct driver_result r;

	(void)state;
	rows[0].record = 1;
	rows[1].record = 28;
	rows[1].count = 3;
	describe(&r, rows, 2);
	assert_int_equal(r.n_violations, 1);
	assert_int_equal(r.violations[0].count, 4);
	driver_result_finish(&r);
}

static void a_flood_is_counted(void **state)
{
	static struct net_row rows[RUN_MAX_NET_REFUSALS + 40];
	const size_t n = sizeof(rows) / sizeof(*rows);
	struct driver_result r;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		rows[i] = refused(NET_LOOKUP, NET_NO_RULE, "", NULL, 0);
		snprintf(rows[i].name, sizeof(rows[i].name), "n%zu.example", i);
	}
	describe(&r, rows, n);
	assert_int_equal(r.n_violations, RUN_MAX_NET_REFUSALS);
	assert_int_equal(r.outcome.refusals_not_kept, 40);
	driver_result_finish(&r);
}

/* In a box without any network: never the wall away. */
static void without_a_broker_the_advice_is_a_rule(void **state)
{
	static const struct {
		const char *address, *allow;
		uint16_t port;
	} cases[] = {
		{ "1.2.3.4", "net:egress:1.2.3.4/32:443", 443 },
		{ "10.0.0.1", "net:egress:10.0.0.1/32:5432", 5432 },
		{ "127.0.0.1", "--net loopback", 9 },
		{ "127.0.0.53", "--net NAME:443, with the name that it looked up, which is not known", 53 },
		{ "1.1.1.1", "--net NAME:443, with the name that it looked up, which is not known", 53 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct driver_result r = { .outcome = { .limit = LIMIT_COUNT, .n_refusals = 1 } };
		struct run_refusal *t = &r.outcome.refusals[0];
		struct run_spec spec = { 0 };
		struct strlist watched = { 0 };
		struct aisbx_error e = AISBX_ERROR_INIT;

		*t = (struct run_refusal){ .kind = RUN_REFUSAL_NET,
					   .number = 42,
					   .count = 1,
					   .to = { .family = AF_INET, .port = cases[i].port } };
		assert_int_equal(inet_pton(AF_INET, cases[i].address, t->to.bytes), 1);
		assert_int_equal(violations_describe(&r, &spec, &watched, &e), 0);
		assert_string_equal(r.violations[0].allow_with, cases[i].allow);
		driver_result_finish(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_reason_has_words_and_the_smallest_rule),
		cmocka_unit_test(what_was_allowed_or_only_broken_is_none),
		cmocka_unit_test(two_records_of_a_name_are_one),
		cmocka_unit_test(a_flood_is_counted),
		cmocka_unit_test(without_a_broker_the_advice_is_a_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
