/* SPDX-License-Identifier: Apache-2.0 */
/* Output of a run, of any length, in limited memory: its beginning and its end; and the text for a model. */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "server/mcp/tool_internal.h"

#define HEAD_MAX (TOOL_OUTPUT_MAX / 4)
#define TAIL_MAX (TOOL_OUTPUT_MAX / 4)
/* How far to look for the end of a line, so that none is cut in two. */
#define LINE_LOOK 1024

void tool_output_add(struct tool_output *o, int which, const char *data, size_t len)
{
	struct tool_stream *s = &o->streams[which];
	size_t room = HEAD_MAX - s->head.len, first = len < room ? len : room;
	uint64_t at = s->total + first - HEAD_MAX; /* in the tail; only used once the head is full */

	buf_add(&s->head, data, first);
	s->total += len;
	data += first;
	len -= first;
	if (!len)
		return;
	if (!s->tail)
		s->tail = malloc(TAIL_MAX);
	if (!s->tail)
		return; /* then the end is missing, and is told of as cut */
	if (len > TAIL_MAX) {
		at += len - TAIL_MAX;
		data += len - TAIL_MAX;
		len = TAIL_MAX;
	}
	while (len) {
		size_t to = at % TAIL_MAX, n = len < TAIL_MAX - to ? len : TAIL_MAX - to;

		memcpy(s->tail + to, data, n);
		at += n;
		data += n;
		len -= n;
	}
}

void tool_output_finish(struct tool_output *o)
{
	for (int i = 0; i < 2; i++) {
		buf_finish(&o->streams[i].head);
		free(o->streams[i].tail);
	}
	*o = (struct tool_output){ 0 };
}

static size_t spelled(char c)
{
	if ((unsigned char)c < 0x20)
		return c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f' ? 2 : 6;
	return c == '"' || c == '\\' ? 2 : 1;
}

size_t tool_spelled(const char *text, size_t len)
{
	size_t sum = 0;

	for (size_t i = 0; i < len; i++)
		sum += spelled(text[i]);
	return sum;
}

size_t tool_stream_spelled(const struct tool_stream *s)
{
	size_t in_tail = s->total > HEAD_MAX ? s->total - HEAD_MAX : 0;

	return tool_spelled(s->head.data, s->head.len) +
	       (s->tail ? tool_spelled(s->tail, in_tail < TAIL_MAX ? in_tail : TAIL_MAX) : 0);
}

/* How many bytes of the beginning take at most MAX. */
static size_t first_bytes(const char *text, size_t len, size_t max)
{
	size_t n = 0;

	for (size_t sum = 0; n < len && (sum += spelled(text[n])) <= max;)
		n++;
	return n;
}

static size_t last_bytes(const char *text, size_t len, size_t max)
{
	size_t n = 0;

	for (size_t sum = 0; n < len && (sum += spelled(text[len - n - 1])) <= max;)
		n++;
	return n;
}

static bool inside_letter(const char *text, size_t at)
{
	return ((unsigned char)text[at] & 0xC0) == 0x80;
}

/* Where the beginning may end that has at most MAX bytes: behind a line if one ends near. */
static size_t end_of_head(const char *text, size_t max)
{
	size_t at = max;

	while (at > 0 && max - at < LINE_LOOK && text[at - 1] != '\n')
		at--;
	if (at > 0 && text[at - 1] == '\n')
		return at;
	at = max;
	while (at > 0 && inside_letter(text, at))
		at--;
	return at;
}

static size_t start_of_tail(const char *text, size_t len, size_t max)
{
	size_t from = len - max, at = from;

	while (at < len && at - from < LINE_LOOK && text[at - 1] != '\n')
		at++;
	if (at < len && text[at - 1] == '\n')
		return at;
	at = from;
	while (at < len && inside_letter(text, at))
		at++;
	return at;
}

