/* SPDX-License-Identifier: Apache-2.0 */
/* Presets follow the person's configuration: real files in a home and a project of the test's own. */
#include "support/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "box/net_presets.h"
#include "box/net_settings.h"

static char top[] = "/tmp/test-net-presets-XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	for (const char *at = name; (at = strchr(at, '/')); at++) {
		snprintf(path, sizeof(path), "%s/%.*s", top, (int)(at - name), name);
		mkdir(path, 0700);
	}
	snprintf(path, sizeof(path), "%s/%s", top, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* One file or one variable, and the rules that come of it, sorted. */
static const struct {
	const char *preset;
	const char *file, *text; /* of a variable: NULL, and "NAME=VALUE" */
	const char *rules[5];
} rows[] = {
	{ "python-packages",
	  "home/.config/pip/pip.conf",
	  "[global]\nindex-url = https://user:pass@pip.corp.example:8443/simple\nextra_index_url =\n"
	  "    https://a.corp.example/simple\n    # https://no.corp.example\n    "
	  "http://b.corp.example/simple\n"
	  "timeout = 5\ntrusted = https://no.corp.example\n",
	  { "net:egress:a.corp.example:443 private", "net:egress:b.corp.example:80 private",
	    "net:egress:pip.corp.example:8443 private" } },
	{ "python-packages",
	  "home/.pip/pip.conf",
	  "[install]\nfind-links = https://links.corp.example/x /srv/wheels\n",
	  { "net:egress:links.corp.example:443 private" } },
	{ "python-packages",
	  NULL,
	  "PIP_EXTRA_INDEX_URL=https://a.corp.example/s https://b.corp.example:99/s",
	  { "net:egress:a.corp.example:443 private", "net:egress:b.corp.example:99 private" } },
	{ "npm",
	  "home/.npmrc",
	  "registry=https://npm.corp.example/api/\n@team:registry = https://team.corp.example\n"
	  "//npm.corp.example/:_authToken=secret\n; registry=https://no.example\nproxy=http://no.example:1\n",
	  { "net:egress:npm.corp.example:443 private", "net:egress:team.corp.example:443 private" } },
	{ "npm",
	  "home/.npmrc",
	  "registry=https://npm.corp.example/\r\n",
	  { "net:egress:npm.corp.example:443 private" } },
	{ "npm", "home/project/.npmrc", "registry=https://npm.project.example/\n", { NULL } },
	{ "npm",
	  "home/.yarnrc.yml",
	  "nodeLinker: pnp\nnpmRegistryServer: \"https://yarn.corp.example\"\n",
	  { "net:egress:yarn.corp.example:443 private" } },
	{ "npm",
	  NULL,
	  "NPM_CONFIG_REGISTRY=https://npm.corp.example",
	  { "net:egress:npm.corp.example:443 private" } },
	{ "go",
	  "home/.config/go/env",
	  "GOPROXY=https://goproxy.corp.example|https://b.example,direct\nGOSUMDB=off\n",
	  { "net:egress:b.example:443 private", "net:egress:goproxy.corp.example:443 private" } },
	{ "go",
	  NULL,
	  "GOSUMDB=sum.corp.example+abc https://sums.example/x",
	  { "net:egress:sums.example:443 private" } },
	{ "go", NULL, "GOSUMDB=sum.golang.google.cn", { "net:egress:sum.golang.google.cn:443 private" } },
	{ "crates",
	  "home/.cargo/config.toml",
	  "[build]\ntarget = \"https://no.example\"\n[source.crates-io]\nreplace-with = "
	  "'mirror'\n[source.mirror]\n"
	  "registry = \"sparse+https://crates.corp.example/index/\" # as in "
	  "https://no.example\n[registries]\n"
	  "mine = { index = \"ssh://git@git.corp.example/index.git\" }\n[net]\nx = \"https://no.example\"\n",
	  { "net:egress:crates.corp.example:443 private", "net:egress:git.corp.example:22 private" } },
	{ "crates",
	  "home/.cargo/config",
	  "registries.mine.index = \"https://c.example/i\"\n",
	  { "net:egress:c.example:443 private" } },
	{ "crates",
	  NULL,
	  "CARGO_REGISTRIES_MINE_INDEX=sparse+https://c.example/",
	  { "net:egress:c.example:443 private" } },
	{ "maven",
	  "home/.m2/settings.xml",
	  "<settings><!-- <url>https://no.example</url> --><mirrors><mirror><id>m</id>\n<url>\n"
	  "https://maven.corp.example/m2</url></mirror></mirrors></settings>",
	  { "net:egress:maven.corp.example:443 private" } },
	/* Of the preset itself: not private. */
	{ "npm", NULL, "NPM_CONFIG_REGISTRY=https://registry.npmjs.org/", { NULL } },
	{ "npm",
	  NULL,
	  "NPM_CONFIG_REGISTRY=http://registry.npmjs.org:8080/",
	  { "net:egress:registry.npmjs.org:8080 private" } },
	/* The project's: an agent can write them. */
	{ "python-packages",
	  "home/project/pip.conf",
	  "[global]\nindex-url = https://no.example/simple\n",
	  { NULL } },
	/* What a rule cannot have, or only a person gives. */
	{ "npm", NULL, "NPM_CONFIG_REGISTRY=http://127.0.0.1:4873/", { NULL } },
	{ "npm", NULL, "NPM_CONFIG_REGISTRY=http://localhost:4873/", { NULL } },
	{ "npm", NULL, "NPM_CONFIG_REGISTRY=http://10.0.0.7:4873/", { NULL } },
	{ "npm", NULL, "NPM_CONFIG_REGISTRY=http://[fd00::1]:4873/", { NULL } },
	{ "npm", NULL, "NPM_CONFIG_REGISTRY=http://*:80/", { NULL } },
	{ "npm", NULL, "NPM_CONFIG_REGISTRY=http://a.example:*/", { NULL } },
	{ "npm", NULL, "NPM_CONFIG_REGISTRY=http://a.example:999999/", { NULL } },
	{ "npm", NULL, "NPM_CONFIG_REGISTRY=file:///srv/npm", { NULL } },
	{ "npm", NULL, "NPM_CONFIG_REGISTRY=://", { NULL } },
	{ "npm", NULL, "NPM_CONFIG_REGISTRY=https://", { NULL } },
	{ "npm", NULL, "PIP_INDEX_URL=https://a.example", { NULL } },
	{ "github", NULL, "NPM_CONFIG_REGISTRY=https://a.example", { NULL } },
};

static void hosts_are_found(void **state)
{
	char home[64], project[64], pip[96];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		scoped(strlist_finish) struct strlist base = { 0 }, rules = { 0 };
		struct aisbx_error e = AISBX_ERROR_INIT;
		const char *env[] = { home, pip, rows[i].file ? NULL : rows[i].text, NULL };
		struct caller by = { .env = env }, nobody = { .env = (const char *[]){ NULL } };
		size_t n = 0;

		snprintf(home, sizeof(home), "HOME=%s/home", top);
		snprintf(pip, sizeof(pip), "PIP_CONFIG_FILE=%s/home/project/pip.conf", top);
		snprintf(project, sizeof(project), "%s/home/project", top);
		if (rows[i].file)
			write_file(rows[i].file, rows[i].text);
		/* What this machine has in /etc is not what is asked. */
		assert_int_equal(net_preset_hosts(rows[i].preset, &nobody, NULL, &base, &e), 0);
		assert_int_equal(net_preset_hosts(rows[i].preset, &by, project, &rules, &e), 0);
		for (size_t k = 0; k < rules.n; k++) {
			if (strlist_has(&base, rules.items[k]))
				continue;
			if (n == 5 || !rows[i].rules[n] || strcmp(rules.items[k], rows[i].rules[n]) != 0)
				fail_msg("row %zu: '%s' instead of '%s'", i, rules.items[k],
					 n < 5 && rows[i].rules[n] ? rows[i].rules[n] : "nothing");
			n++;
		}
		if (n < 5 && rows[i].rules[n])
			fail_msg("row %zu: '%s' is missing", i, rows[i].rules[n]);
		if (rows[i].file) {
			write_file(rows[i].file, "");
		}
	}
}

