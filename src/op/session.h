/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of the protocols, for the server: that one lives, and that others have ended. */
#ifndef OP_SESSION_H
#define OP_SESSION_H

/* The session OWNER lives while the descriptor is open; -1: it has no end, as an owner that was named, or
 * none could be had. */
int op_session_begin(const char *owner);
/* Boxes of sessions that ended get their end, by a process aside that nobody waits for. */
void op_sessions_settle(void);

#endif
