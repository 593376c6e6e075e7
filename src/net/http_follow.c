/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows requests and their bodies (RFC 9112) on the way from client to server. Each step looks at one thing
 * at the beginning of what has not passed yet: a head, a piece of a body, the line before a chunk, a trailer.
 */
#include "net/http_follow.h"

#include <string.h>

#include "net/http_line.h"

#define SIZE_DIGITS 15 /* of a chunk's size; so that no sum of it overflows */
#define FIRST_LOOK  64 /* bytes of a head that are looked at although they are no line yet */

/* What a step says beside enum http_step: look again behind what it took. */
#define STEP_ON (-1)

/* Where a step looks. */
struct view {
	const char *data; /* borrowed */
	size_t len, passed;
	struct http_head *head; /* borrowed */
};

static int broken(struct http_follow *f, enum http_problem p)
{
	f->state = HTTP_FOLLOW_BROKEN;
	f->problem = p;
	return HTTP_STEP_BAD;
}

static void take(struct view *v, size_t n)
{
	v->data += n;
	v->len -= n;
	v->passed += n;
}

/* Goes on to the next request, or waits for the answer to an upgrade. */
static void end_request(struct http_follow *f)
{
	f->looked = 0;
	f->state = HTTP_FOLLOW_HEAD;
	if (f->upgrade && f->switched >= 0)
		f->state = f->switched ? HTTP_FOLLOW_ALL : HTTP_FOLLOW_WAIT;
	f->upgrade = f->state == HTTP_FOLLOW_WAIT;
}

/* The body behind a head that passed. */
static void begin_body(struct http_follow *f)
{
	f->trailers = f->looked = 0;
	f->left = f->content_length;
	if (f->chunked)
		f->state = HTTP_FOLLOW_SIZE;
	else if (f->left)
		f->state = HTTP_FOLLOW_BODY;
	else
		end_request(f);
}

/* Whether bytes came that can complete a line. Without it, drops of one byte cost a look at all of them each.
 */
static bool is_worth_a_look(struct http_follow *f, const struct view *v)
{
	size_t from = f->looked < v->len ? f->looked : v->len;

	f->looked = v->len;
	return from < FIRST_LOOK || v->len >= HTTP_HEAD_MAX || memchr(v->data + from, '\n', v->len - from);
}

static int step_head(struct http_follow *f, struct view *v)
{
	enum http_verdict verdict;

	if (!v->len || !is_worth_a_look(f, v))
		return HTTP_STEP_MORE;
	verdict = http_head_read(v->data, v->len, v->head);
	if (verdict == HTTP_MORE)
		return HTTP_STEP_MORE;
	if (verdict != HTTP_OK)
		return broken(f, verdict == HTTP_BAD ? v->head->problem : HTTP_PROBLEM_NOT_HTTP);
	if (v->head->form == HTTP_AUTHORITY)
		return broken(f, HTTP_PROBLEM_CONNECT);
	f->left = v->head->len;
	f->content_length = v->head->content_length;
	f->chunked = v->head->chunked;
	f->upgrade = v->head->upgrade && !f->requests;
	f->state = HTTP_FOLLOW_CHECK;
	return HTTP_STEP_CHECK;
}

/* Bytes that are counted: of a head that was accepted, a body, a chunk. */
static int step_counted(struct http_follow *f, struct view *v)
{
	size_t n = f->left < v->len ? (size_t)f->left : v->len;

	take(v, n);
	f->left -= n;
	if (f->left)
		return HTTP_STEP_MORE;
	if (f->state == HTTP_FOLLOW_HEAD_PASS)
		begin_body(f);
	else if (f->state == HTTP_FOLLOW_CHUNK)
		f->state = HTTP_FOLLOW_CHUNK_END;
	else
		end_request(f);
	return STEP_ON;
}

static int step_chunk_end(struct http_follow *f, struct view *v)
{
	if (v->len && memcmp(v->data, "\r\n", v->len < 2 ? 1 : 2) != 0)
		return broken(f, HTTP_PROBLEM_CHUNK);
	if (v->len < 2)
		return HTTP_STEP_MORE;
	take(v, 2);
	f->looked = 0;
	f->state = HTTP_FOLLOW_SIZE;
	return STEP_ON;
}

