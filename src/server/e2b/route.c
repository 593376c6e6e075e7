/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the route of a request, and the sandbox it is for. */
#include "server/e2b/route.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

struct row {
	enum route_where where;
	const char *method, *path;
};

#define ROW(name, where, method, path) { ROUTE_##where, method, path },
static const struct row rows[] = { ROUTES(ROW) };
#undef ROW

bool route_is_id(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
	const size_t n = strlen(text);

	return n && n < ROUTE_ID_MAX && text[0] != '-' && text[0] != '_' && !text[strspn(text, letters)];
}

static bool take_port(const char *text, size_t len, unsigned int *ret)
{
	char digits[6];
	uint64_t n;

	if (!len || len >= sizeof(digits))
		return false;
	snprintf(digits, sizeof(digits), "%.*s", (int)len, text);
	if (strspn(digits, "0123456789") != len || !str_to_u64(digits, &n) || !n || n > 65535)
		return false;
	*ret = (unsigned int)n;
	return true;
}

static bool take_id(const char *text, size_t len, char ret[ROUTE_ID_MAX])
{
	if (len >= ROUTE_ID_MAX)
		return false;
	snprintf(ret, ROUTE_ID_MAX, "%.*s", (int)len, text);
	return route_is_id(ret);
}

/* "PORT-ID.anything"; any other name is none of ours, and says nothing. */
static void take_host(const char *host, struct route_target *t)
{
	const char *dash = strchr(host, '-'), *dot = dash ? strchr(dash, '.') : NULL;
	char id[ROUTE_ID_MAX];
	unsigned int port;

	if (!dot || !take_port(host, (size_t)(dash - host), &port) ||
	    !take_id(dash + 1, (size_t)(dot - dash - 1), id))
		return;
	t->port = port;
	memcpy(t->id, id, sizeof(id));
}

bool route_target(const char *id, const char *port, const char *host, struct route_target *ret)
{
	struct route_target t = { .where = ROUTE_CONTROL };

	if (host)
		take_host(host, &t);
	if (id && !take_id(id, strlen(id), t.id))
		return false;
	if (port && !take_port(port, strlen(port), &t.port))
		return false;
	if (t.id[0] && !t.port)
		t.port = ROUTE_PORT_ENVD;
	if (t.port)
		t.where = t.port == ROUTE_PORT_ENVD   ? ROUTE_ENVD
			  : t.port == ROUTE_PORT_CODE ? ROUTE_CODE
						      : ROUTE_PORT;
	*ret = t;
	return true;
}

/* Part by part; false as well if the part for `*` is no id. */
static bool matches(const char *pattern, const char *path, char ret_id[ROUTE_ID_MAX])
{
	ret_id[0] = '\0';
	while (*pattern && *path) {
		if (*pattern == '*') {
			const size_t n = strcspn(path, "/");

			if (!take_id(path, n, ret_id))
				return false;
			path += n;
			pattern++;
		} else if (*pattern++ != *path++) {
			return false;
		}
	}
	return !*pattern && !*path;
}

enum route route_find(enum route_where where, const char *method, const char *path, char ret_id[ROUTE_ID_MAX],
		      bool *ret_seen)
{
	*ret_seen = false;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].where != where || !matches(rows[i].path, path, ret_id))
			continue;
		*ret_seen = true;
		if (!strcmp(rows[i].method, method))
			return (enum route)i;
	}
	ret_id[0] = '\0';
	return ROUTE_NONE;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool route_unescape(const char *text, struct buf *ret)
{
	for (; *text; text++) {
		char c = *text;

		if (c == '%') {
			const int high = digit(text[1]), low = high < 0 ? -1 : digit(text[2]);

			if (low < 0 || !(high << 4 | low))
				return false;
			c = (char)(high << 4 | low);
			text += 2;
		}
		buf_add(ret, &c, 1);
	}
	return !ret->failed;
}
