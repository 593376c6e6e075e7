/* SPDX-License-Identifier: Apache-2.0 */
/* From file names and texts to commands: many layouts of projects, each with the command of every intent. */
#include "support/test.h"

#include "base/buf.h"
#include "base/scope.h"
#include "project/intent.h"
#include "project/project.h"

#define MAX_FILES 10

static const struct layout {
	const char *name;
	const char *files[MAX_FILES][2]; /* path, text */
	const char *want;                /* "intent: command" of each that is found, in order, a line each */
} layouts[] = {
	{ "nothing", { { "README.md", "" } }, "" },
	{ "pytest.ini", { { "pytest.ini", "" } }, "test: python3 -m pytest\n" },
	{ "conftest", { { "conftest.py", "" } }, "test: python3 -m pytest\n" },
	{ "pyproject with pytest",
	  { { "pyproject.toml", "[tool.pytest.ini_options]\n" } },
	  "test: python3 -m pytest\n" },
	{ "pyproject that depends on pytest",
	  { { "pyproject.toml", "[project]\noptional-dependencies.dev = ['pytest']\n" } },
	  "test: python3 -m pytest\n" },
	{ "a section that only begins alike",
	  { { "pyproject.toml", "[tool.pytester]\n" }, { "tests/x", "" } },
	  "test: python3 -m pytest\n" }, /* for it speaks of pytest */
	{ "no section but a text", { { "pyproject.toml", "x = '[tool.black]'\n" } }, "" },
	{ "setup.cfg",
	  { { "setup.cfg", "[metadata]\n[tool:pytest]\n[flake8]\n" } },
	  "test: python3 -m pytest\nlint: python3 -m flake8\n" },
	{ "tox with pytest", { { "tox.ini", "[tox]\n[testenv]\n[pytest]\n" } }, "test: python3 -m pytest\n" },
	{ "tox alone", { { "tox.ini", "[tox]\n[testenv]\ncommands = x\n" } }, "test: tox\n" },
	{ "nox", { { "noxfile.py", "" } }, "test: nox\n" },
	{ "unittest",
	  { { "setup.py", "" }, { "tests/test_a.py", "" } },
	  "test: python3 -m unittest discover -s tests -t .\nbuild: python3 -m pip wheel --no-deps "
	  "--no-build-isolation -w dist .\n" },
	{ "test files alone",
	  { { "test_a.py", "" }, { "a.py", "" } },
	  "test: python3 -m unittest discover -p *test*.py\n" },
	{ "requirements",
	  { { "requirements.txt", "flask\n" }, { "requirements-dev.txt", "pytest==8\n" }, { "app.py", "" } },
	  "run: python3 app.py\ntest: python3 -m pytest\n" },
	{ "django",
	  { { "manage.py", "import django" } },
	  "run: python3 manage.py runserver\ntest: python3 manage.py test\n" },
	{ "venv",
	  { { "pytest.ini", "" }, { ".venv/bin/python", "" } },
	  "test: .venv/bin/python -m pytest\n" },
	{ "uv",
	  { { "pyproject.toml", "[build-system]\n[tool.ruff]\n[tool.pytest]\n" }, { "uv.lock", "" } },
	  "test: uv run python -m pytest\nbuild: uv run python -m pip wheel --no-deps --no-build-isolation "
	  "-w dist .\n"
	  "format: uv run ruff format .\nlint: uv run ruff check .\n" },
	{ "poetry and black",
	  { { "pyproject.toml", "[tool.black]\n[tool.ruff.lint]\n" }, { "poetry.lock", "" } },
	  "format: poetry run black .\nlint: poetry run ruff check .\n" },
	{ "a tool of the venv",
	  { { "ruff.toml", "" }, { ".venv/bin/ruff", "" } },
	  "format: .venv/bin/ruff format .\nlint: .venv/bin/ruff check .\n" },
	{ "mypy", { { "mypy.ini", "" } }, "lint: python3 -m mypy .\n" },
	{ "benchmarks of pytest",
	  { { "requirements.txt", "pytest-benchmark\n" } },
	  "test: python3 -m pytest\nbench: python3 -m pytest --benchmark-only\n" },
	{ "npm scripts",
	  { { "package.json", "{\"scripts\":{\"test\":\"node --test\",\"start\":\"node "
			      ".\",\"build\":\"tsc\",\"lint\":\"x\",\"format\":\"y\",\"bench\":\"z\"}}" } },
	  "run: npm run start\ntest: npm run test\nbuild: npm run build\nformat: npm run format\nlint: npm "
	  "run lint\nbench: npm run bench\n" },
	{ "pnpm",
	  { { "package.json", "{\"scripts\":{\"test\":\"x\"}}" }, { "pnpm-lock.yaml", "" } },
	  "test: pnpm run test\n" },
	{ "yarn",
	  { { "package.json", "{\"scripts\":{\"test\":\"x\"}}" }, { "yarn.lock", "" } },
	  "test: yarn run test\n" },
	{ "bun",
	  { { "package.json", "{\"scripts\":{\"dev\":\"x\"}}" }, { "bun.lockb", "" } },
	  "run: bun run dev\n" },
	{ "packageManager before a lock",
	  { { "package.json", "{\"packageManager\":\"pnpm@9.1.0\",\"scripts\":{\"test\":\"x\"}}" },
	    { "yarn.lock", "" } },
	  "test: pnpm run test\n" },
	{ "what npm init writes",
	  { { "package.json", "{\"main\":\"x.js\",\"scripts\":{\"test\":\"echo \\\"Error: no test "
			      "specified\\\" && exit 1\"}}" } },
	  "run: node .\n" },
	{ "node without scripts",
	  { { "package.json", "{}" }, { "test/a.js", "" }, { "index.js", "" } },
	  "run: node .\ntest: node --test\n" },
	{ "vitest and friends",
	  { { "package.json",
	      "{\"devDependencies\":{\"vitest\":\"1\",\"eslint\":\"9\",\"prettier\":\"3\"}}" },
	    { "tsconfig.json", "" } },
	  "test: npx --no-install vitest run\nbuild: npx --no-install tsc -p .\nformat: npx --no-install "
	  "prettier --write .\nlint: npx --no-install eslint .\n" },
	{ "jest by pnpm",
	  { { "package.json", "{\"devDependencies\":{\"jest\":\"29\"}}" }, { "pnpm-lock.yaml", "" } },
	  "test: pnpm exec jest\n" },
	{ "no JSON", { { "package.json", "{\"scripts\": {\"test\": " } }, "" },
	{ "scripts that are none", { { "package.json", "{\"scripts\":[\"test\"]}" } }, "" },
	{ "a script whose name is no word",
	  { { "package.json", "{\"scripts\":{\"test; rm -rf /\":\"x\",\"--help\":\"y\"}}" } },
	  "" },
	{ "deno tasks",
	  { { "deno.jsonc", "{ // mine\n \"tasks\": {\"test\": \"deno test -A\", /* b */ \"dev\": "
			    "{\"command\": \"x\"},},\n}" },
	    { "main.ts", "" } },
	  "run: deno task dev\ntest: deno task test\nformat: deno fmt\nlint: deno lint\nbench: deno "
	  "bench\n" },
	{ "deno alone",
	  { { "deno.json", "{}" }, { "main.ts", "" } },
	  "run: deno run main.ts\ntest: deno test\nformat: deno fmt\nlint: deno lint\nbench: deno bench\n" },
	{ "cargo library",
	  { { "Cargo.toml", "[package]\n" }, { "src/lib.rs", "" } },
	  "test: cargo test\nbuild: cargo build\nformat: cargo fmt\nlint: cargo clippy\n" },
	{ "cargo program with benches",
	  { { "Cargo.toml", "[package]\n" }, { "src/main.rs", "" }, { "benches/a.rs", "" } },
	  "run: cargo run\ntest: cargo test\nbuild: cargo build\nformat: cargo fmt\nlint: cargo "
	  "clippy\nbench: cargo bench\n" },
	{ "go",
	  { { "go.mod", "module x\n" }, { "main.go", "" } },
	  "run: go run .\ntest: go test -v ./...\nbuild: go build ./...\nformat: gofmt -l -w .\nlint: go vet "
	  "./...\nbench: go test -run ^$ -bench . ./...\n" },
	{ "meson",
	  { { "meson.build", "project('x')\n" } },
	  "test: sh -c { [ -f build/build.ninja ] || meson setup build; } && meson test -C build "
	  "--print-errorlogs \"$@\" sh\n"
	  "build: sh -c { [ -f build/build.ninja ] || meson setup build; } && ninja -C build \"$@\" sh\n" },
	{ "cmake",
	  { { "CMakeLists.txt", "project(x)\nenable_testing()\n" } },
	  "test: sh -c { [ -f build/CMakeCache.txt ] || cmake -S . -B build; } && cmake --build build && "
	  "ctest --test-dir build --output-on-failure \"$@\" sh\n"
	  "build: sh -c { [ -f build/CMakeCache.txt ] || cmake -S . -B build; } && cmake --build build "
	  "\"$@\" sh\n" },
	{ "cmake without tests",
	  { { "CMakeLists.txt", "project(x)\n" } },
	  "build: sh -c { [ -f build/CMakeCache.txt ] || cmake -S . -B build; } && cmake --build build "
	  "\"$@\" sh\n" },
	{ "configure",
	  { { "configure", "" }, { "Makefile.in", "" } },
	  "test: sh -c { [ -f Makefile ] || ./configure; } && make check \"$@\" sh\nbuild: sh -c { [ -f "
	  "Makefile ] || ./configure; } && make \"$@\" sh\n" },
	{ "make",
	  { { "Makefile", "CC := gcc\nx = a:b\n.PHONY: all test\nall: prog\nprog: x.c\n\tcc -o $@ x.c\ntest: "
			  "prog\n\t./prog\nfmt lint:\n\ttrue\n" } },
	  "test: make test\nbuild: make all\nformat: make fmt\nlint: make lint\n" },
	{ "make whose first target builds",
	  { { "Makefile", "prog: x.c\n\tcc x.c\ncheck:\n\t./prog\n" } },
	  "test: make check\nbuild: make\n" },
	{ "make whose first target helps",
	  { { "Makefile", "help:\n\techo\nrun:\n\t./x\n" } },
	  "run: make run\n" },
	{ "recipes are no targets",
	  { { "Makefile", "a:\n\techo test: x\ndefine T\nbuild: x\nendef\nV = \\\nlint: y\n" } },
	  "build: make\n" },
	{ "written by cmake",
	  { { "Makefile", "# CMAKE generated file: DO NOT EDIT!\ntest:\n" }, { "CMakeLists.txt", "" } },
	  "build: sh -c { [ -f build/CMakeCache.txt ] || cmake -S . -B build; } && cmake --build build "
	  "\"$@\" sh\n" },
	{ "GNUmakefile before Makefile",
	  { { "Makefile", "test:\n" }, { "GNUmakefile", "check:\n" } },
	  "test: make check\n" },
	{ "just",
	  { { "justfile", "set shell := ['sh']\nv := 'test: x'\n\n# it\n@test arg='1' *rest: build\n  cargo "
			  "test\nbuild:\n  x\nalias t := test\n[private]\nfmt:\n" } },
	  "test: just test\nbuild: just build\nformat: just fmt\n" },
	{ "just before make before cargo",
	  { { "justfile", "test:\n" }, { "Makefile", "test:\nlint:\n" }, { "Cargo.toml", "" } },
	  "test: just test\nbuild: cargo build\nformat: cargo fmt\nlint: make lint\n" },
	{ "gradle wrapper",
	  { { "build.gradle.kts", "plugins { application }\n" }, { "gradlew", "" } },
	  "run: ./gradlew --no-daemon run\ntest: ./gradlew --no-daemon test\nbuild: ./gradlew --no-daemon "
	  "assemble\n" },
	{ "gradle",
	  { { "build.gradle", "" } },
	  "test: gradle --no-daemon test\nbuild: gradle --no-daemon assemble\n" },
	{ "maven",
	  { { "pom.xml", "<project/>" } },
	  "test: mvn -B test\nbuild: mvn -B -DskipTests package\n" },
	{ "maven wrapper",
	  { { "pom.xml", "spring-boot-maven-plugin" }, { "mvnw", "" } },
	  "run: ./mvnw -B spring-boot:run\ntest: ./mvnw -B test\nbuild: ./mvnw -B -DskipTests package\n" },
	{ "dotnet",
	  { { "My.csproj", "" } },
	  "run: dotnet run\ntest: dotnet test --nologo\nbuild: dotnet build --nologo\nformat: dotnet "
	  "format\n" },
	{ "a name nobody can read", { { "a\xff.csproj", "" }, { "b c.sln", "" } }, "" },
	{ "composer",
	  { { "composer.json", "{\"scripts\":{\"test\":[\"phpunit\"]}}" } },
	  "test: composer run-script test\n" },
	{ "elixir", { { "mix.exs", "" } }, "test: mix test\nbuild: mix compile\nformat: mix format\n" },
	{ "zig",
	  { { "build.zig", "b.step(\"run\", \"x\")" } },
	  "run: zig build run\ntest: zig build test\nbuild: zig build\nformat: zig fmt .\n" },
	{ "rspec", { { "Gemfile", "" }, { "spec/a_spec.rb", "" } }, "test: bundle exec rspec\n" },
};

