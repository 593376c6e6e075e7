/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the finder of intents and the reader of test runners' output: texts of projects, which anybody
 * wrote. The first byte says which file it is; what is found keeps the promises of policy/intent.h.
 */
#include <stdlib.h>
#include <string.h>

#include "project/intent_tally.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const char *const files[] = { "justfile",       "Makefile",       "package.json", "deno.jsonc",
				     "composer.json",  "pyproject.toml", "setup.cfg",    "tox.ini",
				     "CMakeLists.txt", "pom.xml",        "Cargo.toml",   "build.gradle" };

struct input {
	const char *name, *text;
};

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static bool has(void *ctx, const char *path)
{
	(void)ctx;
	return !strcmp(path, "src/main.rs");
}

static const char *text(void *ctx, const char *name)
{
	const struct input *in = ctx;

	return strcmp(in->name, name) ? NULL : in->text;
}

static void find(const struct input *in)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct strlist names = { 0 }, more = { 0 };
	struct intent_list found = { 0 };
	struct intent_source src = { .names = &names, .has = has, .text = text, .ctx = (void *)in };

	strlist_add(&names, in->name);
	strlist_add(&more, "more");
	must(intent_find(&src, NULL, &found, &e) == 0);
	for (size_t i = 0; i < found.n; i++) {
		struct strlist command = { 0 };
		const struct intent_way *w = &found.items[i];

		must(w->intent < INTENT_COUNT && w->argv.n && *w->argv.items[0] &&
		     !strcmp(w->found_in, in->name) && *w->why);
		must(intent_command(w, &more, &command, &e) == 0 && command.n > w->argv.n);
		strlist_finish(&command);
	}
	intent_list_finish(&found);
	strlist_finish(&names);
	strlist_finish(&more);
}

/* In one piece and byte by byte it says the same. */
static void tally(const char *out, size_t len, enum intent_runner runner)
{
	struct intent_counts c[2] = { 0 };
	enum intent_runner who[2] = { 0 };
	struct intent_tally t;
	bool sure[2];

	for (int i = 0; i < 2; i++) {
		intent_tally_init(&t, runner);
		for (size_t at = 0; at < len; at += i ? 1 : len)
			intent_tally_add(&t, 0, out + at, i ? 1 : len);
		sure[i] = intent_tally_end(&t, &c[i], &who[i]);
	}
	must(sure[0] == sure[1] && who[0] == who[1] && !memcmp(&c[0], &c[1], sizeof(c[0])));
	must(!sure[0] || who[0] != RUNNER_ANY);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *copy = len ? strndup((const char *)data + 1, len - 1) : NULL;

	if (!copy)
		return 0;
	find(&(struct input){ files[data[0] % (sizeof(files) / sizeof(*files))], copy });
	tally((const char *)data + 1, len - 1, data[0] % RUNNER_COUNT);
	free(copy);
	return 0;
}
