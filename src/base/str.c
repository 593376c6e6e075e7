/* SPDX-License-Identifier: Apache-2.0 */
/* Text to numbers and back, and lists of strings. */
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A plain decimal number with at most one point; strtod alone also takes "inf", "nan", "0x1p3". */
static bool number(const char *text, double *ret_value, const char **ret_rest)
{
	size_t digits = strspn(text, "0123456789");
	size_t all = digits;
	char *end;

	if (text[digits] == '.')
		all += 1 + strspn(text + digits + 1, "0123456789");
	if (!isdigit((unsigned char)text[0]) || all > 18)
		return false;
	*ret_value = strtod(text, &end);
	*ret_rest = text + all;
	return end == *ret_rest;
}

struct unit {
	const char *name;
	double factor;
};

static bool scaled(const char *text, const struct unit *units, size_t n, uint64_t *ret_value)
{
	const char *rest;
	double value;

	if (!number(text, &value, &rest))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(rest, units[i].name)) {
			value *= units[i].factor;
			if (value >= 9e18)
				return false;
			*ret_value = (uint64_t)value;
			*ret_value +=
				(double)*ret_value < value; /* up: a small limit must not become 0, "none" */
			return true;
		}
	return false;
}

bool str_to_size(const char *text, uint64_t *ret_bytes)
{
	static const struct unit units[] = {
		{ "", 1 },         { "b", 1 },       { "k", 0x1p10 },   { "kb", 0x1p10 },  { "kib", 0x1p10 },
		{ "m", 0x1p20 },   { "mb", 0x1p20 }, { "mib", 0x1p20 }, { "g", 0x1p30 },   { "gb", 0x1p30 },
		{ "gib", 0x1p30 }, { "t", 0x1p40 },  { "tb", 0x1p40 },  { "tib", 0x1p40 },
	};

	return scaled(text, units, sizeof(units) / sizeof(*units), ret_bytes);
}

bool str_to_ms(const char *text, uint64_t *ret_ms)
{
	static const struct unit units[] = {
		{ "", 1e3 },   { "ms", 1 },     { "s", 1e3 },    { "sec", 1e3 },
		{ "m", 60e3 }, { "min", 60e3 }, { "h", 3600e3 }, { "d", 86400e3 },
	};

	return scaled(text, units, sizeof(units) / sizeof(*units), ret_ms);
}

bool str_to_milli(const char *text, uint64_t *ret_value)
{
	static const struct unit units[] = { { "", 1e3 } };

	return scaled(text, units, 1, ret_value);
}

bool str_to_u64(const char *text, uint64_t *ret_value)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*ret_value = strtoull(text, &end, 10);
	return !*end && errno == 0;
}

const char *str_size(uint64_t bytes, char *buf, size_t cap)
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	double value = (double)bytes;
	size_t i = 0;

	while (value >= 1024 && i + 1 < sizeof(names) / sizeof(*names)) {
		value /= 1024;
		i++;
	}
	snprintf(buf, cap, value == (double)(uint64_t)value ? "%.0f %s" : "%.1f %s", value, names[i]);
	return buf;
}

const char *str_ms(uint64_t ms, char *buf, size_t cap)
{
	if (ms < 1000)
		snprintf(buf, cap, "%llu ms", (unsigned long long)ms);
	else if (ms < 120000)
		snprintf(buf, cap, ms % 1000 ? "%.1f s" : "%.0f s", (double)ms / 1000);
	else if (ms < 7200000)
		snprintf(buf, cap, "%.0f min", (double)ms / 60000);
	else
		snprintf(buf, cap, "%.0f h", (double)ms / 3600000);
	return buf;
}

bool str_matches(const char *text, const char *pattern)
{
	const char *star = NULL, *resume = NULL;

	/* Greedy with one step of memory: linear in practice, no recursion for an attacker to deepen. */
	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			resume = text;
		} else if (*pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool str_is_one_of_n(const char *word, size_t len, const char *list)
{
	for (size_t n; len; list += n + 1) {
		n = strcspn(list, "|");
		if (n == len && !memcmp(list, word, len))
			return true;
		if (!list[n])
			break;
	}
	return false;
}

bool str_is_one_of(const char *word, const char *list)
{
	return str_is_one_of_n(word, strlen(word), list);
}

void strlist_finish(struct strlist *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->items[i]);
	free(l->items);
	*l = (struct strlist){ 0 };
}

static bool has_room(struct strlist *l)
{
	size_t room = l->n + l->n / 2 + 2;
	char **grown;

	if (l->n + 2 <= l->room)
		return true;
	grown = reallocarray(l->items, room, sizeof(*grown));
	if (!grown)
		return false;
	l->items = grown;
	l->room = room;
	return true;
}

static void take(struct strlist *l, char *s)
{
	if (!s || l->failed || !has_room(l)) {
		free(s);
		l->failed = true;
		return;
	}
	l->items[l->n++] = s;
	l->items[l->n] = NULL;
}

void strlist_add(struct strlist *l, const char *s)
{
	take(l, strdup(s));
}

void strlist_addf(struct strlist *l, const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	va_end(ap);
	take(l, s);
}

bool strlist_has(const struct strlist *l, const char *s)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->items[i], s))
			return true;
	return false;
}

/* How many letters are wrong, missing, too many, or two of them the wrong way round. */
static size_t distance(const char *a, const char *b)
{
	size_t rows[3][64], n = strlen(b), i;

	if (n >= 64 || strlen(a) >= 64)
		return 64;
	for (size_t j = 0; j <= n; j++)
		rows[0][j] = j;
	for (i = 1; a[i - 1]; i++) {
		const size_t *above = rows[(i - 1) % 3],
			     *further = rows[(i + 1) % 3]; /* of three rows, two up is one down */
		size_t *row = rows[i % 3];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);

			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    further[j - 2] + 1 < best)
				best = further[j - 2] + 1;
			row[j] = best;
		}
	}
	return rows[(i - 1) % 3][n];
}

const char *str_nearest(const char *typed, const char *const *candidates, size_t n)
{
	size_t best = strlen(typed) / 2 + 1;
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t d = distance(typed, candidates[i]);

		if (d < best) {
			best = d;
			found = candidates[i];
		}
	}
	return found;
}
