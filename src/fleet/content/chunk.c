/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks by zstd, checked by their keyed names. */
#include "fleet/content/chunk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "base/error.h"

#define LEVEL 3
/* What saves less is not worth to be unpacked each time. */
#define WORTH(len) ((len) - (len) / 16)

int content_coder_init(struct content_coder *ret, struct aisbx_error *e)
{
	*ret = (struct content_coder){ .in = ZSTD_createCCtx(),
				       .out = ZSTD_createDCtx(),
				       .room = malloc(ZSTD_COMPRESSBOUND(CONTENT_CHUNK_MOST)) };
	if (ret->in && ret->out && ret->room)
		return 0;
	content_coder_finish(ret);
	return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "pack chunks");
}

void content_coder_finish(struct content_coder *c)
{
	ZSTD_freeCCtx(c->in);
	ZSTD_freeDCtx(c->out);
	free(c->room);
	*c = (struct content_coder){ 0 };
}

int content_chunk_pack(struct content_coder *c, const void *data, size_t len, struct buf *ret,
		       bool *ret_is_packed)
{
	size_t n =
		ZSTD_compressCCtx(c->in, c->room, ZSTD_COMPRESSBOUND(CONTENT_CHUNK_MOST), data, len, LEVEL);
	bool is_packed = !ZSTD_isError(n) && n < WORTH(len);

	buf_add(ret, is_packed ? c->room : data, is_packed ? n : len);
	if (ret->failed)
		return -ENOMEM;
	*ret_is_packed = is_packed;
	return 0;
}

int content_chunk_unpack(struct content_coder *c, const struct content_key *k, const struct content_ref *ref,
			 const void *stored, size_t len, bool is_packed, const uint8_t **ret_data)
{
	const uint8_t *data = stored;
	uint8_t id[CONTENT_ID];

	if (ref->len > CONTENT_CHUNK_MOST)
		return -EBADMSG;
	if (is_packed) {
		if (ZSTD_decompressDCtx(c->out, c->room, ref->len, stored, len) != ref->len)
			return -EBADMSG;
		data = c->room;
	} else if (len != ref->len) {
		return -EBADMSG;
	}
	content_name(k->chunk, data, ref->len, id);
	if (memcmp(id, ref->id, sizeof(id)) != 0)
		return -EBADMSG;
	*ret_data = data;
	return 0;
}
