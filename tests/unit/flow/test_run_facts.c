/* SPDX-License-Identifier: Apache-2.0 */
/* What the history keeps of runs, as gates read it. */
#include "support/test.h"

#include "flow/run_facts.h"

static struct run_facts facts(const char *text)
{
	json_t *kept = json_loads(text, 0, NULL);
	struct run_facts f = run_facts_read("r-1", kept);

	json_decref(kept);
	return f;
}

static void reading(void **state)
{
	const struct run_facts f =
		facts("{\"violations\":[{\"kind\":\"net\",\"count\":2},{\"kind\":\"syscall\",\"count\":3},"
		      "{\"kind\":\"limit\",\"count\":7}],\"violations_not_listed\":4,\"limit\":{\"kind\":"
		      "\"memory\"},"
		      "\"usage\":{\"mem_peak\":100,\"cpu_ms\":1.5,\"disk\":null}}");

	(void)state;
	assert_string_equal(f.run, "r-1");
	assert_true(f.is_kept && f.limited && f.has_violations);
	assert_true(f.violations == 5 && f.net == 2 && f.not_listed == 4);
	assert_true(f.has_use[USE_MEM_PEAK] && f.use[USE_MEM_PEAK] == 100);
	assert_true(f.has_use[USE_CPU_MS] && f.use[USE_CPU_MS] == 1.5);
	assert_false(f.has_use[USE_DISK] || f.has_use[USE_WALL_MS]);
}

static void nothing_kept(void **state)
{
	const struct run_facts f = run_facts_read("r-2", NULL);

	(void)state;
	assert_string_equal(f.run, "r-2");
	assert_false(f.is_kept || f.limited || f.has_violations || f.has_use[USE_CPU_MS]);
}

static void each_once(void **state)
{
	struct run_facts_list l = { 0 };
	struct run_facts f = { .run = "r-1", .net = 1 };

	(void)state;
	run_facts_list_add(&l, &f);
	f.net = 2;
	run_facts_list_add(&l, &f);
	assert_true(l.n == 1 && l.items[0].net == 2);
	f.net = 3;
	run_facts_list_add_new(&l, 1, &f); /* is among the first */
	assert_true(l.n == 1 && l.items[0].net == 2);
	for (int i = 0; i < 100; i++) {
		snprintf(f.run, sizeof(f.run), "r-h%d", i);
		run_facts_list_add_new(&l, 1, &f);
	}
	assert_false(l.failed);
	assert_int_equal(l.n, 101);
	assert_string_equal(l.items[100].run, "r-h99");
	run_facts_list_finish(&l);
}

static void refused(void **state)
{
	struct run_report report = { .said = json_loads("{\"violations\":[{\"kind\":\"net\",\"what\":\"a\"},"
							"{\"kind\":\"syscall\",\"what\":\"socket(AF_ALG)\"},"
							"{\"kind\":\"syscall\",\"what\":\"mount\"}]}",
							0, NULL) };

	(void)state;
	assert_string_equal(run_refused_net(&report), "socket(AF_ALG)");
	json_object_clear(report.said);
	assert_null(run_refused_net(&report));
	json_decref(report.said);
}

static void the_network(void **state)
{
	struct run_facts_list l = { 0 };
	struct run_facts f =
		facts("{\"net\":{\"hosts\":[\"a.example\"],\"sent\":3,\"received\":5,\"not_kept\":2}}");

	(void)state;
	assert_true(f.has_net && f.sent == 3 && f.received == 5 && f.net_not_kept == 2);
	assert_int_equal(json_array_size(f.hosts), 1);
	run_facts_list_add(&l, &f);
	run_facts_list_add(&l, &f); /* the same again: each keeps its own reference */
	run_facts_finish(&f);
	assert_string_equal(json_string_value(json_array_get(l.items[0].hosts, 0)), "a.example");
	run_facts_list_finish(&l);
	f = facts("{\"isolation\":{\"missing\":[]}}");
	assert_true(f.has_net && !f.hosts);
	f = facts("{\"isolation\":{\"missing\":[\"net\"]}}");
	assert_false(f.has_net);
	f = run_facts_read("r-2", NULL);
	assert_false(f.has_net);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_network), cmocka_unit_test(reading), cmocka_unit_test(nothing_kept),
		cmocka_unit_test(each_once),   cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
