/* SPDX-License-Identifier: Apache-2.0 */
/* Parses tracebacks of Python, uncaught errors of Node and messages of bash. Pure. */
#include "box/exception.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

#define MESSAGE_MAX 4000u

static const char *next_line(const char *at)
{
	const char *end = strchr(at, '\n');

	return end ? end + 1 : at + strlen(at);
}

static bool begins(const char *at, const char *with)
{
	return strncmp(at, with, strlen(with)) == 0;
}

/* A number of a line, behind which it must end or something else must come. */
static unsigned long number(const char *at)
{
	unsigned long n = isdigit((unsigned char)*at) ? strtoul(at, NULL, 10) : 0;

	return n <= INT32_MAX ? n : 0;
}

/* Up to END, without the ends of lines behind it; not in the middle of a character. Heap, or NULL. */
static char *message(const char *from, const char *end)
{
	size_t n = (size_t)(end - from);

	while (n && (from[n - 1] == '\n' || from[n - 1] == '\r'))
		n--;
	if (n > MESSAGE_MAX)
		for (n = MESSAGE_MAX; n && ((unsigned char)from[n] & 0xC0) == 0x80;)
			n--;
	return strndup(from, n);
}

void exception_finish(struct exception *x)
{
	free(x->name);
	free(x->message);
}

/* "NAME: message" or "NAME" at AT, up to END. False: it is not. */
static bool named(const char *at, const char *end, unsigned long line, struct exception *ret)
{
	size_t n = 0;
	const char *rest;

	while (isalnum((unsigned char)at[n]) || at[n] == '_' || at[n] == '.' || at[n] == '$')
		n++;
	rest = at + n;
	if (*rest == ' ' && rest[1] == '[' &&
	    strcspn(rest, "]\n") == strcspn(rest, "]")) /* of Node: "TypeError [CODE]: ..." */
		rest += strcspn(rest, "]") + 1;
	if (!n || isdigit((unsigned char)*at) ||
	    (*rest && *rest != '\n' && !begins(rest, ": ") && !begins(rest, ":\n")))
		return false;
	ret->name = strndup(at, n);
	ret->message = *rest == ':' ? message(rest + 1 + (rest[1] == ' '), end) : NULL;
	ret->line = line;
	return true;
}

/* The last traceback; what follows its indented lines is the exception, to the end. */
static bool of_python(const char *path, const char *text, struct exception *ret)
{
	const char *at = NULL;
	scoped(drop_mem) char *frame = NULL;
	unsigned long line = 0;

	if (asprintf(&frame, "  File \"%s\", line ", path) < 0)
		return false;
	for (const char *l = text; *l;
	     l = next_line(l)) /* a program that is no Python has a frame but no traceback */
		if (begins(l, "Traceback (most recent call last):") || (!at && begins(l, frame)))
			at = l;
	if (!at)
		return false;
	if (*at != ' ')
		at = next_line(at);
	for (; *at == ' '; at = next_line(at))
		if (begins(at, frame))
			line = number(at + strlen(frame));
	return *at && named(at, at + strlen(at), line, ret);
}

/* "PATH:LINE", the source line with a mark below it, then the error and its stack. */
static bool of_javascript(const char *path, const char *text, struct exception *ret)
{
	size_t n = strlen(path);
	unsigned long line = 0;

	for (const char *l = text; *l; l = next_line(l)) {
		const char *at = l + (begins(l, "file://") ? 7 : 0);
		const char *stack = strstr(l, "\n    at ");

		if (!line && !strncmp(at, path, n) && at[n] == ':') {
			line = number(at + n + 1);
			l = next_line(l); /* the program's own line may look like anything */
			continue;
		}
		if (line && stack && named(l, stack, line, ret))
			return true;
	}
	return false;
}

/* "PATH: line N: message", the last. */
static bool of_shell(const char *path, const char *text, struct exception *ret)
{
	scoped(drop_mem) char *head = NULL;
	const char *at = NULL;

	if (asprintf(&head, "%s: line ", path) < 0)
		return false;
	for (const char *l = text; *l; l = next_line(l))
		if (begins(l, head))
			at = l + strlen(head);
	if (!at || !strstr(at, ": "))
		return false;
	ret->message = message(strstr(at, ": ") + 2, next_line(at));
	ret->line = number(at);
	return true;
}

bool exception_read(const char *lang, const char *path, const char *text, struct exception *ret)
{
	return !strcmp(lang, "python")       ? of_python(path, text, ret)
	       : !strcmp(lang, "javascript") ? of_javascript(path, text, ret)
					     : of_shell(path, text, ret);
}
