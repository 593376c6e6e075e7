/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conventions for each kind of project, as a table: a file that exists, further conditions, the command. The
 * table contains nothing that needs a network to start, and no formatter or linter that the project does not
 * mention: it would change all its files.
 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/scope.h"
#include "project/intent_list.h"

/*
 * FILE: names separated by '|', '*' for anything; the first of the directory for which the rest is true.
 * NEEDS: all of these, separated by blanks: "has=PATH|PATH" one of them is there; "not=PATH|PATH" none is;
 * "text=WORD|WORD" the file holds one of these; "section=NAME|NAME" it has one such section, as TOML and INI
 * have them. COMMAND: words; '!' before it: a text for a shell, which gets further arguments as "$@". @py,
 * @tool, @npx, @gradle and
 * @mvn stand for how that is called here.
 */
struct custom {
	enum intent intent;
	const char *file, *needs, *command;
	enum intent_runner runner;
};

#define PY_ANY                                                                                        \
	"pyproject.toml|setup.py|setup.cfg|requirements.txt|requirements-dev.txt|tox.ini|pytest.ini|" \
	"Pipfile|manage.py"
#define MESON   "{ [ -f build/build.ninja ] || meson setup build; } && "
#define CMAKE   "{ [ -f build/CMakeCache.txt ] || cmake -S . -B build; } && "
#define JS_DEPS "package.json"
#define GRADLE  "build.gradle|build.gradle.kts"