static bool has(void *ctx, const char *path)
{
	const struct layout *l = ctx;
	size_t n = strlen(path);

	for (size_t i = 0; i < MAX_FILES && l->files[i][0]; i++)
		if (!strncmp(l->files[i][0], path, n) && (!l->files[i][0][n] || l->files[i][0][n] == '/'))
			return true;
	return false;
}

static const char *text(void *ctx, const char *name)
{
	const struct layout *l = ctx;

	for (size_t i = 0; i < MAX_FILES && l->files[i][0]; i++)
		if (!strcmp(l->files[i][0], name))
			return l->files[i][1];
	return NULL;
}

static void names_of(const struct layout *l, struct strlist *ret)
{
	for (size_t i = 0; i < MAX_FILES && l->files[i][0]; i++)
		strlist_addf(ret, "%.*s", (int)strcspn(l->files[i][0], "/"), l->files[i][0]);
}

static void find(const struct layout *l, const struct project *p, struct intent_list *ret)
{
	struct strlist names = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct intent_source src = { .names = &names, .has = has, .text = text, .ctx = (void *)l };

	names_of(l, &names);
	*ret = (struct intent_list){ 0 };
	if (intent_find(&src, p, ret, &e) < 0)
		fail_msg("%s: %s", l->name, e.text);
	strlist_finish(&names);
}

