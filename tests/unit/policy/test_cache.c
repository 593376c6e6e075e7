/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of what a box sees of a home: no cache is near a secret, and variables are those people really have.
 */
#include "support/test.h"

#include "base/path.h"
#include "base/scope.h"
#include "policy/cache.h"
#include "policy/git_identity.h"
#include "policy/secret.h"
#include "policy/tool_env.h"

static void no_cache_is_or_holds_a_secret(void **state)
{
	(void)state;
	for (const struct cache_place *p = cache_places; p->path; p++)
		for (const struct cache_dir *d = p->dirs; d->path; d++) {
			scoped(drop_mem) char *path =
				*d->path ? path_join(p->path, d->path) : strdup(p->path);
			scoped(drop_mem) char *full = path_join("/home/u", path);

			if (!path_is_clean(full) || secret_in_home(path) || !cache_has(path))
				fail_msg("'%s'", path);
		}
}

static void each_cache_is_listed_once(void **state)
{
	(void)state;
	for (const struct cache_place *p = cache_places; p->path; p++) {
		for (const struct cache_place *q = p + 1; q->path; q++)
			assert_string_not_equal(p->path, q->path);
		for (const struct cache_dir *d = p->dirs; d->path; d++)
			for (const struct cache_dir *o = d + 1; o->path; o++)
				assert_string_not_equal(d->path, o->path);
	}
}

static void what_is_a_cache(void **state)
{
	static const char *const yes[] = { ".cache/pip",       ".cache/pip/http/1", "go/pkg/mod",
					   ".cargo/registry",  ".cargo/git",        ".npm/_cacache",
					   ".m2/repository",   ".gradle/caches",    ".ccache",
					   ".cache/go-build/0" };
	static const char *const no[] = { "",
					  ".cache",
					  ".cache/mozilla",
					  ".cache/google-chrome",
					  ".cache/thumbnails",
					  ".cache/pipx",
					  ".cache/huggingface",
					  ".cache/huggingface/token",
					  "go",
					  "go/src",
					  ".cargo",
					  ".cargo/credentials.toml",
					  ".npm",
					  ".npmrc",
					  ".m2",
					  ".m2/settings.xml",
					  ".gradle",
					  ".gradle/gradle.properties",
					  ".gem/credentials",
					  ".ssh" };

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		if (!cache_has(yes[i]))
			fail_msg("'%s' is none", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		if (cache_has(no[i]))
			fail_msg("'%s' is one", no[i]);
}

static void what_is_or_holds_a_secret(void **state)
{
	(void)state;
	assert_true(secret_in_home(""));
	assert_true(secret_in_home(".ssh"));
	assert_true(secret_in_home(".ssh/deep/in"));
	assert_true(secret_in_home(".config"));
	assert_true(secret_in_home(".cargo"));
	assert_false(secret_in_home(".cargo/registry"));
	assert_false(secret_in_home(".sshx"));
	assert_true(secret_home_holds(".config"));
	assert_true(secret_home_holds(".claude"));
	assert_false(secret_home_holds(".claude/local"));
	assert_true(secret_in_system("/etc"));
	assert_true(secret_in_system("/etc/ssl/private/x"));
	assert_false(secret_in_system("/srv/cache"));
}

static void variables_of_environments(void **state)
{
	(void)state;
	assert_true(tool_env_name("VIRTUAL_ENV", 11));
	assert_true(tool_env_name("CONDA_PREFIX", 12));
	assert_true(tool_env_name("JAVA_HOME=/x", 9));
	assert_false(tool_env_name("VIRTUAL_ENV_PROMPT", 18));
	assert_false(tool_env_name("HOME", 4));
	assert_false(tool_env_name("", 0));
}

static const char *base_of(const char *config, char room[64])
{
	size_t n = 0;
	const char *value = tool_env_base(config, &n);

	snprintf(room, 64, "%.*s", (int)n, value ? value : "");
	return value ? room : NULL;
}

static void base_of_a_virtual_environment(void **state)
{
	char room[64];

	(void)state;
	assert_string_equal(base_of("home = /usr/bin\nversion = 3\n", room), "/usr/bin");
	assert_string_equal(base_of("version = 3\r\n  home=/opt/py/bin \r\n", room), "/opt/py/bin");
	assert_null(base_of("homes = /x\nhome\nhome =\n", room));
	assert_null(base_of("", room));
}

static void identity_is_written_so_that_it_reads_the_same(void **state)
{
	static const char *const names[] = { "Ada L", "a\"b\\c", "# ; [core]", "tab\tand\nline", " blank " };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct git_identity who = { (char *)names[i], "a@b" };
		scoped(git_identity_finish) struct git_identity read = { 0 };
		scoped(buf_finish) struct buf text = { 0 };

		git_identity_write(&who, &text);
		assert_true(git_identity_read(buf_str(&text) ? text.data : "", &read));
		assert_string_equal(read.name, i == 3 ? "tabandline" : names[i]);
		assert_string_equal(read.email, "a@b");
	}
}

static void no_identity_is_no_text(void **state)
{
	scoped(buf_finish) struct buf text = { 0 };

	(void)state;
	git_identity_write(&(struct git_identity){ 0 }, &text);
	git_identity_write(&(struct git_identity){ "", "" }, &text);
	git_identity_write(&(struct git_identity){ "\n", "\001" }, &text);
	assert_int_equal(text.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_cache_is_or_holds_a_secret),
		cmocka_unit_test(each_cache_is_listed_once),
		cmocka_unit_test(what_is_a_cache),
		cmocka_unit_test(what_is_or_holds_a_secret),
		cmocka_unit_test(variables_of_environments),
		cmocka_unit_test(base_of_a_virtual_environment),
		cmocka_unit_test(identity_is_written_so_that_it_reads_the_same),
		cmocka_unit_test(no_identity_is_no_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
