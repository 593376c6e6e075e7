/* SPDX-License-Identifier: Apache-2.0 */
/* Takes lines and fields of HTTP/1 apart; nothing of what they mean is known here. */
#include "net/http_line.h"

#include <string.h>
#include <strings.h>

bool http_text_is(struct http_text t, const char *word)
{
	return t.len == strlen(word) && !memcmp(t.at, word, t.len);
}

bool http_text_is_nocase(struct http_text t, const char *word)
{
	return t.len == strlen(word) && !strncasecmp(t.at, word, t.len);
}

bool http_is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool http_is_token(char c)
{
	return http_is_alnum(c) || (c && strchr("!#$%&'*+-.^_`|~", c));
}

bool http_is_space(char c)
{
	unsigned char u = (unsigned char)c;

	return u == ' ' || (u >= 0x09 && u <= 0x0d) || (u >= 0x1c && u <= 0x1f) || u == 0x85 || u == 0xa0;
}

enum http_verdict http_line_next(const char *data, size_t len, size_t *at, struct http_text *ret,
				 enum http_problem *ret_problem)
{
	const char *begin = data + *at, *end = memchr(begin, '\n', len - *at);
	size_t n = end ? (size_t)(end - begin) : len - *at;
	const char *cr = memchr(begin, '\r', n);

	*ret_problem = HTTP_PROBLEM_LINE_END;
	if (memchr(begin, '\0', n) || (cr && cr + 1 != begin + n) || (end && !cr))
		return HTTP_BAD;
	*ret_problem = HTTP_PROBLEM_NONE;
	if (!end)
		return HTTP_MORE;
	*ret = (struct http_text){ begin, n - 1 };
	*at += n + 1;
	return HTTP_OK;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool has_control(struct http_text t)
{
	for (size_t i = 0; i < t.len; i++) {
		unsigned char c = (unsigned char)t.at[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return true;
	}
	return false;
}

static struct http_text trim(struct http_text t)
{
	while (t.len && is_blank(t.at[t.len - 1]))
		t.len--;
	while (t.len && is_blank(t.at[0])) {
		t.at++;
		t.len--;
	}
	return t;
}

enum http_problem http_field_read(struct http_text line, struct http_text *ret_name,
				  struct http_text *ret_value)
{
	size_t colon = 0;

	if (line.len && is_blank(line.at[0]))
		return HTTP_PROBLEM_FOLDED;
	while (colon < line.len && http_is_token(line.at[colon]))
		colon++;
	if (!colon || colon == line.len || line.at[colon] != ':')
		return HTTP_PROBLEM_FIELD;
	*ret_name = (struct http_text){ line.at, colon };
	*ret_value = (struct http_text){ line.at + colon + 1, line.len - colon - 1 };
	if (has_control(*ret_value))
		return HTTP_PROBLEM_VALUE;
	*ret_value = trim(*ret_value);
	return HTTP_PROBLEM_NONE;
}