/* The same, and what clients in the box are told by variables, sorted. */
static const struct {
	const char *preset;
	const char *file, *text;
	const char *settings[5];
} told[] = {
	{ "python-packages",
	  "home/.config/pip/pip.conf",
	  "[global]\nindex-url = https://user:pass@pip.corp.example:8443/simple\nextra_index_url =\n"
	  "    https://token@a.corp.example/simple\n    http://b.corp.example/simple\n"
	  "trusted-host = b.corp.example\nfind-links = /srv/wheels\ntimeout = 5\n",
	  { "PIP_EXTRA_INDEX_URL=https://a.corp.example/simple http://b.corp.example/simple",
	    "PIP_INDEX_URL=https://pip.corp.example:8443/simple", "PIP_TRUSTED_HOST=b.corp.example" } },
	{ "python-packages",
	  "home/.pip/pip.conf",
	  "[install]\nindex-url = https://a.example/s\n[install]\nindex-url=https://b.example/s\n",
	  { "PIP_INDEX_URL=https://b.example/s" } },
	{ "npm",
	  "home/.npmrc",
	  "registry=https://npm.corp.example/api/\n@team:registry = https://team.corp.example\r\n"
	  "//npm.corp.example/:_authToken=secret\n_password=secret\n",
	  { "npm_config_@team:registry=https://team.corp.example",
	    "npm_config_registry=https://npm.corp.example/api/" } },
	{ "npm", "home/.npmrc", "registry=https://${TOKEN}@npm.corp.example/\n", { NULL } },
	{ "npm", "home/.npmrc", "registry=https://npm.corp.example/?token=secret\n", { NULL } },
	{ "npm", "home/.npmrc", "registry=http://localhost:4873/\n", { NULL } },
	{ "npm", "home/.npmrc", "registry=http://a.example/\nregistry=http://u@127.0.0.1:4873/\n", { NULL } },
	{ "npm", "home/.npmrc", "registry=file:///srv/npm\n", { NULL } },
	{ "npm", "home/project/.npmrc", "registry=https://npm.project.example/\n", { NULL } },
	{ "npm",
	  "home/.yarnrc.yml",
	  "npmRegistryServer: \"https://yarn.corp.example\"\n",
	  { "YARN_NPM_REGISTRY_SERVER=https://yarn.corp.example" } },
	{ "npm",
	  NULL,
	  "NPM_CONFIG_REGISTRY=https://u:p@npm.corp.example",
	  { "NPM_CONFIG_REGISTRY=https://npm.corp.example" } },
	{ "go",
	  "home/.config/go/env",
	  "GOPROXY=https://u:p@goproxy.corp.example|https://t@b.example,direct\nGOSUMDB=off\n"
	  "GOPRIVATE=*.corp.example\nGOFLAGS=-x\n",
	  { "GOPRIVATE=*.corp.example", "GOPROXY=https://goproxy.corp.example|https://b.example,direct",
	    "GOSUMDB=off" } },
	{ "go",
	  NULL,
	  "GOSUMDB=sum.corp.example+abc https://sums.example/x",
	  { "GOSUMDB=sum.corp.example+abc https://sums.example/x" } },
	{ "go", NULL, "GONOSUMDB=corp.example", { "GONOSUMDB=corp.example" } },
	{ "crates",
	  "home/.cargo/config.toml",
	  "registries.top.index = 'https://u:p@t.example/i'\n[source.crates-io]\nreplace-with = 'mirror'\n"
	  "[registries.my-own]\nindex = \"sparse+https://crates.corp.example/index/\"\ntoken = \"secret\"\n"
	  "[registries]\nmine = { index = \"ssh://git@git.corp.example/i.git\", token = \"secret\" }\n"
	  "[net]\nindex = \"https://no.example\"\n",
	  { "CARGO_REGISTRIES_MINE_INDEX=ssh://git@git.corp.example/i.git",
	    "CARGO_REGISTRIES_MY_OWN_INDEX=sparse+https://crates.corp.example/index/",
	    "CARGO_REGISTRIES_TOP_INDEX=https://t.example/i" } },
	{ "maven", "home/.m2/settings.xml", "<url>https://maven.corp.example/m2</url>", { NULL } },
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void the_box_is_told(void **state)
{
	char home[64], project[64];

	(void)state;
	snprintf(home, sizeof(home), "HOME=%s/home", top);
	snprintf(project, sizeof(project), "%s/home/project", top);
	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
		scoped(strlist_finish) struct strlist settings = { 0 };
		struct aisbx_error e = AISBX_ERROR_INIT;
		const char *env[] = { home, told[i].file ? NULL : told[i].text, NULL };
		struct caller by = { .env = env };

		if (told[i].file)
			write_file(told[i].file, told[i].text);
		assert_int_equal(net_preset_settings(told[i].preset, &by, project, &settings, &e), 0);
		if (settings.n)
			qsort(settings.items, settings.n, sizeof(*settings.items), by_text);
		for (size_t k = 0; k < settings.n || told[i].settings[k]; k++) {
			const char *got = k < settings.n ? settings.items[k] : "nothing",
				   *want = told[i].settings[k] ? told[i].settings[k] : "nothing";

			if (strcmp(got, want) != 0)
				fail_msg("row %zu: '%s' instead of '%s'", i, got, want);
		}
		if (told[i].file)
			write_file(told[i].file, "");
	}
}

