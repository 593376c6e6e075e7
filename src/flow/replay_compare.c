/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a command's output differs between runs. Lines are compared again with times, addresses, names of
 * temporary files or numbers masked; what makes two lines equal is the kind of difference. The kind is a
 * guess, for people; whether there is a difference is not.
 */
#include "flow/replay_compare.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/scope.h"

enum { HIDE_TIME = 1, HIDE_ADDRESS = 2, HIDE_TEMPORARY = 4, HIDE_NUMBER = 8 };

/* Lines longer than this, or more of them, are compared but not understood. */
#define MAX_LINE  65536
#define MAX_LINES 200000

struct piece {
	const char *at;
	size_t len;
};

static size_t digits(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && isdigit((unsigned char)p[i]))
		i++;
	return i;
}

static bool is_word(const char *p, size_t n, const char *const *words, size_t *ret_len)
{
	for (; *words; words++) {
		size_t len = strlen(*words);

		if (len <= n && !strncasecmp(p, *words, len) &&
		    (len == n || !isalpha((unsigned char)p[len]))) {
			*ret_len = len;
			return true;
		}
	}
	return false;
}

/* Digits that go on with one of -:/. and more digits, such as 2026-11-15 or 12:30:59.5. */
static size_t joined_digits(const char *p, size_t n, bool *ret_time)
{
	size_t i = digits(p, n), parts = 1;

	for (bool more = true; more && i + 1 < n && strchr("-:/.", p[i]) && p[i];) {
		size_t d = digits(p + i + 1, n - i - 1);

		*ret_time = *ret_time || (d && p[i] == ':');
		parts += d && p[i] != '.';
		more = d > 0;
		i += more ? d + 1 : 0;
	}
	*ret_time = *ret_time || parts >= 3;
	return i;
}

/* The name of a month or a day, with the number behind it if there is one. */
static size_t named_at(const char *p, size_t n)
{
	static const char *const names[] = {
		"jan",      "feb",    "mar",    "apr",       "may",     "jun",       "jul",      "aug",
		"sep",      "oct",    "nov",    "dec",       "mon",     "tue",       "wed",      "thu",
		"fri",      "sat",    "sun",    "monday",    "tuesday", "wednesday", "thursday", "friday",
		"saturday", "sunday", "am",     "pm",        "january", "february",  "march",    "april",
		"june",     "july",   "august", "september", "october", "november",  "december", NULL
	};
	size_t len, to, day;

	if (!is_word(p, n, names, &len))
		return 0;
	for (to = len; to < n && p[to] == ' ';)
		to++;
	day = digits(p + to, n - to);
	return to > len && (day == 1 || day == 2) && !(to + day < n && p[to + day] == ':') ? to + day : len;
}

/* How much of P is a time: a date, a clock, seconds since 1970, or a number with its unit. 0: nothing. */
static size_t time_at(const char *p, size_t n)
{
	static const char *const units[] = { "s",      "ms",      "us",  "ns",      "sec",          "secs",
					     "second", "seconds", "min", "minutes", "milliseconds", NULL };
	size_t whole = digits(p, n), len, unit;
	bool time = false;

	if (!whole)
		return named_at(p, n);
	if (whole <= 2 && whole + 1 < n && p[whole] == ' ' && isalpha((unsigned char)p[whole + 1]) &&
	    (len = named_at(p + whole + 1, n - whole - 1)))
		return whole + 1 + len;
	len = joined_digits(p, n, &time);
	if (time) {
		if (len < n && (p[len] == 'T' || p[len] == ' ') &&
		    isdigit((unsigned char)p[len + 1 < n ? len + 1 : len]))
			len += 1 + time_at(p + len + 1, n - len - 1);
		if (len < n && p[len] == 'Z')
			len++;
		return len;
	}
	if ((whole == 10 || whole == 13 || whole == 16 || whole == 19) && *p == '1')
		return len;
	unit = len + (len < n && p[len] == ' ');
	if (is_word(p + unit, n - unit, units, &whole))
		return unit + whole;
	return 0;
}

