/* SPDX-License-Identifier: Apache-2.0 */
/* A growing byte buffer. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/unicode.h"

void buf_finish(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}

static bool reserve(struct buf *b, size_t more)
{
	size_t want = b->cap ? b->cap : 256;
	char *grown;

	if (b->failed || more > SIZE_MAX / 2 - b->len) {
		b->failed = true;
		return false;
	}
	while (want < b->len + more + 1)
		want *= 2;
	if (want == b->cap)
		return true;
	grown = realloc(b->data, want);
	if (!grown) {
		b->failed = true;
		return false;
	}
	b->data = grown;
	b->cap = want;
	return true;
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	if (!reserve(b, len))
		return;
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || !reserve(b, (size_t)n))
		return;
	va_start(ap, fmt);
	vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
}

void buf_add_utf8(struct buf *b, const char *data, size_t len)
{
	size_t start = 0, at = 0;

	while (at < len) {
		size_t n = unicode_length(data + at, len - at);

		if (n) {
			at += n;
			continue;
		}
		buf_add(b, data + start, at - start);
		buf_add(b, "\xEF\xBF\xBD", 3);
		start = ++at;
	}
	buf_add(b, data + start, at - start);
}

bool buf_is_utf8(const char *text)
{
	size_t left = strlen(text), n = 1;

	for (; left && n; text += n, left -= n)
		n = unicode_length(text, left);
	return !left;
}

char *buf_str(struct buf *b)
{
	if (!reserve(b, 0))
		return NULL;
	b->data[b->len] = '\0';
	return b->data;
}
