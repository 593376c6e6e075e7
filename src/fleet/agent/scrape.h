/* SPDX-License-Identifier: Apache-2.0 */
/* Figures for Prometheus over HTTP: `GET /metrics`, one answer a connection, in the caller's loop. Whoever
 * reaches the address reads them: there is no login. */
#ifndef FLEET_AGENT_SCRAPE_H
#define FLEET_AGENT_SCRAPE_H

#include "base/buf.h"
#include "fleet/agent/loop.h"

struct scrape;

/* WHERE is "ADDRESS:PORT", "[::1]:PORT"; port 0: any, see scrape_port. WRITE adds the figures as text. */
int scrape_open(struct loop *loop, const char *where, void (*write)(void *ctx, struct buf *out), void *ctx,
		struct scrape **ret, struct aisbx_error *e);
void scrape_close(struct scrape *s); /* NULL is allowed */
unsigned scrape_port(const struct scrape *s);

/* The beginning of a request. */
enum scrape_request {
	SCRAPE_MORE,    /* it is not whole */
	SCRAPE_METRICS, /* as all below: answered, and no more is read */
	SCRAPE_HEAD,    /* the same without the text */
	SCRAPE_NOT_THERE,
	SCRAPE_METHOD,
	SCRAPE_BAD,
};
#define SCRAPE_REQUEST_MAX 8192
enum scrape_request scrape_read(const char *data, size_t len);

#endif
