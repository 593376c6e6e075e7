/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of boxes as plans: what is hidden, cloned and shared, for a home and a project made up here. */
#include "support/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "driver/clone.h"
#include "policy/profile.h"

static char home[] = "/tmp/test-clone-XXXXXX";
static char project[64], secret[64], tool[64];

struct layout {
	struct jail_plan_builder b;
	struct strlist watched;
	struct run_spec spec;
};

static struct profile profile_of(const char *name)
{
	scoped(profile_rules_finish) struct profile_rules rules = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (profile_shipped_rules(name, &rules, &e) < 0)
		fail_msg("%s", e.text);
	return rules.profile;
}

static struct layout make_layout(bool shift, const char *where, const struct run_mount *mounts, size_t n)
{
	struct layout l = {
		.spec = { .profile = profile_of("dev"), .walls.project = where, .command.cwd = where }
	};
	struct aisbx_error e = AISBX_ERROR_INIT;

	l.spec.walls.mounts = mounts;
	l.spec.walls.n_mounts = n;
	if (clone_plan(&l.spec, shift, &l.b, &l.watched, &e) < 0)
		fail_msg("%s", e.text);
	return l;
}

static void finish(struct layout *l)
{
	jail_plan_builder_finish(&l->b);
	strlist_finish(&l->watched);
}

/* The last operation on DST, or NULL. */
static const struct jail_plan_op *find(const struct layout *l, const char *dst)
{
	const struct jail_plan_op *ops = (const void *)l->b.ops.data;

	for (size_t i = l->b.ops.len / sizeof(*ops); i-- > 0;)
		if (!strcmp(l->b.strings.data + ops[i].dst, dst))
			return &ops[i];
	return NULL;
}

static uint32_t rule_for(const struct layout *l, const char *path)
{
	const struct jail_plan_rule *rules = (const void *)l->b.rules.data;

	for (size_t i = 0; i < l->b.rules.len / sizeof(*rules); i++)
		if (!strcmp(l->b.strings.data + rules[i].path, path))
			return rules[i].kind;
	return 0;
}

static void an_ordinary_user_has_a_read_only_system(void **state)
{
	struct layout l = make_layout(false, project, NULL, 0);
	const struct jail_plan_op *op = find(&l, "/usr");

	(void)state;
	if (op) /* unless it is a mount that was split */
		assert_false(op->flags & (JAIL_PLAN_WRITABLE | JAIL_PLAN_IDMAP));
	assert_null(find(&l, "/"));
	op = find(&l, project);
	assert_int_equal(op->kind, JAIL_PLAN_CLONE);
	assert_true(op->flags & JAIL_PLAN_WRITABLE);
	assert_int_equal(rule_for(&l, "/"), JAIL_PLAN_RULE_READ);
	assert_int_equal(rule_for(&l, project), JAIL_PLAN_RULE_WRITE);
	finish(&l);
}

static void root_has_one_writable_clone(void **state)
{
	struct layout l = make_layout(true, project, NULL, 0);
	const struct jail_plan_op *op = find(&l, "/");

	(void)state;
	assert_int_equal(op->kind, JAIL_PLAN_CLONE);
	assert_int_equal(op->flags, JAIL_PLAN_WRITABLE | JAIL_PLAN_IDMAP);
	assert_ptr_equal(op, l.b.ops.data);
	assert_int_equal(rule_for(&l, "/"), JAIL_PLAN_RULE_WRITE);
	finish(&l);
}

static void the_home_is_hidden_with_decoys_and_tools(void **state)
{
	struct layout l = make_layout(false, "/", NULL, 0);
	char path[128];

	(void)state;
	assert_int_equal(find(&l, home)->kind, JAIL_PLAN_SCRATCH);
	snprintf(path, sizeof(path), "%s/.ssh/id_rsa", home);
	assert_int_equal(find(&l, path)->kind, JAIL_PLAN_FILE);
	assert_true(find(&l, path)->flags & JAIL_PLAN_WATCH);
	assert_true(strlist_has(&l.watched, path));
	assert_int_equal(find(&l, tool)->kind, JAIL_PLAN_CLONE);
	assert_false(find(&l, tool)->flags & JAIL_PLAN_WRITABLE);
	finish(&l);
}

static void a_home_that_is_the_project_hides_its_secrets(void **state)
{
	struct layout l = make_layout(false, home, NULL, 0);

	(void)state;
	assert_int_equal(find(&l, home)->kind, JAIL_PLAN_CLONE);
	assert_int_equal(find(&l, secret)->kind, JAIL_PLAN_MASK);
	assert_true(strlist_has(&l.watched, secret));
	finish(&l);
}

