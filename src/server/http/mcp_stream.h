/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer to one POST: a JSON text if that is all, else a stream of events. A stream of a session stores
 * what it has sent for a while, so that a disconnected client can get the rest.
 */
#ifndef SERVER_HTTP_MCP_STREAM_H
#define SERVER_HTTP_MCP_STREAM_H

#include "server/http/http.h"
#include "server/mcp/mcp.h"

struct mcp_event {
	struct mcp_event *next;
	unsigned int number;
	size_t len;
	char text[]; /* as it is sent */
};

struct mcp_stream {
	struct mcp_channel channel; /* first: a channel is found to be this */
	struct mcp_client *client;  /* NULL: it has ended, and only the end of the exchange is awaited */
	struct mcp_stream *prev, *next;
	struct exchange *x; /* NULL: the client has gone */
	unsigned int id;
	bool stateless;
	bool can_stream; /* the client accepts events */
	bool begun;      /* as a stream; else nothing has been sent */
	bool replied;
	bool done; /* there is nothing more to come */
	bool standing;
	uint64_t since_ms; /* when it arrived, or was left */
	unsigned int n_events;
	struct mcp_event *kept, **kept_end; /* of a session: what was sent last */
	size_t kept_bytes;
};

struct mcp_client {
	struct mcp_client *prev, *next;
	char id[33];    /* of the session; "": without one */
	char token[64]; /* whose */
	struct mcp_session *session;
	struct mcp_stream *streams;
	struct mcp_stream *standing; /* NULL: none */
	unsigned int last_stream;
	uint64_t used_ms;
};

struct mcp_http {
	struct mcp *mcp;
	bool share, stopping;
	struct timer *timer;
	struct mcp_client *clients;
	unsigned int n_clients;
};

/* For a request that comes by X. NULL without memory. */
struct mcp_stream *mcp_stream_new(struct mcp_client *c, struct exchange *x, bool stateless, bool can_stream);
/* For messages that belong to no request; it replaces an existing one. */
struct mcp_stream *mcp_stream_stand(struct mcp_client *c, struct exchange *x);
/* Continues the stream of which LAST was the last event to arrive. False: it does not exist. */
bool mcp_stream_resume(struct mcp_client *c, struct exchange *x, const char *last);
/* Keep-alive messages; streams whose client does not come back are dropped. */
void mcp_streams_tend(struct mcp_client *c, uint64_t now_ms);
/* With the session, which has ended. */
void mcp_streams_end(struct mcp_client *c);

#endif