static const struct custom customs[] = {
	/* Python */
	{ INTENT_TEST, "pytest.ini|.pytest.ini|conftest.py", NULL, "@py -m pytest", RUNNER_PYTEST },
	{ INTENT_TEST, "pyproject.toml", "section=tool.pytest", "@py -m pytest", RUNNER_PYTEST },
	{ INTENT_TEST, "setup.cfg", "section=tool:pytest", "@py -m pytest", RUNNER_PYTEST },
	{ INTENT_TEST, "tox.ini", "section=pytest", "@py -m pytest", RUNNER_PYTEST },
	{ INTENT_TEST, PY_ANY, "text=pytest", "@py -m pytest", RUNNER_PYTEST },
	{ INTENT_TEST, "requirements-dev.txt|requirements-test.txt|dev-requirements.txt", "text=pytest",
	  "@py -m pytest", RUNNER_PYTEST },
	{ INTENT_TEST, "tox.ini", "section=testenv", "tox", RUNNER_ANY },
	{ INTENT_TEST, "noxfile.py", NULL, "nox", RUNNER_ANY },
	{ INTENT_TEST, "manage.py", "text=django", "@py manage.py test", RUNNER_UNITTEST },
	{ INTENT_TEST, PY_ANY, "has=tests", "@py -m unittest discover -s tests -t .", RUNNER_UNITTEST },
	{ INTENT_TEST, PY_ANY, "has=test", "@py -m unittest discover -s test -t .", RUNNER_UNITTEST },
	{ INTENT_TEST, "test_*.py|*_test.py", NULL, "@py -m unittest discover -p *test*.py",
	  RUNNER_UNITTEST },
	{ INTENT_BUILD, "pyproject.toml", "section=build-system",
	  "@py -m pip wheel --no-deps --no-build-isolation -w dist .", RUNNER_ANY },
	{ INTENT_BUILD, "setup.py", NULL, "@py -m pip wheel --no-deps --no-build-isolation -w dist .",
	  RUNNER_ANY },
	{ INTENT_FORMAT, "pyproject.toml", "section=tool.black", "@tool black .", RUNNER_ANY },
	{ INTENT_FORMAT, "pyproject.toml", "section=tool.ruff", "@tool ruff format .", RUNNER_ANY },
	{ INTENT_FORMAT, "ruff.toml|.ruff.toml", NULL, "@tool ruff format .", RUNNER_ANY },
	{ INTENT_FORMAT, ".style.yapf", NULL, "@tool yapf -i -r .", RUNNER_ANY },
	{ INTENT_LINT, "pyproject.toml", "section=tool.ruff", "@tool ruff check .", RUNNER_ANY },
	{ INTENT_LINT, "ruff.toml|.ruff.toml", NULL, "@tool ruff check .", RUNNER_ANY },
	{ INTENT_LINT, ".flake8", NULL, "@py -m flake8", RUNNER_ANY },
	{ INTENT_LINT, "setup.cfg|tox.ini", "section=flake8", "@py -m flake8", RUNNER_ANY },
	{ INTENT_LINT, ".pylintrc|pylintrc", NULL, "@py -m pylint --recursive=y .", RUNNER_ANY },
	{ INTENT_LINT, "pyproject.toml", "section=tool.pylint", "@py -m pylint --recursive=y .", RUNNER_ANY },
	{ INTENT_LINT, "mypy.ini|.mypy.ini", NULL, "@py -m mypy .", RUNNER_ANY },
	{ INTENT_LINT, "pyproject.toml", "section=tool.mypy", "@py -m mypy .", RUNNER_ANY },
	{ INTENT_BENCH, PY_ANY, "text=pytest-benchmark", "@py -m pytest --benchmark-only", RUNNER_PYTEST },
	{ INTENT_RUN, "manage.py", "text=django", "@py manage.py runserver", RUNNER_ANY },
	{ INTENT_RUN, "__main__.py", NULL, "@py .", RUNNER_ANY },
	{ INTENT_RUN, "main.py", NULL, "@py main.py", RUNNER_ANY },
	{ INTENT_RUN, "app.py", NULL, "@py app.py", RUNNER_ANY },
	/* Rust */
	{ INTENT_TEST, "Cargo.toml", NULL, "cargo test", RUNNER_CARGO },
	{ INTENT_BUILD, "Cargo.toml", NULL, "cargo build", RUNNER_ANY },
	{ INTENT_FORMAT, "Cargo.toml", NULL, "cargo fmt", RUNNER_ANY },
	{ INTENT_LINT, "Cargo.toml", NULL, "cargo clippy", RUNNER_ANY },
	{ INTENT_BENCH, "Cargo.toml", "has=benches", "cargo bench", RUNNER_ANY },
	{ INTENT_BENCH, "Cargo.toml", "text=[[bench]]", "cargo bench", RUNNER_ANY },
	{ INTENT_RUN, "Cargo.toml", "has=src/main.rs|src/bin", "cargo run", RUNNER_ANY },
	{ INTENT_RUN, "Cargo.toml", "text=[[bin]]", "cargo run", RUNNER_ANY },
	/* Go; -v, for without it nobody learns how many tests there were */
	{ INTENT_TEST, "go.mod", NULL, "go test -v ./...", RUNNER_GO },
	{ INTENT_BUILD, "go.mod", NULL, "go build ./...", RUNNER_ANY },
	{ INTENT_FORMAT, "go.mod", NULL, "gofmt -l -w .", RUNNER_ANY },
	{ INTENT_LINT, "go.mod", NULL, "go vet ./...", RUNNER_ANY },
	{ INTENT_BENCH, "go.mod", NULL, "go test -run ^$ -bench . ./...", RUNNER_ANY },
	{ INTENT_RUN, "go.mod", "has=main.go", "go run .", RUNNER_ANY },
	/* JavaScript and TypeScript; 'run' and the rest by scripts, which come first */
	{ INTENT_TEST, JS_DEPS, "text=\"vitest\"", "@npx vitest run", RUNNER_VITEST },
	{ INTENT_TEST, JS_DEPS, "text=\"jest\"", "@npx jest", RUNNER_JEST },
	{ INTENT_TEST, JS_DEPS, "text=\"mocha\"", "@npx mocha", RUNNER_MOCHA },
	{ INTENT_TEST, JS_DEPS, "has=test|tests|test.js|test.mjs|__tests__", "node --test", RUNNER_NODE },
	{ INTENT_TEST, "*.test.js|*.test.mjs|*.test.cjs", NULL, "node --test", RUNNER_NODE },
	{ INTENT_BUILD, "tsconfig.json", "has=package.json", "@npx tsc -p .", RUNNER_ANY },
	{ INTENT_FORMAT, JS_DEPS, "text=\"prettier\"", "@npx prettier --write .", RUNNER_ANY },
	{ INTENT_FORMAT, "biome.json|biome.jsonc", NULL, "@npx biome format --write .", RUNNER_ANY },
	{ INTENT_LINT, JS_DEPS, "text=\"eslint\"", "@npx eslint .", RUNNER_ANY },
	{ INTENT_LINT, "biome.json|biome.jsonc", NULL, "@npx biome check .", RUNNER_ANY },
	{ INTENT_RUN, JS_DEPS, "text=\"main\"", "node .", RUNNER_ANY },
	{ INTENT_RUN, JS_DEPS, "has=index.js|index.mjs", "node .", RUNNER_ANY },
	{ INTENT_RUN, "index.js|main.js|server.js", "not=package.json", "node @file", RUNNER_ANY },
	{ INTENT_TEST, "deno.json|deno.jsonc", NULL, "deno test", RUNNER_DENO },
	{ INTENT_FORMAT, "deno.json|deno.jsonc", NULL, "deno fmt", RUNNER_ANY },
	{ INTENT_LINT, "deno.json|deno.jsonc", NULL, "deno lint", RUNNER_ANY },
	{ INTENT_BENCH, "deno.json|deno.jsonc", NULL, "deno bench", RUNNER_ANY },
	{ INTENT_RUN, "deno.json|deno.jsonc", "has=main.ts", "deno run main.ts", RUNNER_ANY },
	/* C and C++ */
	{ INTENT_TEST, "meson.build", NULL, "!" MESON "meson test -C build --print-errorlogs \"$@\"",
	  RUNNER_MESON },
	{ INTENT_BUILD, "meson.build", NULL, "!" MESON "ninja -C build \"$@\"", RUNNER_ANY },
	{ INTENT_FORMAT, "meson.build", "has=.clang-format", "!" MESON "ninja -C build clang-format \"$@\"",
	  RUNNER_ANY },
	{ INTENT_LINT, "meson.build", "has=.clang-tidy", "!" MESON "ninja -C build clang-tidy \"$@\"",
	  RUNNER_ANY },
	{ INTENT_BENCH, "meson.build", "text=benchmark(", "!" MESON "meson test -C build --benchmark \"$@\"",
	  RUNNER_MESON },
	{ INTENT_TEST, "CMakeLists.txt", "text=enable_testing|include(CTest)|include(ctest)",
	  "!" CMAKE "cmake --build build && ctest --test-dir build --output-on-failure \"$@\"",
	  RUNNER_CTEST },
	{ INTENT_BUILD, "CMakeLists.txt", NULL, "!" CMAKE "cmake --build build \"$@\"", RUNNER_ANY },
	{ INTENT_BUILD, "configure", NULL, "!{ [ -f Makefile ] || ./configure; } && make \"$@\"",
	  RUNNER_ANY },
	{ INTENT_TEST, "configure", "has=Makefile.in",
	  "!{ [ -f Makefile ] || ./configure; } && make check \"$@\"", RUNNER_ANY },
	/* Java */
	{ INTENT_TEST, "pom.xml", NULL, "@mvn -B test", RUNNER_SUREFIRE },
	{ INTENT_BUILD, "pom.xml", NULL, "@mvn -B -DskipTests package", RUNNER_ANY },
	{ INTENT_FORMAT, "pom.xml", "text=spotless-maven-plugin", "@mvn -B spotless:apply", RUNNER_ANY },
	{ INTENT_LINT, "pom.xml", "text=maven-checkstyle-plugin", "@mvn -B checkstyle:check", RUNNER_ANY },
	{ INTENT_RUN, "pom.xml", "text=spring-boot-maven-plugin", "@mvn -B spring-boot:run", RUNNER_ANY },
	{ INTENT_RUN, "pom.xml", "text=exec-maven-plugin", "@mvn -B exec:java", RUNNER_ANY },
	{ INTENT_TEST, GRADLE, NULL, "@gradle --no-daemon test", RUNNER_ANY },
	{ INTENT_BUILD, GRADLE, NULL, "@gradle --no-daemon assemble", RUNNER_ANY },
	{ INTENT_FORMAT, GRADLE, "text=spotless", "@gradle --no-daemon spotlessApply", RUNNER_ANY },
	{ INTENT_LINT, GRADLE, "text=checkstyle|ktlint|detekt", "@gradle --no-daemon check -x test",
	  RUNNER_ANY },
	{ INTENT_RUN, GRADLE, "text=application", "@gradle --no-daemon run", RUNNER_ANY },
	/* Others */
	{ INTENT_TEST, "mix.exs", NULL, "mix test", RUNNER_ANY },
	{ INTENT_BUILD, "mix.exs", NULL, "mix compile", RUNNER_ANY },
	{ INTENT_FORMAT, "mix.exs", NULL, "mix format", RUNNER_ANY },
	{ INTENT_TEST, "dune-project", NULL, "dune test", RUNNER_ANY },
	{ INTENT_BUILD, "dune-project", NULL, "dune build", RUNNER_ANY },
	{ INTENT_TEST, "build.zig", NULL, "zig build test", RUNNER_ANY },
	{ INTENT_BUILD, "build.zig", NULL, "zig build", RUNNER_ANY },
	{ INTENT_RUN, "build.zig", "text=\"run\"", "zig build run", RUNNER_ANY },
	{ INTENT_FORMAT, "build.zig", NULL, "zig fmt .", RUNNER_ANY },
	{ INTENT_TEST, "*.sln|*.csproj|*.fsproj", NULL, "dotnet test --nologo", RUNNER_ANY },
	{ INTENT_BUILD, "*.sln|*.csproj|*.fsproj", NULL, "dotnet build --nologo", RUNNER_ANY },
	{ INTENT_RUN, "*.csproj|*.fsproj", NULL, "dotnet run", RUNNER_ANY },
	{ INTENT_FORMAT, "*.sln|*.csproj", NULL, "dotnet format", RUNNER_ANY },
	{ INTENT_TEST, "Package.swift", NULL, "swift test", RUNNER_ANY },
	{ INTENT_BUILD, "Package.swift", NULL, "swift build", RUNNER_ANY },
	{ INTENT_TEST, "Gemfile", "has=spec", "bundle exec rspec", RUNNER_ANY },
	{ INTENT_TEST, "Rakefile", NULL, "rake test", RUNNER_ANY },
	{ INTENT_TEST, "phpunit.xml|phpunit.xml.dist", "has=vendor/bin/phpunit", "vendor/bin/phpunit",
	  RUNNER_ANY },
	{ INTENT_TEST, "stack.yaml", NULL, "stack test", RUNNER_ANY },
	{ INTENT_TEST, "*.cabal", NULL, "cabal test", RUNNER_ANY },
	{ INTENT_BUILD, "*.cabal", NULL, "cabal build", RUNNER_ANY },
};

