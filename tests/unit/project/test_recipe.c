/* SPDX-License-Identifier: Apache-2.0 */
/* Recipes: what is read, what is refused and where; locks of every form. */
#include "project/recipe.h"
#include "support/test.h"

#define H64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void a_whole_recipe(void **state)
{
	static const char text[] = "name: tools\n"
				   "about: some tools\n"
				   "from: debian:12\n"
				   "profile: strict\n"
				   "caches: true\n"
				   "net: [python-packages, 'net:egress:example.org:443']\n"
				   "files: {a.txt: one, b.txt: ''}\n"
				   "lock: {kind: pip, file: req.txt, command: make it}\n"
				   "steps: [one, two]\n"
				   "checks: [three]\n";
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct recipe r = { 0 };

	(void)state;
	if (recipe_parse(text, strlen(text), "f.yaml", &r, &e) < 0)
		fail_msg("%s", e.text);
	assert_string_equal(r.name, "tools");
	assert_string_equal(r.from, "debian:12");
	assert_string_equal(r.profile, "strict");
	assert_true(r.caches);
	assert_int_equal(r.net.n, 2);
	assert_int_equal(r.files.n, 2);
	assert_string_equal(r.files.items[1], "b.txt");
	assert_string_equal(r.texts.items[0], "one");
	assert_string_equal(r.texts.items[1], "");
	assert_int_equal(r.kind, RECIPE_LOCK_PIP);
	assert_string_equal(r.lock_file, "req.txt");
	assert_string_equal(r.lock_command, "make it");
	assert_int_equal(r.steps.n, 2);
	assert_string_equal(r.checks.items[0], "three");
	recipe_finish(&r);
}

static void what_is_refused(void **state)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{ "", "needs 'name' and 'steps'" },
		{ "name: x\n", "steps" },
		{ "steps: [a]\n", "name" },
		{ "name: x\nsteps: []\n", "steps" },
		{ "name: ../x\nsteps: [a]\n", "f.yaml:1:7" },
		{ "name: x\nsteps: [a]\nstep: [a]\n", "f.yaml:3:1" },
		{ "name: x\nsteps: [a]\nnet: [python-packages]\n", "needs 'lock'" },
		{ "name: x\nsteps: [a]\nnet: [pythonpackages]\n", "f.yaml:3:7" },
		{ "name: x\nsteps: [a]\nnet: ['net:host:22']\n", "not for a recipe" },
		{ "name: x\nsteps: [a]\nnet: ['net:unix:/run/x.sock']\n", "not for a recipe" },
		{ "name: x\nsteps: [a]\nnet: ['net:agent:ssh']\n", "not for a recipe" },
		{ "name: x\nsteps: [a]\nfiles: {../a: b}\n", "f.yaml:3:9" },
		{ "name: x\nsteps: [a]\nfiles: {a/b: b}\n", "f.yaml:3:9" },
		{ "name: x\nsteps: [a]\nlock: {kind: pip, file: a}\n", "command" },
		{ "name: x\nsteps: [a]\nlock: {kind: apt, file: a, command: b}\n", "f.yaml:3:14" },
		{ "name: x\nsteps: [a]\nlock: {kind: go, file: a/b, command: b}\n", "f.yaml:3:24" },
		{ "name: x\nsteps: [a]\nfiles: {a: b}\nlock: {kind: go, file: a, command: b}\n",
		  "is the lock" },
		{ "name: x\nsteps: [{a: b}]\n", "f.yaml:2:9" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct recipe r = { 0 };

		assert_failed(recipe_parse(rows[i].text, strlen(rows[i].text), "f.yaml", &r, &e), EINVAL, e,
			      rows[i].words);
	}
}

