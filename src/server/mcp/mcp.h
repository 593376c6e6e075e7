/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Model Context Protocol as a state machine that knows neither pipes nor HTTP: a session accepts messages
 * and answers on the channel they came by. Both kinds: a session that opens with `initialize` (2025-11-25 and
 * older); or requests that state their version (2026-07-28).
 */
#ifndef SERVER_MCP_MCP_H
#define SERVER_MCP_MCP_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "server/core/loop.h"

#define MCP_MODERN "2026-07-28"
#define MCP_LEGACY "2025-11-25"

/* Of JSON-RPC and of the protocol. */
enum mcp_code {
	MCP_PARSE_ERROR = -32700,
	MCP_INVALID_REQUEST = -32600,
	MCP_NO_METHOD = -32601,
	MCP_INVALID_PARAMS = -32602,
	MCP_INTERNAL = -32603,
	MCP_NO_RESOURCE = -32002, /* until 2025-11-25 */
	MCP_HEADER_MISMATCH = -32020,
	MCP_NO_CAPABILITY = -32021,
	MCP_NO_VERSION = -32022,
};

/* Requests of one session that are not answered, tasks and open subscriptions included; calls that run. */
#define MCP_REQUESTS 4096u
#define MCP_RUNNING  128u

struct mcp;         /* what all sessions share */
struct mcp_session; /* one client, or all without a session that use one token */

struct mcp_how {
	const char *cwd;        /* borrowed, as long as the server lives; default directory of calls */
	const char *const *env; /* borrowed likewise */
	bool all_tools;
	bool sessions;             /* ended sessions are told from live ones, and their boxes expire */
	bool elsewhere;            /* operations use the processors of other machines */
	bool fixtures;             /* offer what the protocol's conformance suite expects */
	unsigned int page;         /* entries per page of a list; 0: default */
	uint64_t answer_within_ms; /* a longer run is answered before its end; 0: default */
};

/* Where messages of one request, or of none, are sent. The transport embeds it in a structure of its own. */
struct mcp_channel {
	void (*send)(struct mcp_channel *ch, const json_t *message);
	/* Nothing more will be sent for its request; it was answered, or cancelled. NULL: ignored. */
	void (*done)(struct mcp_channel *ch);
	/* The client does not keep up, so optional messages are dropped. NULL: it always does. */
	bool (*full)(struct mcp_channel *ch);
	/* Disconnects; later messages are stored until the client comes back. NULL: not supported. */
	void (*part)(struct mcp_channel *ch);
	/* Of the HTTP request. NULL: there are none. */
	const char *(*header)(struct mcp_channel *ch, const char *name);
};

int mcp_open(struct loop *l, const struct mcp_how *how, struct mcp **ret_mcp, struct aisbx_error *e);
/* Ends all sessions. STOPPED is called when nothing is left of their calls, perhaps at once. */
void mcp_stop(struct mcp *m, void (*stopped)(void *ctx), void *ctx);
/* After it has stopped. */
void mcp_close(struct mcp *m);

/*
 * OWNER: whose boxes it sees and makes; NULL: the person's. STATELESS: it accepts requests of independent
 * clients, only in the newer protocol. NULL without memory.
 */
struct mcp_session *mcp_session_new(struct mcp *m, const char *owner, bool stateless);
/* Everything in progress ends: subscribers are told, others are not answered; all channels are done. */
void mcp_session_end(struct mcp_session *s);
/* For messages that belong to no request; NULL: dropped. */
void mcp_session_set_channel(struct mcp_session *s, struct mcp_channel *ch);
/* It has been opened by `initialize`. */
bool mcp_session_is_open(const struct mcp_session *s);
/* Its client can resume an interrupted stream. */
bool mcp_session_can_resume(const struct mcp_session *s);
/* Something of it is under way. */
bool mcp_session_is_busy(const struct mcp_session *s);

enum mcp_kind { MCP_REQUEST, MCP_NOTIFICATION, MCP_RESPONSE, MCP_NOTHING };
enum mcp_kind mcp_kind(const json_t *message);
/* Whether it states its protocol version. */
bool mcp_is_modern(const json_t *message);
bool mcp_is_legacy_version(const char *version);

/* A request, or an invalid message, is answered on CH, which must stay valid until `done`, or mcp_gone(). */
void mcp_receive(struct mcp_session *s, struct mcp_channel *ch, const json_t *message);
/* CH is gone: its requests are cancelled. Not to be called by the channel's own functions. */
void mcp_gone(struct mcp_session *s, const struct mcp_channel *ch);

/* {"jsonrpc", "id", "error"}; ID NULL: null. DATA, taken, may be NULL. */
json_t *mcp_error_message(const json_t *id, int code, const char *text, json_t *data);

#endif