static size_t address_at(const char *p, size_t n)
{
	size_t i = 2;

	if (n < 4 || p[0] != '0' || (p[1] | 0x20) != 'x')
		return 0;
	while (i < n && isxdigit((unsigned char)p[i]))
		i++;
	return i >= 4 ? i : 0;
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

/* A name behind /tmp/ or /var/tmp/, or one that begins with "tmp" and goes on. */
static size_t temporary_at(const char *p, size_t n)
{
	size_t i = 0, from;

	if (n > 5 && !strncmp(p, "/tmp/", 5))
		i = 5;
	from = i;
	while (i < n && in_name(p[i]))
		i++;
	return (from && i > from) || (i >= 7 && !strncasecmp(p, "tmp", 3)) ? i : 0;
}

static size_t hidden_at(const char *p, size_t n, int hide, bool begins, char *ret_mark)
{
	size_t len = 0;

	if (hide & HIDE_ADDRESS && begins && (len = address_at(p, n)))
		*ret_mark = 1;
	else if (hide & HIDE_TEMPORARY && (begins || *p == '/') && (len = temporary_at(p, n)))
		*ret_mark = 2;
	else if (hide & HIDE_TIME && begins && (len = time_at(p, n)))
		*ret_mark = 3;
	else if (hide & HIDE_NUMBER && (len = digits(p, n)))
		*ret_mark = 4;
	return len;
}

static void put_out_of_sight(const char *p, size_t n, int hide, struct buf *ret)
{
	for (size_t i = 0; i < n;) {
		bool begins = i == 0 || !isalnum((unsigned char)p[i - 1]);
		char mark = 0;
		size_t len = hidden_at(p + i, n - i, hide, begins, &mark);

		if (len)
			buf_add(ret, &mark, 1);
		else
			buf_add(ret, p + i, 1);
		i += len ? len : 1;
	}
}

static bool same_without(const struct piece *a, const struct piece *b, int hide)
{
	scoped(buf_finish) struct buf x = { 0 };
	scoped(buf_finish) struct buf y = { 0 };

	put_out_of_sight(a->at, a->len, hide, &x);
	put_out_of_sight(b->at, b->len, hide, &y);
	return buf_str(&x) && buf_str(&y) && x.len == y.len && !memcmp(x.data, y.data, x.len);
}

static int compare_pieces(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;
	int r = memcmp(x->at, y->at, x->len < y->len ? x->len : y->len);

	return r ? r : x->len < y->len ? -1 : x->len > y->len;
}

/* TEXT cut into lines, or into words; heap, or NULL. */
static struct piece *cut(const char *text, size_t len, bool words, size_t *ret_n)
{
	struct piece *list = NULL;
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < len;) {
		const char *end = words ? NULL : memchr(text + i, '\n', len - i);
		size_t size = end ? (size_t)(end - (text + i)) : len - i;

		if (words)
			for (size = 0; i + size < len && isalnum((unsigned char)text[i + size]);)
				size++;
		if (n == cap) {
			struct piece *grown = realloc(list, (cap = cap ? cap * 2 : 64) * sizeof(*list));

			if (!grown || n > MAX_LINES) {
				free(grown ? grown : list);
				return NULL;
			}
			list = grown;
		}
		if (size || !words)
			list[n++] = (struct piece){ text + i, size };
		i += size + 1;
	}
	*ret_n = n;
	return list ? list : calloc(1, sizeof(*list));
}

/* The same pieces, in another order. Sorts both. */
static bool same_set(struct piece *a, size_t n_a, struct piece *b, size_t n_b)
{
	if (n_a != n_b || n_a < 2)
		return false;
	qsort(a, n_a, sizeof(*a), compare_pieces);
	qsort(b, n_b, sizeof(*b), compare_pieces);
	for (size_t i = 0; i < n_a; i++)
		if (compare_pieces(&a[i], &b[i]) != 0)
			return false;
	return true;
}

