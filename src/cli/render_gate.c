/* SPDX-License-Identifier: Apache-2.0 */
/* The result of gates for people: a line for each check with its reason. */
#include <string.h>

#include "cli/cli.h"
#include "cli/render_common.h"

/* A reason that begins with the check itself is told without it. */
static const char *reason(const json_t *check)
{
	const char *why = text_of(check, "why"), *text = text_of(check, "check");
	size_t n = strlen(text);

	return !strncmp(why, text, n) && !strncmp(why + n, ": ", 2) ? why + n + 2 : why;
}

void cli_render_gate(const json_t *result)
{
	const json_t *checks = json_object_get(result, "checks"), *c;
	const char *gate = "";
	size_t i, failed = 0;

	json_array_foreach(checks, i, c)
	{
		bool passed = json_is_true(json_object_get(c, "passed"));

		if (strcmp(gate, text_of(c, "gate")) != 0) {
			gate = text_of(c, "gate");
			printf("%s%s%s\n", paint(BOLD), *gate ? gate : "-", paint(PLAIN));
		}
		failed += !passed;
		printf("%s%s%s ", paint(passed ? GREEN : RED), passed ? "pass" : "FAIL", paint(PLAIN));
		cli_print_name(stdout, text_of(c, "check"));
		printf("%s  ", paint(DIM));
		cli_print_name(stdout, reason(c));
		if (!passed && *text_of(c, "run"))
			printf(" (aisbx logs %s)", text_of(c, "run"));
		printf("%s\n", paint(PLAIN));
	}
	if (failed)
		fprintf(stderr, "aisbx: %zu of %zu checks do not hold\n", failed, json_array_size(checks));
}
