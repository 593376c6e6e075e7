/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the head of an HTTP/1 request (RFC 9110, 9112), line by line. Where the standard lets a server
 * choose, or servers are known to differ, the request is bad: the broker and the server must see the same
 * hosts and the same ends.
 */
#include "net/http_head.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "net/http_line.h"

#define MAX_LABEL  63
#define MAX_NAME   253
#define HTTP_PORT  80
#define LENGTH_MAX 18 /* digits */

const char *http_problem_text(enum http_problem p)
{
	static const char *const texts[] = {
#define X(name, text) [HTTP_PROBLEM_##name] = (text),
		HTTP_PROBLEMS(X)
#undef X
	};

	return p < HTTP_PROBLEM_COUNT ? texts[p] : "something unknown";
}

/* What is known while a head is being read. */
struct reader {
	struct http_head *head; /* borrowed */
	struct http_text host, length, coding;
	unsigned int hosts, lengths, codings;
};

static bool begins(struct http_text t, const char *word)
{
	return t.len >= strlen(word) && !strncasecmp(t.at, word, strlen(word));
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool port_read(struct http_text t, uint16_t *ret)
{
	unsigned int port = 0;

	if (!t.len || t.len > 5)
		return false;
	for (size_t i = 0; i < t.len; i++) {
		if (!is_digit(t.at[i]))
			return false;
		port = port * 10 + (unsigned int)(t.at[i] - '0');
	}
	*ret = (uint16_t)port;
	return port && port <= UINT16_MAX;
}

/* "[::1]", the brackets included. */
static bool address6_read(struct http_text t, char *ret)
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr a;

	if (t.len < 4 || t.len - 2 >= sizeof(text))
		return false;
	memcpy(text, t.at + 1, t.len - 2);
	text[t.len - 2] = '\0';
	if (strlen(text) != t.len - 2 || inet_pton(AF_INET6, text, &a) != 1)
		return false;
	ret[0] = '[';
	if (!inet_ntop(AF_INET6, &a, ret + 1, INET6_ADDRSTRLEN))
		return false;
	strcat(ret, "]");
	return true;
}

/* Whether a name ends like something that inet_aton and browsers take for an address: "127.1", "0x7f000001".
 */
static bool ends_numeric(const char *name)
{
	const char *last = strrchr(name, '.');

	last = last ? last + 1 : name;
	return is_digit(*last) && (last[strspn(last, "0123456789")] == '\0' || last[1] == 'x');
}

/* Letters, digits, '-' and '_' in labels of 1 to 63, with a dot between them. */
static bool has_labels(struct http_text t)
{
	size_t label = 0;

	for (size_t i = 0; i < t.len; i++) {
		char c = t.at[i];

		if (c == '.' ? !label : !(http_is_alnum(c) || c == '-' || c == '_'))
			return false;
		label = c == '.' ? 0 : label + 1;
		if (label > MAX_LABEL)
			return false;
	}
	return label;
}

static bool name_read(struct http_text t, char *ret)
{
	struct in_addr a;

	if (t.len && t.at[t.len - 1] == '.')
		t.len--;
	if (t.len > MAX_NAME || !has_labels(t))
		return false;
	for (size_t i = 0; i < t.len; i++)
		ret[i] = t.at[i] >= 'A' && t.at[i] <= 'Z' ? (char)(t.at[i] - 'A' + 'a') : t.at[i];
	ret[t.len] = '\0';
	return !ends_numeric(ret) || inet_pton(AF_INET, ret, &a) == 1;
}

/* HOST[:PORT]; the port is 0 if there is none. */
static bool authority_read(struct http_text t, char ret_host[HTTP_HOST_MAX], uint16_t *ret_port)
{
	bool six = t.len && t.at[0] == '[';
	const char *end = six ? memchr(t.at, ']', t.len) : memchr(t.at, ':', t.len);
	struct http_text host = t;

	*ret_port = 0;
	if (six && !end)
		return false;
	if (end)
		host.len = (size_t)(end - t.at) + (six ? 1 : 0);
	if (host.len < t.len) {
		struct http_text port = { host.at + host.len + 1, t.len - host.len - 1 };

		if (host.at[host.len] != ':' || !port_read(port, ret_port))
			return false;
	}
	return six ? address6_read(host, ret_host) : name_read(host, ret_host);
}

/* Host, and what the target says of it. */
static enum http_problem host_check(struct reader *r)
{
	struct http_head *h = r->head;
	char other[HTTP_HOST_MAX];
	uint16_t port, theirs = h->port;

