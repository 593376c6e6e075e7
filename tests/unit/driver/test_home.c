/* SPDX-License-Identifier: Apache-2.0 */
/* The home of a box as a plan: caches, environments, git's identity, layers; with a home made up here. */
#include "support/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/scope.h"
#include "driver/clone.h"
#include "driver/layout.h"
#include "policy/profile.h"

static char home[] = "/var/tmp/test-home-XXXXXX";
static char project[64];

struct plan {
	struct jail_plan_builder b;
	struct strlist watched;
	struct run_spec spec;
};

static const char *in_home(const char *path)
{
	static char full[4][256];
	static int i;

	i = (i + 1) % 4;
	snprintf(full[i], sizeof(full[i]), "%s/%s", home, path);
	return full[i];
}

static void make_dir(const char *path)
{
	scoped(drop_mem) char *command = NULL;

	if (asprintf(&command, "mkdir -p '%s'", in_home(path)) < 0 || system(command) != 0)
		fail_msg("mkdir %s", path);
}

static void make_link(const char *path, const char *target)
{
	if (symlink(target, in_home(path)) < 0)
		fail_msg("link %s", path);
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(in_home(path), "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int keep(void *ctx, const char *guest, const char *host, struct buf *ret, struct aisbx_error *e)
{
	struct strlist *asked = ctx;

	(void)e;
	strlist_addf(asked, "%s of %s", guest, host ? host : "nothing");
	buf_add(ret, "/up\0/work", sizeof("/up\0/work"));
	return 0;
}

static struct plan plan_of(const char *profile, struct strlist *asked)
{
	scoped(profile_rules_finish) struct profile_rules rules = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct plan p = { .spec = { .walls.project = project, .command.cwd = project } };

	if (profile_shipped_rules(profile, &rules, &e) < 0)
		fail_msg("%s", e.text);
	p.spec.profile = rules.profile;
	if (asked) {
		p.spec.hooks.layers = keep;
		p.spec.hooks.layers_dir = "/nowhere";
		p.spec.hooks.box_ctx = asked;
	}
	if (clone_plan(&p.spec, false, &p.b, &p.watched, &e) < 0)
		fail_msg("%s", e.text);
	return p;
}

static void finish(struct plan *p)
{
	jail_plan_builder_finish(&p->b);
	strlist_finish(&p->watched);
}

/* The last operation on PATH of the home, or NULL. */
static const struct jail_plan_op *find(const struct plan *p, const char *path)
{
	const struct jail_plan_op *ops = (const void *)p->b.ops.data;
	const char *dst = *path == '/' ? path : *path ? in_home(path) : home;

	for (size_t i = p->b.ops.len / sizeof(*ops); i-- > 0;)
		if (!strcmp(p->b.strings.data + ops[i].dst, dst))
			return &ops[i];
	return NULL;
}

static bool shows(const struct plan *p, const char *path)
{
	const struct jail_plan_op *op = find(p, path);

	return op && (op->kind == JAIL_PLAN_CLONE || op->kind == JAIL_PLAN_BIND);
}

static void caches_can_be_changed_for_the_box(void **state)
{
	struct plan p;

	(void)state;
	make_dir(".cache/pip");
	make_dir(".cache/mozilla");
	make_dir(".cargo/registry");
	write_text(".cargo/credentials.toml", "x");
	p = plan_of("dev", NULL);
	assert_int_equal(find(&p, ".cache/pip")->kind, JAIL_PLAN_CLONE);
	assert_true(find(&p, ".cache/pip")->flags & JAIL_PLAN_WRITABLE);
	assert_true(find(&p, ".cache/pip")->flags & JAIL_PLAN_TRY);
	assert_true(shows(&p, ".cargo/registry"));
	assert_false(shows(&p, ".cache"));
	assert_false(shows(&p, ".cache/mozilla"));
	assert_false(shows(&p, ".cache/uv")); /* there is none */
	assert_false(shows(&p, ".cargo"));
	assert_false(shows(&p, ".cargo/credentials.toml"));
	finish(&p);
	p = plan_of("strict", NULL);
	assert_false(shows(&p, ".cache/pip"));
	finish(&p);
}

static void a_link_does_not_lead_to_what_is_hidden(void **state)
{
	struct plan p;

	(void)state;
	make_dir(".ssh");
	make_dir("Documents");
	make_dir(".cache/yarn");
	make_link(".cache/uv", in_home(".ssh"));
	make_link(".cache/ruff", in_home("Documents"));
	make_link(".cache/mypy", home);
	make_link(".cache/black", "/");
	make_link(".cache/pdm", "/etc");
	make_link(".cache/hatch", "/var/tmp");
	make_link(".cache/jedi", "/proc/self");
	make_link(".cache/torch", "../.ssh");
	make_link(".cache/pnpm", "yarn");
	make_link(".cache/go-build", "/usr");
	make_link(".cache/zig", "nothing");
	p = plan_of("dev", NULL);
	assert_false(shows(&p, ".cache/uv"));
	assert_false(shows(&p, ".cache/ruff"));
	assert_false(shows(&p, ".cache/mypy"));
	assert_false(shows(&p, ".cache/black"));
	assert_false(shows(&p, ".cache/pdm"));
	assert_false(shows(&p, ".cache/hatch"));
	assert_false(shows(&p, ".cache/jedi"));
	assert_false(shows(&p, ".cache/torch"));
	assert_false(shows(&p, ".cache/zig"));
	assert_true(shows(&p, ".cache/pnpm"));     /* another cache */
	assert_true(shows(&p, ".cache/go-build")); /* what the box sees anyway */
	finish(&p);
}

static void variables_name_caches_in_the_home_only(void **state)
{
	struct plan p;

	(void)state;
	make_dir("elsewhere/build");
	make_dir("elsewhere/cargo/git");
	setenv("GOCACHE", in_home("elsewhere/build"), 1);
	setenv("CARGO_HOME", in_home("elsewhere/cargo"), 1);
	setenv("PIP_CACHE_DIR", in_home(".ssh"), 1);
	setenv("UV_CACHE_DIR", home, 1);
	setenv("GOMODCACHE", "/etc", 1);
	setenv("TORCH_HOME", in_home(".cache/../.ssh"), 1);
	p = plan_of("dev", NULL);
	unsetenv("GOCACHE");
	unsetenv("CARGO_HOME");
	unsetenv("PIP_CACHE_DIR");
	unsetenv("UV_CACHE_DIR");
	unsetenv("GOMODCACHE");
	unsetenv("TORCH_HOME");
	assert_true(shows(&p, "elsewhere/build"));
	assert_true(shows(&p, "elsewhere/cargo/git"));
	assert_false(shows(&p, "elsewhere"));
	assert_false(shows(&p, ".ssh"));
	assert_int_equal(find(&p, "")->kind, JAIL_PLAN_SCRATCH);
	assert_false(find(&p, "/etc")->flags & JAIL_PLAN_TRY);
	finish(&p);
}

static void a_box_that_stays_has_layers_over_its_home(void **state)
{
	scoped(strlist_finish) struct strlist asked = { 0 };
	scoped(drop_mem) char *pip = NULL;
	const struct jail_plan_op *op;
	struct plan p = plan_of("dev", &asked);

	(void)state;
	op = find(&p, "");
	assert_int_equal(op->kind, JAIL_PLAN_CLONE);
	assert_int_equal(op->flags, JAIL_PLAN_WRITABLE | JAIL_PLAN_HERE);
	assert_true(find(&p, ".ssh/id_rsa") < op); /* what is put there lies below */
	assert_true(find(&p, ".cache/pip") > op);
	assert_true(strlist_has(&asked, "~ of nothing"));
	assert_true(asprintf(&pip, "~/.cache/pip of %s", in_home(".cache/pip")) > 0);
	assert_true(strlist_has(&asked, pip));
	finish(&p);
}

static void of_git_only_name_and_address(void **state)
{
	const struct jail_plan_op *op;
	const char *text;
	struct plan p;

	(void)state;
	write_text(".gitconfig",
		   "[user]\n name = Ada\n email = a@b\n signingkey = K\n[credential]\n helper = "
		   "store\n[alias]\n x = !sh\n");
	p = plan_of("dev", NULL);
	op = find(&p, ".gitconfig");
	assert_int_equal(op->kind, JAIL_PLAN_FILE);
	text = p.b.strings.data + op->data;
	assert_int_equal(op->data_len, strlen("[user]\n\tname = \"Ada\"\n\temail = \"a@b\"\n"));
	assert_memory_equal(text, "[user]\n\tname = \"Ada\"\n\temail = \"a@b\"\n", op->data_len);
	finish(&p);
	p = plan_of("strict", NULL);
	assert_null(find(&p, ".gitconfig"));
	finish(&p);
}

static void an_active_environment_is_shown_or_its_absence_told(void **state)
{
	char told[768];
	struct plan p;

	(void)state;
	make_dir("envs/one/bin");
	make_dir("base/bin");
	write_text("envs/one/pyvenv.cfg", "home = /none\n");
	setenv("VIRTUAL_ENV", in_home("envs/one"), 1);
	p = plan_of("dev", NULL);
	assert_int_equal(find(&p, "envs/one")->kind, JAIL_PLAN_CLONE);
	assert_false(find(&p, "envs/one")->flags & JAIL_PLAN_WRITABLE);
	assert_false(tools_tell_hidden(&p.spec, told, sizeof(told)));
	finish(&p);
	{
		scoped(drop_mem) char *config = NULL;

		assert_true(asprintf(&config, "home = %s\n", in_home("base/bin")) > 0);
		write_text("envs/one/pyvenv.cfg", config);
	}
	p = plan_of("dev", NULL);
	assert_true(shows(&p, "base"));
	finish(&p);
	setenv("VIRTUAL_ENV", in_home(".ssh"), 1);
	p = plan_of("dev", NULL);
	assert_false(shows(&p, ".ssh"));
	assert_true(tools_tell_hidden(&p.spec, told, sizeof(told)));
	assert_non_null(strstr(told, "VIRTUAL_ENV"));
	assert_non_null(strstr(told, "secrets"));
	finish(&p);
	setenv("VIRTUAL_ENV", home, 1);
	p = plan_of("dev", NULL);
	assert_int_equal(find(&p, "")->kind, JAIL_PLAN_SCRATCH);
	assert_true(tools_tell_hidden(&p.spec, told, sizeof(told)));
	finish(&p);
	setenv("VIRTUAL_ENV", in_home("gone"), 1);
	p = plan_of("dev", NULL);
	assert_false(tools_tell_hidden(&p.spec, told, sizeof(told)));
	finish(&p);
	unsetenv("VIRTUAL_ENV");
}

/* What a project says of its own environment is not to be believed. */
static void an_environment_of_the_project_names_only_toolchains(void **state)
{
	struct plan p;

	(void)state;
	make_dir("p/.venv/bin");
	make_dir(".pyenv/versions/3/bin");
	for (int i = 0; i < 2; i++) {
		scoped(drop_mem) char *config = NULL;

		assert_true(asprintf(&config, "home = %s\n",
				     in_home(i ? ".pyenv/versions/3/bin" : "Documents/bin")) > 0);
		make_dir("Documents/bin");
		write_text("p/.venv/pyvenv.cfg", config);
		setenv("VIRTUAL_ENV", in_home("p/.venv"), 1);
		p = plan_of("dev", NULL);
		assert_false(shows(&p, "Documents"));
		assert_int_equal(shows(&p, ".pyenv"), i);
		finish(&p);
	}
	unsetenv("VIRTUAL_ENV");
}

static int make_home(void **state)
{
	(void)state;
	if (!mkdtemp(home))
		return -1;
	snprintf(project, sizeof(project), "%s/p", home);
	clearenv();
	setenv("HOME", home, 1);
	setenv("PATH", "/usr/bin:/bin", 1);
	return mkdir(project, 0755);
}

static int remove_home(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", home);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(caches_can_be_changed_for_the_box),
		cmocka_unit_test(a_link_does_not_lead_to_what_is_hidden),
		cmocka_unit_test(variables_name_caches_in_the_home_only),
		cmocka_unit_test(a_box_that_stays_has_layers_over_its_home),
		cmocka_unit_test(of_git_only_name_and_address),
		cmocka_unit_test(an_active_environment_is_shown_or_its_absence_told),
		cmocka_unit_test(an_environment_of_the_project_names_only_toolchains),
	};

	return cmocka_run_group_tests(tests, make_home, remove_home);
}
