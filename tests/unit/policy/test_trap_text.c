/* SPDX-License-Identifier: Apache-2.0 */
/* Files of which the content decides: what runs by itself is found however it is written, and nothing else
 * is. */
#include "support/test.h"

#include "policy/trap.h"

static const char before[] = "{\n  \"name\": \"x\",\n  \"scripts\": {\n    \"postinstall\": \"make\",\n    "
			     "\"test\": \"t\"\n  }\n}\n";
static const char other[] = "{\n  \"name\": \"x\",\n  \"scripts\": {\n    \"postinstall\": \"curl\",\n    "
			    "\"test\": \"t\"\n  }\n}\n";
static const char harmless[] = "{\n  \"name\": \"y\",\n  \"scripts\": {\n    \"postinstall\": \"make\",\n    "
			       "\"test\": \"u\"\n  }\n}\n";
static const char without[] = "{\n  \"name\": \"x\",\n  \"scripts\": {\n    \"test\": \"t\"\n  }\n}\n";

static void test_package_scripts(void **state)
{
	(void)state;
	assert_string_equal(trap_of_text("package.json", NULL, before)->kind, "lifecycle"); /* new file */
	assert_string_equal(trap_of_text("package.json", without, before)->kind, "lifecycle");
	assert_string_equal(trap_of_text("a/b/package.json", before, other)->kind, "lifecycle");
	assert_string_equal(trap_of_text("Package.JSON", before, other)->kind, "lifecycle");
	assert_null(trap_of_text("package.json", before, before));
	assert_null(trap_of_text("package.json", before, harmless)); /* only what runs by itself counts */
	assert_null(trap_of_text("package.json", before, without));  /* taken away */
	assert_null(trap_of_text("package.json", NULL, without));
	assert_null(trap_of_text("package.json", NULL, ""));
	assert_string_equal(trap_of_text("package.json", before, NULL)->kind,
			    "lifecycle"); /* too large to look at */
	assert_null(trap_of_text("package.json5", NULL, before));
	assert_null(trap_of_text("xpackage.json", NULL, before));
	assert_null(trap_of_text("package.json/x", NULL, before));
	assert_null(trap_of_text("package-lock.json", NULL, before));
}

static void test_every_script_that_runs_by_itself(void **state)
{
	static const char *const scripts[] = { "preinstall",  "install", "postinstall",
					       "prepublish",  "prepare", "preprepare",
					       "postprepare", "prepack", "postpack" };
	static const char *const asked_for[] = { "test",      "build",    "start",   "lint",
						 "reinstall", "installs", "preparex" };
	char text[128], old[128];

	(void)state;
	for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++) {
		snprintf(text, sizeof(text), "{\"scripts\":{\"%s\":\"x\"}}", scripts[i]);
		snprintf(old, sizeof(old), "{\"scripts\":{\"%s\":\"y\"}}", scripts[i]);
		assert_non_null(trap_of_text("package.json", NULL, text));
		assert_non_null(trap_of_text("package.json", old, text));
		assert_null(trap_of_text("package.json", text, text));
	}
	for (size_t i = 0; i < sizeof(asked_for) / sizeof(*asked_for); i++) {
		snprintf(text, sizeof(text), "{\"scripts\":{\"%s\":\"x\"}}", asked_for[i]);
		assert_null(trap_of_text("package.json", NULL, text));
	}
}

/* A change that a look at one line does not show. */
static void test_scripts_written_otherwise(void **state)
{
	(void)state;
	/* The value on the next line. */
	assert_non_null(trap_of_text("package.json", "{\"scripts\":{\"install\":\n\"make\"}}",
				     "{\"scripts\":{\"install\":\n\"curl\"}}"));
	/* The name stands there before, as something else: the first that is found is not the script. */
	assert_non_null(trap_of_text("package.json",
				     "{\"keywords\":[\"install\"],\n\"scripts\":{\"install\":\"make\"}}",
				     "{\"keywords\":[\"install\"],\n\"scripts\":{\"install\":\"curl\"}}"));
	/* Twice: the last counts. */
	assert_non_null(trap_of_text("package.json", "{\"scripts\":{\n\"install\":\"make\"\n}}",
				     "{\"scripts\":{\n\"install\":\"make\",\n\"install\":\"curl\"\n}}"));
	/* The name with an escape in it. */
	assert_non_null(trap_of_text("package.json", "{\"scripts\":{}}",
				     "{\"scripts\":{\"in\\u0073tall\":\"curl\"}}"));
}