	if (r->hosts > 1)
		return HTTP_PROBLEM_TWO_HOSTS;
	if (!r->hosts) {
		h->no_host = true;
		return h->minor ? HTTP_PROBLEM_NO_HOST : HTTP_PROBLEM_NONE;
	}
	if (!authority_read(r->host, other, &port))
		return HTTP_PROBLEM_HOST;
	if (h->form == HTTP_ORIGIN || h->form == HTTP_ASTERISK) {
		memcpy(h->host, other, sizeof(other));
		h->port = port;
		return HTTP_PROBLEM_NONE;
	}
	if (h->form == HTTP_ABSOLUTE) {
		port = port ? port : HTTP_PORT;
		theirs = theirs ? theirs : HTTP_PORT;
	} else if (!port) {
		port = theirs;
	}
	return strcmp(other, h->host) || port != theirs ? HTTP_PROBLEM_HOST_DIFFERS : HTTP_PROBLEM_NONE;
}

static enum http_problem length_check(struct reader *r)
{
	struct http_head *h = r->head;

	if (r->lengths && r->codings)
		return HTTP_PROBLEM_LENGTH_AND_CODING;
	if (r->codings) {
		if (r->codings > 1 || !h->minor || !http_text_is(r->coding, "chunked"))
			return HTTP_PROBLEM_CODING;
		h->chunked = true;
	}
	if (!r->lengths)
		return HTTP_PROBLEM_NONE;
	if (r->lengths > 1 || !r->length.len || r->length.len > LENGTH_MAX)
		return HTTP_PROBLEM_LENGTH;
	for (size_t i = 0; i < r->length.len; i++) {
		if (!is_digit(r->length.at[i]))
			return HTTP_PROBLEM_LENGTH;
		h->content_length = h->content_length * 10 + (uint64_t)(r->length.at[i] - '0');
	}
	h->has_length = true;
	return HTTP_PROBLEM_NONE;
}

static enum http_problem upgrade_read(struct reader *r, struct http_text value)
{
	struct http_head *h = r->head;

	/* One protocol, so that it is known which. */
	if (h->upgrade_to.at || !value.len || memchr(value.at, ',', value.len))
		return HTTP_PROBLEM_UPGRADE;
	h->upgrade_to = value;
	h->upgrade = !begins(value, "h2") && !begins(value, "HTTP/") && !begins(value, "TLS");
	return HTTP_PROBLEM_NONE;
}

/* Keeps what matters of a field. */
static enum http_problem field_take(struct reader *r, struct http_text name, struct http_text value)
{
	if (http_text_is_nocase(name, "Host")) {
		r->hosts++;
		r->host = value;
	} else if (http_text_is_nocase(name, "Content-Length")) {
		r->lengths++;
		r->length = value;
	} else if (http_text_is_nocase(name, "Transfer-Encoding")) {
		r->codings++;
		r->coding = value;
	} else if (http_text_is_nocase(name, "Upgrade")) {
		return upgrade_read(r, value);
	} else if (http_text_is_nocase(name, "Content_Length") ||
		   http_text_is_nocase(name, "Transfer_Encoding")) {
		return HTTP_PROBLEM_FIELD; /* the same as those with '-' to what gets them as variables */
	}
	return HTTP_PROBLEM_NONE;
}

static enum http_problem absolute_read(struct http_head *h)
{
	static const char scheme[] = "http://";
	size_t at = sizeof(scheme) - 1, end = at;

	if (!begins(h->target, scheme))
		return HTTP_PROBLEM_TARGET;
	while (end < h->target.len && h->target.at[end] != '/' && h->target.at[end] != '?')
		end++;
	h->path = (struct http_text){ h->target.at + end, h->target.len - end };
	h->form = HTTP_ABSOLUTE;
	return authority_read((struct http_text){ h->target.at + at, end - at }, h->host, &h->port)
		       ? HTTP_PROBLEM_NONE
		       : HTTP_PROBLEM_TARGET;
}

static enum http_problem target_read(struct http_head *h)
{
	for (size_t i = 0; i < h->target.len; i++) {
		unsigned char c = (unsigned char)h->target.at[i];

		if (c <= ' ' || c >= 0x7f || c == '#')
			return HTTP_PROBLEM_TARGET;
	}
	h->path = (struct http_text){ h->target.at + h->target.len, 0 };
	if (http_text_is(h->method, "CONNECT")) {
		h->form = HTTP_AUTHORITY;
		return authority_read(h->target, h->host, &h->port) && h->port ? HTTP_PROBLEM_NONE
									       : HTTP_PROBLEM_TARGET;
	}
	if (h->target.len && h->target.at[0] == '/') {
		h->form = HTTP_ORIGIN;
		h->path = h->target;
		return HTTP_PROBLEM_NONE;
	}
	if (h->target.len == 1 && h->target.at[0] == '*') {
		h->form = HTTP_ASTERISK;
		return http_text_is(h->method, "OPTIONS") ? HTTP_PROBLEM_NONE : HTTP_PROBLEM_TARGET;
	}
	return absolute_read(h);
}

/* "METHOD TARGET HTTP/1.x", of which the method was looked at already. */
static enum http_problem request_read(struct http_text line, struct http_head *h)
{
	static const char version[] = "HTTP/1.";
	const char *end = line.at + line.len, *at = line.at + h->method.len + 1;
	const char *space = memchr(at, ' ', (size_t)(end - at));

