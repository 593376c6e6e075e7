/* SPDX-License-Identifier: Apache-2.0 */
/* Reading results, symbols of changes, and colours where they are supported. */
#include "cli/render_common.h"

#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/scope.h"
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

/* The largest unit that is in it. */
static const struct {
	json_int_t ms;
	const char *brief, *one;
} units[] = { { 86400000, "day", "day" },
	      { 3600000, "h", "hour" },
	      { 60000, "min", "minute" },
	      { 1000, "s", "second" } };

static json_int_t age_of(json_int_t ms, size_t *ret_unit)
{
	json_int_t age = (json_int_t)time(NULL) * 1000 + 999 - ms;
	size_t i = 0;

	while (i < 4 && age < units[i].ms * (i < 3 ? 2 : 1)) /* 90 minutes are no hour */
		i++;
	*ret_unit = i;
	return i < 4 ? age / units[i].ms : 0;
}

const char *age_text(json_int_t ms, char *buf, size_t cap)
{
	size_t unit;
	json_int_t n = age_of(ms, &unit);

	if (unit == 4)
		snprintf(buf, cap, "now");
	else
		snprintf(buf, cap, "%lld %s%s", (long long)n, units[unit].brief, unit || n == 1 ? "" : "s");
	return buf;
}

const char *ago_text(json_int_t ms, char *buf, size_t cap)
{
	size_t unit;
	json_int_t n = age_of(ms, &unit);

	if (unit == 4)
		snprintf(buf, cap, "just now");
	else
		snprintf(buf, cap, "%lld %s%s ago", (long long)n, units[unit].one, n == 1 ? "" : "s");
	return buf;
}

const char *date_text(json_int_t ms, char *buf, size_t cap)
{
	time_t when = (time_t)(ms / 1000);
	struct tm tm;

	if (!localtime_r(&when, &tm) || !strftime(buf, cap, "%Y-%m-%d %H:%M", &tm))
		snprintf(buf, cap, "?");
	return buf;
}

const char *count_text(json_int_t n, const char *one, char *buf, size_t cap)
{
	snprintf(buf, cap, "%lld %s%s", (long long)n, one, n == 1 ? "" : "s");
	return buf;
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

void cli_render_notes(const json_t *result)
{
	const json_t *n;
	size_t i;

	json_array_foreach(json_object_get(result, "notes"), i, n)
	{
		fprintf(stderr, "aisbx: ");
		cli_print_name(stderr, json_string_value(n));
		fprintf(stderr, "\n");
	}
}

/* The names of an image's maker are words (image/pseudo_policy.h). */
char *policy_text(const json_t *policy)
{
	const json_t *caps = json_object_get(policy, "caps"), *cap;
	const char *net = text_of(policy, "net"), *seccomp = text_of(policy, "seccomp");
	scoped(buf_finish) struct buf text = { 0 };
	const char *text_or_null;
	size_t i;

	if (!json_is_object(policy))
		return NULL;
	if (json_is_array(caps))
		buf_addf(&text, "%s", json_array_size(caps) ? "at most the capabilities" : "no capabilities");
	json_array_foreach(caps, i, cap) buf_addf(&text, "%s %s", i ? "," : "", json_string_value(cap));
	if (*seccomp)
		buf_addf(&text, "%ssystem calls of '%s'", text.len ? "; " : "", seccomp);
	if (*net)
		buf_addf(&text, "%s%s", text.len ? "; " : "",
			 !strcmp(net, "none")       ? "no network"
			 : !strcmp(net, "loopback") ? "its own loopback only"
						    : "any network that the profile allows");
	text_or_null = buf_str(&text);
	return text_or_null ? strdup(text_or_null) : NULL;
}
