/* SPDX-License-Identifier: Apache-2.0 */
/* What zlib and libzstd do differently, as one thing. What follows the compressed data is refused. */
#include "helpers/image/decompress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "base/error.h"

struct decompress {
	enum { PLAIN, GZIP, ZSTD } kind;
	z_stream z;
	ZSTD_DCtx *zstd;    /* owned */
	bool inside, began; /* a member or frame */
};

static int cut_off(struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG, "the layer's blob is cut off");
}

static int damaged(struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
			    "the layer's blob cannot be decompressed");
}

int decompress_create(int fd, struct decompress **ret, struct aisbx_error *e)
{
	static const uint8_t zstd_frame[4] = { 0x28, 0xb5, 0x2f, 0xfd };
	struct decompress *d = calloc(1, sizeof(*d));
	uint8_t head[4] = { 0 };
	bool ready = true;

	if (!d || pread(fd, head, sizeof(head), 0) < 0) {
		int err = d ? errno : ENOMEM;

		free(d);
		return aisbx_fail(e, AISBX_AREA_BOX, err, "read the layer's blob");
	}
	if (head[0] == 0x1f && head[1] == 0x8b) {
		d->kind = GZIP;
		ready = inflateInit2(&d->z, 15 + 16) == Z_OK;
	} else if (!memcmp(head, zstd_frame, 4) ||
		   (head[0] >> 4 == 5 && !memcmp(head + 1, "\x2a\x4d\x18", 3))) {
		d->kind = ZSTD;
		d->zstd = ZSTD_createDCtx();
		ready = d->zstd;
	}
	if (!ready) {
		decompress_destroy(d);
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "decompress a layer");
	}
	*ret = d;
	return 0;
}

void decompress_destroy(struct decompress *d)
{
	if (!d)
		return;
	if (d->kind == GZIP)
		inflateEnd(&d->z);
	ZSTD_freeDCtx(d->zstd);
	free(d);
}

static int step_gzip(struct decompress *d, struct decompress_step *step, struct aisbx_error *e)
{
	int r;

	if (!d->inside && step->in_len) {
		if (d->began && inflateReset(&d->z) != Z_OK)
			return damaged(e);
		d->inside = d->began = true;
	}
	if (!d->inside) {
		step->more = false;
		return 0;
	}
	d->z.next_in = (Bytef *)(uintptr_t)step->in;
	d->z.avail_in = (uInt)step->in_len;
	d->z.next_out = step->out;
	d->z.avail_out = (uInt)step->out_cap;
	r = inflate(&d->z, Z_NO_FLUSH);
	if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
		return damaged(e);
	step->in = d->z.next_in;
	step->in_len = d->z.avail_in;
	step->out = d->z.next_out;
	step->out_cap = d->z.avail_out;
	step->more = step->out_cap == 0 && r != Z_STREAM_END;
	d->inside = r != Z_STREAM_END;
	return 0;
}

static int step_zstd(struct decompress *d, struct decompress_step *step, struct aisbx_error *e)
{
	ZSTD_inBuffer in = { step->in, step->in_len, 0 };
	ZSTD_outBuffer out = { step->out, step->out_cap, 0 };
	size_t r = ZSTD_decompressStream(d->zstd, &out, &in);

	if (ZSTD_isError(r))
		return damaged(e);
	step->in += in.pos;
	step->in_len -= in.pos;
	step->out += out.pos;
	step->out_cap -= out.pos;
	step->more = r != 0 && step->out_cap == 0;
	d->began = true;
	d->inside = r != 0;
	return 0;
}

int decompress_step(struct decompress *d, struct decompress_step *step, struct aisbx_error *e)
{
	size_t n = step->in_len < step->out_cap ? step->in_len : step->out_cap;

	if (d->kind == GZIP)
		return step_gzip(d, step, e);
	if (d->kind == ZSTD)
		return step_zstd(d, step, e);
	memcpy(step->out, step->in, n);
	step->in += n;
	step->in_len -= n;
	step->out += n;
	step->out_cap -= n;
	step->more = false;
	return 0;
}

int decompress_ended(const struct decompress *d, struct aisbx_error *e)
{
	return d->inside || (d->kind != PLAIN && !d->began) ? cut_off(e) : 0;
}
