/* SPDX-License-Identifier: Apache-2.0 */
/* The one form of a path, in which rules are asked. */
#include "net/tls/path.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "policy/egress.h"

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte of "%XX", or -1. */
static int escaped(const char *at)
{
	int high = at[0] == '%' ? digit(at[1]) : -1, low = high < 0 ? -1 : digit(at[2]);

	return low < 0 ? -1 : high << 4 | low;
}

static const char *judge_escape(int byte, const char *rest)
{
	if (byte < 0)
		return "an escape that is not complete";
	if (byte == '/' || byte == '\\')
		return "an escaped slash";
	if (byte < 0x20 || byte == 0x7f)
		return "an escaped control character";
	if (byte == '%' && digit(rest[0]) >= 0 && digit(rest[1]) >= 0)
		return "an escape of an escape";
	return NULL;
}

static const char *unescape_known(const char *target, char *ret)
{
	const char *why;

	for (; *target && *target != '?'; target++) {
		int byte = escaped(target);

		if (*target != '%') {
			if (*target == '\\' || *target == '#' || *target <= 0x20 || *target == 0x7f)
				return "a character that no path has";
			*ret++ = *target;
			continue;
		}
		why = judge_escape(byte, byte < 0 ? "" : target + 3);
		if (why)
			return why;
		if (byte < 0x80 && (isalnum(byte) || strchr("-._~", byte)))
			*ret++ = (char)byte;
		else
			ret += snprintf(ret, 4, "%%%02X", (unsigned int)byte);
		target += 2;
	}
	*ret = '\0';
	return NULL;
}

/* "." and "..", also with parameters behind them, which some servers take off first. */
static bool has_dots(const char *path)
{
	for (const char *at = path; (at = strchr(at, '/')); at++) {
		size_t n = strcspn(at + 1, "/;");

		if ((n == 1 && at[1] == '.') || (n == 2 && at[1] == '.' && at[2] == '.'))
			return true;
	}
	return false;
}

const char *path_normalise(const char *target, char *ret)
{
	const char *why = unescape_known(target, ret);

	if (why)
		return why;
	if (*ret != '/')
		return "no slash at its beginning";
	if (strstr(ret, "//"))
		return "two slashes";
	return has_dots(ret) ? "a segment of dots" : NULL;
}

bool path_is_target(const char *target)
{
	if (!strcmp(target, "*"))
		return true;
	for (const char *at = target; *at; at++)
		if (*at <= 0x20 || *at == 0x7f || *at == '#')
			return false;
	return *target == '/';
}

bool path_matches(const char *path, const char *pattern)
{
	size_t n = strlen(pattern);

	if (!n)
		return true;
	if (pattern[n - 1] == '*')
		return !strncmp(path, pattern, n - 1);
	return !strcmp(path, pattern);
}

uint32_t path_method(const char *method)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} methods[] = {
		{ "GET", EGRESS_GET },         { "HEAD", EGRESS_HEAD },   { "POST", EGRESS_POST },
		{ "PUT", EGRESS_PUT },         { "PATCH", EGRESS_PATCH }, { "DELETE", EGRESS_DELETE },
		{ "OPTIONS", EGRESS_OPTIONS },
	};

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (!strcmp(method, methods[i].name))
			return methods[i].bit;
	return 0;
}

size_t path_unescape(const char *text, char *ret)
{
	char *to = ret;

	for (; *text; text++) {
		int byte = escaped(text);

		*to++ = byte < 0 ? *text : (char)byte;
		text += byte < 0 ? 0 : 2;
	}
	*to = '\0';
	return (size_t)(to - ret);
}
