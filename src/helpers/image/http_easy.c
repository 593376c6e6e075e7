/* SPDX-License-Identifier: Apache-2.0 */
/* One try of a call: what libcurl is told, and what it tells. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/http_part.h"

#define ERROR_BODY_MAX 8192u /* of an answer that is not 2xx */

bool http_at_origin(const struct http_call *c)
{
	return !c->is_strange && place_is_same(&c->place, &c->origin->place);
}

static bool is_good(const struct http_call *c)
{
	return c->status >= 200 && c->status < 300;
}

int http_head_once(struct http_call *c)
{
	if (c->has_head)
		return c->r;
	c->has_head = true;
	if (is_good(c) && c->hooks && c->hooks->head)
		c->r = c->hooks->head(c);
	return c->r;
}

static size_t on_body(char *data, size_t one, size_t len, void *ctx)
{
	struct http_call *c = ctx;

	(void)one;
	curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &c->status);
	if (http_head_once(c) < 0)
		return 0;
	if (!is_good(c)) {
		if (c->text.len + len <= ERROR_BODY_MAX)
			buf_add(&c->text, data, len);
		c->got += len;
		return c->got <= (1u << 20) ? len : 0;
	}
	c->got += len;
	if (c->got > c->most) {
		c->r = aisbx_refuse(&c->e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EFBIG,
				    "'%s' sends more than the %llu bytes that were announced", c->place.host,
				    (unsigned long long)c->most);
		return 0;
	}
	if (c->from + c->got > c->high)
		c->high = c->from + c->got;
	if (c->hooks && c->hooks->take)
		c->r = c->hooks->take(c, data, len);
	else
		buf_add(&c->text, data, len);
	return c->r < 0 ? 0 : len;
}

/* Into ROOM without spaces around it; too long: as if it was not there. */
static void keep(char *room, size_t cap, const char *value, size_t len)
{
	if (len < cap) {
		memcpy(room, value, len);
		room[len] = '\0';
	}
}

static void forget_head(struct http_call *c)
{
	c->location[0] = c->type_is[0] = c->digest[0] = c->content_range[0] = c->upload_range[0] = '\0';
	c->length = -1;
	c->challenge = (struct challenge){ 0 };
	c->retry_after_s = 0;
}

static int64_t number(const char *at, size_t len)
{
	int64_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (at[i] < '0' || at[i] > '9' || i > 17)
			return -1;
		n = n * 10 + (at[i] - '0');
	}
	return len ? n : -1;
}

static void take_header(struct http_call *c, const char *name, size_t n, const char *value, size_t len)
{
	const struct {
		const char *name;
		char *room;
		size_t cap;
	} kept[] = {
		{ "location", c->location, sizeof(c->location) },
		{ "content-type", c->type_is, sizeof(c->type_is) },
		{ "docker-content-digest", c->digest, sizeof(c->digest) },
		{ "content-range", c->content_range, sizeof(c->content_range) },
		{ "range", c->upload_range, sizeof(c->upload_range) },
	};

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (strlen(kept[i].name) == n && !strncasecmp(name, kept[i].name, n))
			keep(kept[i].room, kept[i].cap, value, len);
	if (n == 16 && !strncasecmp(name, "www-authenticate", n))
		challenge_read(value, len, &c->challenge);
	else if (n == 14 && !strncasecmp(name, "content-length", n))
		c->length = number(value, len);
	else if (n == 11 && !strncasecmp(name, "retry-after", n) && number(value, len) > 0)
		c->retry_after_s = number(value, len) < 30 ? (unsigned int)number(value, len) : 30;
}

static size_t on_header(char *line, size_t one, size_t len, void *ctx)
{
	struct http_call *c = ctx;
	const char *colon = memchr(line, ':', len), *value;
	size_t rest;

	(void)one;
	c->header_bytes += len;
	if (c->header_bytes > HTTP_MAX_HEADERS) {
		c->r = aisbx_refuse(&c->e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EFBIG,
				    "'%s' sends more than %u bytes of headers", c->place.host,
				    HTTP_MAX_HEADERS);
		return 0;
	}
	if (len >= 5 && !memcmp(line, "HTTP/", 5)) {
		forget_head(c);
	} else if (colon) {
		value = colon + 1;
		rest = len - (size_t)(value - line);
		while (rest && (*value == ' ' || *value == '\t'))
			value++, rest--;
		while (rest && strchr(" \t\r\n", value[rest - 1]))
			rest--;
		take_header(c, line, (size_t)(colon - line), value, rest);
	}
	return len;
}

