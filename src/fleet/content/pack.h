/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pack: many chunks in one object, and at its end the index that says which. One object for each chunk
 * would cost more in requests than the boxes do. Chunks lie one behind the other, so a reader takes a range.
 */
#ifndef FLEET_CONTENT_PACK_H
#define FLEET_CONTENT_PACK_H

#include "base/buf.h"
#include "fleet/content/key.h"

#define CONTENT_PACK_USUAL (16u << 20) /* a pack that has so many bytes gets no more chunks */
#define CONTENT_PACK_MOST  (CONTENT_PACK_USUAL + 2 * CONTENT_CHUNK_MOST)
#define CONTENT_PACK_COUNT (64u << 10) /* chunks of a pack, at most */
#define CONTENT_PACK_FOOT  64u         /* bytes behind the list of chunks */
#define CONTENT_PACK_TAIL  (96u << 10) /* bytes that hold the index of most packs */

/* Where a chunk lies in its pack. */
struct content_place {
	struct content_ref ref;
	uint32_t at, stored;
	bool is_packed;
};

struct content_index {
	struct content_place *items; /* owned; as they lie */
	size_t n, room;
	uint64_t generation; /* of the store, when the pack was made */
	uint32_t payload;    /* bytes before the index */
};

void content_index_finish(struct content_index *i);
/* A chunk of STORED bytes comes next. -ENOMEM, -EFBIG. */
int content_index_add(struct content_index *i, const struct content_ref *ref, uint32_t stored,
		      bool is_packed);
int content_index_write(const struct content_index *i, const struct content_key *k, struct buf *ret);
/*
 * DATA is the end of a pack. -EBADMSG: it is not one of this tenant, or damaged. -ENODATA: it is not enough;
 * the last *RET_NEEDS bytes are.
 */
int content_index_read(const struct content_key *k, const void *data, size_t len, struct content_index *ret,
		       size_t *ret_needs);

#endif
