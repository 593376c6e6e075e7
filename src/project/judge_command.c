/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a command to its judges: the file it runs, and by a table the files that its programs use. A shell
 * command is read only as far as words and separators are clear; name a script that is hidden better in the
 * list 'judges'.
 */
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "project/judge.h"

#define MAX_WORDS 64
#define MAX_WORD  512

#define TESTS                                                                                                \
	"**/test/|**/tests/|**/Tests/|**/__tests__/|**/spec/|**/testdata/|**/benches/|**/test_*.py|**/"      \
	"*_test.py|**/tests.py|"                                                                             \
	"**/*_test.go|**/*.test.js|**/*.test.mjs|**/*.test.cjs|**/*.test.ts|**/*.test.jsx|**/*.test.tsx|**/" \
	"*.spec.js|"                                                                                         \
	"**/*.spec.mjs|**/*.spec.cjs|**/*.spec.ts|**/*.spec.jsx|**/*.spec.tsx"
/* Python reads the first two at its start, whatever it is started for. */
#define PYTHON "**/sitecustomize.py|**/usercustomize.py"
#define PYTEST                                                                                              \
	PYTHON "|**/conftest.py|**/pytest.ini|**/.pytest.ini|**/pytest.toml|**/.pytest.toml|**/tox.ini|**/" \
	       "setup.cfg|**/pyproject.toml"
#define NODE "**/package.json|**/.npmrc|**/jest.config.*|**/vitest.config.*|**/.mocharc*"

/*
 * What a program goes by when it judges. No file that also says what is built from what (Cargo.toml,
 * CMakeLists.txt, pom.xml, go.mod): a change of sources needs the box's. A Makefile, or package.json, is
 * itself what is run.
 */
static const struct tool {
	const char *programs, *settings;
	bool tests;      /* it runs those of the project */
	bool takes_them; /* and files that it is given by name */
} tools[] = {
	{ "make|gmake", "**/GNUmakefile|**/makefile|**/Makefile|**/*.mk", false, false },
	{ "just", "**/justfile|**/Justfile|**/.justfile", false, false },
	{ "npm|pnpm|yarn|bun", NODE, false, false },
	{ "vitest|jest|mocha", NODE, true, true },
	{ "deno", "**/deno.json|**/deno.jsonc", false, false },
	{ "composer", "**/composer.json", false, false },
	{ "pytest|py.test", PYTEST, true, true },
	{ "unittest", PYTHON, true, true },
	{ "tox", PYTEST, true, false },
	{ "nox", PYTEST "|**/noxfile.py", true, false },
	{ "cargo", "**/.cargo/", true, false },
	{ "go", NULL, true, false },
	{ "meson|ctest|mix|dune|zig|dotnet|swift|stack|cabal", NULL, true, false },
	{ "mvn|mvnw", "**/.mvn/|**/mvnw", true, false },
	{ "gradle|gradlew", "**/gradlew|**/gradle-wrapper.*", true, false },
	{ "rake", "**/Rakefile", true, false },
	{ "rspec", "**/.rspec", true, true },
	{ "phpunit", "**/phpunit.xml*", true, true },
	{ "ruff", "**/ruff.toml|**/.ruff.toml|**/pyproject.toml", false, false },
	{ "flake8", "**/.flake8|**/setup.cfg|**/tox.ini", false, false },
	{ "pylint", "**/.pylintrc|**/pylintrc|**/pyproject.toml|**/setup.cfg", false, false },
	{ "mypy", "**/mypy.ini|**/.mypy.ini|**/pyproject.toml|**/setup.cfg", false, false },
	{ "eslint", "**/eslint.config.*|**/.eslintrc*|**/.eslintignore", false, false },
	{ "biome", "**/biome.json*", false, false },
	{ "shellcheck", "**/.shellcheckrc", false, false },
};

/* Programs whose first argument that is no option is what they run. */
#define INTERPRETERS \
	"sh|bash|dash|zsh|ksh|python|python2|python3|pypy3|node|ruby|perl|php|lua|Rscript|tclsh|source|."
/* Words before a command that change nothing of what it is. */
#define BEFORE                                                                                               \
	"env|nice|time|nohup|exec|command|builtin|stdbuf|xvfb-run|if|then|else|elif|while|until|do|!|{|npx|" \
	"bunx|bundle|sudo"

struct command {
	char words[MAX_WORDS][MAX_WORD];
	size_t n;
};