static size_t on_send(char *room, size_t one, size_t cap, void *ctx)
{
	struct http_call *c = ctx;
	uint64_t left = c->body_len - c->sent;
	ssize_t n = left < one * cap ? (ssize_t)left : (ssize_t)(one * cap);

	if (c->body)
		memcpy(room, c->body + c->sent, (size_t)n);
	else if (n)
		n = pread(c->body_fd, room, (size_t)n, (off_t)(c->body_at + c->sent));
	if (n < 0 || (n == 0 && left)) {
		c->r = aisbx_fail(&c->e, AISBX_AREA_BOX, n < 0 ? errno : EIO, "read what is to be sent");
		return CURL_READFUNC_ABORT;
	}
	c->sent += (uint64_t)n;
	if (c->hooks && c->hooks->gave)
		c->hooks->gave(c);
	return (size_t)n;
}

static int on_seek(void *ctx, curl_off_t offset, int whence)
{
	struct http_call *c = ctx;

	if (whence != SEEK_SET || offset < 0 || (uint64_t)offset > c->body_len)
		return CURL_SEEKFUNC_FAIL;
	c->sent = (uint64_t)offset;
	return CURL_SEEKFUNC_OK;
}

static int refuse_place(struct http_call *c)
{
	return c->r = aisbx_refuse(&c->e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
				   "'%s' leads to '%s', an address of this machine or a network around it",
				   c->origin->place.host, c->place.host);
}

