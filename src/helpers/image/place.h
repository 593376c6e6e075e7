/* SPDX-License-Identifier: Apache-2.0 */
/* Where a URL leads, and whether one place may send us, or a password, to another. */
#ifndef HELPERS_IMAGE_PLACE_H
#define HELPERS_IMAGE_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include <sys/socket.h>

#include "aisbx/error.h"

struct place {
	char host[256]; /* lower case; of an IPv6 address without brackets */
	unsigned int port;
	bool is_plain; /* http, not https */
};

/* Who can be reached at an address; what is later is nearer. */
enum reach {
	REACH_PUBLIC,
	REACH_PRIVATE, /* networks of a company or a home */
	REACH_LINK,    /* 169.254.0.0/16, fe80::/10: also the metadata server of a cloud */
	REACH_LOOPBACK,
};

/* Refuses what is neither http nor https, and a URL with a user or a password. */
int place_read(const char *url, struct place *ret, struct aisbx_error *e);

/* TO, which may be relative to BASE, as a whole URL; the caller's. NULL: it is none, or memory is full. */
char *place_resolve(const char *base, const char *to);

bool place_is_same(const struct place *a, const struct place *b);

/* "localhost", 127.0.0.0/8, ::1. */
bool place_is_loopback(const char *host);

/*
 * Whether a password for the registry REGISTRY may go to the token server REALM: the same host, or one of the
 * same domain (registry.example.com and auth.example.com). There is no list of public suffixes here: a domain
 * has two names, and three where the last two look like "co.uk".
 */
bool place_is_kin(const char *registry, const char *realm);

enum reach place_reach(const struct sockaddr *address);

/* Of a host that is written as an address; REACH_PUBLIC for other names, but for localhost. */
enum reach place_reach_of_name(const char *host);

/* Whether somebody at FROM may send us to TO. */
bool place_may_lead(enum reach from, enum reach to);

/* HOST or HOST:PORT of P is one of the N hosts LIST. */
bool place_is_listed(const struct place *p, const char *const *list, size_t n);

/* A redirect or an upload's address: refused when it leads from https to http, or to http at all unless P is
 * loopback or in LIST. */
int place_check_step(const struct place *from, const struct place *to, const char *const *plain,
		     size_t n_plain, struct aisbx_error *e);

#endif
