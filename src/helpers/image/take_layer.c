/* SPDX-License-Identifier: Apache-2.0 */
/* Streams into blobs: as they are, or packed anew. */
#include "helpers/image/take_layer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/hash.h"
#include "helpers/image/verbs.h"
#include "image/oci.h"
#include "image/wire.h"

static int no_memory(struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read a layer");
}

static int copy(struct stream *from, struct blob_writer *w, const char *what, uint64_t total,
		struct aisbx_error *e)
{
	scoped(drop_mem) char *chunk = malloc(STREAM_CHUNK);
	ssize_t n;
	int r = 0;

	if (!chunk)
		return no_memory(e);
	while (r == 0 && (n = from->read(from, chunk, STREAM_CHUNK, e)) != 0) {
		r = n < 0 ? (int)n : blob_write(w, chunk, (size_t)n, e);
		if (r == 0 && what)
			tell_progress("copy", what, w->size, total);
	}
	return r;
}

int take_blob(struct blobs *b, struct stream *from, const char *digest, uint64_t size, struct aisbx_error *e)
{
	scoped(blob_drop) struct blob_writer w = BLOB_WRITER_INIT;
	int r = blob_begin(b, digest, size, false, &w, e);

	if (r == 0)
		r = copy(from, &w, digest, size, e);
	return r == 0 ? blob_end(&w, NULL, e) : r;
}

static void drop_zstd(ZSTD_CCtx **z)
{
	ZSTD_freeCCtx(*z);
}

/* Packs LEN bytes of CHUNK; the last ones end the frame. */
static int pack(ZSTD_CCtx *z, const char *chunk, size_t len, bool last, struct blob_writer *w,
		struct aisbx_error *e)
{
	char out[65536];
	ZSTD_inBuffer in = { chunk, len, 0 };
	size_t left;

	do {
		ZSTD_outBuffer to = { out, sizeof(out), 0 };
		int r;

		left = ZSTD_compressStream2(z, &to, &in, last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EIO, "pack a layer: %s",
					    ZSTD_getErrorName(left));
		r = blob_write(w, out, to.pos, e);
		if (r < 0)
			return r;
	} while (last ? left > 0 : in.pos < in.size);
	return 0;
}

static uint64_t most_unpacked(const struct blobs *b)
{
	return b->max_bytes && b->max_bytes < IMAGE_MAX_BYTES ? b->max_bytes : IMAGE_MAX_BYTES;
}

static int refuse_content(const char *name, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
			    "'%.200s' is no tar archive, nor one packed by gzip, zstd, xz or bzip2", name);
}

/* What unpacks to a tar archive, into W if it is not NULL, packed anew; its hash. */
static int repack(struct stream *from, uint64_t most, const char *name, struct blob_writer *w,
		  char ret_diff_id[DIGEST_CAP], struct aisbx_error *e)
{
	scoped(stream_unpacked_finish) struct stream_unpacked plain = { 0 };
	scoped(drop_zstd) ZSTD_CCtx *z = w ? ZSTD_createCCtx() : NULL;
	scoped(hash_drop) void *hash = hash_create();
	scoped(drop_mem) char *chunk = malloc(STREAM_CHUNK);
	ssize_t n;
	int r;

	if (!hash || !chunk || (w && !z))
		return no_memory(e);
	r = stream_unpack(&plain, from, most, e);
	if (r < 0)
		return r;
	if (z)
		ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	n = stream_fill(&plain.stream, chunk, 512, e); /* the rest comes by the chunk */
	if (n >= 0 && !tar_begins(chunk, (size_t)n))
		return refuse_content(name, e);
	for (; n > 0; n = plain.stream.read(&plain.stream, chunk, STREAM_CHUNK, e)) {
		hash_add(hash, chunk, (size_t)n);
		r = z ? pack(z, chunk, (size_t)n, false, w, e) : 0;
		if (r < 0)
			return r;
	}
	if (n == 0 && z)
		n = pack(z, chunk, 0, true, w, e);
	hash_end(hash, ret_diff_id);
	return (int)n;
}

/* Of what is among the blobs now: nobody can have changed it in between. */
static int find_diff_id(const struct blobs *b, const char *name, struct taken_layer *l, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	struct stream_file file;
	int r = blobs_open_blob(b, l->digest, l->size, false, &fd, NULL, e);

	if (r < 0)
		return r;
	stream_of_file(&file, fd);
	return repack(&file.stream, most_unpacked(b), name, NULL, l->diff_id, e);
}

int take_layer(struct blobs *b, struct stream *from, const char *name, bool want_diff_id,
	       struct taken_layer *ret, struct aisbx_error *e)
{
	static const char *const types[] = { [PACKING_NONE] = OCI_LAYER,
					     [PACKING_GZIP] = OCI_LAYER_GZIP,
					     [PACKING_ZSTD] = OCI_LAYER_ZSTD,
					     [PACKING_XZ] = OCI_LAYER_ZSTD,
					     [PACKING_BZIP2] = OCI_LAYER_ZSTD };
	scoped(blob_drop) struct blob_writer w = BLOB_WRITER_INIT;
	struct taken_layer l = { 0 };
	struct stream_peeked all;
	enum packing packing;
	bool anew;
	int r = stream_peek(&all, from, e);

	if (r < 0)
		return r;
	packing = packing_of(all.head, all.len);
	anew = packing == PACKING_XZ || packing == PACKING_BZIP2;
	if (packing == PACKING_NONE && !tar_begins(all.head, all.len))
		return refuse_content(name, e);
	r = blob_begin(b, NULL, UINT64_MAX, false, &w, e);
	if (r == 0)
		r = anew ? repack(&all.stream, most_unpacked(b), name, &w, l.diff_id, e)
			 : copy(&all.stream, &w, NULL, 0, e);
	l.size = w.size;
	l.media_type = types[packing];
	if (r == 0)
		r = blob_end(&w, l.digest, e);
	if (r == 0 && packing == PACKING_NONE)
		memcpy(l.diff_id, l.digest, DIGEST_CAP);
	else if (r == 0 && !anew && want_diff_id)
		r = find_diff_id(b, name, &l, e);
	if (r == 0)
		*ret = l;
	return r;
}