static void locks(void **state)
{
	static const struct {
		enum recipe_lock_kind kind;
		const char *text;
		const char *words; /* NULL: it is one */
	} rows[] = {
		{ RECIPE_LOCK_PIP, "# x\n\na==1.0 --hash=sha256:" H64 "\n", NULL },
		{ RECIPE_LOCK_PIP, "a[b]==1.0+x \\\n  --hash=sha256:" H64 " \\\n  --hash=sha256:" H64, NULL },
		{ RECIPE_LOCK_PIP, "", "empty" },
		{ RECIPE_LOCK_PIP, "a==1.0\n", ":1: it has no hash" },
		{ RECIPE_LOCK_PIP, "a==1.0 --hash=sha256:" H64 "\nb>=1 --hash=sha256:" H64 "\n",
		  ":2: it is not" },
		{ RECIPE_LOCK_PIP, "--index-url https://x\n", "it is not" },
		{ RECIPE_LOCK_PIP, "--extra-index-url==https://x --hash=sha256:" H64 "\n", "it is not" },
		{ RECIPE_LOCK_PIP, "a @ https://x --hash=sha256:" H64 "\n", "it is not" },
		{ RECIPE_LOCK_PIP, "a==1 --hash=sha256:" H64 " --index-url x\n", "may follow" },
		{ RECIPE_LOCK_PIP, "a==1 --hash=md5:0123\n", "may follow" },
		{ RECIPE_LOCK_PIP, "-r other\n", "it is not" },
		{ RECIPE_LOCK_GO, "a v1 h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", NULL },
		{ RECIPE_LOCK_GO, "a v1 h1:short=\n", "it is not" },
		{ RECIPE_LOCK_GO, "a v1\n", "it is not" },
		{ RECIPE_LOCK_SHA256, H64 "  a/b\n" H64 " *c\n", NULL },
		{ RECIPE_LOCK_SHA256, H64 "  /etc/passwd\n", "elsewhere" },
		{ RECIPE_LOCK_SHA256, H64 "  a/../../b\n", "elsewhere" },
		{ RECIPE_LOCK_SHA256, "0123  a\n", "it is not" },
		{ RECIPE_LOCK_CARGO,
		  "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1\"\nsource = "
		  "\"registry+https://x\"\n"
		  "checksum = \"" H64 "\"\ndependencies = [\n \"b\",\n]\n\n[[package]]\nname = \"own\"\n",
		  NULL },
		{ RECIPE_LOCK_CARGO, "[[package]]\nname = \"a\"\nsource = \"registry+https://x\"",
		  "no checksum" },
		{ RECIPE_LOCK_CARGO, "[[package]]\nsource = \"git+https://x\"\n", "of a registry" },
		{ RECIPE_LOCK_CARGO, "[[package]]\n\"source\" = \"git+https://x\"\n", "does not write" },
		{ RECIPE_LOCK_CARGO, "[[package]]\nsource=\"git+https://x\"\n", "does not write" },
		{ RECIPE_LOCK_NPM,
		  "{\"packages\":{\"\":{},\"a\":{\"integrity\":\"sha512-x\",\"resolved\":\"https://x\"}}}",
		  NULL },
		{ RECIPE_LOCK_NPM, "{\"packages\":{\"a\":{\"resolved\":\"https://x\"}}}",
		  "'a' has no integrity" },
		{ RECIPE_LOCK_NPM, "{\"packages\":{\"a\":{\"integrity\":\"sha1-x\"}}}",
		  "'a' has no integrity" },
		{ RECIPE_LOCK_NPM,
		  "{\"packages\":{\"a\":{\"integrity\":\"sha512-x\",\"resolved\":\"git+ssh://x\"}}}",
		  "https" },
		{ RECIPE_LOCK_NPM, "{\"dependencies\":{}}", "package-lock" },
		{ RECIPE_LOCK_NPM, "not json", "package-lock" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		int r = recipe_lock_check(rows[i].kind, rows[i].text, strlen(rows[i].text), "f.lock", &e);

		if (rows[i].words)
			assert_failed(r, EINVAL, e, rows[i].words);
		else if (r < 0)
			fail_msg("%zu: %s", i, e.text);
	}
}

static void a_lock_with_a_nul_is_none(void **state)
{
	static const char text[] = "a==1 --hash=sha256:" H64 "\n\0--index-url x\n";
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_failed(recipe_lock_check(RECIPE_LOCK_PIP, text, sizeof(text) - 1, "f.lock", &e), EINVAL, e,
		      "no text");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_recipe),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(locks),
		cmocka_unit_test(a_lock_with_a_nul_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
