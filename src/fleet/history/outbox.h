/* SPDX-License-Identifier: Apache-2.0 */
/* Sends what a node's store records to the stream of the fleet's history, in order. The store stays the
 * truth. */
#ifndef FLEET_HISTORY_OUTBOX_H
#define FLEET_HISTORY_OUTBOX_H

#include "fleet/bus/stream.h"
#include "fleet/history/position.h"
#include "store/store.h"

/*
 * What was sent is found again from the stream's last message of the node, which says so; the node's own file
 * is only for when the stream has none. A store that was put back, or a stream that was lost, begins a new
 * incarnation, which sends too much rather than too little: rows have digests, by which the centre keeps each
 * once.
 */
struct outbox {
	const char *node;       /* borrowed, as the next four */
	const char *tenant;     /* whose store it is; "": the machine's own */
	const char *path;       /* of the file of struct history_position */
	const char *promotions; /* where their journals are */
	struct bus_stream *stream;
	struct history_position at;
	uint64_t last;   /* sequence in the stream of the node's newest message; 0: there is none */
	int64_t made_ns; /* when the stream was made */
	bool known;      /* the three above are what the stream said */
};

/* Sends one batch. *RET_N: how many rows; 0: there are no more now. After any error the next call asks the
 * stream anew; -ESTALE: it may be called again at once. */
int outbox_send(struct outbox *o, struct store *s, size_t *ret_n, struct aisbx_error *e);

/*
 * The next rows after AT, as many as one message takes; their incarnation and first sequence are the caller's
 * to set. TENANT: "", or whose all rows are. PROMOTIONS: where their journals are, or NULL. RET->n 0: none.
 */
int outbox_collect(struct store *s, const char *tenant, const char *promotions,
		   const struct history_mark at[HISTORY_SOURCES], struct history_batch *ret,
		   struct aisbx_error *e);
/* Whether the store has these rows still. */
int outbox_has(struct store *s, const struct history_mark at[HISTORY_SOURCES], bool *ret,
	       struct aisbx_error *e);

#endif
