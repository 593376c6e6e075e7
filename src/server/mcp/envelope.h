/* SPDX-License-Identifier: Apache-2.0 */
/* What a request of 2026-07-28 says about itself, in _meta and in headers of HTTP, and what is said of every
 * result. */
#ifndef SERVER_MCP_ENVELOPE_H
#define SERVER_MCP_ENVELOPE_H

#include "server/mcp/request.h"

#define MCP_META_VERSION "io.modelcontextprotocol/protocolVersion"
#define MCP_META_CAPS    "io.modelcontextprotocol/clientCapabilities"
#define MCP_META_LEVEL   "io.modelcontextprotocol/logLevel"
#define MCP_META_SERVER  "io.modelcontextprotocol/serverInfo"
#define MCP_META_LISTEN  "io.modelcontextprotocol/subscriptionId"
#define MCP_TASKS        "io.modelcontextprotocol/tasks"

/* NULL: it is as it should be; else the message that refuses it. */
json_t *mcp_envelope_check(const struct mcp *m, const json_t *message, struct mcp_channel *ch);
/* Takes what the client answers to questions of an earlier round. False: it was no good, and R is gone. */
bool mcp_envelope_answers(struct mcp_request *r);
/* What the era wants to find in a result. */
void mcp_envelope_result(const struct mcp_request *r, json_t *result);
json_t *mcp_server_info(void);

#endif