/* What npm may read and we cannot is shown; what nobody can read as scripts is not. */
static void test_packages_that_are_odd(void **state)
{
	(void)state;
	assert_non_null(
		trap_of_text("package.json", NULL,
			     "\xef\xbb\xbf{\"scripts\":{\"install\":\"x\"}}")); /* npm passes over it */
	assert_null(trap_of_text("package.json", NULL, "\xef\xbb\xbf{\"scripts\":{\"test\":\"x\"}}"));
	assert_non_null(trap_of_text("package.json", NULL, "{\"scripts\":{\"install\":\"x\"},}"));
	assert_non_null(trap_of_text("package.json", NULL, "{ // comment\n\"scripts\":{\"install\":\"x\"}}"));
	assert_non_null(trap_of_text("package.json", NULL, "{\"\xff\":1,\"scripts\":{\"install\":\"x\"}}"));
	assert_non_null(
		trap_of_text("package.json", NULL, "{\"a\":\"\\u0000\",\"scripts\":{\"install\":\"x\"}}"));
	assert_non_null(trap_of_text("package.json", NULL, "{\"a\":1e999,\"scripts\":{\"install\":\"x\"}}"));
	assert_non_null(trap_of_text("package.json", "{",
				     "{\"scripts\":{\"install\":\"x\"}}")); /* the old one was no better */
	assert_null(trap_of_text("package.json", "{", "{\"scripts\":{}}"));
	assert_null(trap_of_text("package.json", NULL, "{\"scripts\":[\"install\"]}"));
	assert_null(trap_of_text("package.json", NULL, "{\"scripts\":null}"));
	assert_null(trap_of_text("package.json", NULL, "[]"));
	assert_null(trap_of_text("package.json", NULL, " \n\t"));
	assert_null(trap_of_text("package.json", NULL,
				 "{\"config\":{\"scripts\":{\"install\":\"x\"}}}")); /* of something else */
	/* Only spaces and the order of things. */
	assert_null(trap_of_text("package.json", "{\"scripts\":{\"install\":\"x\",\"test\":\"t\"}}",
				 "{\n \"scripts\" : {\"test\":\"t\",\n\"install\":  \"x\"}}"));
}

static void is(const char *path, const char *old, const char *text, bool trap)
{
	const struct trap *t = trap_of_text(path, old, text);

	if (!t != !trap)
		fail_msg("%s of %s: %s", text, path, t ? t->why : "no trap");
}

static void test_toml(void **state)
{
	static const char plain[] = "\xef\xbb\xbf# c\n[project]\nname = \"x\" # c\r\ndependencies = [\n  "
				    "'a>=1', # c\n  \"b\",\n]\n"
				    "[tool.ruff]\nline-length = 100\n[tool.ruff.lint]\nselect=[ 'E', "
				    "]\n[[tool.x]]\na = { b = 1, c = '''d''' }\n";

	(void)state;
	is("pyproject.toml", NULL, plain, false);
	is("pyproject.toml", NULL, "", false);
	is("pyproject.toml", NULL, "build-system.requires = ['x']\n", true);
	is("pyproject.toml", NULL, "[build-system]\nrequires = [\n'x']\n", true);
	is("pyproject.toml", NULL, "[ \"build-system\" ]\n'requires' = []\n", true);
	is("pyproject.toml", NULL, "build-system = { requires = [] }\n", true);
	is("pyproject.toml", NULL, "x = \"\"\"\n[tool.a]\n\"\"\"\n[tool.mypy]\nplugins = 'x'\n",
	   true); /* a header in a text is none */
	is("pyproject.toml", NULL, "[build-system]\nx = '''\n[tool.a]\n'''\nrequires = []\n", true);
	is("pyproject.toml", "[build-system]\nrequires = ['a']\n",
	   "[build-system]\nrequires = [ 'a' ] # the same\n", false);
	is("pyproject.toml", "[build-system]\nrequires = ['a']\n", "[build-system]\nrequires = ['b']\n",
	   true);
	is("pyproject.toml", NULL, "[tool.poetry]\nname = 'x'\n[tool.poetry.dependencies]\na = '^1'\n",
	   false);
	is("pyproject.toml", NULL, "[project]\ndependencies = ['a @ git+ssh://x/y']\n", true);
	is("Cargo.toml", NULL,
	   "[package]\nname = 'x'\nedition = \"2021\"\n[dependencies]\nserde = { version = '1' }\n", false);
	is("Cargo.toml", NULL, "[package]\nbuild = 'x.rs'\n", true);
	is("Cargo.toml", NULL, "package.build = 'x.rs'\n", true);
	is("Cargo.toml", NULL, "[lib]\nproc-macro = true\n", true);
	is("Cargo.toml", NULL, "[dependencies]\nx = { git = 'y' }\n", true);
	is("Cargo.toml", NULL, "[dependencies.x]\ngit = 'y'\n", true);
}