/* One of the ALTERNATIVES, separated by '|', of LEN bytes together, for which TRY says yes; in RET, which has
 * room. */
typedef bool try_fn(const struct intent_source *src, const char *text, const char *word);
#define WORD_MAX 96

static bool any_of(const struct intent_source *src, const char *text, const char *list, size_t len,
		   try_fn *try, char ret[WORD_MAX])
{
	while (len) {
		const char *bar = memchr(list, '|', len);
		size_t n = bar ? (size_t)(bar - list) : len;

		snprintf(ret, WORD_MAX, "%.*s", (int)n, list);
		if (try(src, text, ret))
			return true;
		n += n < len;
		list += n;
		len -= n;
	}
	return false;
}

static bool is_there(const struct intent_source *src, const char *text, const char *path)
{
	(void)text;
	return strchr(path, '/') ? src->has(src->ctx, path) : intent_has_name(src, path);
}

static bool in_text(const struct intent_source *src, const char *text, const char *word)
{
	(void)src;
	return text && strstr(text, word);
}

/* "[tool.ruff]" and "[tool.ruff.lint]" for "tool.ruff"; blanks around the name are fine. */
static bool in_sections(const struct intent_source *src, const char *text, const char *name)
{
	size_t len = strlen(name);

	(void)src;
	for (const char *line = text; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *at = line + strspn(line, " \t");

		if (*at != '[')
			continue;
		at += strspn(at, "[ \t");
		if (!strncmp(at, name, len) && strchr("] .:\t", at[len]))
			return true;
	}
	return false;
}

