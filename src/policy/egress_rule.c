/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a rule as people write it, and writes it in its one true form. What is wrong is told with a rule that
 * is right. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/str.h"
#include "policy/egress.h"

#define EXAMPLE     "net:egress:github.com:443"
#define SOCKET_MAX  107u         /* as a socket's address has room for */
#define SIZE_MOST   (1ULL << 50) /* what a double still has to the byte */
#define TLS_PORT    443
#define N_METHODS   7u
#define COUNT_OF(x) (sizeof(x) / sizeof(*(x)))

static const char *const method_names[N_METHODS] = { "GET",   "HEAD",   "POST",   "PUT",
						     "PATCH", "DELETE", "OPTIONS" };

struct reading {
	const char *text; /* the whole rule */
	struct egress_rule *r;
	struct aisbx_error *e;
};

/* RIGHT: a rule that is as it should be. */
static __attribute__((format(printf, 3, 4))) int wrong(const struct reading *in, const char *right,
						       const char *fmt, ...)
{
	char what[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	aisbx_refuse(in->e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL, "network rule '%.100s': %s",
		     in->text, what);
	return aisbx_hint(in->e, "for example: %s", right);
}

static bool read_number(const char *text, size_t len, unsigned int most, unsigned int *ret)
{
	unsigned int value = 0;

	if (!len || len > 5)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		value = value * 10 + (unsigned int)(text[i] - '0');
	}
	*ret = value;
	return value <= most;
}

/* "443", "*", "53/udp". */
static int read_port(struct reading *in, const char *text)
{
	size_t len = strcspn(text, "/");
	unsigned int port = 0;

	if (!strcmp(text + len, "/udp"))
		in->r->udp = true;
	else if (text[len] && strcmp(text + len, "/tcp") != 0)
		return wrong(in, "dns.example.org:53/udp", "'%.20s' is neither /tcp nor /udp", text + len);
	if (len == 1 && *text == '*')
		return 0;
	if (!read_number(text, len, 65535, &port) || !port)
		return wrong(in, EXAMPLE, "'%.*s' is not a port from 1 to 65535, nor '*' for every port",
			     (int)(len > 20 ? 20 : len), text);
	in->r->port = (uint16_t)port;
	return 0;
}

/* Why a name is none, as exactly as it can be told. */
static int wrong_name(const struct reading *in, const char *name, size_t len)
{
	static const char digits[] = "0123456789abcdefABCDEFxX.";

	for (size_t i = 0; i < len; i++)
		if ((unsigned char)name[i] >= 0x80)
			return wrong(in, "xn--bcher-kva.example:443",
				     "letters beyond ASCII are not compared; write the name as DNS has it, "
				     "with xn--");
	if (memchr(name, '%', len))
		return wrong(in, "[2001:db8::1]:443", "an address here has no zone, and a name no '%%'");
	if (memchr(name, '*', len))
		return wrong(in, "*.example.org:443", "'*' stands only for whole labels at the beginning");
	if (len && strspn(name, digits) >= len)
		return wrong(in, "10.0.0.0/8:5432",
			     "'%.*s' can be read as an address in more than one way; write all four numbers, "
			     "decimal",
			     (int)(len > 60 ? 60 : len), name);
	return wrong(in, EXAMPLE,
		     len >= EGRESS_NAME_MAX ? "the name is too long"
					    : "'%.*s' is not a host name: labels of 1 to 63 letters, digits, "
					      "'-' and '_', with dots between",
		     (int)(len > 60 ? 60 : len), name);
}

static bool is_below(const char *name, const char *domain)
{
	size_t n = strlen(name), own = strlen(domain);

	return n >= own && !strcmp(name + n - own, domain) && (n == own || name[n - own - 1] == '.');
}

/* NAME, *.NAME or *. */
static int read_name(struct reading *in, const char *name, size_t len)
{
	struct egress_rule *r = in->r;

	r->kind = EGRESS_NAMES;
	if (len == 1 && *name == '*') {
		r->any = true;
		return 0;
	}
	if (len > 2 && name[0] == '*' && name[1] == '.') {
		r->below = true;
		name += 2;
		len -= 2;
	}
	if (!egress_name(name, len, r->name))
		return wrong_name(in, name, len);
	if (is_below(r->name, "localhost") || is_below(r->name, "localdomain") ||
	    is_below(r->name, "aisbx.internal"))
		return wrong(in, "net:host:5432",
			     "ports of this machine have rules of their own, and the box reaches them "
			     "as " EGRESS_HOST_NAME);
	return 0;
}

