/* SPDX-License-Identifier: Apache-2.0 */
/* Which request is which, and for which sandbox. */
#include "support/test.h"

#include "server/e2b/route.h"

static void targets(void **state)
{
	static const struct {
		const char *id, *port, *host;
		bool ok;
		enum route_where where;
		unsigned int got_port;
		const char *got_id;
	} cases[] = {
		{ NULL, NULL, NULL, true, ROUTE_CONTROL, 0, "" },
		{ NULL, NULL, "127.0.0.1:24729", true, ROUTE_CONTROL, 0, "" },
		{ NULL, NULL, "my-host.example", true, ROUTE_CONTROL, 0, "" },
		{ "iabc", NULL, "127.0.0.1:24729", true, ROUTE_ENVD, 49983, "iabc" },
		{ "iabc", "49983", NULL, true, ROUTE_ENVD, 49983, "iabc" },
		{ "iabc", "49999", NULL, true, ROUTE_CODE, 49999, "iabc" },
		{ "iabc", "3000", NULL, true, ROUTE_PORT, 3000, "iabc" },
		{ NULL, NULL, "49999-iabc.localhost:24729", true, ROUTE_CODE, 49999, "iabc" },
		{ NULL, NULL, "3000-iabc.e2b.app", true, ROUTE_PORT, 3000, "iabc" },
		{ NULL, NULL, "65536-iabc.e2b.app", true, ROUTE_CONTROL, 0, "" },
		{ NULL, NULL, "0-iabc.e2b.app", true, ROUTE_CONTROL, 0, "" },
		{ NULL, NULL, "3000-iabc", true, ROUTE_CONTROL, 0, "" },
		{ NULL, NULL, "3000-.e2b.app", true, ROUTE_CONTROL, 0, "" },
		{ "../x", NULL, NULL, false },
		{ "", NULL, NULL, false },
		{ "a/b", NULL, NULL, false },
		{ "iabc", "0", NULL, false },
		{ "iabc", "+1", NULL, false },
		{ "iabc", "99999", NULL, false },
		{ "iabc", "", NULL, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct route_target t = { 0 };

		assert_int_equal(route_target(cases[i].id, cases[i].port, cases[i].host, &t), cases[i].ok);
		if (!cases[i].ok)
			continue;
		assert_int_equal(t.where, cases[i].where);
		assert_int_equal(t.port, cases[i].got_port);
		assert_string_equal(t.id, cases[i].got_id);
	}
}

static void routes(void **state)
{
	static const struct {
		enum route_where where;
		const char *method, *path;
		enum route route;
		const char *id;
		bool seen;
	} cases[] = {
		{ ROUTE_CONTROL, "POST", "/v2/sandboxes", ROUTE_CREATE_V2, "", true },
		{ ROUTE_CONTROL, "GET", "/sandboxes/iabc", ROUTE_SHOW, "iabc", true },
		{ ROUTE_CONTROL, "DELETE", "/sandboxes/iabc", ROUTE_KILL, "iabc", true },
		{ ROUTE_CONTROL, "PATCH", "/sandboxes/iabc", ROUTE_NONE, "", true },
		{ ROUTE_CONTROL, "GET", "/sandboxes/", ROUTE_NONE, "", false },
		{ ROUTE_CONTROL, "GET", "/sandboxes/..", ROUTE_NONE, "", false },
		{ ROUTE_CONTROL, "GET", "/sandboxes/%2e%2e", ROUTE_NONE, "", false },
		{ ROUTE_CONTROL, "POST", "/v2/sandboxes/iabc/connect", ROUTE_CONNECT_V2, "iabc", true },
		{ ROUTE_CONTROL, "GET", "/files", ROUTE_NONE, "", false },
		{ ROUTE_ENVD, "GET", "/files", ROUTE_READ, "", true },
		{ ROUTE_ENVD, "POST", "/process.Process/Start", ROUTE_START, "", true },
		{ ROUTE_ENVD, "POST", "/process.Process/StartX", ROUTE_NONE, "", false },
		{ ROUTE_ENVD, "POST", "/execute", ROUTE_NONE, "", false },
		{ ROUTE_CODE, "POST", "/contexts/c-1/restart", ROUTE_CONTEXT_RESTART, "c-1", true },
		{ ROUTE_PORT, "GET", "/files", ROUTE_NONE, "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char id[ROUTE_ID_MAX];
		bool seen;

		assert_int_equal(route_find(cases[i].where, cases[i].method, cases[i].path, id, &seen),
				 cases[i].route);
		assert_int_equal(seen, cases[i].seen);
		assert_string_equal(id, cases[i].id);
	}
}

static void escapes(void **state)
{
	static const char *const bad[] = { "%", "%4", "%zz", "a%00b", "%4%31" };
	struct buf b = { 0 };

	(void)state;
	assert_true(route_unescape("a%20b%2Fc%C3%bc", &b));
	assert_string_equal(buf_str(&b), "a b/c\xc3\xbc");
	buf_finish(&b);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_false(route_unescape(bad[i], &b));
		buf_finish(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(targets), cmocka_unit_test(routes),
					    cmocka_unit_test(escapes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
