/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions of protocols, as owners that end. While one lives it holds a lock, STATE/sessions/OWNER; whatever
 * ends it, also SIGKILL, lets go of that. Then somebody gives its boxes an end: nobody can use them any more,
 * but a person may still want what is in them.
 */
#ifndef BOX_SESSIONS_H
#define BOX_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"

/* How long boxes outlive their session. */
#define BOX_LEFT_DAYS 7

/* A name as sessions get them: "mcp-" or "rpc-" and 16 hexadecimal digits. Names that people give, and
 * tokens, stay. */
bool box_is_session(const char *owner);
/* The session lives while the descriptor is open. */
int box_session_begin(const char *owner, int *ret_fd, struct aisbx_error *e);
/* Boxes of sessions that have ended expire, unless they do already; RET_N of them. Each is told as the event
 * box.left. */
int box_sessions_settle(size_t *ret_n, struct aisbx_error *e);

/* For a server. The session OWNER lives while the descriptor is open; -1: it has no end, as an owner that was
 * named, or none could be had. */
int box_session_hold(const char *owner);
/* Boxes of sessions that ended get their end, by a process aside that nobody waits for. */
void box_sessions_settle_aside(void);

#endif
