/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compression with fixed levels, one thread and no names or times, so that the same archive becomes the same
 * blob by the same version of the library. The digest of the archive itself does not depend on that.
 */
/*
 * The archive is cut by its content (cut.h), and each piece becomes a gzip member or a zstd frame of its own:
 * equal pieces of two archives are equal bytes in their blobs, and are stored once when these become chunks.
 * All programs that read gzip and zstd read several of them one after the other.
 */
#include "helpers/image/layer_out.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <zlib.h>
#include <zstd.h>

#include "base/error.h"
#include "image/oci.h"

#define GZIP_LEVEL 6
#define ZSTD_LEVEL 3

static const struct {
	const char *name, *media_type;
} kinds[LAYER_COMPRESSION_COUNT] = {
	[LAYER_PLAIN] = { "none", OCI_LAYER },
	[LAYER_GZIP] = { "gzip", OCI_LAYER_GZIP },
	[LAYER_ZSTD] = { "zstd", OCI_LAYER_ZSTD },
};

enum layer_compression layer_compression_by_name(const char *name)
{
	enum layer_compression c = LAYER_PLAIN;

	while (c < LAYER_COMPRESSION_COUNT && strcmp(kinds[c].name, name))
		c++;
	return c;
}

const char *layer_compression_media_type(enum layer_compression c)
{
	return kinds[c].media_type;
}

static int no_memory(struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "compress a layer");
}

static int begin_gzip(struct layer_out *o)
{
	z_stream *z = calloc(1, sizeof(*z));

	/* 16: a gzip header, by default without name and time */
	if (z && deflateInit2(z, GZIP_LEVEL, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(z);
		z = NULL;
	}
	o->stream = z;
	o->room = z ? deflateBound(z, CUT_MOST) : 0;
	return z ? 0 : no_memory(o->e);
}

static int begin_zstd(struct layer_out *o)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();

	o->stream = z;
	o->room = ZSTD_COMPRESSBOUND(CUT_MOST);
	if (!z || ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, ZSTD_LEVEL)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1)))
		return no_memory(o->e);
	return 0;
}

int layer_out_begin(struct blobs *b, enum layer_compression how, uint64_t most, struct layer_out *ret,
		    struct aisbx_error *e)
{
	int r;

	*ret = (struct layer_out)LAYER_OUT_INIT;
	ret->how = how;
	ret->most = most;
	ret->e = e;
	cut_init(&ret->cut, false);
	ret->hash = EVP_MD_CTX_new();
	ret->piece = malloc(CUT_MOST);
	if (!ret->hash || !ret->piece || !EVP_DigestInit_ex(ret->hash, EVP_sha256(), NULL))
		return no_memory(e);
	r = blob_begin(b, NULL, UINT64_MAX, false, &ret->blob, e);
	if (r == 0 && how != LAYER_PLAIN)
		r = how == LAYER_GZIP ? begin_gzip(ret) : begin_zstd(ret);
	if (r == 0 && ret->room && !(ret->packed = malloc(ret->room)))
		r = no_memory(e);
	return r;
}

static int pack_gzip(struct layer_out *o, size_t len, size_t *ret)
{
	z_stream *z = o->stream;
	int r = deflateReset(z);

	z->next_in = o->piece;
	z->avail_in = (uInt)len;
	z->next_out = o->packed;
	z->avail_out = (uInt)o->room;
	if (r == Z_OK)
		r = deflate(z, Z_FINISH);
	*ret = o->room - z->avail_out;
	return r == Z_STREAM_END
		       ? 0
		       : aisbx_refuse(o->e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EIO, "zlib failed: %d", r);
}

static int pack_zstd(struct layer_out *o, size_t len, size_t *ret)
{
	size_t n = ZSTD_compress2(o->stream, o->packed, o->room, o->piece, len);

	*ret = n;
	return ZSTD_isError(n) ? aisbx_refuse(o->e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EIO,
					      "zstd failed: %s", ZSTD_getErrorName(n))
			       : 0;
}

/* The first LEN bytes of what waits. */
static int put_piece(struct layer_out *o, size_t len)
{
	size_t n = 0;
	int r = o->how == LAYER_GZIP ? pack_gzip(o, len, &n) : pack_zstd(o, len, &n);

	if (r == 0)
		r = blob_write(&o->blob, o->packed, n, o->e);
	o->waiting -= len;
	memmove(o->piece, o->piece + len, o->waiting);
	return r;
}

int layer_out_write(void *ctx, const void *data, size_t len)
{
	struct layer_out *o = ctx;
	const uint8_t *from = data;
	int r = 0;

	if (len > o->most - o->bytes)
		return aisbx_refuse(o->e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EFBIG,
				    "the layer has more than the %" PRIu64 " bytes that it may have",
				    o->most);
	o->bytes += len;
	if (!EVP_DigestUpdate(o->hash, data, len))
		return no_memory(o->e);
	if (o->how == LAYER_PLAIN)
		return blob_write(&o->blob, data, len, o->e);
	while (r == 0 && len) {
		size_t n = len < CUT_MOST - o->waiting ? len : CUT_MOST - o->waiting;

		memcpy(o->piece + o->waiting, from, n);
		o->waiting += n;
		from += n;
		len -= n;
		if (o->waiting == CUT_MOST)
			r = put_piece(o, cut_find(&o->cut, o->piece, o->waiting));
	}
	return r;
}

int layer_out_end(struct layer_out *o, char ret_digest[DIGEST_CAP], char ret_diff_id[DIGEST_CAP],
		  uint64_t *ret_size)
{
	uint8_t sum[EVP_MAX_MD_SIZE];
	int r = 0;

	if (!EVP_DigestFinal_ex(o->hash, sum, NULL))
		return no_memory(o->e);
	if (o->how != LAYER_PLAIN && !o->bytes)
		r = put_piece(o, 0);
	while (r == 0 && o->waiting)
		r = put_piece(o, cut_find(&o->cut, o->piece, o->waiting));
	if (r < 0)
		return r;
	*ret_size = o->blob.size;
	digest_write(sum, ret_diff_id);
	return blob_end(&o->blob, ret_digest, o->e);
}

void layer_out_finish(struct layer_out *o)
{
	if (o->stream && o->how == LAYER_GZIP) {
		deflateEnd(o->stream);
		free(o->stream);
	} else if (o->stream) {
		ZSTD_freeCCtx(o->stream);
	}
	EVP_MD_CTX_free(o->hash);
	free(o->piece);
	free(o->packed);
	blob_abort(&o->blob, false);
	*o = (struct layer_out)LAYER_OUT_INIT;
}
