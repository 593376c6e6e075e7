/* SPDX-License-Identifier: Apache-2.0 */
/* The guard's verdict and its outcome as text; the answer of an agent's hook. */
#include <string.h>

#include "base/value.h"
#include "cli/cli.h"
#include "cli/render_common.h"

static void print_verdict(const json_t *result)
{
	static const struct {
		const char *act, *words;
	} acts[] = { { "run", "it only reads, so it runs on the machine, behind the glass" },
		     { "look", "behind the glass first, then in a box if needed" },
		     { "box", "in a box" },
		     { "ask", "only if a person allows it" },
		     { "refuse", "refused" } };
	const json_t *reason, *ignored = json_object_get(result, "ignored");
	size_t i;

	for (i = 0; i < sizeof(acts) / sizeof(*acts); i++)
		if (!strcmp(acts[i].act, text_of(result, "act")))
			fprintf(stderr, "aisbx: %s", acts[i].words);
	if (*text_of(result, "wanted")) {
		fputs(", because it tried ", stderr);
		cli_print_name(stderr, text_of(result, "wanted"));
		fputs("\n", stderr);
		return;
	}
	json_array_foreach(json_object_get(result, "reasons"), i, reason)
	{
		fputs(i ? "; " : ", because ", stderr);
		cli_print_name(stderr, text_of(reason, "why"));
		if (*text_of(reason, "part") && strlen(text_of(reason, "part")) < 60) {
			fputs(" (", stderr);
			cli_print_name(stderr, text_of(reason, "part"));
			fputs(")", stderr);
		}
	}
	fputs("\n", stderr);
	json_array_foreach(ignored, i, reason)
	{
		fputs("aisbx: a project may not loosen the rules: '", stderr);
		cli_print_name(stderr, json_string_value(reason));
		fputs("' is ignored\n", stderr);
	}
}

static void print_changes(const json_t *result)
{
	const json_t *count, *next;
	const char *kind;
	bool any = false;
	size_t i;

	fprintf(stderr, "aisbx: ");
	json_object_foreach((json_t *)json_object_get(result, "changes"), kind,
			    count) if (json_integer_value(count))
	{
		fprintf(stderr, "%s%lld %s", any ? ", " : "", (long long)json_integer_value(count), kind);
		any = true;
	}
	if (!any)
		fprintf(stderr, "it changed nothing");
	if (json_is_true(json_object_get(result, "promoted")))
		fprintf(stderr, "; these changes are in the project now, and '%s' undoes them",
			text_of(result, "undo"));
	fprintf(stderr, "\n");
	json_array_foreach(json_object_get(result, "next"), i, next)
		fprintf(stderr, "  %s\n", json_string_value(next));
}

static void print_gates(const json_t *gates)
{
	const json_t *gate;
	size_t i;

	json_array_foreach(gates, i, gate) if (!json_is_true(json_object_get(gate, "passed")))
	{
		fputs("aisbx: not promoted: ", stderr);
		cli_print_name(stderr, text_of(gate, "check"));
		fputs(": ", stderr);
		cli_print_name(stderr, text_of(gate, "why"));
		fputs("\n", stderr);
	}
}

void cli_render_guard(const json_t *result)
{
	const json_t *answer = json_object_get(result, "answer");

	if (answer) {
		if (*text_of(result, "blocked")) {
			fputs("aisbx: blocked: ", stderr);
			cli_print_name(stderr, text_of(result, "blocked"));
			fputs("\n", stderr);
		}
		if (json_is_object(answer)) {
			json_dumpf(answer, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER | VALUE_REALS);
			fputc('\n', stdout);
		}
		return;
	}
	if (json_object_get(result, "stopped")) {
		fprintf(stderr, "aisbx: %lld done; %s\n", (long long)number_of(result, "done"),
			text_of(result, "stopped"));
		return;
	}
	if (json_is_true(json_object_get(result, "looked"))) /* its output was all there was to say */
		return;
	if (json_object_get(result, "changes")) {
		if (*text_of(result, "failed_for")) {
			fputs("aisbx: ", stderr);
			cli_print_name(stderr, text_of(result, "failed_for"));
			fputs("\n", stderr);
		}
		print_gates(json_object_get(result, "gates"));
		print_changes(result);
		return;
	}
	if (json_object_get(result, "verdicts")) {
		json_dumpf(result, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER | VALUE_REALS);
		fputc('\n', stdout);
		return;
	}
	print_verdict(result);
}
