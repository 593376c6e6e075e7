/* SPDX-License-Identifier: Apache-2.0 */
/* Reading results, symbols of changes, and colours where they are supported. */
#include "cli/render_common.h"

#include <string.h>

#include "base/str.h"
#include "cli/cli.h"

const struct change_mark change_marks[] = {
	{ "created", "+", GREEN },   { "deleted", "-", RED }, { "modified", "~", YELLOW },
	{ "replaced", "!", YELLOW }, { "mode", "m", DIM },    { "xattr", "x", DIM },
	{ "touched", "t", DIM },     { NULL, "?", "" },
};

const struct change_mark *change_mark_of(const char *kind)
{
	const struct change_mark *m = change_marks;

	while (m->kind && strcmp(m->kind, kind) != 0)
		m++;
	return m;
}

const char *text_of(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : "";
}

json_int_t number_of(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

const char *paint(const char *code)
{
	return cli_colour(stdout) ? code : "";
}

void print_more(const json_t *result, const char *key)
{
	json_int_t n = number_of(json_object_get(result, "more"), key);

	if (n)
		printf("%sand %lld more %s, which are not listed%s\n", paint(BOLD), (long long)n, key,
		       paint(PLAIN));
}

void print_ignored(FILE *f, const json_t *result)
{
	const json_t *left = json_object_get(result, "ignored");
	json_int_t n = number_of(left, "files");
	char size[32];

	if (n)
		fprintf(f, "%s%lld file%s (%s) that git ignores stay%s in the box; --ignored includes %s%s\n",
			f == stdout ? paint(DIM) : "", (long long)n, n == 1 ? "" : "s",
			str_size((uint64_t)number_of(left, "bytes"), size, sizeof(size)), n == 1 ? "s" : "",
			n == 1 ? "it" : "them", f == stdout ? paint(PLAIN) : "");
}
