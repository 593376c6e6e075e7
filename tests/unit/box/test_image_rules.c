/* SPDX-License-Identifier: Apache-2.0 */
/* The policy of a pseudo-image: it takes away and never gives, and what it names must be known. */
#include "support/test.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>

#include "box/image_rules.h"
#include "policy/seccomp.h"

static struct aisbx_error e;
static struct pseudo_policy policy;
static struct run_image image;
static struct run_spec spec;

static int reset(void **state)
{
	(void)state;
	pseudo_policy_finish(&policy);
	image = (struct run_image){ 0 };
	spec = (struct run_spec){ .walls.image = &image };
	e = (struct aisbx_error)AISBX_ERROR_INIT;
	return 0;
}

static int load(const char *text)
{
	reset(NULL);
	return pseudo_policy_read(text, strlen(text), &policy, &e);
}

#define BIT(cap) (1ULL << CAP_##cap)

static void caps(void **state)
{
	static const struct {
		const char *text;
		uint64_t before, after;
	} rows[] = {
		{ "{}", BIT(CHOWN) | BIT(KILL), BIT(CHOWN) | BIT(KILL) },
		{ "{\"caps\":[]}", BIT(CHOWN) | BIT(KILL), 0 },
		{ "{\"caps\":[\"CHOWN\"]}", BIT(CHOWN) | BIT(KILL), BIT(CHOWN) },
		{ "{\"caps\":[\"cap_chown\",\"Cap_Kill\"]}", BIT(CHOWN) | BIT(KILL), BIT(CHOWN) | BIT(KILL) },
		{ "{\"caps\":[\"SYS_ADMIN\",\"CHOWN\"]}", BIT(KILL), 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(load(rows[i].text), 0);
		spec.profile.root_caps = rows[i].before;
		assert_int_equal(image_rules_limit(&policy, &spec, &e), 0);
		assert_int_equal(spec.profile.root_caps, rows[i].after);
	}
}

static void net(void **state)
{
	static const struct {
		const char *text;
		enum net_mode before, after;
		bool no_rules, no_ports;
	} rows[] = {
		{ "{}", NET_ALLOW_ASK, NET_ALLOW_ASK, false, false },
		{ "{\"net\":\"any\"}", NET_ALLOW, NET_ALLOW, false, false },
		{ "{\"net\":\"any\"}", NET_NONE, NET_NONE, false, false },
		{ "{\"net\":\"loopback\"}", NET_ALLOW, NET_LOOPBACK, true, false },
		{ "{\"net\":\"loopback\"}", NET_NONE, NET_NONE, true, false },
		{ "{\"net\":\"none\"}", NET_ALLOW_ASK, NET_NONE, true, true },
		{ "{\"net\":\"none\"}", NET_LOOPBACK, NET_NONE, true, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(load(rows[i].text), 0);
		spec.profile.net = rows[i].before;
		assert_int_equal(image_rules_limit(&policy, &spec, &e), 0);
		assert_int_equal(spec.profile.net, rows[i].after);
		image_rules_seal(&policy, &spec);
		assert_int_equal(spec.net.no_rules, rows[i].no_rules);
		assert_int_equal(spec.net.no_ports, rows[i].no_ports);
		assert_int_equal(image_rules_net(&policy, rows[i].after, &e), 0);
		if (rows[i].before > rows[i].after)
			assert_int_equal(image_rules_net(&policy, rows[i].before, &e), -EACCES);
	}
}

static void seccomp(void **state)
{
	unsigned int shell = 0, python = 0;

	(void)state;
	assert_true(seccomp_preset_by_name("shell", &shell));
	assert_true(seccomp_preset_by_name("python", &python));
	assert_int_equal(load("{\"seccomp\":\"shell\"}"), 0);
	assert_int_equal(image_rules_limit(&policy, &spec, &e), 0);
	assert_int_equal(spec.profile.seccomp, shell);
	assert_true(image.preset);

	assert_int_equal(load("{\"seccomp\":\"shell\"}"), 0);
	spec.profile.seccomp = python;
	assert_int_equal(image_rules_limit(&policy, &spec, &e), 0);
	assert_int_equal(spec.profile.seccomp, python);
	assert_false(image.preset);

	assert_int_equal(load("{\"seccomp\":\"default\"}"), 0);
	spec.profile.seccomp = python;
	assert_int_equal(image_rules_limit(&policy, &spec, &e), 0);
	assert_int_equal(spec.profile.seccomp, python);

	assert_int_equal(load("{\"seccomp\":\"shell\"}"), 0);
	spec.profile.seccomp_file = "/a/file";
	assert_int_equal(image_rules_limit(&policy, &spec, &e), -ENOTSUP);
	assert_non_null(strstr(e.text, "/a/file"));
}

/* Nothing is left to a run whose policy is not understood, should somebody go on with it. */
static void unknown(void **state)
{
	static const char *const names[] = { "{\"caps\":[\"CHOWN\",\"FLY\"]}", "{\"caps\":[\"cap_\"]}",
					     "{\"seccomp\":\"tight\"}" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_int_equal(load(names[i]), 0);
		spec.profile.root_caps = ~0ULL;
		assert_int_equal(image_rules_check(&policy, &e), -ENOTSUP);
		assert_int_equal(image_rules_limit(&policy, &spec, &e), -ENOTSUP);
		assert_int_equal(spec.profile.root_caps, 0);
		assert_non_null(strstr(e.text, "does not know"));
	}
	assert_int_equal(load("{\"caps\":[\"CHOWN\"],\"seccomp\":\"c\",\"net\":\"none\"}"), 0);
	assert_int_equal(image_rules_check(&policy, &e), 0);
}

static void unreadable(void **state)
{
	static const char *const texts[] = {
		"",
		"[]",
		"{",
		"{\"caps\":null}",
		"{\"caps\":\"CHOWN\"}",
		"{\"caps\":[1]}",
		"{\"caps\":[\"\"]}",
		"{\"caps\":[\"A B\"]}",
		"{\"net\":\"everything\"}",
		"{\"net\":null}",
		"{\"seccomp\":1}",
		"{\"more\":1}",
		"{\"net\":\"none\",\"net\":\"any\"}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_true(load(texts[i]) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(caps, reset, reset),
		cmocka_unit_test_setup_teardown(net, reset, reset),
		cmocka_unit_test_setup_teardown(seccomp, reset, reset),
		cmocka_unit_test_setup_teardown(unknown, reset, reset),
		cmocka_unit_test_setup_teardown(unreadable, reset, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
