/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the client says first. TLS and plain HTTP name a host, and it must be the one that is connected to;
 * every request of a kept HTTP connection again. Other protocols name none: for them the address decides.
 */
#include <string.h>

#include "net/hello.h"
#include "net/relay.h"

#define HTTP_PORT 80

/* A line such as "GET / HTTP/1.1"; what is not complete may become one. */
enum line { LINE_MORE, LINE_HTTP, LINE_OTHER };

/* What a method may be made of. */
static bool is_token(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
	       (c && strchr("!#$%&'*+-.^_`|~", c));
}

/* Servers skip empty lines before a request, and so do we. */
static enum line read_line(const char *data, size_t len)
{
	static const char *const mark = " HTTP/";
	const char *at = data, *end = data + len, *line;

	while (at < end && (*at == '\r' || *at == '\n'))
		at++;
	line = at;
	while (at < end && is_token(*at))
		at++;
	if (at == end)
		return len < HTTP_HEAD_MAX ? LINE_MORE : LINE_OTHER;
	if (at == line || *at != ' ')
		return LINE_OTHER;
	at = memchr(line, '\n', (size_t)(end - line));
	if (!at)
		return len < HTTP_HEAD_MAX ? LINE_MORE : LINE_OTHER;
	return memmem(line, (size_t)(at - line), mark, strlen(mark)) ? LINE_HTTP : LINE_OTHER;
}

static void pass_all(struct conn *c)
{
	c->checked = true;
	c->following = false;
	c->head_pass = c->head_len;
}

/* True if the connection goes on. */
static bool check_name(struct conn *c, const char *text, size_t len, enum net_reason wrong)
{
	char name[EGRESS_NAME_MAX];

	if (egress_name(text, len, name) && relay_is_named(c, name))
		return true;
	if (len && len < sizeof(c->name) && egress_name(text, len, name))
		strcpy(c->name, name); /* for the record: what was wanted */
	c->rule[0] = '\0';
	relay_refuse(c, wrong);
	return false;
}

/* What aisbx-tls reads it reads from the first byte on. */
static void pass_hello(struct conn *c)
{
	if (!c->by_range && ended_has(c->broker, c->name, c->port))
		c->ends_tls = c->checked = true;
	else
		pass_all(c);
}

static void check_hello(struct conn *c, const struct hello *h)
{
	if (h->ech != HELLO_ECH_NONE || h->esni)
		relay_refuse(c, NET_HIDDEN_SNI);
	else if (check_name(c, h->sni, h->sni_len, NET_WRONG_SNI))
		pass_hello(c);
}

static bool check_request(struct conn *c, const struct http_head *h)
{
	if (h->no_host && !h->host[0]) {
		relay_refuse(c, NET_WRONG_HOST);
		return false;
	}
	if (h->port && h->port != c->port) {
		relay_refuse(c, NET_WRONG_HOST);
		return false;
	}
	if (!check_name(c, h->host, strlen(h->host), NET_WRONG_HOST))
		return false;
	if (!c->by_range && ended_has(c->broker, c->name, c->port)) {
		relay_refuse(c, NET_WRONG_METHOD); /* without TLS nobody would look at what it asks for */
		return false;
	}
	http_follow_accept(&c->follow);
	return true;
}

static void follow(struct conn *c)
{
	for (;;) {
		struct http_head head;
		size_t pass = 0;
		enum http_step step = http_follow_feed(&c->follow, c->head + c->head_pass,
						       c->head_len - c->head_pass, &pass, &head);

		c->head_pass += pass;
		switch (step) {
		case HTTP_STEP_CHECK:
			if (!check_request(c, &head))
				return;
			break;
		case HTTP_STEP_ALL:
			pass_all(c);
			return;
		case HTTP_STEP_BAD:
			relay_refuse(c, NET_BAD_HTTP);
			return;
		case HTTP_STEP_MORE:
		case HTTP_STEP_WAIT:
			return;
		}
	}
}

static void look_first(struct conn *c)
{
	struct hello hello;

	switch (hello_read((const uint8_t *)c->head, c->head_len, &hello)) {
	case HELLO_MORE:
		return;
	case HELLO_OK:
		check_hello(c, &hello);
		return;
	case HELLO_BAD:
		relay_refuse(c, NET_WRONG_SNI);
		return;
	case HELLO_NOT_TLS:
		break;
	}
	switch (c->port == HTTP_PORT ? LINE_HTTP : read_line(c->head, c->head_len)) {
	case LINE_MORE:
		c->unsure = true;
		return;
	case LINE_HTTP:
		c->checked = c->following = true;
		follow(c);
		return;
	case LINE_OTHER:
		if (c->name[0] && (c->by_range || !ended_has(c->broker, c->name, c->port)))
			pass_all(c);
		else /* several names have this address, and nothing tells which is meant */
			relay_refuse(c, NET_NO_RULE);
	}
}

void relay_look(struct conn *c)
{
	c->unsure = false;
	if (c->following)
		follow(c);
	else
		look_first(c);
}
