/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table suffices for drivers that are nothing like native: one without overlays, and one without
 * processes of its own. What they cannot do is refused by name, and a wall that was not there is told.
 */
#include "support/test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "driver/driver.h"

static unsigned int runs; /* how often a driver was told to run */

/* Processes on a plain copy of the files: nothing to be kept in layers, and no Landlock. */
#define PLAIN_WALLS (WALL_ALL & ~WALL_BIT(LANDLOCK))

static int plain_prepare(struct run_spec *spec, struct aisbx_error *e)
{
	(void)e;
	if (!spec->limits.held[LIMIT_WALL_TIME])
		spec->limits.held[LIMIT_WALL_TIME] = 7000;
	return 0;
}

static int plain_run(struct run_spec *spec, struct driver_result *ret_result, struct aisbx_error *e)
{
	struct driver_result result = { .outcome = { .started = true, .limit = LIMIT_COUNT } };
	pid_t pid = fork();

	(void)e;
	runs++;
	if (pid == 0) {
		execvp(spec->command.argv.items[0], spec->command.argv.items);
		_exit(127);
	}
	assert_true(pid > 0 && waitpid(pid, &result.outcome.status, 0) == pid);
	result.outcome.walls = PLAIN_WALLS;
	memcpy(result.limits, spec->limits.held, sizeof(result.limits));
	*ret_result = result;
	return 0;
}

static int plain_join(struct run_spec *spec, int live_fd, struct driver_result *ret_result,
		      struct aisbx_error *e)
{
	return live_fd == 5 ? plain_run(spec, ret_result, e) : -ESTALE;
}

static bool plain_unknown_group(const char *project, char *ret, size_t cap)
{
	snprintf(ret, cap, "the group of %s", project);
	return true;
}

static const struct driver plain = {
	.name = "plain",
	.can = DRIVER_HIDES | DRIVER_SHARES,
	.walls = PLAIN_WALLS,
	.limits = 1u << LIMIT_WALL_TIME,
	.prepare = plain_prepare,
	.run = plain_run,
	.join = plain_join,
	.unknown_group = plain_unknown_group,
};

/* An interpreter in this process: its programs are sums, and see nothing of the host. */
static int sums_run(struct run_spec *spec, struct driver_result *ret_result, struct aisbx_error *e)
{
	struct driver_result result = { .outcome = {
						.started = true, .walls = WALL_ALL, .limit = LIMIT_COUNT } };
	long sum = 0;

	(void)e;
	runs++;
	for (size_t i = 0; i < spec->command.argv.n; i++)
		sum += strtol(spec->command.argv.items[i], NULL, 10);
	buf_addf(&result.outcome.output[0], "%ld", sum);
	*ret_result = result;
	return 0;
}

static const struct driver sums = {
	.name = "sums",
	.can = DRIVER_HIDES,
	.walls = WALL_ALL,
	.run = sums_run,
};

/* What every test starts from; the lists are finished by `finish`. */
static struct run_spec spec_of(const char *first, const char *second)
{
	struct run_spec spec = { .profile.name = "made-up", .command.cwd = "/" };

	strlist_add(&spec.command.argv, first);
	if (second)
		strlist_add(&spec.command.argv, second);
	return spec;
}

static void finish(struct run_spec *spec)
{
	strlist_finish(&spec->command.argv);
	strlist_finish(&spec->walls.hides);
}

static void assert_refused(const struct driver *d, struct run_spec *spec, const char *word)
{
	scoped(driver_result_finish) struct driver_result result = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	unsigned int before = runs;

	assert_failed(driver_run(d, spec, &result, &e), EOPNOTSUPP, e, word);
	assert_non_null(strstr(e.text, d->name));
	assert_int_equal(e.kind, AISBX_KIND_UNSUPPORTED);
	assert_int_equal(runs, before);
}

static void a_driver_without_overlays_runs(void **state)
{
	scoped(driver_result_finish) struct driver_result result = { 0 };
	scoped(finish) struct run_spec spec = spec_of("false", NULL);
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct driver_here here = { .needs_layers = true };

	(void)state;
	spec.walls.without = WALL_BIT(LANDLOCK);
	assert_int_equal(driver_probe(&plain, &here, &e), 0);
	assert_false(here.needs_layers);
	assert_int_equal(driver_run(&plain, &spec, &result, &e), 0);
	assert_string_equal(result.driver, "plain");
	assert_int_equal(WEXITSTATUS(result.outcome.status), 1);
	assert_int_equal(result.missing, WALL_BIT(LANDLOCK));
	assert_int_equal(result.limits[LIMIT_WALL_TIME], 7000); /* as it was prepared */
}

static int no_layers(void *ctx, const char *guest, const char *host, struct buf *ret_paths,
		     struct aisbx_error *e)
{
	(void)ctx, (void)guest, (void)host, (void)ret_paths, (void)e;
	return 0;
}

static void what_it_cannot_do_is_refused(void **state)
{
	static const struct run_mount mount = { "/etc", "/etc", false };
	struct service_spec one = { .name = "db" };
	const struct service_specs services = { .items = &one, .n = 1 };
	scoped(finish) struct run_spec spec = spec_of("true", NULL);

	(void)state;
	assert_refused(&plain, &spec, "'landlock'");
	assert_refused(&plain, &spec, "--without landlock");
	spec.walls.without = WALL_BIT(LANDLOCK);
	spec.hooks.layers = no_layers;
	assert_refused(&plain, &spec, "store the changes");
	spec.hooks.layers = NULL;
	spec.command.services = &services;
	assert_refused(&plain, &spec, "services");
	spec.command.services = NULL;
	spec.profile.limits[LIMIT_MEMORY] = 1 << 20;
	assert_refused(&plain, &spec, "'memory'");
	spec.profile.limits[LIMIT_MEMORY] = 0;
	spec.profile.memory_share = 50;
	assert_refused(&plain, &spec, "'memory'");
	spec.profile.memory_share = 0;
	spec.walls.mounts = &mount;
	spec.walls.n_mounts = 1;
	assert_refused(&sums, &spec, "show or share");
}

