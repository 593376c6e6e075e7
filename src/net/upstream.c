/* SPDX-License-Identifier: Apache-2.0 */
/* The upstream proxy: its address and password from the environment, CONNECT, and its answer. */
#include "net/upstream.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"

static const char *variable(void)
{
	static const char *const names[] = { "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return value;
	}
	return NULL;
}

static int hex(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c | 0x20) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* "%40" is '@'. */
static size_t unescape(const char *from, size_t len, char *to)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (from[i] == '%' && i + 2 < len && hex(from[i + 1]) >= 0 && hex(from[i + 2]) >= 0) {
			to[n++] = (char)(hex(from[i + 1]) * 16 + hex(from[i + 2]));
			i += 2;
		} else {
			to[n++] = from[i];
		}
	}
	return n;
}

static int bad(struct aisbx_error *e, const char *what)
{
	return aisbx_refuse(
		e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EINVAL,
		"the proxy of your environment (https_proxy) %s; expected http://[USER:PASSWORD@]HOST:PORT",
		what);
}

static int read_credentials(struct upstream *u, const char *from, size_t len, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf encoded = { 0 };
	char plain[512];
	size_t n;

	if (len + 1 >= sizeof(plain))
		return bad(e, "has a password that is too long");
	n = unescape(from, len, plain);
	if (!memchr(plain, ':', n))
		plain[n++] = ':';
	base64_add(&encoded, plain, n);
	if (encoded.failed || encoded.len >= sizeof(u->credentials))
		return bad(e, "has a password that is too long");
	memcpy(u->credentials, encoded.data, encoded.len);
	return 0;
}

static int read_place(struct upstream *u, const char *text, size_t len, struct aisbx_error *e)
{
	char place[EGRESS_NAME_MAX];
	char *colon, *end = NULL;
	unsigned long port;

	if (!len || len >= sizeof(place))
		return bad(e, "has no host");
	memcpy(place, text, len);
	place[len] = '\0';
	colon = strrchr(place, ':');
	port = colon && !strchr(colon, ']') ? strtoul(colon + 1, &end, 10) : 80;
	if ((end && *end) || !port || port > UINT16_MAX)
		return bad(e, "has a port that is none");
	if (end)
		*colon = '\0';
	u->port = (uint16_t)port;
	snprintf(u->host, sizeof(u->host), "%s", place);
	return 0;
}

static int find_address(struct upstream *u, struct aisbx_error *e)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	int r = getaddrinfo(u->host, NULL, &hints, &found);

	if (r != 0)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, EHOSTUNREACH,
				    "look up '%s', the proxy of your environment (https_proxy): %s", u->host,
				    gai_strerror(r));
	for (const struct addrinfo *i = found; i && u->n < 16; i = i->ai_next) {
		struct egress_address *a = &u->addresses[u->n];

		if (i->ai_family == AF_INET)
			memcpy(a->bytes, &((const struct sockaddr_in *)(const void *)i->ai_addr)->sin_addr,
			       4);
		else if (i->ai_family == AF_INET6)
			memcpy(a->bytes, &((const struct sockaddr_in6 *)(const void *)i->ai_addr)->sin6_addr,
			       16);
		else
			continue;
		a->family = i->ai_family == AF_INET ? 4 : 6;
		u->n++;
	}
	freeaddrinfo(found);
	return u->n ? 0 : bad(e, "has no address");
}

int upstream_init(struct upstream *u, struct aisbx_error *e)
{
	const char *text = variable(), *none = getenv("no_proxy"), *at;
	size_t len;
	int r = 0;

	*u = (struct upstream){ 0 };
	if (!text)
		return 0;
	if (!strncasecmp(text, "http://", 7))
		text += 7;
	else if (strstr(text, "://"))
		return bad(e, "is of a kind that is not supported");
	len = strcspn(text, "/");
	at = memrchr(text, '@', len);
	if (at) {
		r = read_credentials(u, text, (size_t)(at - text), e);
		len -= (size_t)(at + 1 - text);
		text = at + 1;
	}
	if (r == 0)
		r = read_place(u, text, len, e);
	none = none ? none : getenv("NO_PROXY");
	if (none && strlen(none) < sizeof(u->none))
		strcpy(u->none, none);
	u->any = r == 0;
	return r < 0 ? r : find_address(u, e);
}

/* "example.org", ".example.org" and "*.example.org" all mean the name and those below it. */
static bool is_below(const char *name, const char *of, size_t len)
{
	size_t n = strlen(name);

	while (len && (*of == '*' || *of == '.')) {
		of++;
		len--;
	}
	return len && n >= len && !strncasecmp(name + n - len, of, len) &&
	       (n == len || name[n - len - 1] == '.');
}

bool upstream_serves(const struct upstream *u, const char *name, uint16_t port)
{
	const char *at = u->none;

	(void)port;
	if (!u->any)
		return false;
	while (*at) {
		size_t len = strcspn(at, ", ");

		if ((len == 1 && *at == '*') || is_below(name, at, len))
			return false;
		at += len;
		at += strspn(at, ", ");
	}
	return true;
}

size_t upstream_request(const struct upstream *u, const char *name, uint16_t port, char *ret, size_t cap)
{
	int n = snprintf(ret, cap, "CONNECT %s:%u HTTP/1.1\r\nHost: %s:%u\r\n%s%s%s\r\n", name, port, name,
			 port, *u->credentials ? "Proxy-Authorization: Basic " : "", u->credentials,
			 *u->credentials ? "\r\n" : "");

	return n > 0 && (size_t)n < cap ? (size_t)n : 0;
}

int upstream_answer(const char *data, size_t len)
{
	const char *end = memmem(data, len, "\r\n\r\n", 4);

	if (len >= 9 && (strncmp(data, "HTTP/1.", 7) != 0 || data[8] != ' '))
		return -1;
	if (!end)
		return len > 16384 ? -1 : 0;
	return len >= 12 && data[9] == '2' ? (int)(end + 4 - data) : -1;
}