/* The line at the beginning, when it is complete. */
static int line_of(struct http_follow *f, struct view *v, enum http_problem p, struct http_text *ret)
{
	size_t seen = v->len < HTTP_LINE_MAX ? v->len : HTTP_LINE_MAX, at = 0;
	enum http_problem why;
	enum http_verdict verdict = http_line_next(v->data, seen, &at, ret, &why);

	if (verdict == HTTP_BAD || (verdict == HTTP_MORE && seen == HTTP_LINE_MAX))
		return broken(f, p);
	return verdict == HTTP_MORE ? HTTP_STEP_MORE : STEP_ON;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* "1a" or "1a;name=value": no blank between the two, and nothing that could end a line elsewhere. */
static bool size_read(struct http_text line, uint64_t *ret)
{
	size_t n = 0;

	*ret = 0;
	while (n < line.len && hex(line.at[n]) >= 0 && n < SIZE_DIGITS)
		*ret = *ret << 4 | (uint64_t)hex(line.at[n++]);
	if (!n || (n < line.len && line.at[n] != ';'))
		return false;
	for (; n < line.len; n++)
		if (line.at[n] != '\t' &&
		    ((unsigned char)line.at[n] < ' ' || (unsigned char)line.at[n] >= 0x7f))
			return false;
	return true;
}

static int step_size(struct http_follow *f, struct view *v)
{
	struct http_text line;
	int r = line_of(f, v, HTTP_PROBLEM_CHUNK, &line);

	if (r != STEP_ON)
		return r;
	if (!size_read(line, &f->left))
		return broken(f, HTTP_PROBLEM_CHUNK);
	take(v, line.len + 2);
	f->state = f->left ? HTTP_FOLLOW_CHUNK : HTTP_FOLLOW_TRAILER;
	return STEP_ON;
}

/* What may not stand behind a body, since it says where the body ends or whose it is. */
static bool is_forbidden(struct http_text name)
{
	static const char *const names[] = { "Host",
					     "Content-Length",
					     "Transfer-Encoding",
					     "Content_Length",
					     "Transfer_Encoding",
					     "Connection",
					     "Upgrade",
					     "TE",
					     "Trailer" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (http_text_is_nocase(name, names[i]))
			return true;
	return false;
}

static int step_trailer(struct http_follow *f, struct view *v)
{
	struct http_text line, name, value;
	int r = line_of(f, v, HTTP_PROBLEM_TRAILER, &line);

	if (r != STEP_ON)
		return r;
	f->trailers += line.len + 2;
	if (f->trailers > HTTP_TRAILER_MAX)
		return broken(f, HTTP_PROBLEM_TRAILER);
	if (line.len && (http_field_read(line, &name, &value) != HTTP_PROBLEM_NONE || is_forbidden(name)))
		return broken(f, HTTP_PROBLEM_TRAILER);
	take(v, line.len + 2);
	if (!line.len)
		end_request(f);
	return STEP_ON;
}

static int step(struct http_follow *f, struct view *v)
{
	switch (f->state) {
	case HTTP_FOLLOW_CHECK: /* not accepted yet: shown again */
		f->looked = 0;
		return step_head(f, v);
	case HTTP_FOLLOW_HEAD:
		return step_head(f, v);
	case HTTP_FOLLOW_HEAD_PASS:
	case HTTP_FOLLOW_BODY:
	case HTTP_FOLLOW_CHUNK:
		return step_counted(f, v);
	case HTTP_FOLLOW_SIZE:
		return step_size(f, v);
	case HTTP_FOLLOW_CHUNK_END:
		return step_chunk_end(f, v);
	case HTTP_FOLLOW_TRAILER:
		return step_trailer(f, v);
	case HTTP_FOLLOW_WAIT:
		return HTTP_STEP_WAIT;
	case HTTP_FOLLOW_ALL:
		take(v, v->len);
		return HTTP_STEP_ALL;
	case HTTP_FOLLOW_BROKEN:
		break;
	}
	return broken(f, f->problem);
}

enum http_step http_follow_feed(struct http_follow *f, const char *data, size_t len, size_t *ret_pass,
				struct http_head *ret_head)
{
	struct view v = { .data = data, .len = len, .head = ret_head };
	int r = STEP_ON;

	while (r == STEP_ON)
		r = step(f, &v);
	*ret_pass = v.passed;
	return (enum http_step)r;
}

void http_follow_accept(struct http_follow *f)
{
	if (f->state != HTTP_FOLLOW_CHECK)
		return;
	f->state = HTTP_FOLLOW_HEAD_PASS;
	f->requests++;
}

void http_follow_answered(struct http_follow *f, bool switched)
{
	f->switched = switched ? 1 : -1;
	if (f->state == HTTP_FOLLOW_WAIT)
		end_request(f);
}