static void what_is_shown_on_purpose_is_not_hidden(void **state)
{
	const struct run_mount mounts[] = { { secret, secret, false },
					    { project, "/mnt/p", true },
					    { tool, "/mnt/t", false } };
	struct layout l = make_layout(false, home, mounts, 3);

	(void)state;
	assert_int_equal(find(&l, secret)->kind, JAIL_PLAN_BIND);
	assert_false(find(&l, secret)->flags & JAIL_PLAN_WRITABLE);
	assert_int_equal(find(&l, "/mnt/p")->kind, JAIL_PLAN_BIND);
	assert_true(find(&l, "/mnt/p")->flags & JAIL_PLAN_WRITABLE);
	assert_int_equal(rule_for(&l, "/mnt/p"), JAIL_PLAN_RULE_WRITE);
	assert_int_equal(find(&l, "/mnt/t")->kind, JAIL_PLAN_CLONE);
	assert_int_equal(rule_for(&l, "/mnt/t"), 0);
	finish(&l);
}

static void wanted(void **state)
{
	const struct run_mount nowhere = { "/nowhere/at/all", "/x", false };
	struct run_spec spec = { .profile = profile_of("strict"),
				 .walls = { .mounts = &nowhere, .n_mounts = 1 } };
	scoped(jail_plan_builder_finish) struct jail_plan_builder b = { 0 };
	scoped(strlist_finish) struct strlist watched = { 0 };
	scoped(strlist_finish) struct strlist hides = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct layout l = { 0 };

	(void)state;
	assert_failed(clone_plan(&spec, false, &b, &watched, &e), ENOENT, e, "--ro /nowhere/at/all");
	strlist_add(&hides, "/opt/hidden");
	l.spec = (struct run_spec){ .profile = profile_of("strict"), .walls.hides = hides };
	assert_int_equal(clone_plan(&l.spec, true, &l.b, &l.watched, &e), 0);
	assert_int_equal(find(&l, "/opt/hidden")->kind, JAIL_PLAN_MASK);
	assert_null(find(&l, "/")); /* strict: not even root gets a writable system */
	finish(&l);
}

/* Of an injected secret the plan has its placeholder alone. */
static void an_injected_secret_is_not_in_the_plan(void **state)
{
	struct run_secret known = { .name = "X", .value = "the-value-itself", .len = 16 };
	struct run_injected injected = {
		.name = "X", .value = "the-value-itself", .placeholder = "abc-defgh-ijklmn", .as_file = true
	};
	struct layout l = { .spec = { .profile = profile_of("dev"),
				      .walls.project = project,
				      .command.cwd = project,
				      .net = { .injected = &injected, .n_injected = 1 },
				      .secrets = { .items = &known, .n = 1 } } };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_int_equal(clone_plan(&l.spec, false, &l.b, &l.watched, &e), 0);
	assert_non_null(find(&l, "/run/secrets/X"));
	assert_non_null(memmem(l.b.strings.data, l.b.strings.len, "abc-defgh-ijklmn", 16));
	assert_null(memmem(l.b.strings.data, l.b.strings.len, "the-value-itself", 16));
	finish(&l);
}

static int make_home(void **state)
{
	FILE *f;

	(void)state;
	if (!mkdtemp(home))
		return -1;
	snprintf(project, sizeof(project), "%s/p", home);
	snprintf(secret, sizeof(secret), "%s/.netrc", home);
	snprintf(tool, sizeof(tool), "%s/tools", home);
	if (mkdir(project, 0755) < 0 || mkdir(tool, 0755) < 0 || !(f = fopen(secret, "we")))
		return -1;
	fclose(f);
	setenv("HOME", home, 1);
	return setenv("PATH", tool, 1);
}

static int remove_home(void **state)
{
	(void)state;
	unlink(secret);
	rmdir(tool);
	rmdir(project);
	return rmdir(home);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_ordinary_user_has_a_read_only_system),
		cmocka_unit_test(root_has_one_writable_clone),
		cmocka_unit_test(the_home_is_hidden_with_decoys_and_tools),
		cmocka_unit_test(a_home_that_is_the_project_hides_its_secrets),
		cmocka_unit_test(what_is_shown_on_purpose_is_not_hidden),
		cmocka_unit_test(an_injected_secret_is_not_in_the_plan),
		cmocka_unit_test(wanted),
	};

	return cmocka_run_group_tests(tests, make_home, remove_home);
}
