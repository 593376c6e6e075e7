/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a project with secrets: which they are, what is read of them, and what looks like a secret. */
#include "support/test.h"

#include "base/scope.h"
#include "policy/secret_file.h"

static void names(void **state)
{
	static const char *const yes[] = { ".env",
					   ".env.local",
					   ".env.production",
					   ".envrc",
					   ".npmrc",
					   ".pypirc",
					   ".netrc",
					   "credentials.json",
					   "service-account-prod.json",
					   "server.pem",
					   "tls.key",
					   "id_rsa",
					   "id_ed25519_work",
					   "secrets.yml",
					   "secrets.yaml",
					   "terraform.tfvars",
					   "x.auto.tfvars",
					   "local.settings.json",
					   "master.key",
					   "wp-config.php" };
	static const char *const no[] = { ".env.example",  ".env.sample",
					  ".env.template", ".env.local.example",
					  ".environment",  "env",
					  "README.md",     "id_rsa.pub",
					  "package.json",  "main.c",
					  "pem",           "key",
					  "a.keys",        "",
					  "secrets.md",    ".envoy" };

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		if (secret_file_kind(yes[i]) == SECRET_FILE_NONE)
			fail_msg("'%s' is not known", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		if (secret_file_kind(no[i]) != SECRET_FILE_NONE)
			fail_msg("'%s' is taken for one", no[i]);
	for (size_t i = 0; secret_file_paths[i]; i++)
		assert_int_not_equal(secret_file_kind(strrchr(secret_file_paths[i], '/') + 1),
				     SECRET_FILE_NONE);
	assert_true(secret_file_skips("node_modules") && secret_file_skips(".git") &&
		    !secret_file_skips("backend"));
}

/* What makes output unreadable when it is taken, and what must be taken. */
static void looks(void **state)
{
	static const struct {
		const char *name, *value;
		bool is;
	} cases[] = {
		{ "DEBUG", "true", false },
		{ "DB_PASSWORD", "test", false },
		{ "DB_PASSWORD", "postgres", false },
		{ "DB_PASSWORD", "development", false },
		{ "PASSWORD", "12345678", false },
		{ "PASSWORD", "changeme-please-1", false },
		{ "SECRET_KEY", "your-secret-key-123", false },
		{ "API_KEY", "${OTHER_KEY_1}", false },
		{ "API_KEY", "<your api key 1>", false },
		{ "API_KEY", "xxxxxxxxxxxxxxxx", false },
		{ "PRIVATE_KEY_PATH", "/etc/ssl/private/server1.pem", false },
		{ "SSL_KEY", "./certs/server-1.key", false },
		{ "AUTH_PROVIDER", "GoogleOAuth", false },
		{ "AUTH_MODE", "production-v2", false },
		{ "HOST", "db1.internal.example.org", false },
		{ "REGION", "us-east-1-production-cluster01", false },
		{ "GIT_SHA", "3f786850e387550fdab836ed7e6dc881de23001b", false },
		{ "TENANT", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", false },
		{ "IMAGE", "nginx@sha256:3f786850e387550fdab836ed7e6dc881de23001b3f786850e387550f", false },
		{ "URL", "https://example.org/a/b/c", false },
		{ "DATE", "2026-01-02T03:04:05Z", false },
		{ "PASSWORD", "short1!", false },
		{ "TITLE", "My application, a short description", false },
		{ "DB_PASSWORD", "hunter2-hunter2!", true },
		{ "DB_PASSWORD", "S3curePass", true },
		{ "JWT_SECRET", "mysecretkey123", true },
		{ "SECRET_KEY_BASE", "3f786850e387550fdab836ed7e6dc881de23001b", true },
		{ "ANYTHING", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", true },
		{ "STRIPE", "sk_live_51Hx9aBcDeFgHiJkLm", true },
		{ "X", "wJalrXUtnFEMI7K7MDENGbPxRfiCYzzzz9KEY", true },
		{ "PASSPHRASE", "correct horse battery staple", true },
		{ "API_KEY", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", true },
		{ "KEY", "-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (secret_value_looks(cases[i].name, cases[i].value, strlen(cases[i].value)) != cases[i].is)
			fail_msg("%s=%s: %s", cases[i].name, cases[i].value,
				 cases[i].is ? "missed" : "taken");
}

/* WANT: "NAME=VALUE|NAME=VALUE", in which "~" is a newline. */
static void check(enum secret_file kind, const char *text, const char *want)
{
	scoped(secret_values_finish) struct secret_values v = { 0 };
	char got[1024] = "";

	secret_file_read(kind, text, strlen(text), &v);
	assert_false(v.failed);
	for (size_t i = 0; i < v.n; i++) {
		size_t n = strlen(got);

		assert_int_equal(strlen(v.items[i].value), v.items[i].len);
		snprintf(got + n, sizeof(got) - n, "%s%s=%s", i ? "|" : "", v.items[i].name,
			 v.items[i].value);
	}
	for (char *c = got; *c; c++)
		*c = *c == '\n' ? '~' : *c;
	assert_string_equal(got, want);
}

static void dotenv(void **state)
{
	(void)state;
	check(SECRET_FILE_ENV, "A_TOKEN=k9Fj2LmQ8xVb\n#B_TOKEN=k9Fj2LmQ8xVc\n\nC=1\n",
	      "A_TOKEN=k9Fj2LmQ8xVb");
	check(SECRET_FILE_ENV, "export A_TOKEN = 'k9Fj2Lm#8xVb' # c\r\n", "A_TOKEN=k9Fj2Lm#8xVb");
	check(SECRET_FILE_ENV, "A_TOKEN=k9Fj2LmQ8xVb   # comment\r\n", "A_TOKEN=k9Fj2LmQ8xVb");
	check(SECRET_FILE_ENV, "A_TOKEN=\"k9Fj\\\"LmQ8xVb\"", "A_TOKEN=k9Fj\"LmQ8xVb");
	check(SECRET_FILE_ENV,
	      "K=\"-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\"\nA_TOKEN=k9Fj2LmQ8xVb",
	      "K=-----BEGIN PRIVATE KEY-----~MIIE~-----END PRIVATE KEY-----|A_TOKEN=k9Fj2LmQ8xVb");
	/* A quote without its other end is that of its line; so are lines that are no key. */
	check(SECRET_FILE_ENV, "PASSWORD='it is\nA_TOKEN=k9Fj2LmQ8xVb\n", "A_TOKEN=k9Fj2LmQ8xVb");
	check(SECRET_FILE_ENV, "PASSWORD=\"two\nlines of words\"\n", "");
	check(SECRET_FILE_ENV, "DATABASE_URL=postgres://app:Zx81kfPq0w@db:5432/app\n",
	      "DATABASE_URL=Zx81kfPq0w");
	check(SECRET_FILE_ENV, "DATABASE_URL=postgres://postgres:postgres@db/app\n", "");
	check(SECRET_FILE_ENV, "HOOK=https://hooks.example.org/services/T0/B0/aB3dE5gH7jK9mN1pQ\n",
	      "HOOK=aB3dE5gH7jK9mN1pQ");
	check(SECRET_FILE_ENV, "A_KEY=k9Fj2LmQ8xVb\nB_KEY=k9Fj2LmQ8xVb\n", "A_KEY=k9Fj2LmQ8xVb");
	check(SECRET_FILE_ENV, "=\n=x\nA\nA=\n'\n\"", "");
}

static void other_forms(void **state)
{
	(void)state;
	check(SECRET_FILE_INI,
	      "//registry.npmjs.org/:_authToken=npm_16C7e42F292c6912E771\nregistry=https://x.org/\n",
	      "_authToken=npm_16C7e42F292c6912E771");
	check(SECRET_FILE_INI, "[pypi]\nusername = __token__\npassword = pypi-AgEIcHlwaS5vcmcCJDU\n",
	      "password=pypi-AgEIcHlwaS5vcmcCJDU");
	check(SECRET_FILE_INI, "db_password = \"S3cure-Pass!\"\nregion = \"eu-central-1\"\n",
	      "db_password=S3cure-Pass!");
	check(SECRET_FILE_YAML,
	      "a:\n  db_password: 'S3cure-Pass!'\n  - token: k9Fj2LmQ8xVb # x\n  url: http://h:80/\n",
	      "db_password=S3cure-Pass!|-token=k9Fj2LmQ8xVb");
	check(SECRET_FILE_JSON,
	      "{\"type\": \"service_account\", \"a\": [{\"private_key\": \"-----BEGIN PRIVATE "
	      "KEY-----\\nMIIE\"}]}",
	      "private_key=-----BEGIN PRIVATE KEY-----~MIIE");
	check(SECRET_FILE_JSON, "{\"a\": ", "");
	check(SECRET_FILE_NETRC, "machine a.b login me password k9Fj2LmQ8xVb\npassword",
	      "password=k9Fj2LmQ8xVb");
	check(SECRET_FILE_PHP, "define( 'DB_PASSWORD', 'S3cure-Pass!' );\ndefine('WP_DEBUG', false);\n",
	      "DB_PASSWORD=S3cure-Pass!");
	check(SECRET_FILE_PEM,
	      "x\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
	      "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n",
	      "PRIVATE_KEY=-----BEGIN RSA PRIVATE KEY-----~MIIE~-----END RSA PRIVATE KEY-----");
	check(SECRET_FILE_WHOLE, "0123456789abcdef0123456789abcdef\n",
	      "SECRET_KEY=0123456789abcdef0123456789abcdef");
}

static void limits(void **state)
{
	scoped(secret_values_finish) struct secret_values v = { 0 };
	char *text = malloc(2 * SECRET_FILE_BYTES);
	size_t n = 0;

	(void)state;
	for (int i = 0; n < 2 * SECRET_FILE_BYTES - 64; i++)
		n += (size_t)sprintf(text + n, "K%d_TOKEN=k9Fj2LmQ8x%06d\n", i, i);
	secret_file_read(SECRET_FILE_ENV, text, n, &v);
	assert_int_equal(v.n, SECRET_FILE_VALUES);
	assert_true(v.more > 1000 && v.more < 3000);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),       cmocka_unit_test(looks),  cmocka_unit_test(dotenv),
		cmocka_unit_test(other_forms), cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
