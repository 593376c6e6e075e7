/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions of protocols, as owners that end. A live session holds a lock, STATE/sessions/OWNER; it is
 * released however the session ends, even by SIGKILL. Then its boxes get an expiry time: no session can use
 * them any more, but a person may still want their contents.
 */
#ifndef BOX_SESSIONS_H
#define BOX_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"

/* How long boxes outlive their session. */
#define BOX_LEFT_DAYS 7

/* Bytes of the name of a session. */
#define BOX_SESSION_MAX 65

/*
 * The name of a session: "mcp-" or "rpc-" and 16 hexadecimal digits, and for a session of a token ":" and its
 * name, or a digest where that is long or has other signs than an owner. Names that people give, and tokens,
 * do not end.
 */
bool box_is_session(const char *owner);
/* A new one of that token. */
void box_session_name(const char *token, char ret[static BOX_SESSION_MAX]);
/* The owner of what a token makes without a session. */
#define BOX_TOKEN_OWNER "token-"
/* Both are of one token: A a session of it, or the token itself, B a session or the token. */
bool box_session_is_same(const char *a, const char *b);
/* Nobody holds it any more. */
bool box_session_has_ended(const char *owner);
/* The session is live while the descriptor is open. */
int box_session_begin(const char *owner, int *ret_fd, struct aisbx_error *e);
/*
 * Boxes of ended sessions get an expiry time, unless they have one; RET_N of them. Each is recorded as the
 * event box.left.
 */
int box_sessions_settle(size_t *ret_n, struct aisbx_error *e);

/* For a server. The session OWNER lives while the descriptor is open; -1: it has no end, as an owner that was
 * named, or none could be had. */
int box_session_hold(const char *owner);
/* Boxes of ended sessions get an expiry time, by a background process. */
void box_sessions_settle_aside(void);

#endif
