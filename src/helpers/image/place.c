/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions about URLs. They are read by libcurl, so that the place that is checked is the one it goes to. */
#include "helpers/image/place.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <curl/curl.h>

#include "base/error.h"
#include "base/scope.h"

static void drop_url(CURLU **u)
{
	curl_url_cleanup(*u);
}

static void drop_part(char **part)
{
	curl_free(*part);
}

static bool take_host(const char *text, struct place *p)
{
	size_t len = strlen(text);
	bool bracketed = text[0] == '[' && len > 2 && text[len - 1] == ']';

	text += bracketed;
	len -= bracketed ? 2 : 0;
	if (!len || len >= sizeof(p->host))
		return false;
	for (size_t i = 0; i < len; i++)
		p->host[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]);
	p->host[len] = '\0';
	return true;
}

int place_read(const char *url, struct place *ret, struct aisbx_error *e)
{
	scoped(drop_url) CURLU *u = curl_url();
	scoped(drop_part) char *scheme = NULL;
	scoped(drop_part) char *host = NULL;
	scoped(drop_part) char *port = NULL;
	struct place p = { 0 };

	if (!u)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read a URL");
	if (curl_url_set(u, CURLUPART_URL, url, CURLU_DISALLOW_USER) ||
	    curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) || curl_url_get(u, CURLUPART_HOST, &host, 0) ||
	    curl_url_get(u, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) || !take_host(host, &p) ||
	    (strcmp(scheme, "http") && strcmp(scheme, "https")))
		return aisbx_refuse(
			e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
			"the registry leads to an address that is not followed: only http and https "
			"without a user name are");
	p.port = (unsigned int)strtoul(port, NULL, 10);
	p.is_plain = !strcmp(scheme, "http");
	*ret = p;
	return 0;
}

char *place_resolve(const char *base, const char *to)
{
	scoped(drop_url) CURLU *u = curl_url();
	scoped(drop_part) char *whole = NULL;

	if (!u || curl_url_set(u, CURLUPART_URL, base, 0) || curl_url_set(u, CURLUPART_URL, to, 0) ||
	    curl_url_set(u, CURLUPART_FRAGMENT, NULL, 0) || curl_url_get(u, CURLUPART_URL, &whole, 0))
		return NULL;
	return strdup(whole);
}

bool place_is_same(const struct place *a, const struct place *b)
{
	return a->is_plain == b->is_plain && a->port == b->port && !strcmp(a->host, b->host);
}

bool place_is_loopback(const char *host)
{
	return place_reach_of_name(host) == REACH_LOOPBACK;
}

/* The last names of a host: its domain. An address has none: it is its own. */
static const char *domain_of(const char *host)
{
	const char *dots[3] = { 0 }; /* the last, the one before, ... */
	size_t last, before;

	for (const char *at = host; (at = strchr(at, '.')); at++) {
		dots[2] = dots[1];
		dots[1] = dots[0];
		dots[0] = at;
	}
	if (!dots[0] || !dots[1])
		return host;
	last = strlen(dots[0] + 1);
	before = (size_t)(dots[0] - dots[1]) - 1;
	if (last == 2 && before <= 3)
		return dots[2] ? dots[2] + 1 : host;
	return dots[1] + 1;
}

static bool is_address(const char *host)
{
	struct in6_addr six;
	struct in_addr four;

	return strchr(host, ':') || inet_pton(AF_INET, host, &four) == 1 ||
	       inet_pton(AF_INET6, host, &six) == 1;
}

bool place_is_kin(const char *registry, const char *realm)
{
	const char *a, *b;

	if (!strcasecmp(registry, realm))
		return true;
	if (is_address(registry) || is_address(realm) || !strchr(registry, '.') || !strchr(realm, '.'))
		return false;
	a = domain_of(registry);
	b = domain_of(realm);
	return !strcasecmp(a, b);
}

static enum reach reach_of_four(uint32_t a)
{
	if (a >> 24 == 127 || a == 0)
		return REACH_LOOPBACK;
	if (a >> 16 == 0xa9fe)
		return REACH_LINK;
	if (a >> 24 == 10 || a >> 24 == 0 || a >> 20 == 0xac1 || a >> 16 == 0xc0a8 ||
	    (a >> 22 == 0x191) /* 100.64.0.0/10 */ || a >> 28 >= 0xe /* multicast and above */ ||
	    a >> 17 == 0x6309 /* 198.18.0.0/15 */ || a >> 8 == 0xc00000 /* 192.0.0.0/24 */)
		return REACH_PRIVATE;
	return REACH_PUBLIC;
}

static uint32_t four_at(const uint8_t *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static enum reach reach_of_six(const struct in6_addr *a)
{
	static const uint8_t nat64[12] = { 0, 0x64, 0xff, 0x9b };
	const uint8_t *b = a->s6_addr;

	if (IN6_IS_ADDR_LOOPBACK(a) || IN6_IS_ADDR_UNSPECIFIED(a))
		return REACH_LOOPBACK;
	if (IN6_IS_ADDR_V4MAPPED(a) || IN6_IS_ADDR_V4COMPAT(a) || !memcmp(b, nat64, sizeof(nat64)))
		return reach_of_four(four_at(b + 12));
	if (b[0] == 0x20 && b[1] == 2) /* 6to4 */
		return reach_of_four(four_at(b + 2));
	if (IN6_IS_ADDR_LINKLOCAL(a))
		return REACH_LINK;
	if ((b[0] & 0xfe) == 0xfc || IN6_IS_ADDR_SITELOCAL(a) || b[0] == 0xff)
		return REACH_PRIVATE;
	return REACH_PUBLIC;
}

enum reach place_reach(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		return reach_of_four(
			ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr));
	if (address->sa_family == AF_INET6)
		return reach_of_six(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
	return REACH_LOOPBACK;
}

enum reach place_reach_of_name(const char *host)
{
	struct in6_addr six;
	struct in_addr four;
	size_t len = strlen(host);

	if (inet_pton(AF_INET, host, &four) == 1)
		return reach_of_four(ntohl(four.s_addr));
	if (inet_pton(AF_INET6, host, &six) == 1)
		return reach_of_six(&six);
	if (!strcasecmp(host, "localhost") || (len > 10 && !strcasecmp(host + len - 10, ".localhost")))
		return REACH_LOOPBACK;
	return REACH_PUBLIC;
}

bool place_may_lead(enum reach from, enum reach to)
{
	return to == REACH_PUBLIC || to == from || (to == REACH_PRIVATE && from == REACH_LOOPBACK);
}

bool place_is_listed(const struct place *p, const char *const *list, size_t n)
{
	char with_port[sizeof(p->host) + 16];

	snprintf(with_port, sizeof(with_port), strchr(p->host, ':') ? "[%s]:%u" : "%s:%u", p->host, p->port);
	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(list[i], p->host) || !strcasecmp(list[i], with_port))
			return true;
	return false;
}

int place_check_step(const struct place *from, const struct place *to, const char *const *plain,
		     size_t n_plain, struct aisbx_error *e)
{
	if (!to->is_plain)
		return 0;
	if (!from->is_plain)
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
				    "'%s' leads from https to plain http ('%s')", from->host, to->host);
	if (!place_is_loopback(to->host) && !place_is_listed(to, plain, n_plain))
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
				    "'%s' leads to plain http at '%s', which is not listed as plain_http",
				    from->host, to->host);
	return 0;
}
