/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Experiments as text: the board while branches run (in a terminal; otherwise a line for each change of
 * state), then a comparison, what became of the winner, and what to do next. Progress goes to stderr, the
 * comparison to stdout.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/scope.h"
#include "base/str.h"
#include "cli/progress.h"
#include "cli/text_width.h"
#include "cli/cli.h"
#include "cli/render_common.h"
#include "cli/window.h"

/* Between two drawings in which no state changed. */
#define DRAW_MS     100
#define PATHS_SHOWN 8u
#define TAILS_SHOWN 3u

static void mark_text(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%s", progress_look_of(row)->mark);
}

static void name_text(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%s", *text_of(row, "branch") ? text_of(row, "branch") : text_of(row, "name"));
}

static void state_text(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%s", text_of(row, "state"));
}

static void ms_text(const json_t *row, const char *key, char *text, size_t cap)
{
	const json_t *ms = json_object_get(row, key);

	*text = 0;
	if (json_is_number(ms) && json_number_value(ms) >= 0)
		str_ms((uint64_t)json_number_value(ms), text, cap);
}

static void time_text(const json_t *row, char *text, size_t cap)
{
	ms_text(row, "wall_ms", text, cap);
}

static void cpu_text(const json_t *row, char *text, size_t cap)
{
	ms_text(row, "cpu_ms", text, cap);
}

static void memory_text(const json_t *row, char *text, size_t cap)
{
	*text = 0;
	if (number_of(row, "mem_peak") > 0)
		str_size((uint64_t)number_of(row, "mem_peak"), text, cap);
}

/* Of those that were not skipped. */
static void tests_text(const json_t *row, char *text, size_t cap)
{
	const json_t *tests = json_object_get(row, "tests");
	long long passed = number_of(tests, "passed"), failed = number_of(tests, "failed");

	*text = 0;
	if (json_is_object(tests))
		snprintf(text, cap, "%lld/%lld", passed, passed + failed);
}

/* A number while it runs, then created, modified and deleted apart. */
static void changes_text(const json_t *row, char *text, size_t cap)
{
	static const char *const kinds[] = { "created", "modified", "deleted" };
	const json_t *changes = json_object_get(row, "changes");
	size_t len = 0;

	*text = 0;
	if (json_is_integer(changes))
		snprintf(text, cap, "%lld", (long long)json_integer_value(changes));
	if (!json_is_object(changes))
		return;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && len < cap; i++)
		if (number_of(changes, kinds[i]))
			len += (size_t)snprintf(text + len, cap - len, "%s%s%lld", len ? " " : "",
						change_mark_of(kinds[i])->mark,
						(long long)number_of(changes, kinds[i]));
	if (!len)
		snprintf(text, cap, "none");
}

static void score_text(const json_t *row, char *text, size_t cap)
{
	const json_t *score = json_object_get(row, "score");

	*text = 0;
	if (json_is_number(score))
		snprintf(text, cap, "%.5g", json_number_value(score));
}

static void rank_text(const json_t *row, char *text, size_t cap)
{
	if (number_of(row, "rank") > 0)
		snprintf(text, cap, "%lld", (long long)number_of(row, "rank"));
	else
		snprintf(text, cap, "-");
}

/* How often it passed, where it was asked more than once. */
static void runs_text(const json_t *row, char *text, size_t cap)
{
	const char *of = text_of(row, "passed_of"), *slash = strchr(of, '/');

	snprintf(text, cap, "%s", slash && strcmp(slash, "/1") != 0 ? of : "");
}

static void why_text(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%s", text_of(row, "why"));
}

static void command_text(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%s", *text_of(row, "why") ? text_of(row, "why") : text_of(row, "command"));
}

static const char *colour_of(const json_t *row)
{
	return progress_look_of(row)->colour;
}