	h->target = (struct http_text){ at, (size_t)((space ? space : end) - at) };
	if (!h->target.len)
		return HTTP_PROBLEM_TARGET;
	if (!space || (size_t)(end - space) != sizeof(version) + 1 ||
	    memcmp(space + 1, version, sizeof(version) - 1) != 0 || (end[-1] != '0' && end[-1] != '1'))
		return HTTP_PROBLEM_VERSION;
	h->minor = (unsigned int)(end[-1] - '0');
	return target_read(h);
}

static bool has_http(const char *data, size_t len)
{
	for (size_t i = 0; i + 5 <= len; i++)
		if (!strncasecmp(data + i, "HTTP/", 5))
			return true;
	return false;
}

/* Something that is no method: only a whole line tells a sloppy request, which servers may take, from others.
 */
static enum http_verdict judge_line(const char *data, size_t len, struct http_head *ret)
{
	const char *end = memchr(data, '\n', len);

	ret->problem = HTTP_PROBLEM_METHOD;
	if (!end && len < HTTP_HEAD_MAX)
		return HTTP_MORE;
	return has_http(data, end ? (size_t)(end - data) : len) ? HTTP_BAD : HTTP_NOT_HTTP;
}

static bool is_of_method(char c, bool first)
{
	return (c >= 'A' && c <= 'Z') || (!first && (c == '-' || c == '_'));
}

static enum http_verdict bad(struct http_head *h, enum http_problem p)
{
	h->problem = p;
	return HTTP_BAD;
}

/* HTTP_OK: there is a method and the space behind it. */
static enum http_verdict method_read(const char *data, size_t len, struct http_head *ret)
{
	size_t i = 0;

	if (len && http_is_space(data[0])) /* servers step over empty lines */
		return bad(ret, HTTP_PROBLEM_LINE_END);
	while (i < len && i < HTTP_METHOD_MAX && is_of_method(data[i], !i))
		i++;
	if (i == len)
		return HTTP_MORE;
	if (data[i] == ' ') {
		ret->method = (struct http_text){ data, i };
		return http_text_is(ret->method, "PRI") ? bad(ret, HTTP_PROBLEM_HTTP2) : HTTP_OK;
	}
	return http_is_token(data[i]) || http_is_space(data[i]) ? judge_line(data, len, ret) : HTTP_NOT_HTTP;
}

static enum http_problem fields_end(struct reader *r)
{
	enum http_problem p = host_check(r);

	if (p == HTTP_PROBLEM_NONE)
		p = length_check(r);
	if (p == HTTP_PROBLEM_NONE && r->head->form == HTTP_AUTHORITY && (r->lengths || r->codings))
		p = HTTP_PROBLEM_CONNECT; /* a body of CONNECT has no meaning that all share */
	return p;
}

static enum http_problem line_read(struct reader *r, struct http_text line, bool first)
{
	struct http_text name, value;
	enum http_problem p;

	if (first)
		return request_read(line, r->head);
	if (++r->head->fields > HTTP_MAX_FIELDS)
		return HTTP_PROBLEM_TOO_MANY;
	p = http_field_read(line, &name, &value);
	return p == HTTP_PROBLEM_NONE ? field_take(r, name, value) : p;
}

enum http_verdict http_head_read(const char *data, size_t len, struct http_head *ret)
{
	struct reader r = { .head = ret };
	struct http_text line;
	enum http_verdict v;
	size_t at = 0;

	memset(ret, 0, sizeof(*ret));
	v = method_read(data, len, ret);
	if (v != HTTP_OK)
		return v;
	for (bool first = true;; first = false) {
		size_t seen = len > HTTP_HEAD_MAX ? HTTP_HEAD_MAX : len;

		v = http_line_next(data, seen, &at, &line, &ret->problem);
		if (v == HTTP_MORE && len >= HTTP_HEAD_MAX)
			return bad(ret, HTTP_PROBLEM_TOO_LONG);
		if (v != HTTP_OK)
			return v;
		if (!first && !line.len)
			break;
		ret->problem = line_read(&r, line, first);
		if (ret->problem != HTTP_PROBLEM_NONE)
			return HTTP_BAD;
	}
	ret->len = at;
	ret->problem = fields_end(&r);
	return ret->problem == HTTP_PROBLEM_NONE ? HTTP_OK : HTTP_BAD;
}

int http_status_read(const char *data, size_t len)
{
	static const char begin[] = "HTTP/1.";
	size_t n = sizeof(begin) - 1;
	const char *s = data + n + 2;

	if (memcmp(data, begin, len < n ? len : n) != 0)
		return -1;
	if (len < n + 5)
		return 0;
	if (!is_digit(data[n]) || data[n + 1] != ' ' || !is_digit(s[0]) || !is_digit(s[1]) ||
	    !is_digit(s[2]) || s[0] == '0')
		return -1;
	return (s[0] - '0') * 100 + (s[1] - '0') * 10 + (s[2] - '0');
}
