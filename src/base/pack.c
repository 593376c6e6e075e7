/* SPDX-License-Identifier: Apache-2.0 */
/* Packs and unpacks bytes with zlib, all at once. */
#include "base/pack.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/scope.h"

bool pack_bytes(const void *data, size_t len, struct buf *out)
{
	uLongf room = compressBound((uLong)len);
	scoped(drop_mem) unsigned char *packed = malloc(room);

	if (!packed || compress2(packed, &room, data, (uLong)len, Z_BEST_SPEED) != Z_OK)
		return false;
	buf_add(out, packed, room);
	return !out->failed;
}

bool unpack_bytes(const void *data, size_t data_len, void *ret, size_t len)
{
	uLongf got = (uLongf)len;
	uLong used = (uLong)data_len;

	return uncompress2(ret, &got, data, &used) == Z_OK && got == len && used == data_len;
}