static void a_wall_that_no_flag_takes_away_has_no_hint(void **state)
{
	struct driver open = sums;
	scoped(driver_result_finish) struct driver_result result = { 0 };
	scoped(finish) struct run_spec spec = spec_of("1", NULL);
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	open.walls = WALL_ALL & ~WALL_BIT(ROOT);
	assert_failed(driver_run(&open, &spec, &result, &e), EOPNOTSUPP, e, "'root'");
	assert_null(strstr(e.text, "--without"));
}

static int lying_run(struct run_spec *spec, struct driver_result *ret_result, struct aisbx_error *e)
{
	int r = sums_run(spec, ret_result, e);

	ret_result->outcome.walls &= ~WALL_BIT(NET);
	return r;
}

static void a_wall_that_was_not_there_is_told(void **state)
{
	struct driver lying = sums;
	scoped(driver_result_finish) struct driver_result result = { 0 };
	scoped(finish) struct run_spec spec = spec_of("1", NULL);
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	lying.run = lying_run;
	assert_int_equal(driver_run(&lying, &spec, &result, &e), 0);
	assert_int_equal(result.missing, WALL_BIT(NET));
}

static void a_driver_without_processes_runs(void **state)
{
	scoped(driver_result_finish) struct driver_result result = { 0 };
	scoped(finish) struct run_spec spec = spec_of("40", "2");
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	strlist_add(&spec.walls.hides, "/etc");
	assert_int_equal(driver_run(&sums, &spec, &result, &e), 0);
	assert_string_equal(buf_str(&result.outcome.output[0]), "42");
	assert_string_equal(result.driver, "sums");
	assert_int_equal(result.missing, 0);
}

static void what_has_no_function_is_refused_or_nothing(void **state)
{
	scoped(driver_result_finish) struct driver_result result = { 0 };
	scoped(finish) struct run_spec spec = spec_of("1", NULL);
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct driver_here here;
	struct run_status status;
	char *about = NULL, text[64];

	(void)state;
	assert_failed(driver_join(&sums, &spec, 5, &result, &e), EOPNOTSUPP, e,
		      "'sums' cannot start another");
	assert_failed(driver_freeze(&sums, 5, &e), EOPNOTSUPP, e, "'sums' cannot stop");
	assert_failed(driver_is_frozen(&sums, 5, &e), EOPNOTSUPP, e, "'sums' cannot stop");
	assert_failed(driver_usage(&sums, 5, &status, &about, &e), EOPNOTSUPP, e, "'sums' cannot report");
	assert_null(about);
	assert_int_equal(driver_probe(&sums, &here, &e), 0);
	assert_false(driver_unknown_group(&sums, "/p", text, sizeof(text)));
	assert_true(driver_unknown_group(&plain, "/p", text, sizeof(text)));
	assert_string_equal(text, "the group of /p");
}

static void a_driver_joins(void **state)
{
	scoped(driver_result_finish) struct driver_result result = { 0 };
	scoped(finish) struct run_spec spec = spec_of("true", NULL);
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	spec.profile.limits[LIMIT_WALL_TIME] = 50;
	assert_int_equal(driver_join(&plain, &spec, 4, &result, &e), -ESTALE);
	assert_null(result.driver);
	assert_int_equal(driver_join(&plain, &spec, 5, &result, &e), 0);
	assert_int_equal(result.limits[LIMIT_WALL_TIME], 50);
	assert_string_equal(result.driver, "plain");
}

static void the_option_comes_before_the_profile(void **state)
{
	struct run_spec spec = { 0 };
	const struct driver *d = NULL;
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_int_equal(driver_of(&spec, &d, &e), 0);
	assert_ptr_equal(d, driver_default());
	spec.profile.driver = "nobody";
	assert_failed(driver_of(&spec, &d, &e), ENOENT, e, "'nobody'");
	spec.box.driver = "native";
	assert_int_equal(driver_of(&spec, &d, &e), 0);
	assert_ptr_equal(d, &driver_native);
}

/* Every row can do what callers take for granted, and a profile can name it. */
static void rows_are_complete(void **state)
{
	(void)state;
	assert_ptr_equal(driver_default(), &driver_native);
	for (const char *const *name = driver_names; *name; name++) {
		const struct driver *d = driver_by_name(*name);

		assert_non_null(d);
		assert_non_null(d->run);
		assert_true(d->walls);
		assert_true(!d->freeze == !d->is_frozen);
	}
	assert_int_equal(driver_native.walls, WALL_ALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_driver_without_overlays_runs),
		cmocka_unit_test(what_it_cannot_do_is_refused),
		cmocka_unit_test(a_wall_that_no_flag_takes_away_has_no_hint),
		cmocka_unit_test(a_wall_that_was_not_there_is_told),
		cmocka_unit_test(a_driver_without_processes_runs),
		cmocka_unit_test(what_has_no_function_is_refused_or_nothing),
		cmocka_unit_test(a_driver_joins),
		cmocka_unit_test(the_option_comes_before_the_profile),
		cmocka_unit_test(rows_are_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