/* What is not understood is never passed over. */
static void test_toml_that_is_odd(void **state)
{
	static const char *const odd[] = {
		"[a",
		"a",
		"a =",
		"a = [",
		"a = {",
		"a = 'x",
		"a = \"x\ny\"",
		"a = 1 b = 2",
		"[a] b = 1",
		"= 1",
		"a = '''x",
		"[[a]",
		"a.= 1",
		"[a]]",
		"a = {b = 1 c = 2}",
		"a = 1\na.b = 2",
		"\"\\u0062uild-system\" = 1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
		is("pyproject.toml", NULL, odd[i], true);
}

static void test_json_with_comments(void **state)
{
	(void)state;
	is("tsconfig.json", NULL, "{ // \"plugins\"\n \"compilerOptions\": { /* x */ \"strict\": true, }, }",
	   false);
	/* There the comment ends. */
	is("tsconfig.json", NULL, "{ // x\xe2\x80\xa8\"compilerOptions\": {\"plugins\": [1]}\n}", true);
	is("tsconfig.json", NULL,
	   "{\"a\": \"// \\\"\", \"compilerOptions\": {\"plugins\": [{\"name\": \"x\"}]}}", true);
	is("tsconfig.base.json", NULL, "{\"extends\": \"./evil.json\"}", true);
	is("tsconfig.base.json", NULL, "{\"extends\": \"../tsconfig.json\"}", false);
	is("tsconfig.json", NULL, "{plugins: 1}", true);
}

static void test_other_keys(void **state)
{
	(void)state;
	is("package.json", NULL,
	   "{\"dependencies\": {\"a\": \"^1.0.0\", \"b\": \"npm:c@1\", \"d\": \"workspace:*\"}}", false);
	is("package.json", NULL, "{\"dependencies\": {\"a\": \"file:x\"}}", true);
	is("package.json", NULL, "{\"devDependencies\": {\"a\": \"me/repository\"}}", true);
	is("package.json", NULL, "{\"prettier\": \"./x.js\"}", true);
	is("package.json", NULL, "{\"packageManager\": \"yarn@4\"}", true);
	is("composer.json", NULL, "{\"require\": {\"php\": \"^8\"}, \"scripts\": {\"test\": \"x\"}}", false);
	is("composer.json", NULL, "{\"scripts\": {\"post-install-cmd\": \"x\"}}", true);
	is("composer.json", NULL, "{\"autoload\": {\"files\": [\"x.php\"]}}", true);
	is("deno.json", NULL, "{\"imports\": {\"a\": \"jsr:a\"}}", false);
	is("deno.jsonc", NULL, "{\"lint\": {\"plugins\": [\"./x.ts\"]}}", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_package_scripts),
		cmocka_unit_test(test_every_script_that_runs_by_itself),
		cmocka_unit_test(test_scripts_written_otherwise),
		cmocka_unit_test(test_packages_that_are_odd),
		cmocka_unit_test(test_toml),
		cmocka_unit_test(test_toml_that_is_odd),
		cmocka_unit_test(test_json_with_comments),
		cmocka_unit_test(test_other_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
