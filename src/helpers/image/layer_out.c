/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compression with fixed levels, one thread and no names or times, so that the same archive becomes the same
 * blob by the same version of the library. The digest of the archive itself does not depend on that.
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

#define CHUNK      (256u << 10)
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
	return z ? 0 : no_memory(o->e);
}

static int begin_zstd(struct layer_out *o)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();

	o->stream = z;
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
	ret->hash = EVP_MD_CTX_new();
	ret->chunk = malloc(CHUNK);
	if (!ret->hash || !ret->chunk || !EVP_DigestInit_ex(ret->hash, EVP_sha256(), NULL))
		return no_memory(e);
	r = blob_begin(b, NULL, UINT64_MAX, false, &ret->blob, e);
	if (r == 0 && how != LAYER_PLAIN)
		r = how == LAYER_GZIP ? begin_gzip(ret) : begin_zstd(ret);
	return r;
}

static int run_gzip(struct layer_out *o, const void *data, size_t len, bool end)
{
	z_stream *z = o->stream;
	int r = 0, said;

	z->next_in = (Bytef *)data;
	z->avail_in = (uInt)len;
	do {
		z->next_out = (Bytef *)o->chunk;
		z->avail_out = CHUNK;
		said = deflate(z, end ? Z_FINISH : Z_NO_FLUSH);
		if (CHUNK - z->avail_out)
			r = blob_write(&o->blob, o->chunk, CHUNK - z->avail_out, o->e);
	} while (r == 0 && (end ? said == Z_OK : z->avail_out == 0));
	return r == 0 && (said == Z_STREAM_ERROR || (end && said != Z_STREAM_END))
		       ? aisbx_refuse(o->e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EIO, "zlib failed: %d", said)
		       : r;
}

static int run_zstd(struct layer_out *o, const void *data, size_t len, bool end)
{
	ZSTD_inBuffer in = { data, len, 0 };
	bool more;
	int r = 0;

	do {
		ZSTD_outBuffer out = { o->chunk, CHUNK, 0 };
		size_t left = ZSTD_compressStream2(o->stream, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);

		if (ZSTD_isError(left))
			return aisbx_refuse(o->e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EIO, "zstd failed: %s",
					    ZSTD_getErrorName(left));
		if (out.pos)
			r = blob_write(&o->blob, o->chunk, out.pos, o->e);
		more = end ? left > 0 : in.pos < in.size;
	} while (r == 0 && more);
	return r;
}

int layer_out_write(void *ctx, const void *data, size_t len)
{
	struct layer_out *o = ctx;

	if (len > o->most - o->bytes)
		return aisbx_refuse(o->e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EFBIG,
				    "the layer has more than the %" PRIu64 " bytes that it may have",
				    o->most);
	o->bytes += len;
	if (!EVP_DigestUpdate(o->hash, data, len))
		return no_memory(o->e);
	switch (o->how) {
	case LAYER_GZIP:
		return run_gzip(o, data, len, false);
	case LAYER_ZSTD:
		return run_zstd(o, data, len, false);
	case LAYER_PLAIN:
	case LAYER_COMPRESSION_COUNT:
		break;
	}
	return blob_write(&o->blob, data, len, o->e);
}

int layer_out_end(struct layer_out *o, char ret_digest[DIGEST_CAP], char ret_diff_id[DIGEST_CAP],
		  uint64_t *ret_size)
{
	uint8_t sum[EVP_MAX_MD_SIZE];
	int r = 0;

	if (!EVP_DigestFinal_ex(o->hash, sum, NULL))
		return no_memory(o->e);
	if (o->how != LAYER_PLAIN)
		r = o->how == LAYER_GZIP ? run_gzip(o, NULL, 0, true) : run_zstd(o, NULL, 0, true);
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
	free(o->chunk);
	blob_abort(&o->blob, false);
	*o = (struct layer_out)LAYER_OUT_INIT;
}