static const struct column progress_columns[] = {
	{ .head = " ", .least = 1, .text = mark_text, .colour = colour_of },
	{ .head = "BRANCH", .least = 8, .shrinks = true, .text = name_text },
	{ .head = "STATE", .least = 7, .goes = 1, .text = state_text, .colour = colour_of },
	{ .head = "TIME", .least = 7, .goes = 2, .right = true, .text = time_text },
	{ .head = "CPU", .least = 7, .goes = 5, .right = true, .text = cpu_text },
	{ .head = "MEMORY", .least = 8, .goes = 6, .right = true, .text = memory_text },
	{ .head = "TESTS", .least = 5, .goes = 3, .right = true, .text = tests_text },
	{ .head = "CHANGES", .goes = 4, .right = true, .text = changes_text },
	{ .head = "SCORE", .goes = 7, .right = true, .optional = true, .text = score_text },
	{ .head = "COMMAND",
	  .least = 12,
	  .goes = 8,
	  .shrinks = true,
	  .optional = true,
	  .text = command_text },
	{ .head = NULL },
};

static const struct column table_columns[] = {
	{ .head = "RANK", .goes = 3, .right = true, .text = rank_text },
	{ .head = "BRANCH", .least = 8, .shrinks = true, .text = name_text },
	{ .head = "STATE", .goes = 1, .text = state_text, .colour = colour_of },
	{ .head = "TESTS", .goes = 5, .right = true, .optional = true, .text = tests_text },
	{ .head = "RUNS", .goes = 8, .right = true, .optional = true, .text = runs_text },
	{ .head = "TIME", .goes = 2, .right = true, .text = time_text },
	{ .head = "CPU", .goes = 9, .right = true, .text = cpu_text },
	{ .head = "MEMORY", .goes = 10, .right = true, .optional = true, .text = memory_text },
	{ .head = "CHANGES", .goes = 7, .text = changes_text },
	{ .head = "SCORE", .goes = 4, .right = true, .optional = true, .text = score_text },
	{ .head = "WHY", .least = 12, .goes = 6, .shrinks = true, .optional = true, .text = why_text },
	{ .head = NULL },
};

static struct progress progress = { .columns = progress_columns };

/* In one piece, so that nobody sees half of it. */
static void show(struct buf *b)
{
	if (buf_str(b))
		fwrite(b->data, 1, b->len, stderr);
	fflush(stderr);
}

static bool is_time_to_draw(void)
{
	static uint64_t last;
	struct timespec now;
	uint64_t ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	if (last && ms - last < DRAW_MS)
		return false;
	last = ms;
	return true;
}

/* "aisbx: patch: failed after 1.2 s, tests 3/4: exit status 1" */
static void tell(const json_t *item)
{
	bool ended = progress_look_of(item)->busy != 1 && strcmp(text_of(item, "state"), "running") != 0;
	char text[64];

	fprintf(stderr, "aisbx: ");
	cli_print_name(stderr, text_of(item, "branch"));
	fprintf(stderr, ": %s", text_of(item, "state"));
	time_text(item, text, sizeof(text));
	if (ended && *text)
		fprintf(stderr, " after %s", text);
	tests_text(item, text, sizeof(text));
	if (ended && *text)
		fprintf(stderr, ", tests %s", text);
	if (*text_of(item, "why")) {
		fprintf(stderr, ": ");
		cli_print_name(stderr, text_of(item, "why"));
	}
	fprintf(stderr, "\n");
}

static void draw_item(const json_t *item)
{
	scoped(buf_finish) struct buf b = { 0 };
	bool changed = progress_take(&progress, item);
	int width, height;

	if (!window_of(stderr, &width, &height)) {
		if (changed)
			tell(item);
		return;
	}
	if (!is_time_to_draw() && !changed)
		return;
	progress_draw(&progress, width, height, cli_colour(stderr), &b);
	show(&b);
}

/* WIPE: the comparison takes its place where both are seen; else it stays, as things ended. */
static void end_progress(bool wipe)
{
	scoped(buf_finish) struct buf b = { 0 };
	int width, height;

	if (progress.rows && window_of(stderr, &width, &height)) {
		if (wipe && isatty(STDOUT_FILENO))
			progress_wipe(&progress, width, height, &b);
		else
			progress_draw(&progress, width, height, cli_colour(stderr), &b);
		show(&b);
	}
	progress_finish(&progress);
	progress.columns = progress_columns;
}