/* Bits behind the first PREFIX ones: all of them 0, or 1. */
static void set_host_bits(struct egress_address *a, unsigned int prefix, bool on)
{
	for (unsigned int i = 0; i < (a->family == 4 ? 4u : 16u); i++) {
		unsigned int bits = prefix > i * 8 ? prefix - i * 8 : 0;
		unsigned int mask = bits >= 8 ? 0xff : 0xff & (0xff00u >> bits);

		a->bytes[i] = (uint8_t)((a->bytes[i] & mask) | (on ? 0xff & ~mask : 0));
	}
}

/* What no rule can open, and how it is done instead. */
static int check_range(const struct reading *in)
{
	const struct egress_rule *r = in->r;
	struct egress_address last = r->from;
	enum egress_class c = egress_classify(&r->from);

	set_host_bits(&last, r->prefix, true);
	if (c == EGRESS_PUBLIC || c != egress_classify(&last) ||
	    egress_range_has(&r->from, r->prefix, &r->from))
		return 0;
	if (c == EGRESS_LOOPBACK)
		return wrong(in, "net:host:5432", "ports of this machine's loopback have rules of their own");
	if (c == EGRESS_METADATA)
		return wrong(in, "10.0.0.0/8:5432",
			     "this is where a cloud hands out the machine's credentials; no rule opens it");
	if (c == EGRESS_MULTICAST)
		return wrong(in, "10.0.0.0/8:5432", "no rule opens multicast addresses");
	return wrong(in, "10.0.0.0/8:5432", "a %s address in disguise; write the address that is meant",
		     egress_class_name(c));
}

/* FROM is read; PREFIX: behind its '/', or NULL. */
static int read_range(struct reading *in, const char *prefix, size_t len)
{
	struct egress_rule *r = in->r;
	struct egress_address from = r->from;
	unsigned int most = from.family == 4 ? 32 : 128, value = most;
	char text[64];

	r->kind = EGRESS_RANGE;
	if (prefix && !read_number(prefix, len, most, &value))
		return wrong(in, from.family == 4 ? "10.0.0.0/8:5432" : "[2001:db8::]/32:443",
			     "'/%.*s' is not the size of a range, from /0 to /%u", (int)(len > 20 ? 20 : len),
			     prefix, most);
	r->prefix = (uint8_t)value;
	set_host_bits(&r->from, value, false);
	if (!egress_address_same(&from, &r->from)) {
		egress_address_text(&r->from, text, sizeof(text));
		aisbx_refuse(in->e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
			     "network rule '%.100s': the address has bits behind its first %u", in->text,
			     value);
		return aisbx_hint(in->e, "did you mean %s/%u?", text, value);
	}
	return check_range(in);
}

/* [ADDRESS], [ADDRESS]/PREFIX or ADDRESS/PREFIX, then ":PORT". False: it is none of these. */
static bool read_addresses(struct reading *in, const char *word, int *ret)
{
	const char *end = *word == '[' ? strchr(word, ']') : NULL, *slash, *port;
	size_t len = end ? (size_t)(end + 1 - word) : strcspn(word, "/");

	slash = word[len] == '/' ? word + len : NULL;
	if ((!end && !slash) || !egress_address_read(word, len, &in->r->from)) {
		*ret = *word == '[' ? wrong(in, "[2001:db8::1]:443",
					    memchr(word, '%', strlen(word))
						    ? "an address here has no zone"
						    : "what is in brackets is not an IPv6 address")
				    : 0;
		return *word == '[';
	}
	port = strchr(slash ? slash : word + len, ':');
	if (!port || (!slash && port != word + len))
		*ret = wrong(in, in->r->from.family == 4 ? "10.0.0.0/8:5432" : "[2001:db8::]/32:443",
			     "addresses need a port, or ':*' for every port");
	else if ((*ret = read_range(in, slash ? slash + 1 : NULL, slash ? (size_t)(port - slash - 1) : 0)) ==
		 0)
		*ret = read_port(in, port + 1);
	return true;
}

