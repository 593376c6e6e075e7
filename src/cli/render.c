/* SPDX-License-Identifier: Apache-2.0 */
/* Results as words. Data goes to stdout, words about it to stderr. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/cli.h"

bool cli_colour(FILE *out)
{
	const char *no = getenv("NO_COLOR");

	return isatty(fileno(out)) && !(no && *no);
}

/* Direction overrides and isolates: U+202A-202E, U+2066-2069 in UTF-8. */
static bool is_bidi(const unsigned char *s)
{
	return s[0] == 0xE2 && ((s[1] == 0x80 && s[2] >= 0xAA && s[2] <= 0xAE) ||
				(s[1] == 0x81 && s[2] >= 0xA6 && s[2] <= 0xA9));
}

static void print(FILE *out, const char *text, const char *keep)
{
	for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
		if (is_bidi(s)) {
			fputc('?', out);
			s += 2;
		} else if ((*s < ' ' && !strchr(keep, *s)) || *s == 0x7F ||
			   (s[0] == 0xC2 && s[1] >= 0x80 && s[1] <= 0x9F)) {
			fputc('?', out);
			s += *s == 0xC2;
		} else {
			fputc(*s, out);
		}
	}
}

void cli_print_safe(FILE *out, const char *text)
{
	print(out, text, "\n\t");
}

void cli_print_name(FILE *out, const char *name)
{
	print(out, name, "");
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : "";
}

static void render_violations(const json_t *list)
{
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v) {
		const char *by = text_of(v, "by");

		if (i == 8) {
			fprintf(stderr, "aisbx: ... and %zu more; --json lists them all\n", json_array_size(list) - i);
			return;
		}
		fprintf(stderr, "aisbx: %s: ", strcmp(text_of(v, "kind"), "decoy") ? "refused" : "noticed");
		cli_print_safe(stderr, text_of(v, "what"));
		if (*by) {
			fprintf(stderr, " by ");
			cli_print_safe(stderr, by);
		}
		fprintf(stderr, " (");
		cli_print_safe(stderr, text_of(v, "rule"));
		fprintf(stderr, ")\n");
	}
}

/* Not silenced by --quiet: a status of 127 alone says too little. */
static void render_failures(const json_t *result)
{
	static const char *const keys[] = { "error", "snapshot_error", "history_error" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *error = text_of(result, keys[i]);

		if (!*error)
			continue;
		fprintf(stderr, "aisbx: ");
		cli_print_safe(stderr, error);
		fprintf(stderr, "\n");
	}
}

static void render_run(const json_t *result)
{
	const json_t *limit = json_object_get(result, "limit"), *isolation = json_object_get(result, "isolation");
	const json_t *cut = json_object_get(result, "truncated"), *missing = json_object_get(isolation, "missing");
	json_int_t dropped = json_integer_value(json_object_get(cut, "stdout")) +
			     json_integer_value(json_object_get(cut, "stderr"));
	char text[32];
	size_t i;
	const json_t *wall;

	render_violations(json_object_get(result, "violations"));
	if (dropped)
		fprintf(stderr, "aisbx: %s of output cut off; --output allows more\n",
			str_size((uint64_t)dropped, text, sizeof(text)));
	if (json_is_object(limit))
		fprintf(stderr, "aisbx: stopped after %s, the limit of this run; --timeout sets another\n",
			str_ms((uint64_t)json_integer_value(json_object_get(limit, "value")), text, sizeof(text)));
	if (json_array_size(missing)) {
		fprintf(stderr, "aisbx: this run had no wall");
		json_array_foreach(missing, i, wall)
			fprintf(stderr, "%s '%s'", i ? "," : "", json_string_value(wall));
		fprintf(stderr, ", because --without gave it up\n");
	}
}

/* Operations with words of their own for people; the others show their result as it is. */
static const struct {
	const char *op;
	void (*render)(const json_t *result);
} renderers[] = {
	{ "create", cli_render_names }, { "diff", cli_render_diff },	   { "doctor", cli_render_doctor },
	{ "fork", cli_render_names },	{ "history", cli_render_history }, { "ls", cli_render_boxes },
	{ "rename", cli_render_names }, { "snap", cli_render_names },	   { "tree", cli_render_tree },
};

void cli_render(const struct op *op, const struct cli_common *common, const json_t *result)
{
	if (!strcmp(op->name, "run")) {
		if (!common->quiet)
			render_run(result);
		render_failures(result);
		return;
	}
	if (common->quiet && !strcmp(op->name, "doctor"))
		return; /* the exit status is the answer */
	for (size_t i = 0; i < sizeof(renderers) / sizeof(*renderers); i++)
		if (!strcmp(op->name, renderers[i].op)) {
			renderers[i].render(result);
			return;
		}
	if (!strcmp(op->name, "rm") || !strcmp(op->name, "rollback"))
		return; /* done is done */
	json_dumpf(result, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	fputc('\n', stdout);
}