static const struct {
	const char *word;
	try_fn *try;
	bool want;
	const char *told; /* before the one that was found */
} needs[] = {
	{ "has=", is_there, true, "there is" },
	{ "not=", is_there, false, NULL },
	{ "text=", in_text, true, "it mentions" },
	{ "section=", in_sections, true, "it has a section" },
};

/* One of the needs, of LEN bytes. */
static bool holds(const struct intent_source *src, const char *text, const char *need, size_t len,
		  struct buf *why)
{
	char found[WORD_MAX] = "";

	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
		size_t head = strlen(needs[i].word);

		if (strncmp(need, needs[i].word, head) != 0)
			continue;
		if (any_of(src, text, need + head, len - head, needs[i].try, found) != needs[i].want)
			return false;
		if (needs[i].told)
			buf_addf(why, "%s%s %s", why->len ? ", " : "", needs[i].told, found);
		return true;
	}
	return false;
}

static bool all_hold(const struct intent_source *src, const struct custom *c, const char *file,
		     struct buf *why)
{
	bool reads = c->needs && (strstr(c->needs, "text=") || strstr(c->needs, "section="));
	const char *text = reads ? src->text(src->ctx, file) : NULL;

	for (const char *need = c->needs; need && *need; need += strcspn(need, " "), need += *need == ' ')
		if (!holds(src, text, need, strcspn(need, " "), why))
			return false;
	if (!why->len)
		buf_addf(why, "it exists");
	return true;
}

