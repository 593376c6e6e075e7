/* SPDX-License-Identifier: Apache-2.0 */
/* What changed outside of a box, as text. It goes to stderr: it is about the result, not part of it. */
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/render_common.h"

#define MAX_NAMED 5

/* "1,234" */
static const char *grouped(json_int_t n, char *buf, size_t cap)
{
	char digits[32];
	int len = snprintf(digits, sizeof(digits), "%lld", (long long)n);
	size_t at = 0;

	for (int i = 0; i < len && at + 2 < cap; i++) {
		if (i && (len - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
	return buf;
}

static const char *moment_of(const json_t *drift)
{
	const char *of = text_of(drift, "of");

	return !strcmp(of, "snapshot") ? "the snapshot was taken"
	       : !strcmp(of, "pin")    ? "the box was pinned"
				       : "the box was made";
}

static void print_key(const json_t *item, const char *key, const char *hex)
{
	cli_print_name(stderr, *text_of(item, key) ? text_of(item, key) : text_of(item, hex));
}

static void print_file(const json_t *f)
{
	const char *kind = text_of(f, "kind");

	fprintf(stderr, "aisbx:   ");
	if (!strcmp(kind, "lost")) {
		fprintf(stderr, "something was removed or renamed in ");
		print_key(f, "path", "path_hex");
		fprintf(stderr, "\n");
		return;
	}
	print_key(f, "path", "path_hex");
	if (!strcmp(kind, "renamed")) {
		fprintf(stderr, ", which was ");
		print_key(f, "from", "from_hex");
	} else {
		fprintf(stderr, " (%s)", kind);
	}
	fprintf(stderr, "%s\n", json_is_true(json_object_get(f, "both")) ? "; the box changed it, too" : "");
}

static void print_head(const json_t *drift, json_int_t n, json_int_t touched)
{
	const char *least = json_is_true(json_object_get(drift, "complete")) ? "" : "at least ";
	char text[48];

	if (!n) {
		fprintf(stderr, "aisbx: %s%s file%s of the project %s touched outside since %s:\n", least,
			grouped(touched, text, sizeof(text)), touched == 1 ? "" : "s",
			touched == 1 ? "was" : "were", moment_of(drift));
		return;
	}
	fprintf(stderr, "aisbx: %s%s file%s of the project changed outside since %s", least,
		grouped(n, text, sizeof(text)), n == 1 ? "" : "s", moment_of(drift));
	if (touched)
		fprintf(stderr, ", and %s %s touched", grouped(touched, text, sizeof(text)),
			touched == 1 ? "was" : "were");
	fprintf(stderr, ":\n");
}

static void print_files(const json_t *drift)
{
	static const char *const kinds[] = { "changed", "added", "deleted", "renamed", "lost" };
	const json_t *list = json_object_get(drift, "files"), *f;
	json_int_t n = 0, touched = number_of(drift, "touched");
	char text[48];
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		n += number_of(drift, kinds[i]);
	if (!n && !touched)
		return;
	print_head(drift, n, touched);
	n += touched;
	json_array_foreach(list, i, f) if (i < MAX_NAMED) print_file(f);
	if (n > MAX_NAMED)
		fprintf(stderr, "aisbx:   and %s more; --json lists %s\n",
			grouped(n - MAX_NAMED, text, sizeof(text)), n > 100 ? "the first 100" : "them");
}

static void print_branch(const json_t *drift)
{
	const char *names[] = { text_of(drift, "branch"), text_of(drift, "was") };

	if (!*names[0])
		return;
	for (int i = 0; i < 2; i++) {
		bool is_branch = !strncmp(names[i], "refs/heads/", 11);
		char text[300];

		snprintf(text, sizeof(text), is_branch ? "%s" : "%.12s", names[i] + (is_branch ? 11 : 0));
		fprintf(stderr, "%s%s ", i ? "; it was on " : "aisbx: the project is now on ",
			is_branch ? "branch" : "commit");
		cli_print_name(stderr, text);
	}
	fprintf(stderr, " when the box was made\n");
}

/* A copy was made. */
static void print_pin(const json_t *result)
{
	const json_t *pin = json_object_get(result, "pin");
	json_int_t closed = number_of(pin, "unreadable");
	char text[48], size[32];

	if (!json_is_object(pin))
		return;
	fprintf(stderr, "aisbx: the box uses a copy of the project as it is now%s: %s files, %s%s\n",
		json_array_size(json_object_get(json_object_get(result, "drift"), "files"))
			? ", with these changes"
			: "",
		grouped(number_of(pin, "files"), text, sizeof(text)),
		str_size((uint64_t)number_of(pin, "bytes"), size, sizeof(size)),
		json_is_true(json_object_get(pin, "shared")) ? ", which take no space of their own" : "");
	if (closed)
		fprintf(stderr,
			"aisbx: %lld of them could not be read; in the box they are empty and not "
			"accessible\n",
			(long long)closed);
}

static void print_drift(const json_t *drift)
{
	char text[48];

	if (!json_is_object(drift))
		return;
	if (*text_of(drift, "error")) {
		fprintf(stderr, "aisbx: changes outside are not known: ");
		cli_print_safe(stderr, text_of(drift, "error"));
		fprintf(stderr, "\n");
		return;
	}
	print_branch(drift);
	print_files(drift);
	if (json_is_true(json_object_get(drift, "clock_back")))
		fprintf(stderr,
			"aisbx: the clock was set back since %s: other changes outside cannot be detected\n",
			moment_of(drift));
	else if (!json_is_true(json_object_get(drift, "complete")))
		fprintf(stderr,
			"aisbx: searched %s files of the project for changes outside, but not all; --drift "
			"full searches all of them\n",
			grouped(number_of(drift, "looked"), text, sizeof(text)));
}

void cli_render_drift(const json_t *result)
{
	print_drift(json_object_get(result, "drift"));
	print_pin(result);
}