/* Where a command is in: what it judges by goes to J. */
struct reading {
	struct judges *j;
	const char *dir;
	char below[MAX_WORD]; /* after 'cd' */
	int depth;            /* 'sh -c' within 'sh -c' */
};

static void add_list(struct judges *j, const char *dir, const char *list, enum judge_kind kind)
{
	for (; list && *list; list += strcspn(list, "|"), list += *list == '|') {
		char one[64];

		snprintf(one, sizeof(one), "%.*s", (int)strcspn(list, "|"), list);
		judges_add(j, dir, one, kind);
	}
}

/* What is made, not written: where the person has none the box's counts. */
static bool is_made(const char *path)
{
	for (; *path; path += strcspn(path, "/"), path += *path == '/')
		if (str_is_one_of_n(path, strcspn(path, "/"),
				    ".venv|venv|node_modules|vendor|build|target|dist|out"))
			return true;
	return false;
}

/* A path that a word names, if it lies below the directory. */
static void add_path(struct reading *r, const char *word, size_t len, enum judge_kind kind)
{
	char text[2 * MAX_WORD];
	scoped(drop_mem) char *full = NULL;
	const char *below;

	snprintf(text, sizeof(text), "%s%s%.*s", *word == '/' ? "" : r->below,
		 *word == '/' || !*r->below ? "" : "/", (int)len, word);
	full = path_resolve(r->dir, text);
	below = full ? path_below(full, r->dir) : NULL;
	r->j->failed = r->j->failed || !full;
	if (below && *below && !strpbrk(below, "*?$"))
		judges_add(r->j, r->dir, below, is_made(below) ? JUDGE_TEST : kind);
}

/* "a.b" of 'python -m a.b'. */
static void add_module(struct reading *r, const char *name)
{
	char path[MAX_WORD], file[MAX_WORD + 16];

	snprintf(path, sizeof(path), "%s", name);
	for (char *c = path; *c; c++)
		*c = *c == '.' ? '/' : *c;
	snprintf(file, sizeof(file), "%s.py", path);
	add_path(r, file, strlen(file), JUDGE_SCRIPT);
	snprintf(file, sizeof(file), "%s/__main__.py", path);
	add_path(r, file, strlen(file), JUDGE_SCRIPT);
}

static const struct tool *find_tool(const char *word)
{
	const char *slash = strrchr(word, '/'), *name = slash ? slash + 1 : word;

	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++)
		if (str_is_one_of(name, tools[i].programs))
			return &tools[i];
	return NULL;
}

static void add_tool(struct reading *r, const struct tool *t, const struct command *c, size_t at)
{
	add_list(r->j, r->dir, t->settings, JUDGE_SETTING);
	if (t->tests)
		add_list(r->j, r->dir, TESTS, JUDGE_TEST);
	for (size_t i = at; t->takes_them && i < c->n;
	     i++) { /* a directory may as well hold what is judged */
		size_t len = strcspn(c->words[i], ":");

		if (c->words[i][0] != '-' && len > 2 && memchr(c->words[i] + 1, '.', len - 2))
			add_path(r, c->words[i], len, JUDGE_TEST);
	}
	for (size_t i = at; i + 1 < c->n; i++) /* make -f FILE, pytest -c FILE */
		if (str_is_one_of(c->words[i], "-f|-c|--config"))
			add_path(r, c->words[i + 1], strlen(c->words[i + 1]), JUDGE_SCRIPT);
}

static void read_text(struct reading *r, const char *text);

/* What an interpreter runs, from its argument AT on. */
static void read_script(struct reading *r, const struct command *c, size_t at)
{
	bool python = !strncmp(c->words[at - 1], "py", 2) || strstr(c->words[at - 1], "/py");

	if (python)
		add_list(r->j, r->dir, PYTHON, JUDGE_SETTING);
	for (size_t i = at; i < c->n; i++) {
		const char *word = c->words[i];
		const struct tool *t;

		if (python && !strcmp(word, "-m") && i + 1 < c->n) {
			t = find_tool(c->words[i + 1]);
			if (t)
				add_tool(r, t, c, i + 2);
			else
				add_module(r, c->words[i + 1]);
			return;
		}
		if (!strcmp(word, "--test")) /* of node */
			add_list(r->j, r->dir, TESTS "|" NODE, JUDGE_TEST);
		if (!python && !strcmp(word, "-c") && i + 1 < c->n) {
			read_text(r, c->words[i + 1]);
			return;
		}
		if (str_is_one_of(word, "-c|-e"))
			return;
		if (*word != '-') {
			add_path(r, word, strlen(word), JUDGE_SCRIPT);
			return;
		}
	}
}