static const char *first_of(const struct intent_source *src, const char *const (*list)[2], size_t n,
			    const char *otherwise)
{
	for (size_t i = 0; i < n; i++)
		if (is_there(src, NULL, list[i][0]))
			return list[i][1];
	return otherwise;
}

/* The interpreter of the project: its own, or by who manages it. */
static const char *python(const struct intent_source *src)
{
	static const char *const list[][2] = { { ".venv/bin/python", ".venv/bin/python" },
					       { "venv/bin/python", "venv/bin/python" },
					       { "uv.lock", "uv run python" },
					       { "poetry.lock", "poetry run python" },
					       { "pdm.lock", "pdm run python" },
					       { "Pipfile.lock", "pipenv run python" } };

	return first_of(src, list, sizeof(list) / sizeof(*list), "python3");
}

static const char *tool_before(const struct intent_source *src)
{
	static const char *const list[][2] = { { "uv.lock", "uv run " },
					       { "poetry.lock", "poetry run " },
					       { "pdm.lock", "pdm run " },
					       { "Pipfile.lock", "pipenv run " } };

	return first_of(src, list, sizeof(list) / sizeof(*list), "");
}

static const char *npx(const struct intent_source *src)
{
	const char *npm = intent_npm(src);

	return !strcmp(npm, "pnpm")   ? "pnpm exec"
	       : !strcmp(npm, "yarn") ? "yarn run"
	       : !strcmp(npm, "bun")  ? "bunx --bun"
				      : "npx --no-install";
}