static void later_files_and_variables_win(void **state)
{
	scoped(strlist_finish) struct strlist settings = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	char home[64];
	const char *env[] = { home, "PIP_INDEX_URL=https://variable.example/s", NULL };
	struct caller by = { .env = env };

	(void)state;
	snprintf(home, sizeof(home), "HOME=%s/home", top);
	write_file("home/.pip/pip.conf", "[global]\nindex-url = https://old.example/s\nextra-index-url = "
					 "https://old.example/e\nfind-links = https://old.example/l\n");
	write_file("home/.config/pip/pip.conf",
		   "[global]\nindex-url = https://new.example/s\nextra-index-url =\n  "
		   "https://new.example/e\n");
	assert_int_equal(net_preset_settings("python-packages", &by, NULL, &settings, &e), 0);
	assert_int_equal(settings.n, 3);
	assert_true(strlist_has(&settings, "PIP_INDEX_URL=https://variable.example/s"));
	assert_true(strlist_has(&settings, "PIP_EXTRA_INDEX_URL=https://new.example/e"));
	assert_true(strlist_has(&settings, "PIP_FIND_LINKS=https://old.example/l"));
	write_file("home/.pip/pip.conf", "");
	write_file("home/.config/pip/pip.conf", "");
}

static void what_the_caller_says_counts(void **state)
{
	scoped(strlist_finish) struct strlist settings = { 0 };
	const char *env[] = { "GOPROXY=https://env.example", "NPM_CONFIG_REGISTRY=https://env.example",
			      NULL };
	struct caller by = { .env = env };
	struct run_spec spec = { .profile.env = ENV_ALL_BUT_SECRETS };
	struct strlist *set = &spec.command.set_env;

	(void)state;
	strlist_add(&settings, "GOPROXY=https://home.example");
	strlist_add(&settings, "npm_config_registry=https://home.example");
	strlist_add(&settings, "PIP_INDEX_URL=https://home.example");
	strlist_add(&settings, "GOSUMDB=off");
	strlist_add(set, "PIP_INDEX_URL=https://option.example");
	net_settings_tell(&settings, &by, &spec);
	assert_int_equal(set->n, 2);
	assert_true(strlist_has(set, "GOSUMDB=off"));
	spec.profile.env = ENV_MINIMAL; /* variables of the caller are not passed on */
	net_settings_tell(&settings, &by, &spec);
	assert_int_equal(set->n, 4);
	assert_true(strlist_has(set, "GOPROXY=https://home.example"));
	assert_true(strlist_has(set, "npm_config_registry=https://home.example"));
	strlist_finish(set);
}