/* What "net:egress:" stands before. */
static int read_target(struct reading *in, const char *word)
{
	const char *colon = strrchr(word, ':');
	size_t len = colon ? (size_t)(colon - word) : strlen(word);
	struct egress_address a;
	int r;

	if (read_addresses(in, word, &r))
		return r;
	if (egress_address_read(word, strlen(word), &a) && a.family == 6)
		return wrong(in, "[2001:db8::1]:443",
			     "an IPv6 address is written in brackets, with a port behind");
	if (memchr(word, ':', len))
		return wrong(in, "[2001:db8::1]:443",
			     "more than one ':'; is it an IPv6 address without brackets?");
	if (egress_address_read(word, len, &in->r->from)) {
		if (!colon)
			return wrong(in, "10.0.0.1:5432", "addresses need a port, or ':*' for every port");
		r = read_range(in, NULL, 0);
		return r < 0 ? r : read_port(in, colon + 1);
	}
	r = read_name(in, word, len);
	if (r < 0)
		return r;
	if (colon)
		return read_port(in, colon + 1);
	in->r->port = TLS_PORT;
	if (!in->r->any && strchr(in->r->name, '.'))
		return 0;
	return wrong(in, in->r->any ? "*:443" : EXAMPLE,
		     "a port is missing, such as ':443', or ':*' for every port");
}

static int read_path(struct reading *in, const char *path)
{
	size_t len = strlen(path);
	bool rest = len && path[len - 1] == '*';

	if (strpbrk(path, "?#"))
		return wrong(in, "https://api.example.org/v1/* GET",
			     "a rule has no query; it is not compared");
	if (!strcmp(path, "/"))
		return wrong(in, "https://api.example.org/* GET",
			     "this would allow nothing but the path '/'");
	if (memchr(path, '*', len - rest))
		return wrong(in, "https://api.example.org/v1/* GET",
			     "'*' is possible only at the end of a path");
	if (!egress_path(path, len - rest, in->r->path, sizeof(in->r->path) - 1))
		return wrong(
			in, "https://api.example.org/v1/* GET",
			"a path of at most %d characters that all servers read the same way: no '..', '//', "
			"'%%2f' or '\\'",
			EGRESS_PATH_MAX - 2);
	if (rest)
		strcat(in->r->path, "*");
	return 0;
}

/* https://NAME[:PORT][/PATH] */
static int read_url(struct reading *in, const char *word)
{
	bool tls = !strncasecmp(word, "https://", 8);
	char target[EGRESS_RULE_MAX];
	const char *host, *path;
	int r;

	if (!tls && strncasecmp(word, "http://", 7) != 0)
		return wrong(in, "https://api.example.org/v1/* GET", "only https:// and http:// are known");
	host = word + (tls ? 8 : 7);
	path = host + strcspn(host, "/");
	if (!tls && *path)
		return wrong(in, "example.org:80", "without TLS a rule has no path, only a name and a port");
	snprintf(target, sizeof(target), "%.*s%s", (int)(path - host), host,
		 memchr(host, ':', (size_t)(path - host)) ? ""
		 : tls                                    ? ":443"
							  : ":80");
	if (strchr(target, '/') || *target == '[')
		return wrong(in, "https://api.example.org/v1/* GET", "a URL needs a name");
	r = read_target(in, target);
	if (r == 0 && in->r->kind != EGRESS_NAMES)
		return wrong(in, "https://api.example.org/v1/* GET", "a URL needs a name, not an address");
	return r < 0 || !*path ? r : read_path(in, path);
}

static int read_local(struct reading *in, const char *port)
{
	in->r->kind = EGRESS_LOCAL;
	strcpy(in->r->name, EGRESS_HOST_NAME);
	if (!strcmp(port, "*") || strchr(port, '/'))
		return wrong(in, "net:host:5432", "each TCP port of this machine needs a rule of its own");
	return read_port(in, port);
}

static int read_socket(struct reading *in, const char *path)
{
	in->r->kind = EGRESS_SOCKET;
	if (*path != '/' || strlen(path) > SOCKET_MAX || strstr(path, "//") || strstr(path, "/./") ||
	    strstr(path, "/../") || path[strlen(path) - 1] == '/')
		return wrong(in, "net:unix:/run/postgresql/.s.PGSQL.5432",
			     "a socket needs an absolute path of at most %u bytes, without '..' and '//'",
			     SOCKET_MAX);
	strcpy(in->r->name, path);
	return 0;
}

static int read_agent(struct reading *in, const char *name)
{
	in->r->kind = EGRESS_AGENT;
	if (strcmp(name, "ssh") != 0 && strcmp(name, "gpg") != 0)
		return wrong(in, "net:agent:ssh", "there are the agents ssh and gpg");
	strcpy(in->r->name, name);
	return 0;
}