/* COMMAND with what its first word stands for. */
static void spell(const struct intent_source *src, const char *command, const char *file, struct buf *ret)
{
	const char *rest = command + strcspn(command, " ");

	if (!strncmp(command, "@py ", 4)) {
		buf_addf(ret, "%s%s", python(src), rest);
	} else if (!strncmp(command, "@tool ", 6)) {
		char path[WORD_MAX];

		snprintf(path, sizeof(path), ".venv/bin/%.*s", (int)strcspn(rest + 1, " "), rest + 1);
		buf_addf(ret, "%s%s", src->has(src->ctx, path) ? ".venv/bin/" : tool_before(src), rest + 1);
	} else if (!strncmp(command, "@npx ", 5)) {
		buf_addf(ret, "%s%s", npx(src), rest);
	} else if (!strncmp(command, "@gradle ", 8)) {
		buf_addf(ret, "%s%s", intent_has_name(src, "gradlew") ? "./gradlew" : "gradle", rest);
	} else if (!strncmp(command, "@mvn ", 5)) {
		buf_addf(ret, "%s%s", intent_has_name(src, "mvnw") ? "./mvnw" : "mvn", rest);
	} else if (strstr(command, " @file")) {
		buf_addf(ret, "%.*s %s", (int)strcspn(command, " "), command, file);
	} else {
		buf_addf(ret, "%s", command);
	}
}

static void add_custom(const struct intent_source *src, const struct custom *c, const char *file,
		       const char *why, struct intent_list *l)
{
	scoped(buf_finish) struct buf command = { 0 };
	struct intent_way *w;

	spell(src, c->command, file, &command);
	if (!buf_str(&command)) {
		l->failed = true;
		return;
	}
	w = intent_add(l, c->intent, file, *command.data == '!' ? "sh -c" : command.data, "%s", why);
	if (!w)
		return;
	w->runner = c->runner;
	if (*command.data == '!') {
		strlist_add(&w->argv, command.data + 1);
		strlist_add(&w->argv, "sh");
	}
	l->failed = l->failed || w->argv.failed;
}

/* Whether there was this very command for it before: two files may lead to the same. */
static bool is_known(const struct intent_list *l, const struct intent_way *w)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct intent_way *old = &l->items[i];
		bool same = old != w && old->intent == w->intent && old->argv.n == w->argv.n;

		for (size_t k = 0; same && k < w->argv.n; k++)
			same = !strcmp(old->argv.items[k], w->argv.items[k]);
		if (same)
			return true;
	}
	return false;
}

/* Whether NAME is one of LIST; a name that people could not read is none. */
static bool is_meant(const char *name, const char *list)
{
	char pattern[WORD_MAX];

	for (const char *c = name; *c; c++)
		if (*c <= ' ' || *c >= 0x7f)
			return false;
	for (const char *at = list; *at; at += strcspn(at, "|"), at += *at == '|') {
		snprintf(pattern, sizeof(pattern), "%.*s", (int)strcspn(at, "|"), at);
		if (str_matches(name, pattern))
			return true;
	}
	return false;
}

static void try_custom(const struct intent_source *src, const struct custom *c, struct intent_list *l)
{
	size_t n = l->n;

	for (size_t i = 0; i < src->names->n && l->n == n && !l->failed; i++) {
		const char *file = src->names->items[i];
		scoped(buf_finish) struct buf why = { 0 };

		if (is_meant(file, c->file) && all_hold(src, c, file, &why) && buf_str(&why))
			add_custom(src, c, file, why.data, l);
		l->failed = l->failed || why.failed;
	}
	if (!l->failed && l->n > n && is_known(l, &l->items[n]))
		intent_drop_last(l);
}

void intent_find_conventions(const struct intent_source *src, struct intent_list *l)
{
	for (size_t i = 0; i < sizeof(customs) / sizeof(*customs) && !l->failed; i++)
		try_custom(src, &customs[i], l);
}
