/* SPDX-License-Identifier: Apache-2.0 */
/* Live runs as text: lists and numbers. */
#include <string.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/render_common.h"

static const char *colour_of(const char *state)
{
	return !strcmp(state, "running") ? GREEN : !strcmp(state, "unresponsive") ? RED : YELLOW;
}

void cli_render_ps(const json_t *result)
{
	const json_t *list = json_object_get(result, "runs"), *r;
	char took[32];
	size_t i;

	if (!json_array_size(list)) {
		fprintf(stderr, "aisbx: no live runs; 'aisbx history' lists past runs\n");
		return;
	}
	printf("%-18s %-12s %10s %-18s %s\n", "RUN", "STATE", "TIME", "BOX", "COMMAND");
	json_array_foreach(list, i, r)
	{
		const char *state = text_of(r, "state"), *box = text_of(r, "box");

		printf("%-18s %s%-12s%s %10s %-18s ", text_of(r, "run"), paint(colour_of(state)), state,
		       paint(PLAIN),
		       str_ms((uint64_t)json_number_value(json_object_get(r, "wall_ms")), took, sizeof(took)),
		       *box ? box : "-");
		cli_print_name(stdout, text_of(r, "command"));
		putchar('\n');
	}
}

static void print_size(const json_t *r, const char *key)
{
	char text[32];

	printf(" %10s", json_is_integer(json_object_get(r, key))
				? str_size((uint64_t)number_of(r, key), text, sizeof(text))
				: "-");
}

void cli_render_stats(const json_t *result)
{
	const json_t *list = json_object_get(result, "runs"), *r;
	char took[32];
	size_t i;

	printf("%-18s %-12s %10s %10s %7s %10s %10s %6s %10s  %s\n", "RUN", "STATE", "TIME", "CPU", "CPU%",
	       "MEM", "MEM PEAK", "PIDS", "DISK", "COMMAND");
	json_array_foreach(list, i, r)
	{
		const char *state = text_of(r, "state");
		const json_t *cpu = json_object_get(r, "cpu_ms"), *share = json_object_get(r, "cpu_percent");

		printf("%-18s %s%-12s%s %10s", text_of(r, "run"), paint(colour_of(state)), state,
		       paint(PLAIN),
		       str_ms((uint64_t)json_number_value(json_object_get(r, "wall_ms")), took,
			      sizeof(took)));
		printf(" %10s", json_is_number(cpu)
					? str_ms((uint64_t)json_number_value(cpu), took, sizeof(took))
					: "-");
		if (json_is_number(share))
			printf(" %7.1f", json_number_value(share));
		else
			printf(" %7s", "-");
		print_size(r, "mem");
		print_size(r, "mem_peak");
		printf(" %6lld", (long long)number_of(r, "pids"));
		print_size(r, "disk");
		printf("  ");
		cli_print_name(stdout, text_of(r, "command"));
		putchar('\n');
	}
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