/* Before anything is sent there: the address itself is checked, not what a name was said to be. */
static curl_socket_t on_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *a)
{
	struct http_call *c = ctx;

	(void)purpose;
	if (!c->is_proxied && !http_at_origin(c) &&
	    !place_may_lead(c->origin->reach, place_reach((const struct sockaddr *)&a->addr))) {
		refuse_place(c);
		return CURL_SOCKET_BAD;
	}
	return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

/* The registry's own address counts as soon as it has shown its certificate: a name of a stranger may have
 * several addresses, and must not count as near by one that never answered. */
static int on_request(void *ctx, char *ip, char *own_ip, int port, int own_port)
{
	struct http_call *c = ctx;
	struct origin *o = c->origin;
	enum reach reach = c->is_proxied ? place_reach_of_name(c->place.host) : place_reach_of_name(ip);

	(void)own_ip;
	(void)port;
	(void)own_port;
	if (http_at_origin(c) && !o->is_reached) {
		o->reach = reach;
		o->is_reached = true;
	}
	if (!place_may_lead(o->reach, reach)) {
		refuse_place(c);
		return CURL_PREREQFUNC_ABORT;
	}
	return CURL_PREREQFUNC_OK;
}

static bool add_header(struct http_call *c, const char *name, const char *value)
{
	scoped(drop_mem) char *line = NULL;
	struct curl_slist *more;

	if (!value)
		return true;
	if (asprintf(&line, *value ? "%s: %s" : "%s:", name, value) < 0)
		return false;
	more = curl_slist_append(c->headers, line);
	explicit_bzero(line, strlen(line));
	if (more)
		c->headers = more;
	return more != NULL;
}

static bool set_headers(struct http_call *c)
{
	bool ok = add_header(c, "Accept", c->accept ? c->accept : "*/*") && add_header(c, "Expect", "") &&
		  add_header(c, "Content-Type",
			     c->type       ? c->type
			     : c->body_len ? "application/octet-stream"
					   : "") &&
		  add_header(c, "Content-Range", c->part[0] ? c->part : NULL);

	if (ok && http_at_origin(c))
		ok = add_header(c, "Authorization", c->origin->authorization);
	return ok && curl_easy_setopt(c->easy, CURLOPT_HTTPHEADER, c->headers) == CURLE_OK;
}

static bool is_reading(const struct http_call *c)
{
	return !strcmp(c->method, "GET") ||
	       !strcmp(c->method, "HEAD"); /* others may have to store much first */
}

static void set_method(struct http_call *c)
{
	if (!strcmp(c->method, "HEAD")) {
		curl_easy_setopt(c->easy, CURLOPT_NOBODY, 1L);
	} else if (!is_reading(c)) {
		curl_easy_setopt(c->easy, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(c->easy, CURLOPT_CUSTOMREQUEST, c->method);
		curl_easy_setopt(c->easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)c->body_len);
		curl_easy_setopt(c->easy, CURLOPT_READFUNCTION, on_send);
		curl_easy_setopt(c->easy, CURLOPT_READDATA, c);
		curl_easy_setopt(c->easy, CURLOPT_SEEKFUNCTION, on_seek);
		curl_easy_setopt(c->easy, CURLOPT_SEEKDATA, c);
	} else if (c->from) {
		char range[32];

		snprintf(range, sizeof(range), "%llu-", (unsigned long long)c->from);
		curl_easy_setopt(c->easy, CURLOPT_RANGE, range);
	}
	if (c->user) {
		curl_easy_setopt(c->easy, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
		curl_easy_setopt(c->easy, CURLOPT_USERNAME, c->user);
		curl_easy_setopt(c->easy, CURLOPT_PASSWORD, c->password);
	}
}

static void set_hooks(struct http_call *c)
{
	curl_easy_setopt(c->easy, CURLOPT_PRIVATE, c);
	curl_easy_setopt(c->easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(c->easy, CURLOPT_WRITEDATA, c);
	curl_easy_setopt(c->easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(c->easy, CURLOPT_HEADERDATA, c);
	curl_easy_setopt(c->easy, CURLOPT_OPENSOCKETFUNCTION, on_socket);
	curl_easy_setopt(c->easy, CURLOPT_OPENSOCKETDATA, c);
	curl_easy_setopt(c->easy, CURLOPT_PREREQFUNCTION, on_request);
	curl_easy_setopt(c->easy, CURLOPT_PREREQDATA, c);
	curl_easy_setopt(c->easy, CURLOPT_ERRORBUFFER, c->reason);
}

int http_easy_make(struct http_call *c)
{
	const char *proxy = http_proxy_for(&c->place), *roots = getenv("SSL_CERT_FILE"),
		   *more_roots = getenv("SSL_CERT_DIR");

	c->easy = curl_easy_init();
	if (!c->easy)
		return c->r = aisbx_fail(&c->e, AISBX_AREA_BOX, ENOMEM, "ask '%s'", c->place.host);
	c->is_proxied = proxy != NULL;
	c->header_bytes = 0;
	c->logins = c->origin->logins;
	c->got = c->sent = 0;
	c->status = 0;
	c->has_head = false;
	c->reason[0] = '\0';
	c->text.len = 0;
	forget_head(c);
	set_hooks(c);
	set_method(c);
	curl_easy_setopt(c->easy, CURLOPT_URL, c->url);
	curl_easy_setopt(c->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c->easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(c->easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(c->easy, CURLOPT_PROXY, proxy ? proxy : "");
	curl_easy_setopt(c->easy, CURLOPT_USERAGENT, "aisbx");
	curl_easy_setopt(c->easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	curl_easy_setopt(c->easy, CURLOPT_CONNECTTIMEOUT, (long)c->client->patience_s);
	curl_easy_setopt(c->easy, CURLOPT_LOW_SPEED_LIMIT, (long)HTTP_SLOW);
	curl_easy_setopt(c->easy, CURLOPT_LOW_SPEED_TIME,
			 (long)c->client->patience_s * (is_reading(c) ? 1 : 10));
	curl_easy_setopt(c->easy, CURLOPT_TIMEOUT, (long)c->timeout_s);
	curl_easy_setopt(c->easy, CURLOPT_BUFFERSIZE, 256L << 10);
	if (roots && *roots)
		curl_easy_setopt(c->easy, CURLOPT_CAINFO, roots);
	if (more_roots && *more_roots)
		curl_easy_setopt(c->easy, CURLOPT_CAPATH, more_roots);
	if (!set_headers(c))
		return c->r = aisbx_fail(&c->e, AISBX_AREA_BOX, ENOMEM, "ask '%s'", c->place.host);
	return 0;
}

void http_easy_drop(struct http_call *c)
{
	curl_easy_cleanup(c->easy);
	c->easy = NULL;
	for (struct curl_slist *h = c->headers; h; h = h->next)
		explicit_bzero(h->data, strlen(h->data));
	curl_slist_free_all(c->headers);
	c->headers = NULL;
}
