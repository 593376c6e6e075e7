/* SPDX-License-Identifier: Apache-2.0 */
/* The metadata of a request of 2026-07-28, in _meta and in HTTP headers, and the metadata of every result. */
#ifndef SERVER_MCP_ENVELOPE_H
#define SERVER_MCP_ENVELOPE_H

#include "server/mcp/request.h"

#define MCP_META_VERSION "io.modelcontextprotocol/protocolVersion"
#define MCP_META_CAPS    "io.modelcontextprotocol/clientCapabilities"
#define MCP_META_LEVEL   "io.modelcontextprotocol/logLevel"
#define MCP_META_SERVER  "io.modelcontextprotocol/serverInfo"
#define MCP_META_LISTEN  "io.modelcontextprotocol/subscriptionId"
#define MCP_TASKS        "io.modelcontextprotocol/tasks"

/* NULL: valid; else the message that refuses it. */
json_t *mcp_envelope_check(const struct mcp *m, const json_t *message, struct mcp_channel *ch);
/* Reads the client's answers to questions of an earlier round. False: invalid, and R is freed. */
bool mcp_envelope_answers(struct mcp_request *r);
/* What the protocol version requires in a result. */
void mcp_envelope_result(const struct mcp_request *r, json_t *result);
json_t *mcp_server_info(void);

#endif
