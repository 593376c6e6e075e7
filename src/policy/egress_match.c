/* SPDX-License-Identifier: Apache-2.0 */
/* What a rule allows: names, addresses, and requests over connections that the broker reads. */
#include <string.h>

#include "policy/egress.h"

bool egress_rule_ends_tls(const struct egress_rule *r)
{
	return r->kind == EGRESS_NAMES && (r->methods || r->path[0]);
}

static bool has_name(const struct egress_rule *r, const char *name)
{
	size_t n = strlen(name), own = strlen(r->name);

	if (r->kind == EGRESS_LOCAL)
		return !strcmp(name, EGRESS_HOST_NAME);
	/* The person's machine has rules of its own; no star stands for it. */
	if (r->kind != EGRESS_NAMES || !n || !strcmp(name, EGRESS_HOST_NAME))
		return false;
	if (r->any)
		return true;
	if (!r->below)
		return !strcmp(r->name, name);
	return n > own + 1 && name[n - own - 1] == '.' && !strcmp(name + n - own, r->name);
}

static bool has_port(const struct egress_rule *r, uint16_t port, bool udp)
{
	return port && r->udp == udp && (!r->port || r->port == port);
}

const struct egress_rule *egress_match_name(const struct egress_rule *rules, size_t n, const char *name,
					    uint16_t port, bool udp)
{
	const struct egress_rule *read = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!has_port(&rules[i], port, udp) || !has_name(&rules[i], name))
			continue;
		if (!egress_rule_ends_tls(&rules[i]))
			return &rules[i];
		read = read ? read : &rules[i];
	}
	return read;
}

const struct egress_rule *egress_match_lookup(const struct egress_rule *rules, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (has_name(&rules[i], name))
			return &rules[i];
	return NULL;
}

const struct egress_rule *egress_match_address(const struct egress_rule *rules, size_t n,
					       const struct egress_address *a, uint16_t port, bool udp)
{
	for (size_t i = 0; i < n; i++)
		if (rules[i].kind == EGRESS_RANGE && has_port(&rules[i], port, udp) &&
		    egress_range_has(&rules[i].from, rules[i].prefix, a))
			return &rules[i];
	return NULL;
}

static const char *const methods[] = { "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS" };

uint32_t egress_method_by_name(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (strlen(methods[i]) == len && !memcmp(methods[i], name, len))
			return 1u << i;
	return 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_unreserved(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("-._~", c));
}

/* One character of a path at *AT, which moves on. Returns what it writes, 1 or 3 bytes; 0: not one of a path.
 */
static size_t path_char(const char *text, size_t len, size_t *at, char ret[3])
{
	unsigned char c = (unsigned char)text[*at];
	int high, low;

	if (c != '%') {
		*at += 1;
		ret[0] = (char)c;
		return c > ' ' && c < 0x7f && !strchr("\\#\"<>^`{|}", c);
	}
	high = *at + 2 < len ? hex_digit(text[*at + 1]) : -1;
	low = *at + 2 < len ? hex_digit(text[*at + 2]) : -1;
	if (high < 0 || low < 0)
		return 0;
	c = (unsigned char)(high << 4 | low);
	*at += 3;
	if (c < ' ' || c == 0x7f || strchr("/\\%", c))
		return 0;
	ret[0] = (char)c;
	if (is_unreserved(c))
		return 1;
	ret[0] = '%';
	ret[1] = "0123456789ABCDEF"[high];
	ret[2] = "0123456789ABCDEF"[low];
	return 3;
}

/* A segment that is empty in the middle, or one or two dots, also with parameters behind them. */
static bool is_odd_segment(const char *s, size_t len, bool last)
{
	size_t plain = 0;

	while (plain < len && s[plain] != ';')
		plain++;
	return plain ? (plain <= 2 && s[0] == '.' && s[plain - 1] == '.') : !last || len;
}

bool egress_path(const char *text, size_t len, char *ret, size_t cap)
{
	const char *query = memchr(text, '?', len);
	size_t n = 0, segment = 1;

	len = query ? (size_t)(query - text) : len;
	if (!len || text[0] != '/')
		return false;
	for (size_t at = 0; at < len;) {
		char c[3];
		size_t more = path_char(text, len, &at, c);

		if (!more || n + more >= cap)
			return false;
		if (c[0] == '/' && n) {
			if (is_odd_segment(ret + segment, n - segment, false))
				return false;
			segment = n + 1;
		}
		memcpy(ret + n, c, more);
		n += more;
	}
	ret[n] = '\0';
	return !is_odd_segment(ret + segment, n - segment, true);
}

static bool has_path(const struct egress_rule *r, const char *path)
{
	size_t n = strlen(r->path);

	if (n && r->path[n - 1] == '*')
		return !strncmp(r->path, path, n - 1);
	return !n || !strcmp(r->path, path);
}

const struct egress_rule *egress_match_request(const struct egress_rule *rules, size_t n, const char *name,
					       uint16_t port, uint32_t method, const char *path,
					       size_t path_len)
{
	char clean[8192];
	bool odd = !egress_path(path, path_len, clean, sizeof(clean));

	for (size_t i = 0; i < n; i++) {
		const struct egress_rule *r = &rules[i];

		if (r->kind != EGRESS_NAMES || !has_port(r, port, false) || !has_name(r, name))
			continue;
		if (r->methods && !(r->methods & method))
			continue;
		if (!r->path[0] || (!odd && has_path(r, clean)))
			return r;
	}
	return NULL;
}
