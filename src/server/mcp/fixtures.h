/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the protocol's own conformance suite expects on a server: tools, prompts and resources with fixed
 * answers. They are handled like the real ones, so the suite tests that. Only a build with -Dfixtures=true
 * has them, and there a hidden option enables them.
 */
#ifndef SERVER_MCP_FIXTURES_H
#define SERVER_MCP_FIXTURES_H

#include "server/mcp/request.h"

#ifdef AISBX_FIXTURES
/* Each is added to an array that has the real ones. */
void mcp_fixture_tools(json_t *list);
void mcp_fixture_resources(json_t *list);
void mcp_fixture_templates(json_t *list);
void mcp_fixture_prompts(json_t *list);
/* The schema of a tool's arguments; NULL: there is none. A new reference. */
json_t *mcp_fixture_schema(const char *name);

/* True: it is one of these, and R is being answered. */
bool mcp_fixture_call(struct mcp_request *r, const char *name, const json_t *arguments);
bool mcp_fixture_read(struct mcp_request *r, const char *uri);
bool mcp_fixture_prompt(struct mcp_request *r, const char *name, const json_t *arguments);
bool mcp_fixture_complete(struct mcp_request *r);
bool mcp_fixture_is_resource(const char *uri);
#else /* nothing turns them on */
static inline void mcp_fixture_tools(json_t *list)
{
	(void)list;
}
static inline void mcp_fixture_resources(json_t *list)
{
	(void)list;
}
static inline void mcp_fixture_templates(json_t *list)
{
	(void)list;
}
static inline void mcp_fixture_prompts(json_t *list)
{
	(void)list;
}
static inline json_t *mcp_fixture_schema(const char *name)
{
	(void)name;
	return NULL;
}
static inline bool mcp_fixture_call(struct mcp_request *r, const char *name, const json_t *arguments)
{
	(void)r, (void)name, (void)arguments;
	return false;
}
static inline bool mcp_fixture_read(struct mcp_request *r, const char *uri)
{
	(void)r, (void)uri;
	return false;
}
static inline bool mcp_fixture_prompt(struct mcp_request *r, const char *name, const json_t *arguments)
{
	(void)r, (void)name, (void)arguments;
	return false;
}
static inline bool mcp_fixture_complete(struct mcp_request *r)
{
	(void)r;
	return false;
}
static inline bool mcp_fixture_is_resource(const char *uri)
{
	(void)uri;
	return false;
}
#endif

#endif
