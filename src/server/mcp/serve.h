/* SPDX-License-Identifier: Apache-2.0 */
/* What the transports of the protocol have in common. */
#ifndef SERVER_MCP_SERVE_H
#define SERVER_MCP_SERVE_H

#include "server/mcp/mcp.h"

#define MCP_OWNER_MAX 32

/* From the checked arguments of `mcp` or `serve`. */
void mcp_how_from(const json_t *args, const char *cwd, struct mcp_how *ret_how);
/* A new owner name. */
void mcp_owner_new(char ret[static MCP_OWNER_MAX]);

#endif
