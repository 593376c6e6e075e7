/* SPDX-License-Identifier: Apache-2.0 */
/* Results of operations for agents as text: intents, test results, where aisbx was installed. */
#include <string.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/columns.h"
#include "cli/render_common.h"

static void print_words(FILE *out, const json_t *words)
{
	const json_t *word;
	size_t i;

	json_array_foreach(words, i, word)
	{
		const char *text = json_string_value(word);
		bool quote = !*text || strpbrk(text, " \t\"'$&|;<>()*?[]{}\\");

		fputs(i ? " " : "", out);
		fputs(quote ? "'" : "", out);
		cli_print_name(out, text);
		fputs(quote ? "'" : "", out);
	}
}

void cli_render_intents(const json_t *result)
{
	const json_t *list = json_object_get(result, "intents"), *w;
	size_t i;

	if (!json_array_size(list)) {
		fprintf(stderr,
			"aisbx: no commands found; set one in aisbx.yaml: 'intents: {test: COMMAND}'\n");
		return;
	}
	json_array_foreach(list, i, w)
	{
		bool used = json_is_true(json_object_get(w, "used"));

		printf("%s%-7s%s ", paint(used ? BOLD : DIM), used ? text_of(w, "intent") : "",
		       paint(used ? PLAIN : DIM));
		print_words(stdout, json_object_get(w, "command"));
		printf("%s  (", paint(PLAIN));
		cli_print_name(stdout, text_of(w, "found_in"));
		printf(": ");
		cli_print_name(stdout, text_of(w, "why"));
		printf(")\n");
	}
}

void cli_render_tests(const json_t *result)
{
	const json_t *tests = json_object_get(result, "tests");

	if (!*text_of(result, "intent"))
		return;
	fprintf(stderr, "aisbx: %s by ", text_of(result, "intent"));
	print_words(stderr, json_object_get(result, "command"));
	fprintf(stderr, ", from ");
	cli_print_name(stderr, text_of(result, "found_in"));
	if (json_is_object(tests))
		fprintf(stderr, "; %lld passed, %lld failed, %lld skipped",
			(long long)number_of(tests, "passed"), (long long)number_of(tests, "failed"),
			(long long)number_of(tests, "skipped"));
	fputc('\n', stderr);
}

void cli_render_install(const json_t *result)
{
	static const struct {
		const char *action, *words;
	} table[] = {
		{ "printed", "put this into" },   { "created", "made" },    { "changed", "changed" },
		{ "unchanged", "is already in" }, { "removed", "removed" }, { "absent", "is not in" },
	};
	const char *action = text_of(result, "action");

	if (!strcmp(action, "printed"))
		fputs(text_of(result, "text"), stdout);
	fflush(stdout);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (!strcmp(table[i].action, action))
			fprintf(stderr, "aisbx: %s ", table[i].words);
	cli_print_name(stderr, text_of(result, "file"));
	if (!strcmp(action, "created") || (!strcmp(action, "changed") && *text_of(result, "text"))) {
		fprintf(stderr, "; restart %s, then check that it works: ", text_of(result, "agent"));
		cli_print_name(stderr, text_of(result, "check"));
	}
	fputc('\n', stderr);
	if (*text_of(result, "problem")) {
		fputs("aisbx: ", stderr);
		cli_print_name(stderr, text_of(result, "problem"));
		fputc('\n', stderr);
	}
}

void cli_render_commit(const json_t *result)
{
	const char *branch = text_of(result, "branch");

	printf("%s\n", text_of(result, "commit"));
	fprintf(stderr, "aisbx: committed %lld files on ",
		(long long)json_array_size(json_object_get(result, "files")) +
			(long long)number_of(result, "files_not_listed"));
	cli_print_name(stderr, *branch ? branch : "no branch");
	fprintf(stderr, "; 'aisbx promote' promotes it\n");
}

static const char *colour_of(const char *state)
{
	return str_is_one_of(state, "ok|done") ? GREEN
	       : !strcmp(state, "failed")      ? RED
	       : !strcmp(state, "running")     ? YELLOW
					       : PLAIN;
}

/* On stderr after a step, whose output has stdout. */
void cli_render_plan(const json_t *result)
{
	FILE *out = json_object_get(result, "did") ? stderr : stdout;
	const json_t *list = json_object_get(result, "steps"), *s;
	size_t i;

	fprintf(out, "%s  %s  ", text_of(result, "plan"), text_of(result, "state"));
	cli_print_name(out, text_of(result, "goal"));
	fputc('\n', out);
	json_array_foreach(list, i, s)
	{
		fprintf(out, "%4lld  %-8s ", (long long)number_of(s, "step"), text_of(s, "state"));
		cli_print_name(out, text_of(s, "what"));
		if (*text_of(s, "run"))
			fprintf(out, "  (%s)", text_of(s, "run"));
		if (*text_of(s, "note")) {
			fprintf(out, "  (");
			cli_print_name(out, text_of(s, "note"));
			fprintf(out, ")");
		}
		fputc('\n', out);
	}
}

static void done_text(const json_t *p, char *text, size_t cap)
{
	const json_t *steps = json_object_get(p, "steps"), *s;
	size_t k, done = 0;

	json_array_foreach(steps, k, s) done += str_is_one_of(text_of(s, "state"), "ok|skipped");
	snprintf(text, cap, "%zu/%zu", done, json_array_size(steps));
}

static const char *plan_colour(const json_t *p)
{
	return colour_of(text_of(p, "state"));
}

static const struct column plan_columns[] = {
	{ .head = "PLAN", .key = "plan" },
	{ .head = "STATE", .goes = 1, .key = "state", .colour = plan_colour },
	{ .head = "DONE", .goes = 2, .right = true, .text = done_text },
	{ .head = "GOAL", .least = 12, .goes = 3, .shrinks = true, .key = "goal" },
	{ .head = NULL },
};

void cli_render_plans(const json_t *result)
{
	const json_t *list = json_object_get(result, "plans");

	if (json_array_size(list))
		cli_print_columns(plan_columns, list);
	else
		fprintf(stderr, "aisbx: no plans\n");
}
