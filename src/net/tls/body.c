/* SPDX-License-Identifier: Apache-2.0 */
/* Reads bodies of HTTP/1.1: by length, in chunks, or to the end of the connection. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "net/tls/head.h"

#define MAX_SIZE_LINE 256u

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* "1f[; anything]" CR LF; the number of bytes, 0 (not complete) or -EBADMSG. */
static int read_size(struct body *b, const char *data, size_t len)
{
	const char *end = memchr(data, '\n', len < MAX_SIZE_LINE ? len : MAX_SIZE_LINE);
	uint64_t n = 0;
	size_t i = 0;

	if (!end)
		return len < MAX_SIZE_LINE ? 0 : -EBADMSG;
	for (; digit(data[i]) >= 0; i++) {
		if (i == 15)
			return -EBADMSG;
		n = n << 4 | (uint64_t)digit(data[i]);
	}
	if (!i || end[-1] != '\r' || (data[i] != '\r' && data[i] != ';') ||
	    memchr(data, '\r', (size_t)(end - data)) != end - 1)
		return -EBADMSG;
	b->left = n;
	b->at = n ? CHUNK_DATA : CHUNK_TRAILERS;
	return (int)(end - data) + 1;
}

/* One line of the trailers; b->kind is BODY_NONE behind the last. */
static int read_trailer(struct body *b, const char *data, size_t len)
{
	const char *end = memchr(data, '\n', len), *colon;
	size_t n = end ? (size_t)(end - data) : 0;

	b->trailer_bytes += n;
	if (!end || b->trailer_bytes > MESSAGE_MAX_BYTES || !n || end[-1] != '\r')
		return end || len > MESSAGE_MAX_BYTES ? -EBADMSG : 0;
	if (n == 1) {
		b->kind = BODY_NONE;
		return 2;
	}
	if (!b->trailers)
		b->trailers = calloc(1, sizeof(*b->trailers));
	colon = memchr(data, ':', n);
	for (size_t i = 0; i < n - 1; i++)
		if ((unsigned char)data[i] < 0x20 || data[i] == 0x7f)
			return -EBADMSG;
	if (!b->trailers || !colon || colon == data || strcspn(data, " \t:") != (size_t)(colon - data) ||
	    !message_add(b->trailers, data, (size_t)(colon - data), colon + 1, (size_t)(end - 1 - colon - 1)))
		return -EBADMSG;
	return (int)n + 1;
}

/* What is neither size nor data: how many bytes, 0 or -EBADMSG. */
static int read_around(struct body *b, const char *data, size_t len)
{
	switch (b->at) {
	case CHUNK_SIZE:
		return read_size(b, data, len);
	case CHUNK_END:
		if (len < 2)
			return 0;
		b->at = CHUNK_SIZE;
		return data[0] == '\r' && data[1] == '\n' ? 2 : -EBADMSG;
	case CHUNK_TRAILERS:
		return read_trailer(b, data, len);
	case CHUNK_DATA:
	default:
		return -EBADMSG;
	}
}

static size_t copy(struct body *b, const char *data, size_t len, size_t most, struct buf *out)
{
	size_t n = len < most ? len : most;

	if (b->kind != BODY_TO_END) {
		n = n < b->left ? n : (size_t)b->left;
		b->left -= n;
	}
	buf_add(out, data, n);
	return n;
}

int body_read(struct body *b, const char *data, size_t len, size_t most, struct buf *out, size_t *ret_used)
{
	size_t at = 0, before = out->len;

	*ret_used = 0;
	if (b->kind == BODY_LENGTH || b->kind == BODY_TO_END) {
		*ret_used = copy(b, data, len, most, out);
		return b->kind == BODY_LENGTH && !b->left;
	}
	while (b->kind == BODY_CHUNKED && at < len) {
		int n;

		if (b->at == CHUNK_DATA) {
			size_t got = copy(b, data + at, len - at, most - (out->len - before), out);

			at += got;
			b->at = b->left ? CHUNK_DATA : CHUNK_END;
			if (!got)
				break;
			continue;
		}
		n = read_around(b, data + at, len - at);
		if (n < 0)
			return n;
		if (!n)
			break;
		at += (size_t)n;
	}
	*ret_used = at;
	return b->kind == BODY_NONE;
}

void body_finish(struct body *b)
{
	if (b->trailers)
		message_finish(b->trailers);
	free(b->trailers);
	b->trailers = NULL;
}