static void odd_files_say_nothing(void **state)
{
	scoped(strlist_finish) struct strlist rules = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	char home[64], path[96];
	const char *env[] = { home, NULL };
	struct caller by = { .env = env };
	FILE *f;

	(void)state;
	snprintf(home, sizeof(home), "HOME=%s/odd", top);
	write_file("odd/x", "");
	snprintf(path, sizeof(path), "%s/odd/.npmrc", top);
	assert_int_equal(mkfifo(path, 0600), 0); /* nobody writes: it must not be waited for */
	assert_int_equal(net_preset_hosts("npm", &by, NULL, &rules, &e), 0);
	unlink(path);
	f = fopen(path, "w");
	assert_non_null(f);
	for (int i = 0; i < 20000; i++) /* more than is read */
		fprintf(f, "@s%d:registry=https://r%d.example/\n", i, i);
	fclose(f);
	assert_int_equal(net_preset_hosts("npm", &by, NULL, &rules, &e), 0);
	assert_false(strlist_has(&rules, "net:egress:r0.example:443 private"));
	f = fopen(path, "w");
	assert_non_null(f);
	for (int i = 0; i < 1000; i++)
		fprintf(f, "@s%d:registry=https://r%d.example/\n", i, i);
	fclose(f);
	assert_int_equal(net_preset_hosts("npm", &by, NULL, &rules, &e), 0);
	assert_true(strlist_has(&rules, "net:egress:r0.example:443 private"));
	assert_true(rules.n <= 64);
}

static int make_top(void **state)
{
	(void)state;
	return mkdtemp(top) ? 0 : -1;
}

static int drop_top(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_are_found),
		cmocka_unit_test(the_box_is_told),
		cmocka_unit_test(later_files_and_variables_win),
		cmocka_unit_test(what_the_caller_says_counts),
		cmocka_unit_test(odd_files_say_nothing),
	};

	return cmocka_run_group_tests(tests, make_top, drop_top);
}