static bool same_words(const struct piece *a, const struct piece *b)
{
	size_t n_a = 0, n_b = 0;
	scoped(drop_mem) struct piece *x = cut(a->at, a->len, true, &n_a);
	scoped(drop_mem) struct piece *y = cut(b->at, b->len, true, &n_b);

	return x && y && a->len == b->len && same_set(x, n_a, y, n_b);
}

const char *replay_line_kind(const char *was, size_t was_len, const char *is, size_t is_len)
{
	static const struct {
		int hide;
		const char *name;
	} kinds[] = { { HIDE_TIME, "time" },
		      { HIDE_ADDRESS, "address" },
		      { HIDE_TEMPORARY, "temporary name" },
		      { HIDE_TIME | HIDE_ADDRESS | HIDE_TEMPORARY, "mixed" },
		      { HIDE_NUMBER, "number" },
		      { HIDE_TIME | HIDE_ADDRESS | HIDE_TEMPORARY | HIDE_NUMBER, "mixed" } };
	const struct piece a = { was, was_len }, b = { is, is_len };

	if (was_len > MAX_LINE || is_len > MAX_LINE)
		return "content";
	if (same_words(&a, &b))
		return "order";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (same_without(&a, &b, kinds[i].hide))
			return kinds[i].name;
	return "content";
}

/* The kind of all from that of those so far and of one more. */
static const char *fold_kind(const char *all, const char *one)
{
	if (!*all || !strcmp(all, one))
		return one;
	return !strcmp(all, "content") || !strcmp(one, "content") ? "content" : "mixed";
}

static void compare_lines(const struct piece *a, size_t n_a, const struct piece *b, size_t n_b,
			  struct replay_text *ret)
{
	size_t most = n_a > n_b ? n_a : n_b;

	for (size_t i = 0; i < most; i++) {
		const struct piece *x = i < n_a ? &a[i] : NULL, *y = i < n_b ? &b[i] : NULL;

		if (x && y && compare_pieces(x, y) == 0)
			continue;
		ret->kind = fold_kind(ret->kind,
				      x && y ? replay_line_kind(x->at, x->len, y->at, y->len) : "content");
		if (ret->n_lines < REPLAY_LINES)
			ret->lines[ret->n_lines++] =
				(struct replay_line){ i + 1, x ? x->at : NULL, y ? y->at : NULL,
						      x ? x->len : 0, y ? y->len : 0 };
		else if (!strcmp(ret->kind, "content"))
			return;
	}
}

void replay_compare_text(const char *was, size_t was_len, const char *is, size_t is_len,
			 struct replay_text *ret)
{
	size_t n_a = 0, n_b = 0;
	scoped(drop_mem) struct piece *a = NULL;
	scoped(drop_mem) struct piece *b = NULL;

	*ret = (struct replay_text){ .same = was_len == is_len && (!was_len || !memcmp(was, is, was_len)),
				     .kind = "" };
	if (ret->same)
		return;
	if ((was_len && memchr(was, 0, was_len)) || (is_len && memchr(is, 0, is_len))) {
		ret->kind = "bytes";
		return;
	}
	a = cut(was, was_len, false, &n_a);
	b = cut(is, is_len, false, &n_b);
	if (!a || !b) {
		ret->kind = "content";
		return;
	}
	compare_lines(a, n_a, b, n_b, ret);
	if (!*ret->kind) /* a newline at the end */
		ret->kind = "content";
	if (strcmp(ret->kind, "order") && same_set(a, n_a, b, n_b))
		ret->kind = "order";
}

bool replay_is_temporary(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return temporary_at(name, strlen(name)) == strlen(name) || strstr(name, ".tmp");
}
