/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of a scan for people: where, what, the line with a marker below it, why, what to do. */
#include <string.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/render_common.h"

static const char *colour_of(const char *severity)
{
	return paint(str_is_one_of(severity, "critical|high") ? RED
		     : !strcmp(severity, "medium")            ? YELLOW
							      : DIM);
}

static void print_path(const json_t *file)
{
	const char *path = text_of(file, "path"), *hex = text_of(file, "path_hex");

	if (*path)
		cli_print_name(stdout, path);
	else
		printf("%s", *hex ? hex : "stdin");
}

/* As wide as what cli_print_safe makes of the first N bytes of TEXT: one for each character; tabs stay. */
static void print_space(const char *text, size_t n)
{
	for (size_t i = 0; i < n && text[i]; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			putchar(text[i] == '\t' ? '\t' : ' ');
}

/* Where the mark begins and ends in the text that is shown. */
static void find_mark(const json_t *f, size_t len, size_t *ret_first, size_t *ret_last)
{
	json_int_t offset = number_of(f, "text_offset"), first = number_of(f, "column") - 1 - offset;
	json_int_t last = number_of(f, "end_line") > number_of(f, "line")
				  ? (json_int_t)len
				  : number_of(f, "end_column") - 1 - offset;

	first = first < 0 ? 0 : first > (json_int_t)len ? (json_int_t)len : first;
	last = last > (json_int_t)len ? (json_int_t)len : last;
	*ret_first = (size_t)first;
	*ret_last = (size_t)(last > first ? last : first + 1);
}

static void print_source(const json_t *f)
{
	const char *text = text_of(f, "text");
	size_t len = strlen(text), first, last;

	find_mark(f, len, &first, &last);
	printf("%7" JSON_INTEGER_FORMAT " | ", number_of(f, "line"));
	cli_print_safe(stdout, text);
	printf("\n        | ");
	print_space(text, first);
	printf("%s", colour_of(text_of(f, "severity")));
	for (size_t i = first; i < last; i++)
		if (i >= len || ((unsigned char)text[i] & 0xc0) != 0x80)
			putchar('^');
	printf("%s\n", paint(PLAIN));
}

static void print_finding(const json_t *file, const json_t *f)
{
	const char *severity = text_of(f, "severity");

	print_path(file);
	printf(":%" JSON_INTEGER_FORMAT ":%" JSON_INTEGER_FORMAT ": %s%s%s ", number_of(f, "line"),
	       number_of(f, "column"), colour_of(severity), severity, paint(PLAIN));
	cli_print_name(stdout, text_of(f, "why"));
	printf(" [%s]\n", text_of(f, "rule"));
	print_source(f);
	/* What the line does not show: names put together, programs in texts. */
	if (json_is_true(json_object_get(f, "indirect")) || json_is_true(json_object_get(f, "nested"))) {
		printf("          that is: ");
		cli_print_name(stdout, text_of(f, "call"));
		printf("\n");
	}
	if (*text_of(f, "advice")) {
		printf("          ");
		cli_print_name(stdout, text_of(f, "advice"));
		printf("\n");
	}
}

static size_t print_file(const json_t *file)
{
	const json_t *list = json_object_get(file, "findings"), *f;
	json_int_t more = number_of(file, "more");
	size_t i;

	json_array_foreach(list, i, f) print_finding(file, f);
	if (more) {
		print_path(file);
		printf(": %" JSON_INTEGER_FORMAT " more findings, none of them more severe\n", more);
	}
	return json_array_size(list) + (size_t)more;
}

static void print_facts(const json_t *file)
{
	const json_t *list = json_object_get(file, "facts"), *f, *word;
	size_t i, k;

	json_array_foreach(list, i, f)
	{
		print_path(file);
		printf(":%" JSON_INTEGER_FORMAT ":%" JSON_INTEGER_FORMAT ": fact %s%s%s ",
		       number_of(f, "line"), number_of(f, "column"), text_of(f, "kind"),
		       json_is_true(json_object_get(f, "indirect")) ? " indirect" : "",
		       json_is_true(json_object_get(f, "nested")) ? " nested" : "");
		cli_print_name(stdout, text_of(f, "name"));
		json_array_foreach(json_object_get(f, "args"), k, word)
		{
			printf(" | ");
			cli_print_name(stdout, json_string_value(word));
		}
		json_array_foreach(json_object_get(f, "from"), k, word)
		{
			printf(" < ");
			cli_print_name(stdout, json_string_value(word));
		}
		printf("\n");
	}
}

void cli_render_scan(const json_t *result)
{
	const json_t *sarif = json_object_get(result, "sarif"), *files = json_object_get(result, "files"),
		     *file;
	const char *risk = text_of(result, "risk");
	size_t i, n = 0;

	if (sarif) {
		json_dumpf(sarif, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
		fputc('\n', stdout);
		return;
	}
	print_facts(result);
	json_array_foreach(files, i, file) print_facts(file);
	n += files ? (size_t)number_of(result, "more") : print_file(result);
	json_array_foreach(files, i, file) n += print_file(file);
	if (files && number_of(result, "more"))
		printf("%" JSON_INTEGER_FORMAT " more findings, in programs that are not listed\n",
		       number_of(result, "more"));
	printf("risk %s%s%s: %zu finding%s in %" JSON_INTEGER_FORMAT " program%s; the policy '",
	       colour_of(risk), risk, paint(PLAIN), n, n == 1 ? "" : "s", number_of(result, "scanned"),
	       number_of(result, "scanned") == 1 ? "" : "s");
	cli_print_name(stdout, text_of(result, "policy"));
	printf("' says %s\n", text_of(result, "action"));
	cli_render_notes(result);
}
