/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of secrets: well-formed, and right about the names people really use. */
#include "support/test.h"

#include "base/path.h"
#include "policy/secret.h"

static void home_paths_are_clean(void **state)
{
	(void)state;
	for (const char *const *p = secret_home_paths; *p; p++) {
		char *full = path_join("/home/u", *p);

		if (!path_is_clean(full))
			fail_msg("'%s'", *p);
		for (const char *const *q = p + 1; *q; q++)
			if (!strcmp(*p, *q))
				fail_msg("'%s' is listed twice", *p);
		free(full);
	}
	for (const char *const *p = secret_system_paths; *p; p++)
		assert_true(path_is_clean(*p));
}

static void decoys_stand_in_for_real_secrets(void **state)
{
	(void)state;
	for (const char *const *d = decoy_paths; *d; d++) {
		bool found = false;

		for (const char *const *p = secret_home_paths; *p && !found; p++)
			found = !strncmp(*d, *p, strlen(*p));
		if (!found)
			fail_msg("the decoy '%s' hides nothing", *d);
	}
	assert_non_null(strstr(decoy_text, "decoy"));
}

static void secret_variables(void **state)
{
	static const char *const secret[] = { "GITHUB_TOKEN",   "AWS_SECRET_ACCESS_KEY",
					      "OPENAI_API_KEY", "PGPASSWORD",
					      "SSH_AUTH_SOCK",  "npm_config__authToken_token",
					      "DATABASE_URL",   "DBUS_SESSION_BUS_ADDRESS",
					      "KUBECONFIG",     "DISPLAY",
					      "SENTRY_DSN",     "REGISTRY_AUTH",
					      "GH_PAT" };
	static const char *const plain[] = { "PATH", "HOME", "LANG", "EDITOR", "CC", "PWD", "TERM", "A", "" };

	(void)state;
	for (size_t i = 0; i < sizeof(secret) / sizeof(*secret); i++)
		if (!secret_env_name(secret[i], strlen(secret[i])))
			fail_msg("'%s' passes", secret[i]);
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		assert_false(secret_env_name(plain[i], strlen(plain[i])));
	/* Only the name counts, not what follows it. */
	assert_false(secret_env_name("A=TOKEN", 1));
}

static void overlong_names_hide_nothing(void **state)
{
	char name[200];

	(void)state;
	snprintf(name, sizeof(name), "A%0149d_TOKEN", 0);
	/* A name this long that says TOKEN is a secret like any other. */
	assert_true(secret_env_name(name, 156));
	assert_false(minimal_env_name(name, 156));
}

static void minimal_variables(void **state)
{
	(void)state;
	assert_true(minimal_env_name("PATH", 4));
	assert_true(minimal_env_name("LC_ALL", 6));
	assert_false(minimal_env_name("PATHX", 5));
	assert_false(minimal_env_name("EDITOR", 6));
}

static void toolchains(void **state)
{
	const char *const *parts = toolchain_paths(".cargo/bin");

	(void)state;
	assert_non_null(parts);
	assert_string_equal(parts[0], ".cargo/bin");
	for (size_t i = 0; parts[i]; i++)
		assert_string_not_equal(parts[i], ".cargo/credentials.toml");
	assert_non_null(toolchain_paths(".pyenv/shims"));
	assert_non_null(toolchain_paths(".pyenv"));
	assert_null(toolchain_paths(".pyenvx/shims"));
	assert_null(toolchain_paths("bin"));
	assert_null(toolchain_paths(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(home_paths_are_clean), cmocka_unit_test(decoys_stand_in_for_real_secrets),
		cmocka_unit_test(secret_variables),     cmocka_unit_test(overlong_names_hide_nothing),
		cmocka_unit_test(minimal_variables),    cmocka_unit_test(toolchains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
