/* SPDX-License-Identifier: Apache-2.0 */
/* What --net says, once or several times: which mode comes of it, and what contradicts itself. */
#include "support/test.h"

#include "base/scope.h"
#include "box/net_options.h"

static const struct {
	const char *values[4];
	enum net_mode before, after;
	size_t n_rules;
} right[] = {
	{ { NULL }, NET_LOOPBACK, NET_LOOPBACK, 0 },
	{ { "none" }, NET_ALLOW, NET_NONE, 0 },
	{ { "loopback" }, NET_NONE, NET_LOOPBACK, 0 },
	{ { "allow" }, NET_NONE, NET_ALLOW, 0 },
	{ { "ask" }, NET_NONE, NET_ALLOW_ASK, 0 },
	{ { "npm" }, NET_NONE, NET_ALLOW, 1 },
	{ { "npm" }, NET_ALLOW_ASK, NET_ALLOW_ASK, 1 },
	{ { "npm", "pypi.org" }, NET_LOOPBACK, NET_ALLOW, 2 },
	{ { "ask", "npm" }, NET_NONE, NET_ALLOW_ASK, 1 },
	{ { "npm", "ask" }, NET_NONE, NET_ALLOW_ASK, 1 },
	{ { "allow", "net:host:5432" }, NET_NONE, NET_ALLOW, 1 },
	{ { "none", "none" }, NET_ALLOW, NET_NONE, 0 },
};

static const struct {
	const char *values[4];
	const char *told;
} wrong[] = {
	{ { "non" }, "did you mean 'none'?" },
	{ { "pyton-packages" }, "did you mean 'python-packages'?" },
	{ { "host" }, "none, loopback, allow, ask, python-packages" },
	{ { "" }, "no value ''" },
	{ { "none", "npm" }, "--net none and --net npm contradict" },
	{ { "npm", "loopback" }, "--net loopback and --net npm contradict" },
	{ { "none", "loopback" }, "--net none and --net loopback contradict" },
	{ { "allow", "ask" }, "contradict" },
	{ { "npm", "127.0.0.1:80" }, "net:host:5432" },
	{ { "github.com:https" }, "not a port" },
};

static struct strlist list_of(const char *const *values)
{
	struct strlist l = { 0 };

	for (; *values; values++)
		strlist_add(&l, *values);
	return l;
}

static void modes_come_of_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++) {
		scoped(strlist_finish) struct strlist values = list_of(right[i].values), rules = { 0 };
		struct aisbx_error e = AISBX_ERROR_INIT;
		enum net_mode mode = right[i].before;

		if (net_options_read(&values, &mode, &rules, &e) < 0)
			fail_msg("%s", e.text);
		assert_int_equal(mode, right[i].after);
		assert_int_equal(rules.n, right[i].n_rules);
	}
}

static void wrong_values_are_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		scoped(strlist_finish) struct strlist values = list_of(wrong[i].values);
		struct aisbx_error e = AISBX_ERROR_INIT;
		enum net_mode mode = NET_LOOPBACK;

		assert_failed(net_options_read(&values, &mode, NULL, &e), EINVAL, e, wrong[i].told);
		assert_int_equal(mode, NET_LOOPBACK);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(modes_come_of_values),
		cmocka_unit_test(wrong_values_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
