/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks on their way into a store: those it has are left out, the others are collected in packs. */
#ifndef FLEET_CONTENT_SENDER_H
#define FLEET_CONTENT_SENDER_H

#include "fleet/content/chunk.h"
#include "fleet/content/known.h"

struct content_sender {
	struct content_store *store;   /* borrowed */
	const struct content_key *key; /* borrowed */
	struct content_known *known;   /* borrowed */
	uint64_t generation;           /* of new packs */
	struct content_coder coder;
	struct buf pack; /* owned; the pack that is being filled */
	struct content_index index;
	uint32_t number;        /* of that pack, if there is one */
	uint64_t chunks, packs; /* that were sent */
};

int content_sender_init(struct content_sender *ret, struct content_store *s, const struct content_key *k,
			struct content_known *known, uint64_t generation, struct aisbx_error *e);
void content_sender_finish(struct content_sender *s);

/* REF is in the store, or will be: it counts as used by the tree. */
bool content_sender_has(struct content_sender *s, const struct content_ref *ref);
/* Sends DATA if need be. RET gets its name. */
int content_sender_add(struct content_sender *s, const void *data, size_t len, struct content_ref *ret,
		       struct aisbx_error *e);
/* Everything is in the store when this returns. */
int content_sender_flush(struct content_sender *s, struct aisbx_error *e);

#endif
