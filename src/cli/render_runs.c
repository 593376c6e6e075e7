/* SPDX-License-Identifier: Apache-2.0 */
/* Live runs as text: lists and numbers. */
#include <string.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/columns.h"
#include "cli/render_common.h"
#include "cli/window.h"

static const char *colour_of(const json_t *run)
{
	const char *state = text_of(run, "state");

	return !strcmp(state, "running") ? GREEN : !strcmp(state, "unresponsive") ? RED : YELLOW;
}

/* By what it is called. */
static void run_text(const json_t *run, char *text, size_t cap)
{
	const char *name = text_of(run, "name");

	snprintf(text, cap, "%s", *name ? name : text_of(run, "run"));
}

static void box_text(const json_t *run, char *text, size_t cap)
{
	const char *name = text_of(run, "box_name"), *box = *name ? name : text_of(run, "box");

	snprintf(text, cap, "%s", *box ? box : "-");
}

static const struct column ps_columns[] = {
	{ .head = "RUN", .least = 18, .shrinks = true, .text = run_text },
	{ .head = "STATE", .goes = 2, .key = "state", .colour = colour_of },
	{ .head = "TIME", .goes = 3, .right = true, .key = "wall_ms", .as = COLUMN_MS },
	{ .head = "BOX", .least = 8, .goes = 4, .shrinks = true, .text = box_text },
	{ .head = "COMMAND", .least = 12, .goes = 1, .shrinks = true, .key = "command" },
	{ .head = NULL },
};

void cli_render_ps(const json_t *result)
{
	const json_t *list = json_object_get(result, "runs");
	json_int_t others = number_of(result, "others");

	if (json_array_size(list))
		cli_print_columns(ps_columns, list);
	else if (others)
		fprintf(stderr, "aisbx: no live runs of this project; %lld %s: 'aisbx ps --all'\n",
			(long long)others, others == 1 ? "other" : "others");
	else
		fprintf(stderr, "aisbx: no live runs; 'aisbx history' lists past runs\n");
}

static void percent_text(const json_t *run, char *text, size_t cap)
{
	const json_t *share = json_object_get(run, "cpu_percent");

	if (json_is_number(share))
		snprintf(text, cap, "%.1f", json_number_value(share));
	else
		snprintf(text, cap, "-");
}

static const struct column stats_columns[] = {
	{ .head = "RUN", .least = 18, .shrinks = true, .text = run_text },
	{ .head = "STATE", .goes = 5, .key = "state", .colour = colour_of },
	{ .head = "TIME", .goes = 4, .right = true, .key = "wall_ms", .as = COLUMN_MS },
	{ .head = "CPU", .goes = 9, .right = true, .key = "cpu_ms", .as = COLUMN_MS },
	{ .head = "CPU%", .goes = 1, .right = true, .text = percent_text },
	{ .head = "MEM", .goes = 2, .right = true, .key = "mem", .as = COLUMN_SIZE },
	{ .head = "MEM PEAK", .goes = 8, .right = true, .key = "mem_peak", .as = COLUMN_SIZE },
	{ .head = "PIDS", .goes = 6, .right = true, .key = "pids", .as = COLUMN_NUMBER },
	{ .head = "DISK", .goes = 7, .right = true, .key = "disk", .as = COLUMN_SIZE },
	{ .head = "COMMAND", .least = 10, .goes = 3, .shrinks = true, .key = "command" },
	{ .head = NULL },
};

/* On a terminal each measurement takes the place of the one before. */
void cli_render_stats(const json_t *result)
{
	static int lines, wide; /* of the last one */
	int width, height;
	bool draws = window_of(stdout, &width, &height);

	/* In a window that became narrower nobody knows how many lines it takes now. */
	if (draws && lines && lines < height && width >= wide)
		printf("\033[%dA\r\033[J", lines);
	lines = 1 + (int)json_array_size(json_object_get(result, "runs"));
	wide = draws ? width : 0;
	cli_print_columns(stats_columns, json_object_get(result, "runs"));
}

#define FILES_SHOWN    20u
#define FINDINGS_SHOWN 8u

/* Not where the policy says to go on and be silent. */
void cli_render_warnings(const json_t *result)
{
	const json_t *scan = json_object_get(result, "scan"), *findings = json_object_get(scan, "findings"),
		     *f;
	const char *action = text_of(scan, "action");
	size_t i;

	if (!*action || str_is_one_of(action, "allow|sandbox"))
		return;
	json_array_foreach(findings, i, f)
	{
		if (i == FINDINGS_SHOWN) {
			fprintf(stderr, "aisbx: ... and %zu more findings; --json lists them all\n",
				json_array_size(findings) - i);
			break;
		}
		fprintf(stderr, "aisbx: scan: line %" JSON_INTEGER_FORMAT ": %s: ",
			json_integer_value(json_object_get(f, "line")), text_of(f, "severity"));
		cli_print_name(stderr, text_of(f, "why"));
		fprintf(stderr, " [");
		cli_print_name(stderr, text_of(f, "rule"));
		fprintf(stderr, "]\n");
	}
}

void cli_render_files(const json_t *result)
{
	const json_t *files = json_object_get(result, "files"), *f;
	long long more = json_integer_value(json_object_get(result, "files_not_listed"));
	char size[32];
	size_t i;

	json_array_foreach(files, i, f)
	{
		const char *name = text_of(f, "path"), *error = text_of(f, "error");

		if (i == FILES_SHOWN) {
			fprintf(stderr, "aisbx: ... and %zu more files; --json lists them all\n",
				json_array_size(files) - i);
			break;
		}
		fprintf(stderr, "aisbx: left ");
		cli_print_name(stderr, *name ? name : text_of(f, "path_hex"));
		fprintf(stderr, ", %s",
			str_size((uint64_t)json_integer_value(json_object_get(f, "size")), size,
				 sizeof(size)));
		if (*error) {
			fprintf(stderr, "; not copied: ");
			cli_print_safe(stderr, error);
		}
		fprintf(stderr, "\n");
	}
	if (more)
		fprintf(stderr, "aisbx: %lld entries that it left %s no regular file that could be listed\n",
			more, more == 1 ? "is" : "are");
}