static const struct {
	const char *name;
	int (*read)(struct reading *in, const char *rest);
} kinds[] = {
	{ "egress", read_target },
	{ "host", read_local },
	{ "unix", read_socket },
	{ "agent", read_agent },
};

static int read_kind(struct reading *in, const char *word)
{
	const char *names[COUNT_OF(kinds)], *near;
	size_t len = strcspn(word, ":");
	char got[32];

	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		names[i] = kinds[i].name;
		if (strlen(names[i]) == len && !strncmp(names[i], word, len) && word[len])
			return kinds[i].read(in, word + len + 1);
	}
	snprintf(got, sizeof(got), "%.*s", (int)len, word);
	wrong(in, EXAMPLE, "'net:' is followed by egress, host, unix or agent, and ':'");
	near = str_nearest(got, names, COUNT_OF(kinds));
	return near ? aisbx_hint(in->e, "did you mean 'net:%s:'?", near) : in->e->code;
}

static int read_word(struct reading *in, const char *word)
{
	if (!strncmp(word, "net:", 4))
		return read_kind(in, word + 4);
	return strstr(word, "://") ? read_url(in, word) : read_target(in, word);
}

static int read_methods(struct reading *in, const char *text)
{
	if (in->r->methods)
		return wrong(in, "https://api.example.org/v1/* GET,HEAD",
			     "methods are one word, with ',' between");
	for (size_t len; *text; text += len + (text[len] == ',')) {
		char got[32], upper[32];
		uint32_t bit;

		len = strcspn(text, ",");
		snprintf(got, sizeof(got), "%.*s", (int)(len > 31 ? 31 : len), text);
		for (size_t i = 0; i < sizeof(upper); i++)
			upper[i] = (char)(got[i] >= 'a' && got[i] <= 'z' ? got[i] & ~0x20 : got[i]);
		bit = egress_method_by_name(upper, strlen(upper));
		if (!strcmp(upper, "READ"))
			bit = EGRESS_GET | EGRESS_HEAD;
		if (!bit || !len) {
			const char *near = str_nearest(upper, method_names, N_METHODS);

			wrong(in, "https://api.example.org/v1/* GET,HEAD",
			      "'%s' is neither a method nor records, private, bytes=SIZE or rate=SIZE", got);
			return near ? aisbx_hint(in->e, "did you mean %s?", near) : in->e->code;
		}
		in->r->methods |= bit;
	}
	return 0;
}

static int read_size(struct reading *in, const char *text, const char *word, uint64_t *into)
{
	if (*into)
		return wrong(in, "pypi.org:443 bytes=100m rate=1m", "'%.20s' a second time", word);
	if (!str_to_size(text, into) || !*into || *into > SIZE_MOST)
		return wrong(in, "pypi.org:443 bytes=100m rate=1m", "'%.40s' needs a size such as 100m or 2g",
			     word);
	return 0;
}

static int read_option(struct reading *in, const char *word)
{
	if (in->r->kind > EGRESS_LOCAL)
		return wrong(in, "net:agent:ssh", "sockets and agents have no options");
	if (!strncmp(word, "bytes=", 6))
		return read_size(in, word + 6, word, &in->r->bytes);
	if (!strncmp(word, "rate=", 5))
		return read_size(in, word + 5, word, &in->r->rate);
	if (in->r->kind != EGRESS_NAMES)
		return wrong(in, "10.0.0.0/8:5432 bytes=100m",
			     "only rules for names have records, private and methods");
	if (!strcmp(word, "records")) {
		in->r->records = true;
		return 0;
	}
	if (!strcmp(word, "private")) {
		in->r->private = true;
		return 0;
	}
	return read_methods(in, word);
}

static void add_size(char *text, size_t cap, const char *name, uint64_t value)
{
	static const char units[] = "\0kmgt";
	size_t unit = 0;

	if (!value)
		return;
	for (; unit < 4 && value % 1024 == 0; unit++)
		value /= 1024;
	snprintf(text + strlen(text), cap - strlen(text), " %s=%llu%.1s", name, (unsigned long long)value,
		 units + unit);
}

