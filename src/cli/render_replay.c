/* SPDX-License-Identifier: Apache-2.0 */
/* A replay as text: identical or not, the differences, and what could not be compared. */
#include <string.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/render_common.h"

static void print_example(const json_t *example)
{
	static const char *const sides[] = { "was", "is" };

	if (!json_is_object(example))
		return;
	for (int i = 0; i < 2; i++) {
		const json_t *side = json_object_get(example, sides[i]);

		printf("    %s%s%s ", paint(i ? GREEN : RED), i ? "is " : "was", paint(PLAIN));
		if (json_is_integer(side))
			printf("%lld", (long long)json_integer_value(side));
		else
			cli_print_name(stdout, json_is_string(side) ? json_string_value(side) : "-");
		printf("\n");
	}
}

static void print_list(const char *title, const json_t *list)
{
	const json_t *item;
	size_t i;

	if (json_array_size(list))
		printf("%s%s%s\n", paint(BOLD), title, paint(PLAIN));
	json_array_foreach(list, i, item)
	{
		printf("  ");
		cli_print_name(stdout, text_of(item, "what"));
		if (strcmp(text_of(item, "kind"), "content") != 0)
			printf(": %s", text_of(item, "kind"));
		printf("\n");
		print_example(json_object_get(item, "example"));
	}
}

static void print_usage(const json_t *usage)
{
	const json_t *was = json_object_get(usage, "was"), *is = json_object_get(usage, "is");
	char a[32], b[32];

	printf("%swall %s, was %s", paint(DIM),
	       str_ms((uint64_t)json_number_value(json_object_get(is, "wall_ms")), a, sizeof(a)),
	       str_ms((uint64_t)json_number_value(json_object_get(was, "wall_ms")), b, sizeof(b)));
	printf("; memory %s, was %s%s\n", str_size((uint64_t)number_of(is, "mem_peak"), a, sizeof(a)),
	       str_size((uint64_t)number_of(was, "mem_peak"), b, sizeof(b)), paint(PLAIN));
}

void cli_render_replay(const json_t *result)
{
	const json_t *item, *not_compared = json_object_get(result, "not_compared");
	bool same = json_is_true(json_object_get(result, "same"));
	size_t i, n = json_array_size(json_object_get(result, "replay"));

	printf("%s%s%s: %s, replayed %zu time%s\n", paint(same ? GREEN : RED), same ? "same" : "differs",
	       paint(PLAIN), text_of(result, "run"), n, n == 1 ? "" : "s");
	print_list(n > 1 ? "not deterministic (the replays differ):" : "differs:",
		   json_object_get(result, "not_deterministic"));
	print_list("changed since (all replays agree):", json_object_get(result, "changed"));
	if (json_array_size(not_compared))
		printf("%snot compared:%s\n", paint(BOLD), paint(PLAIN));
	json_array_foreach(not_compared, i, item)
	{
		printf("  ");
		cli_print_name(stdout, text_of(item, "what"));
		printf(": ");
		cli_print_name(stdout, text_of(item, "why"));
		printf("\n");
	}
	json_array_foreach(json_object_get(result, "project_changed"), i, item)
	{
		printf("    ");
		cli_print_name(stdout, json_string_value(item));
		printf("\n");
	}
	json_array_foreach(json_object_get(result, "boxes"), i, item)
		printf("box %s\n", json_string_value(item));
	print_usage(json_object_get(result, "usage"));
}