static void tell(const struct intent_list *found, struct buf *ret)
{
	for (enum intent i = 0; i < INTENT_COUNT; i++) {
		const struct intent_way *w = intent_best(found, i);

		if (!w)
			continue;
		buf_addf(ret, "%s:", intent_names[i]);
		for (size_t k = 0; k < w->argv.n; k++)
			buf_addf(ret, " %s", w->argv.items[k]);
		buf_addf(ret, "\n");
		if (!w->found_in || !*w->found_in || !w->why || !*w->why)
			fail_msg("nobody says why");
	}
}

static void all_layouts(void **state)
{
	(void)state;
	assert_true(sizeof(layouts) / sizeof(*layouts) > 40);
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		scoped(buf_finish) struct buf got = { 0 };
		struct intent_list found;

		find(&layouts[i], NULL, &found);
		tell(&found, &got);
		if (strcmp(buf_str(&got), layouts[i].want) != 0)
			fail_msg("%s:\n%swanted:\n%s", layouts[i].name, got.data, layouts[i].want);
		intent_list_finish(&found);
	}
}

static void no_command_is_there_twice(void **state)
{
	static const struct layout l = {
		"two reasons",
		{ { "pytest.ini", "" }, { "conftest.py", "" }, { "tox.ini", "[pytest]\n" } },
		""
	};
	struct intent_list found;

	(void)state;
	find(&l, NULL, &found);
	assert_int_equal(found.n, 1);
	intent_list_finish(&found);
}