static void add_target(const struct egress_rule *r, char *ret, size_t cap)
{
	char address[48], prefix[8] = "";

	egress_address_text(&r->from, address, sizeof(address));
	if (r->kind == EGRESS_RANGE && r->prefix < (r->from.family == 4 ? 32 : 128))
		snprintf(prefix, sizeof(prefix), "/%u", r->prefix);
	if (r->kind == EGRESS_RANGE)
		snprintf(ret, cap, r->from.family == 4 ? "net:egress:%s%s" : "net:egress:[%s]%s", address,
			 prefix);
	else
		snprintf(ret, cap, "%s%s%s", r->path[0] ? "https://" : "net:egress:",
			 r->any     ? "*"
			 : r->below ? "*."
				    : "",
			 r->name);
}

/* False: it is too long. */
static bool write_text(struct egress_rule *r)
{
	char text[EGRESS_RULE_MAX * 2], port[8] = "*", *end = text + sizeof(text);

	if (r->kind >= EGRESS_LOCAL) {
		static const char *const heads[] = { [EGRESS_SOCKET] = "unix", [EGRESS_AGENT] = "agent" };

		if (r->kind == EGRESS_LOCAL)
			snprintf(text, sizeof(text), "net:host:%u", r->port);
		else
			snprintf(text, sizeof(text), "net:%s:%s", heads[r->kind], r->name);
	} else {
		add_target(r, text, sizeof(text));
		if (r->port)
			snprintf(port, sizeof(port), "%u", r->port);
		if (!r->path[0] || r->port != TLS_PORT)
			snprintf(text + strlen(text), (size_t)(end - text) - strlen(text), ":%s%s", port,
				 r->udp ? "/udp" : "");
		strcat(text, r->path);
	}
	for (size_t i = 0, n = 0; i < N_METHODS; i++)
		if (r->methods & 1u << i) {
			strcat(text, n++ ? "," : " ");
			strcat(text, method_names[i]);
		}
	if (r->records)
		strcat(text, " records");
	if (r->private)
		strcat(text, " private");
	add_size(text, sizeof(text), "bytes", r->bytes);
	add_size(text, sizeof(text), "rate", r->rate);
	if (strlen(text) >= sizeof(r->text))
		return false;
	strcpy(r->text, text);
	return true;
}

/* What each part allows, but not together. */
static int check_whole(const struct reading *in)
{
	const struct egress_rule *r = in->r;

	if (egress_rule_ends_tls(r) && r->udp)
		return wrong(in, "dns.example.org:53/udp", "UDP has neither methods nor paths");
	if (egress_rule_ends_tls(r) && !r->port)
		return wrong(in, "https://api.example.org/v1/* GET",
			     "methods and paths need one port, not all");
	if (r->private && r->any)
		return wrong(in, "*.corp.example:443 private",
			     "'private' needs a name: anybody's name can lead to a private address");
	return 0;
}

/* What must not even be shown. */
static int check_bytes(const struct reading *in)
{
	const char *url = strstr(in->text, "://"), *host = url ? url + 3 : in->text;

	for (const unsigned char *c = (const unsigned char *)in->text; *c; c++)
		if (*c < ' ' || *c == 0x7f)
			return aisbx_refuse(in->e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
					    "a network rule has a control character; for example: " EXAMPLE);
	if (memchr(host, '@', strcspn(host, "/")))
		return aisbx_refuse(in->e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "a network rule has no user and no password; for example: " EXAMPLE);
	return 0;
}

int egress_rule_parse(const char *text, struct egress_rule *ret, struct aisbx_error *e)
{
	struct egress_rule rule = { 0 };
	struct reading in = { .text = text, .r = &rule, .e = e };
	char words[EGRESS_RULE_MAX], *next = words, *word;
	size_t n = 0;
	int r = check_bytes(&in);

	if (r < 0)
		return r;
	if (strlen(text) >= sizeof(words))
		return wrong(&in, EXAMPLE, "longer than %d characters", EGRESS_RULE_MAX - 1);
	strcpy(words, text);
	while (r == 0 && (word = strsep(&next, " "))) {
		if (*word)
			r = n++ ? read_option(&in, word) : read_word(&in, word);
	}
	if (r == 0 && !n)
		r = wrong(&in, EXAMPLE, "a name or an address is missing");
	if (r == 0)
		r = check_whole(&in);
	if (r < 0)
		return r;
	if (!write_text(&rule))
		return wrong(&in, EXAMPLE, "longer than %d characters", EGRESS_RULE_MAX - 1);
	*ret = rule;
	return 0;
}
