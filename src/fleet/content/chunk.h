/* SPDX-License-Identifier: Apache-2.0 */
/* One chunk as it is stored: its bytes, or a zstd frame of them where that is smaller. */
#ifndef FLEET_CONTENT_CHUNK_H
#define FLEET_CONTENT_CHUNK_H

#include "base/buf.h"
#include "fleet/content/key.h"

/* Room and state for many chunks, one after the other; one for each thread. */
struct content_coder {
	void *in, *out; /* owned; of zstd */
	uint8_t *room;  /* owned; CONTENT_CHUNK_MOST bytes, or more for what is packed */
};

int content_coder_init(struct content_coder *ret, struct aisbx_error *e);
void content_coder_finish(struct content_coder *c);

/* Adds DATA to RET as it is stored. *RET_IS_PACKED: by zstd. -ENOMEM. */
int content_chunk_pack(struct content_coder *c, const void *data, size_t len, struct buf *ret,
		       bool *ret_is_packed);
/* The bytes of REF, out of what was stored; checked by their name: -EBADMSG. *RET_DATA is good until the next
 * call. */
int content_chunk_unpack(struct content_coder *c, const struct content_key *k, const struct content_ref *ref,
			 const void *stored, size_t len, bool is_packed, const uint8_t **ret_data);

#endif
