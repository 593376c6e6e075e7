/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the headers of a request. */
#include "server/http/http_check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/str.h"

static bool to_port(const char *text, uint16_t *ret)
{
	uint64_t value;

	if (!str_to_u64(text, &value) || value > UINT16_MAX)
		return false;
	*ret = (uint16_t)value;
	return true;
}

static bool to_address(const char *host, uint16_t port, struct sockaddr_storage *ret, socklen_t *ret_len)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret;
	size_t n = strlen(host);
	char inner[INET6_ADDRSTRLEN];

	memset(ret, 0, sizeof(*ret));
	if (!strcmp(host, "localhost"))
		host = "127.0.0.1";
	if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		*ret_len = sizeof(*v4);
		return true;
	}
	if (host[0] != '[' || n < 2 || host[n - 1] != ']' || n - 2 >= sizeof(inner))
		return false;
	snprintf(inner, sizeof(inner), "%.*s", (int)(n - 2), host + 1);
	if (inet_pton(AF_INET6, inner, &v6->sin6_addr) != 1)
		return false;
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons(port);
	*ret_len = sizeof(*v6);
	return true;
}

int http_check_address(const char *text, struct sockaddr_storage *ret, socklen_t *ret_len,
		       struct aisbx_error *e)
{
	const char *colon = strrchr(text, ':');
	char host[80] = "127.0.0.1";
	uint16_t port;

	if (colon && colon > text && (size_t)(colon - text) < sizeof(host))
		snprintf(host, sizeof(host), "%.*s", (int)(colon - text), text);
	if (!to_port(colon ? colon + 1 : text, &port) || (colon && colon == text) ||
	    !to_address(host, port, ret, ret_len))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%s' is not an address to listen on; write 127.0.0.1:8080, [::1]:8080 "
				    "or only a port",
				    text);
	return 0;
}

bool http_check_is_loopback(const struct sockaddr_storage *a)
{
	if (a->ss_family == AF_INET)
		return ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24 == 127;
	return a->ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr);
}

uint16_t http_check_port(const struct sockaddr_storage *a)
{
	if (a->ss_family == AF_INET)
		return ntohs(((const struct sockaddr_in *)a)->sin_port);
	return a->ss_family == AF_INET6 ? ntohs(((const struct sockaddr_in6 *)a)->sin6_port) : 0;
}

void http_check_address_text(const struct sockaddr_storage *a, char *room, size_t cap)
{
	const struct in6_addr *v6 = &((const struct sockaddr_in6 *)a)->sin6_addr;
	char host[INET6_ADDRSTRLEN] = "";

	if (a->ss_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(v6)) {
		inet_ntop(AF_INET6, v6, host, sizeof(host));
		snprintf(room, cap, "[%s]:%u", host, http_check_port(a));
		return;
	}
	/* Who comes by IPv4 to a listener of both is told apart by this alone. */
	if (a->ss_family == AF_INET6)
		inet_ntop(AF_INET, v6->s6_addr + 12, host, sizeof(host));
	else if (a->ss_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)a)->sin_addr, host, sizeof(host));
	snprintf(room, cap, "%s:%u", host, http_check_port(a));
}

static bool among(const char *text, const char *const *list)
{
	for (; list && *list; list++)
		if (!strcasecmp(text, *list))
			return true;
	return false;
}

/* Bytes of the name in "name:port" or "[v6]:port". */
static size_t name_length(const char *host)
{
	const char *colon = strrchr(host, ':'), *bracket = strrchr(host, ']');

	return colon && colon > bracket ? (size_t)(colon - host) : strlen(host);
}

bool http_check_host(const char *host, const struct sockaddr_storage *local, const char *const *extra)
{
	char ours[80], name[256];
	size_t n = name_length(host);

	http_check_address_text(local, ours, sizeof(ours));
	if (!strcasecmp(host, ours) || among(host, extra))
		return true;
	if (n >= sizeof(name))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)n, host);
	if (among(name, extra))
		return true;
	snprintf(ours, sizeof(ours), "localhost:%u", http_check_port(local));
	return !strcasecmp(host, ours);
}

bool http_check_origin(const char *origin, const char *const *extra)
{
	static const char *const ours[] = { "localhost", "127.0.0.1", "[::1]", NULL };
	const char *host;
	char name[16];
	uint16_t port;
	size_t n;

	if (among(origin, extra))
		return true;
	if (strncasecmp(origin, "http://", 7) != 0 && strncasecmp(origin, "https://", 8) != 0)
		return false;
	host = strstr(origin, "://") + 3;
	n = name_length(host);
	if (n >= sizeof(name) || (host[n] && !to_port(host + n + 1, &port)))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)n, host);
	return among(name, ours);
}

bool http_check_is_json(const char *content_type)
{
	static const char json[] = "application/json";
	size_t n = strcspn(content_type, "; \t");

	return n == sizeof(json) - 1 && !strncasecmp(content_type, json, n);
}

bool http_check_header(const char *name, const char *value)
{
	static const char letters[] =
		"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (!*name || name[strspn(name, letters)])
		return false;
	for (; *value; value++)
		if (((unsigned char)*value < ' ' && *value != '\t') || *value == 0x7f)
			return false;
	return true;
}

bool http_check_has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	while (*list) {
		size_t len = strcspn(list, ", ");

		if (len == n && !strncmp(list, word, n))
			return true;
		list += len;
		list += strspn(list, ", ");
	}
	return false;
}

bool http_check_trace(const char *traceparent, char ret[33])
{
	static const char digits[] = "0123456789abcdef";
	const char *id = traceparent + 3;

	if (strlen(traceparent) < 55 || strspn(traceparent, digits) != 2 || traceparent[2] != '-' ||
	    strspn(id, digits) != 32 || id[32] != '-' || strspn(id, "0") == 32)
		return false;
	memcpy(ret, id, 32);
	ret[32] = '\0';
	return true;
}