void cli_print_columns(const struct column *columns, const json_t *rows)
{
	scoped(buf_finish) struct buf b = { 0 };
	int width = 0, height;
	struct column_table g;
	const json_t *row;
	size_t i;

	window_of(stdout, &width, &height);
	columns_lay(&g, columns, rows, width, cli_colour(stdout));
	columns_head(&g, &b);
	buf_add(&b, "\n", 1);
	json_array_foreach(rows, i, row)
	{
		columns_row(&g, row, &b);
		buf_add(&b, "\n", 1);
	}
	if (buf_str(&b))
		fwrite(b.data, 1, b.len, stdout);
}

void cli_try_item(const json_t *item)
{
	if (json_object_get(item, "branch")) {
		draw_item(item);
		return;
	}
	end_progress(false); /* who won goes through the stages */
	cli_render_pipeline(item);
}

static void print_differences(const json_t *list)
{
	const json_t *d, *path;
	size_t i, j;

	json_array_foreach(list, i, d)
	{
		const json_t *files = json_object_get(d, "files");
		size_t n = json_array_size(files), more = (size_t)number_of(d, "more");

		printf("%s%s and %s ", i ? "" : "\n", text_of(d, "branch"), text_of(d, "against"));
		printf("%s", n ? "differ in:\n" : "made the same changes\n");
		json_array_foreach(files, j, path)
		{
			if (j == PATHS_SHOWN)
				break;
			printf("    ");
			cli_print_name(stdout, json_string_value(path) ? json_string_value(path) : "");
			printf("\n");
		}
		more += n > PATHS_SHOWN ? n - PATHS_SHOWN : 0;
		if (more)
			printf("    … %zu more\n", more);
	}
}

/* Where nobody won a person wants to know why: the last words of the first few that failed. */
static void print_tails(const json_t *branches)
{
	const json_t *b;
	size_t i, shown = 0;

	json_array_foreach(branches, i, b)
	{
		const char *out = text_of(b, "stdout_tail"), *err = text_of(b, "stderr_tail");

		if (strcmp(text_of(b, "state"), "failed") != 0 || (!*out && !*err) || shown++ >= TAILS_SHOWN)
			continue;
		printf("\nlast output of %s:\n", text_of(b, "name"));
		cli_print_last_lines(stdout, *err ? err : out);
	}
}

static void print_next(const char *box)
{
	printf("  aisbx diff --patch %s   shows what it changed\n"
	       "  aisbx pipeline run %s   takes it through the project's stages\n"
	       "  aisbx promote %s        promotes it ('aisbx undo' undoes that)\n"
	       "  aisbx rm %s             removes it\n",
	       box, box, box, box);
}

static void print_winner(const json_t *result)
{
	const json_t *promotion = json_object_get(result, "promotion"),
		     *pipeline = json_object_get(result, "pipeline");
	const char *box = text_of(result, "box");

	printf("\n%s%s wins%s; it is in the box %s\n", paint(BOLD GREEN), text_of(result, "winner"),
	       paint(PLAIN), box);
	if (json_is_object(promotion))
		cli_render_promote(promotion);
	else if (json_is_object(pipeline))
		cli_render_pipeline(pipeline);
	else
		print_next(box);
}

/* Why there is no winner, by the state of the experiment. */
static const struct {
	const char *state, *words;
} ends[] = {
	{ "none", "no branch passed" },
	{ "running", "it is still running" },
	{ "error", "it could not be completed" },
	{ "budget", "the budget was used up before a branch passed" },
	{ "interrupted", "it was interrupted" },
};

void cli_render_try(const json_t *result)
{
	const json_t *branches = json_object_get(result, "branches");
	const char *words = "comparison only, no winner";

	end_progress(true);
	cli_print_columns(table_columns, branches);
	print_differences(json_object_get(result, "differs"));
	if (*text_of(result, "winner")) {
		print_winner(result);
		return;
	}
	print_tails(branches);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (!strcmp(ends[i].state, text_of(result, "state")))
			words = ends[i].words;
	printf("\n%s\n", words);
}
