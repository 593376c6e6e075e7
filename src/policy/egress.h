/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules about what a box may reach: reading and writing them, names and addresses in their one true form, and
 * what matches. Pure; no system calls. Used by aisbx, and again by the broker.
 */
#ifndef POLICY_EGRESS_H
#define POLICY_EGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"

#define EGRESS_NAME_MAX  254 /* of a name, with its NUL */
#define EGRESS_RULE_MAX  512 /* of a rule's text, with its NUL */
#define EGRESS_PATH_MAX  256
#define EGRESS_MAX_RULES 512

/* The name by which a box reaches the person's own machine, where a rule says so. */
#define EGRESS_HOST_NAME "host.aisbx.internal"

struct egress_address {
	uint8_t family; /* 4 or 6; 0: none */
	uint8_t bytes[16];
};

enum egress_kind {
	EGRESS_NAMES,  /* net:egress:NAME:PORT, *.NAME:PORT, *:PORT */
	EGRESS_RANGE,  /* net:egress:10.0.0.0/8:5432 */
	EGRESS_LOCAL,  /* net:host:PORT: a port of the host's loopback, as EGRESS_HOST_NAME */
	EGRESS_SOCKET, /* net:unix:/path: a socket of the host */
	EGRESS_AGENT,  /* net:agent:ssh, net:agent:gpg */
};

enum egress_method { /* bits */
		     EGRESS_GET = 1 << 0,
		     EGRESS_HEAD = 1 << 1,
		     EGRESS_POST = 1 << 2,
		     EGRESS_PUT = 1 << 3,
		     EGRESS_PATCH = 1 << 4,
		     EGRESS_DELETE = 1 << 5,
		     EGRESS_OPTIONS = 1 << 6,
};

struct egress_rule {
	enum egress_kind kind;
	bool any;                   /* "*": every name */
	bool below;                 /* "*.NAME": names below it, not itself */
	bool udp;                   /* "/udp" behind the port */
	bool records;               /* " records": SRV, TXT, CNAME and MX, too, may be asked for */
	bool private;               /* " private": the name may lead to addresses of EGRESS_PRIVATE, too */
	uint16_t port;              /* 0: every port */
	uint8_t prefix;             /* of a range */
	struct egress_address from; /* of a range */
	char name[EGRESS_NAME_MAX]; /* canonical; of a socket or agent: its path or name */
	uint64_t bytes, rate; /* " bytes=100m rate=1m": in both directions, of all connections; 0: no limit */
	uint32_t methods;     /* 0: every method, and TLS is passed on unless there is a path */
	char path[EGRESS_PATH_MAX]; /* "": every path; a '*' at the end stands for the rest */
	char text[EGRESS_RULE_MAX]; /* the rule, in its one true form */
};

/*
 * Reads one rule. "net:egress:" may be left out, and so may the port of a name that has a dot (443). Also
 * "https://NAME[:PORT]/path/STAR GET,HEAD", where "read" stands for GET,HEAD. An error says what is wrong and
 * shows a rule that is right. The text of a rule is read as the same rule again.
 */
int egress_rule_parse(const char *text, struct egress_rule *ret, struct aisbx_error *e);
/* Whether connections by this rule are read by the broker: it ends TLS. */
bool egress_rule_ends_tls(const struct egress_rule *r);

/*
 * The one true form of a name: lower case, no dot at the end, only labels of letters, digits, '-' and '_'.
 * False for everything else: too long, empty labels, bytes beyond ASCII, NUL, and whatever inet_aton takes
 * for an address ("127.1", "0x7f.1", "2130706433").
 */
bool egress_name(const char *text, size_t len, char ret[EGRESS_NAME_MAX]);
/* The same for an address as people write it: 4 or 6, in brackets or not, no zone. ::ffff:1.2.3.4 becomes 4.
 */
bool egress_address_read(const char *text, size_t len, struct egress_address *ret);
void egress_address_text(const struct egress_address *a, char *ret, size_t cap); /* 46 bytes suffice */
bool egress_address_same(const struct egress_address *a, const struct egress_address *b);
/* Whether the first PREFIX bits are those of FROM; of 4 and 6 alike, never of one and the other. */
bool egress_address_within(const struct egress_address *a, const struct egress_address *from,
			   unsigned int prefix);
/*
 * Whether a rule for that range allows A. What is not public must be meant: 10.0.0.0/8 has 10.1.2.3,
 * 0.0.0.0/0 has not. No range has loopback, multicast, a cloud's metadata, or what hides in NAT64, 6to4 and
 * their kin.
 */
bool egress_range_has(const struct egress_address *from, unsigned int prefix, const struct egress_address *a);

/* What an address is; whatever it hides in: NAT64, 6to4, Teredo and mapped ones are what is inside. */
enum egress_class {
	EGRESS_PUBLIC,
	EGRESS_LOOPBACK, /* also 0.0.0.0 and :: */
	EGRESS_PRIVATE,  /* 10/8, 172.16/12, 192.168/16, 100.64/10, fc00::/7 */
	EGRESS_LINK,     /* 169.254/16, fe80::/10 */
	EGRESS_METADATA, /* 169.254.169.254, fd00:ec2::254 and its kin at other clouds */
	EGRESS_MULTICAST,
	EGRESS_RESERVED, /* 0/8, 192.0.0/24, 198.18/15, 240/4, broadcast */
};
enum egress_class egress_classify(const struct egress_address *a);
const char *egress_class_name(enum egress_class c); /* "loopback", "private", ... */

/*
 * The first rule that allows it, or NULL. NAME is canonical. Rules for whole connections come before those
 * that end TLS: who may send everything need not be read.
 */
const struct egress_rule *egress_match_name(const struct egress_rule *rules, size_t n, const char *name,
					    uint16_t port, bool udp);
/* The same for any port: whether the name may be looked up. */
const struct egress_rule *egress_match_lookup(const struct egress_rule *rules, size_t n, const char *name);
const struct egress_rule *egress_match_address(const struct egress_rule *rules, size_t n,
					       const struct egress_address *a, uint16_t port, bool udp);
/*
 * The first rule that allows a request over a connection that the broker reads. METHOD is one bit of enum
 * egress_method, or 0 for another one. PATH is as the client sent it, with or without its query. No rule with
 * a path allows one that servers read in different ways ("/a/../b", "/a%2fb", "//", "/a;b/..").
 */
const struct egress_rule *egress_match_request(const struct egress_rule *rules, size_t n, const char *name,
					       uint16_t port, uint32_t method, const char *path,
					       size_t path_len);
/* The bit of "GET"; 0 for a method that no rule can have. Case counts, as in HTTP. */
uint32_t egress_method_by_name(const char *name, size_t len);
/* A path without its query, in its one true form. False for one that servers read in different ways. */
bool egress_path(const char *text, size_t len, char *ret, size_t cap);

#endif
