/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The proxy that the person's own environment names (HTTPS_PROXY, ALL_PROXY, NO_PROXY): where this machine
 * has no other way out, the broker takes it, too. The box never sees it nor its password.
 */
#ifndef NET_UPSTREAM_H
#define NET_UPSTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "policy/egress.h"

struct upstream {
	bool any;
	char host[EGRESS_NAME_MAX];
	uint16_t port;
	char credentials[1024];              /* for Basic, encoded; "": none */
	char none[4096];                     /* NO_PROXY */
	struct egress_address addresses[16]; /* of the proxy; found before the walls are up */
	size_t n;
};

/* Reads the environment and looks up the proxy. An error: there is one that cannot be used. */
int upstream_init(struct upstream *u, struct aisbx_error *e);
/* Whether connections to NAME go through it. */
bool upstream_serves(const struct upstream *u, const char *name, uint16_t port);
/* The request for a connection; its length. */
size_t upstream_request(const struct upstream *u, const char *name, uint16_t port, char *ret, size_t cap);
/* The length of the proxy's answer if that is complete, 0 if more is to come, -1 if it refuses. */
int upstream_answer(const char *data, size_t len);

#endif
