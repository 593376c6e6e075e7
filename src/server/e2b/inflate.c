/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads that come compressed. */
#include <string.h>
#include <zlib.h>

#include "server/e2b/internal.h"

#define PIECE 65536

bool e2b_gunzip(const char *data, size_t len, size_t most, struct buf *ret)
{
	z_stream z = { .next_in = (Bytef *)data, .avail_in = (uInt)len };
	char room[PIECE];
	int r;

	if (len > most || inflateInit2(&z, 15 + 16) != Z_OK)
		return false;
	do {
		z.next_out = (Bytef *)room;
		z.avail_out = sizeof(room);
		r = inflate(&z, Z_NO_FLUSH);
		if (ret->len + sizeof(room) - z.avail_out > most)
			r = Z_MEM_ERROR;
		else
			buf_add(ret, room, sizeof(room) - z.avail_out);
	} while (r == Z_OK && !ret->failed);
	inflateEnd(&z);
	return r == Z_STREAM_END && !z.avail_in && !ret->failed;
}