static void the_project_file_comes_first(void **state)
{
	static const char yaml[] = "intents:\n  test: pytest -q\n  lint: [ruff, check]\n"
				   "  bench: {command: ./b, cwd: tools/b, env: {A: 1}, timeout: 2m}\n";
	static const struct layout l = { "both", { { "Makefile", "test:\nbuild:\n" } }, "" };
	struct aisbx_error e = AISBX_ERROR_INIT;
	scoped(strlist_finish) struct strlist more = { 0 }, plain = { 0 }, with = { 0 };
	struct project p = { 0 };
	struct intent_list found;
	const struct intent_way *w;

	(void)state;
	assert_int_equal(project_parse(yaml, strlen(yaml), "aisbx.yaml", &p, &e), 0);
	find(&l, &p, &found);
	w = intent_best(&found, INTENT_TEST);
	assert_string_equal(w->found_in, "aisbx.yaml");
	strlist_add(&more, "-k a b");
	assert_int_equal(intent_command(w, NULL, &plain, &e), 0);
	assert_int_equal(plain.n, 3);
	assert_string_equal(plain.items[2], "pytest -q");
	assert_int_equal(intent_command(w, &more, &with, &e), 0);
	assert_int_equal(with.n, 5);
	assert_string_equal(with.items[2], "pytest -q \"$@\"");
	assert_string_equal(with.items[4], "-k a b");
	w = intent_best(&found, INTENT_BENCH);
	assert_string_equal(w->cwd, "tools/b");
	assert_string_equal(w->env.items[0], "A=1");
	assert_int_equal(w->timeout_ms, 120000);
	assert_string_equal(intent_best(&found, INTENT_BUILD)->found_in, "Makefile");
	assert_null(intent_best(&found, INTENT_FORMAT));
	intent_list_finish(&found);
	project_finish(&p);
}

static void npm_wants_a_mark(void **state)
{
	static const struct layout npm = { "npm",
					   { { "package.json", "{\"scripts\":{\"test\":\"x\"}}" } },
					   "" };
	struct aisbx_error e = AISBX_ERROR_INIT;
	scoped(strlist_finish) struct strlist more = { 0 }, got = { 0 };
	struct intent_list found;

	(void)state;
	strlist_add(&more, "--watch");
	find(&npm, NULL, &found);
	assert_int_equal(intent_command(intent_best(&found, INTENT_TEST), &more, &got, &e), 0);
	assert_string_equal(got.items[3], "--");
	assert_string_equal(got.items[4], "--watch");
	intent_list_finish(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_layouts),
		cmocka_unit_test(no_command_is_there_twice),
		cmocka_unit_test(the_project_file_comes_first),
		cmocka_unit_test(npm_wants_a_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