/* "uv run", before a program that is known. */
static bool is_runner(const struct command *c, size_t i)
{
	return str_is_one_of(c->words[i], "uv|poetry|pdm|pipenv|hatch|rye|pnpm|yarn") && i + 2 < c->n &&
	       str_is_one_of(c->words[i + 1], "run|exec") &&
	       (find_tool(c->words[i + 2]) || str_is_one_of(c->words[i + 2], INTERPRETERS));
}

/* The words before a program that only say how it is started. */
static size_t skip_before(const struct command *c)
{
	size_t i = 0;

	for (; i < c->n; i++) {
		const char *word = c->words[i];
		size_t name = strcspn(word, "=");

		if (str_is_one_of(word, BEFORE) || (word[name] == '=' && name && !memchr(word, '/', name)) ||
		    (i && *word == '-'))
			continue;
		if (!strcmp(word, "timeout")) {
			while (i + 1 < c->n && strchr("-0123456789", c->words[i + 1][0]))
				i++;
			continue;
		}
		if (!is_runner(c, i))
			break;
		i++;
	}
	return i;
}

static void read_command(struct reading *r, const struct command *c)
{
	size_t at = skip_before(c);
	const char *word = at < c->n ? c->words[at] : "", *slash = strrchr(word, '/'),
		   *name = slash ? slash + 1 : word;
	const struct tool *t = find_tool(word);

	if (!strcmp(word, "cd") && at + 1 < c->n) {
		char was[MAX_WORD];

		snprintf(was, sizeof(was), "%s", r->below);
		snprintf(r->below, sizeof(r->below), "%.250s%s%.250s", was, *was ? "/" : "",
			 c->words[at + 1]);
		return;
	}
	if (slash)
		add_path(r, word, strlen(word), JUDGE_SCRIPT);
	if (t)
		add_tool(r, t, c, at + 1);
	/* "python3.11" is one as well. */
	if (str_is_one_of(name, INTERPRETERS) || (!strncmp(name, "python3.", 8)))
		read_script(r, c, at + 1);
}

/* The next word of a text, without its quotes; false: the command ends here. */
static bool next_word(const char **text, char word[static MAX_WORD])
{
	const char *at = *text + strspn(*text, " \t\\");
	char quote = 0;
	size_t n = 0;

	for (; *at; at++) {
		if (quote && *at == quote)
			quote = 0;
		else if (!quote && (*at == '\'' || *at == '"'))
			quote = *at;
		else if (!quote && strchr(" \t\n;&|()`<>", *at))
			break;
		else if (n + 1 < MAX_WORD)
			word[n++] = *at;
	}
	word[n] = '\0';
	*text = at;
	return n;
}

#define ENDS "\n;&|()`"

/* Where output goes is no word of the command. */
static void skip_redirection(const char **text)
{
	char where[MAX_WORD];

	while (**text && strchr("<>", **text)) {
		*text += strspn(*text, "<>&");
		next_word(text, where);
		*text += strspn(*text, " \t");
	}
}

static void read_text(struct reading *r, const char *text)
{
	struct command c;

	if (r->depth > 2)
		return;
	r->depth++;
	while (*text) {
		for (c.n = 0; c.n < MAX_WORDS && next_word(&text, c.words[c.n]); c.n++)
			skip_redirection(&text);
		skip_redirection(&text);
		if (c.n)
			read_command(r, &c);
		if (c.n == MAX_WORDS) /* more than anybody runs tests with */
			text += strcspn(text, ENDS);
		text += *text && strchr(ENDS, *text);
	}
	r->depth--;
}

void judges_add_command(struct judges *j, const struct strlist *argv, const char *dir, bool tests)
{
	struct reading r = { .j = j, .dir = dir };
	struct command c = { .n = 0 };

	if (tests)
		add_list(j, dir, TESTS, JUDGE_TEST);
	for (; c.n < argv->n && c.n < MAX_WORDS; c.n++) {
		if (c.n == 2 && !strcmp(c.words[0], "sh") && !strcmp(c.words[1], "-c")) {
			read_text(&r, argv->items[2]);
			return;
		}
		snprintf(c.words[c.n], MAX_WORD, "%s", argv->items[c.n]);
	}
	read_command(&r, &c);
}
