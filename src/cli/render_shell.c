/* SPDX-License-Identifier: Apache-2.0 */
/* The one line at the end of a shell: what changed, and what next. */
#include "cli/cli.h"
#include "cli/render_common.h"

static const struct {
	const char *kind, *word;
} kinds[] = {
	{ "created", "created" },
	{ "modified", "modified" },
	{ "deleted", "deleted" },
	{ "replaced", "replaced" },
	{ "mode", "with other permissions" },
	{ "xattr", "with other attributes" },
};

/* "3 created, 1 modified"; the number of all. */
static long long print_counts(const json_t *summary)
{
	long long all = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		long long n = number_of(summary, kinds[i].kind);

		if (n)
			fprintf(stderr, "%s%lld %s", all ? ", " : " ", n, kinds[i].word);
		all += n;
	}
	return all;
}

void cli_render_shell(const json_t *result, bool quiet)
{
	const json_t *run = json_object_get(result, "run"), *error = json_object_get(run, "error");
	const char *box = text_of(result, "box");
	/* Who need not say which box is not told to. */
	bool current = json_is_true(json_object_get(result, "current")) || *text_of(result, "current_box");
	const char *space = current ? "" : " ", *named = current ? "" : box;

	if (json_is_string(error)) {
		fprintf(stderr, "aisbx: ");
		cli_print_safe(stderr, json_string_value(error));
		fputc('\n', stderr);
	}
	if (quiet)
		return;
	if (json_is_true(json_object_get(result, "removed"))) {
		fprintf(stderr, "box %s: nothing changed, so it was removed\n", box);
		return;
	}
	fprintf(stderr, "box %s:", box);
	if (!json_is_object(json_object_get(result, "summary"))) {
		fprintf(stderr, " its changes cannot be counted: ");
		cli_print_safe(stderr, text_of(result, "summary_error"));
		fputc('\n', stderr);
	} else if (print_counts(json_object_get(result, "summary"))) {
		fprintf(stderr, "; next: aisbx diff%s%s, aisbx promote%s%s\n", space, named, space, named);
	} else {
		fprintf(stderr, " no changes; next: aisbx shell%s%s, or aisbx rm %s\n", space, named, box);
	}
}

void cli_render_attach(const json_t *result, bool quiet)
{
	if (!quiet && json_is_true(json_object_get(result, "left")))
		fprintf(stderr, "aisbx: left run %s, which goes on; 'aisbx attach %s' returns to it\n",
			text_of(result, "name"), text_of(result, "name"));
}
