/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that wait for their turn, and then run: the same to who made them. The decisions are in queue.c, what
 * runs in call.c.
 */
#ifndef SERVER_CORE_QUEUED_H
#define SERVER_CORE_QUEUED_H

#include "server/core/call.h"
#include "server/core/queue.h"

/* Under way at once of all clients of a server; and waiting: of one, of all, and what they keep. */
#define CALLS_RUNNING_IN_ALL 1024u
#define CALLS_WAITING        4096u
#define CALLS_WAITING_IN_ALL 16384u
#define CALLS_BYTES          (64u << 20)
#define CALLS_BYTES_IN_ALL   (256u << 20)

struct calls;        /* of a server */
struct calls_client; /* whose calls keep their order */
struct queued;       /* one call */

/* RUNNING: calls of one client at once. HERE: they use the processors of this machine. */
int calls_new(struct loop *l, unsigned int running, bool here, struct calls **ret, struct aisbx_error *e);
/* None is under way any more. NULL is allowed. */
void calls_destroy(struct calls *all);
/* Those that wait or run. */
size_t calls_count(const struct calls *all);
/* Those that were cancelled while they waited are done, and whose turn it is starts. The loop does that, too.
 */
void calls_tick(struct calls *all);

/* NULL without memory. */
struct calls_client *calls_enter(struct calls *all);
/* No further calls; those under way go on. NULL is allowed. */
void calls_part(struct calls_client *client);
/* How soon who was turned away may try again. */
uint32_t calls_retry_ms(const struct calls_client *client);

/*
 * As call_start, but it may begin later: what HOW and ARGS say is kept until then, and ARGS must not be
 * changed. Without room -EDQUOT, and *RET_RETRY_MS is how soon there may be some; else that is 0. An error of
 * the start is reported by `done`.
 */
int queued_start(struct calls_client *client, const struct op *op, const json_t *args,
		 const struct call_how *how, const struct call_events *events, void *ctx,
		 struct queued **ret_call, uint32_t *ret_retry_ms, struct aisbx_error *e);
/* It has not begun. */
bool queued_is_waiting(const struct queued *q);
/* As those of call.h. One that waits is done at once, and never runs. */
int queued_input(struct queued *q, const char *data, size_t len, struct aisbx_error *e);
void queued_close_input(struct queued *q);
void queued_cancel(struct queued *q);
void queued_hold(struct queued *q, bool hold);

#endif