/* HEAD and TAIL are UTF-8, LOST bytes between them are not here. */
static json_t *join(const char *head, size_t head_len, const char *tail, size_t tail_len, uint64_t lost,
		    const char *link)
{
	scoped(buf_finish) struct buf out = { 0 };

	buf_add(&out, head, head_len);
	if (head_len && head[head_len - 1] != '\n')
		buf_add(&out, "\n", 1);
	buf_addf(&out, "[... %llu bytes are left out here%s%s ...]\n", (unsigned long long)lost,
		 link ? "; complete: " : "", link ? link : "");
	buf_add(&out, tail, tail_len);
	return buf_str(&out) ? json_stringn(out.data, out.len) : json_string("");
}

json_t *tool_cut_text(const char *text, size_t len, size_t max, const char *link, uint64_t *ret_cut)
{
	size_t head, tail;

	*ret_cut = 0;
	if (tool_spelled(text, len) <= max)
		return json_stringn(text, len);
	head = end_of_head(text, first_bytes(text, len, max / 2));
	tail = start_of_tail(text, len, last_bytes(text, len, max / 2));
	*ret_cut = tail - head;
	return join(text, head, text + tail, len - tail, *ret_cut, link);
}

/* The bytes of the tail in their order. */
static void unroll(const struct tool_stream *s, struct buf *ret)
{
	uint64_t end = s->total - HEAD_MAX;
	size_t have = end < TAIL_MAX ? end : TAIL_MAX, from = (end - have) % TAIL_MAX;
	size_t first = have < TAIL_MAX - from ? have : TAIL_MAX - from;

	buf_add(ret, s->tail + from, first);
	buf_add(ret, s->tail, have - first);
}

/* A letter that the cut went through is dropped, not shown as three wrong ones. */
static void trim_letters(struct buf *head, size_t *tail_from, const struct buf *tail)
{
	for (int i = 0; i < 3 && head->len && inside_letter(head->data, head->len - 1); i++)
		head->len--;
	if (head->len && (unsigned char)head->data[head->len - 1] >= 0xC0)
		head->len--;
	while (*tail_from < 3 && *tail_from < tail->len && inside_letter(tail->data, *tail_from))
		++*tail_from;
}

json_t *tool_stream_text(const struct tool_stream *s, size_t max, const char *link, uint64_t *ret_cut)
{
	scoped(buf_finish) struct buf head = { 0 };
	scoped(buf_finish) struct buf tail = { 0 };
	scoped(buf_finish) struct buf clean = { 0 };
	scoped(buf_finish) struct buf clean_tail = { 0 };
	size_t from = 0, n, at;

	buf_add(&head, s->head.data, s->head.len);
	if (s->tail && s->total > HEAD_MAX)
		unroll(s, &tail);
	if (!buf_str(&head) || !buf_str(&tail))
		return json_string("");
	if (head.len + tail.len == s->total) { /* nothing is missing */
		buf_add(&head, tail.data, tail.len);
		buf_add_utf8(&clean, buf_str(&head) ? head.data : "", head.len);
		return buf_str(&clean) ? tool_cut_text(clean.data, clean.len, max, link, ret_cut)
				       : json_string("");
	}
	trim_letters(&head, &from, &tail);
	buf_add_utf8(&clean, head.data, head.len);
	buf_add_utf8(&clean_tail, tail.data + from, tail.len - from);
	if (!buf_str(&clean) || !buf_str(&clean_tail))
		return json_string("");
	n = end_of_head(clean.data, first_bytes(clean.data, clean.len, max / 2));
	at = last_bytes(clean_tail.data, clean_tail.len, max / 2);
	at = at < clean_tail.len ? start_of_tail(clean_tail.data, clean_tail.len, at) : 0;
	*ret_cut = s->total - head.len - tail.len + from + (clean.len - n) + at;
	return join(clean.data, n, clean_tail.data + at, clean_tail.len - at, *ret_cut, link);
}
