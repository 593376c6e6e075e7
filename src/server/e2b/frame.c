/* SPDX-License-Identifier: Apache-2.0 */
/* Envelopes of Connect streams, and parts of multipart bodies. */
#include "server/e2b/frame.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void frame_add(struct buf *b, unsigned int flags, const char *text, size_t len)
{
	const unsigned char head[FRAME_HEAD] = { (unsigned char)flags, (unsigned char)(len >> 24),
						 (unsigned char)(len >> 16), (unsigned char)(len >> 8),
						 (unsigned char)len };

	buf_add(b, head, sizeof(head));
	buf_add(b, text, len);
}

int frame_next(const char *data, size_t len, size_t *at, unsigned int *ret_flags, const char **ret_text,
	       size_t *ret_len)
{
	const unsigned char *head = (const unsigned char *)data + *at;
	size_t n;

	if (*at == len)
		return 0;
	if (len - *at < FRAME_HEAD)
		return -1;
	n = (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
	if (n > len - *at - FRAME_HEAD || head[0] & FRAME_COMPRESSED)
		return -1;
	*ret_flags = head[0];
	*ret_text = data + *at + FRAME_HEAD;
	*ret_len = n;
	*at += FRAME_HEAD + n;
	return 1;
}

/* The value of NAME in a list of parameters such as `form-data; name="file"`; false: it is not there. */
static bool parameter(const char *text, size_t len, const char *name, char *room, size_t cap)
{
	const size_t n = strlen(name);
	size_t at = 0, out = 0;

	while (at < len) {
		while (at < len && text[at] != ';')
			at += text[at] == '"' ? 2 + strcspn(text + at + 1, "\"") : 1;
		at++;
		while (at < len && (text[at] == ' ' || text[at] == '\t'))
			at++;
		if (at + n + 1 > len || strncasecmp(text + at, name, n) != 0 || text[at + n] != '=')
			continue;
		at += n + 1;
		if (at < len && text[at] == '"') {
			for (at++; at < len && text[at] != '"' && out + 1 < cap; at++) {
				if (text[at] == '\\' && at + 1 < len)
					at++;
				room[out++] = text[at];
			}
			if (at >= len || text[at] != '"')
				return false;
		} else {
			while (at < len && text[at] != ';' && text[at] != ' ' && out + 1 < cap)
				room[out++] = text[at++];
		}
		room[out] = '\0';
		return out && !memchr(room, '\0', out);
	}
	return false;
}

bool part_boundary(const char *type, char ret[72])
{
	static const char form[] = "multipart/form-data";

	return !strncasecmp(type, form, sizeof(form) - 1) &&
	       parameter(type, strlen(type), "boundary", ret, 71);
}

/* Its lines from *AT on, up to an empty one. */
static bool read_head(const char *body, size_t len, size_t *at, struct part *ret)
{
	static const char disposition[] = "content-disposition:";

	for (;;) {
		const char *line = body + *at, *end = memmem(line, len - *at, "\r\n", 2);
		size_t n;

		if (!end)
			return false;
		n = (size_t)(end - line);
		*at += n + 2;
		if (!n)
			return true;
		if (n < sizeof(disposition) - 1 || n > 2 * PART_NAME_MAX ||
		    strncasecmp(line, disposition, sizeof(disposition) - 1) != 0)
			continue;
		{
			/* A text of its own: what follows the line is the client's file. */
			char text[2 * PART_NAME_MAX + 1];

			snprintf(text, sizeof(text), "%.*s", (int)n, line);
			n = strlen(text);
			if (!parameter(text, n, "name", ret->name, sizeof(ret->name)))
				ret->name[0] = '\0';
			if (!parameter(text, n, "filename", ret->filename, sizeof(ret->filename)))
				ret->filename[0] = '\0';
		}
	}
}

int part_next(const char *body, size_t len, const char *boundary, size_t *at, struct part *ret)
{
	char mark[80];
	const size_t n = (size_t)snprintf(mark, sizeof(mark), "\r\n--%s", boundary);
	const char *end;

	*ret = (struct part){ .data = NULL };
	if (!*at) { /* the first mark has no line before it */
		if (len < n - 2 || memcmp(body, mark + 2, n - 2) != 0)
			return -1;
		*at = n - 2;
	}
	if (len - *at >= 2 && !memcmp(body + *at, "--", 2))
		return 0;
	if (len - *at < 2 || memcmp(body + *at, "\r\n", 2) != 0)
		return -1;
	*at += 2;
	if (!read_head(body, len, at, ret))
		return -1;
	/* A part of nothing ends with the line that began its content. */
	end = memmem(body + *at - 2, len - *at + 2, mark, n);
	if (!end)
		return -1;
	ret->data = body + *at;
	ret->len = end < ret->data ? 0 : (size_t)(end - ret->data);
	*at = (size_t)(end - body) + n;
	return 1;
}
