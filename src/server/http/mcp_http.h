/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Model Context Protocol over HTTP ("Streamable HTTP"): one address for both kinds of the protocol. A
 * request of 2026-07-28 is one POST and its answer; older clients have a session, whose streams they can
 * resume.
 */
#ifndef SERVER_HTTP_MCP_HTTP_H
#define SERVER_HTTP_MCP_HTTP_H

#include "server/http/http.h"
#include "server/mcp/mcp.h"

struct mcp_http;

/* SHARE: whoever has access is treated as the person, and has all boxes. */
int mcp_http_open(struct loop *l, const struct mcp_how *how, bool share, struct mcp_http **ret_http,
		  struct aisbx_error *e);
/* An accepted one: POST, GET or DELETE. */
void mcp_http_request(struct mcp_http *h, struct exchange *x);
/* Ends what is in progress. STOPPED is called when nothing is left; close the exchanges after that. */
void mcp_http_stop(struct mcp_http *h, void (*stopped)(void *ctx), void *ctx);
/* After it has stopped, and after http_close(). */
void mcp_http_close(struct mcp_http *h);

#endif
