/* SPDX-License-Identifier: Apache-2.0 */
/* What the transports of the protocol have in common. */
#ifndef SERVER_MCP_SERVE_H
#define SERVER_MCP_SERVE_H

#include "server/mcp/mcp.h"

/* As long as the longest name of a token, and more. */
#define MCP_OWNER_MAX 128

/* From the checked arguments of `mcp` or `serve`. */
void mcp_how_from(const json_t *args, const char *cwd, struct mcp_how *ret_how);
/* A new owner name. */
void mcp_owner_new(char ret[static MCP_OWNER_MAX]);
/* That of a new session of TOKEN, whose next session may take its boxes over; or of what is asked without
 * one. */
void mcp_owner_of_token(const char *token, bool session, char ret[static MCP_OWNER_MAX]);

#endif
