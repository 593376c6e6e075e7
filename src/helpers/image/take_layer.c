/* SPDX-License-Identifier: Apache-2.0 */
/* Streams into blobs: as they are, or packed anew. */
#include "helpers/image/take_layer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/hash.h"
#include "helpers/image/layer_out.h"
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

static uint64_t most_unpacked(const struct blobs *b)
{
	return b->max_bytes && b->max_bytes < IMAGE_MAX_BYTES ? b->max_bytes : IMAGE_MAX_BYTES;
}

static int refuse_content(const char *name, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
			    "'%.200s' is no tar archive, nor one packed by gzip, zstd, xz or bzip2", name);
}

/* What unpacks to a tar archive, to TAKE. */
static int unpack(struct stream *from, uint64_t most, const char *name,
		  int (*take)(void *ctx, const void *data, size_t len), void *ctx, struct aisbx_error *e)
{
	scoped(stream_unpacked_finish) struct stream_unpacked plain = { 0 };
	scoped(drop_mem) char *chunk = malloc(STREAM_CHUNK);
	ssize_t n;
	int r = chunk ? stream_unpack(&plain, from, most, e) : no_memory(e);

	if (r < 0)
		return r;
	n = stream_fill(&plain.stream, chunk, 512, e); /* the rest comes by the chunk */
	if (n >= 0 && !tar_begins(chunk, (size_t)n))
		return refuse_content(name, e);
	for (; n > 0; n = plain.stream.read(&plain.stream, chunk, STREAM_CHUNK, e)) {
		r = take(ctx, chunk, (size_t)n);
		if (r < 0)
			return r;
	}
	return (int)n;
}

static int take_hash(void *ctx, const void *data, size_t len)
{
	hash_add(ctx, data, len);
	return 0;
}

/* Of what is among the blobs now: nobody can have changed it in between. */
static int find_diff_id(const struct blobs *b, const char *name, struct taken_layer *l, struct aisbx_error *e)
{
	scoped(hash_drop) void *hash = hash_create();
	scoped(drop_fd) int fd = -1;
	struct stream_file file;
	int r = hash ? blobs_open_blob(b, l->digest, l->size, false, &fd, NULL, e) : no_memory(e);

	if (r < 0)
		return r;
	stream_of_file(&file, fd);
	r = unpack(&file.stream, most_unpacked(b), name, take_hash, hash, e);
	hash_end(hash, l->diff_id);
	return r;
}

/* Packed by what OCI does not know. */
static int pack_anew(struct blobs *b, struct stream *from, const char *name, struct taken_layer *l,
		     struct aisbx_error *e)
{
	scoped(layer_out_finish) struct layer_out out = LAYER_OUT_INIT;
	int r = layer_out_begin(b, LAYER_ZSTD, most_unpacked(b), &out, e);

	if (r == 0)
		r = unpack(from, most_unpacked(b), name, layer_out_write, &out, e);
	l->media_type = layer_compression_media_type(LAYER_ZSTD);
	return r == 0 ? layer_out_end(&out, l->digest, l->diff_id, &l->size) : r;
}

static int take_as_is(struct blobs *b, struct stream *from, struct taken_layer *l, struct aisbx_error *e)
{
	scoped(blob_drop) struct blob_writer w = BLOB_WRITER_INIT;
	int r = blob_begin(b, NULL, UINT64_MAX, false, &w, e);

	if (r == 0)
		r = copy(from, &w, NULL, 0, e);
	l->size = w.size;
	return r == 0 ? blob_end(&w, l->digest, e) : r;
}

int take_layer(struct blobs *b, struct stream *from, const char *name, bool want_diff_id,
	       struct taken_layer *ret, struct aisbx_error *e)
{
	static const char *const types[] = { [PACKING_NONE] = OCI_LAYER,
					     [PACKING_GZIP] = OCI_LAYER_GZIP,
					     [PACKING_ZSTD] = OCI_LAYER_ZSTD,
					     [PACKING_XZ] = NULL,
					     [PACKING_BZIP2] = NULL };
	struct taken_layer l = { 0 };
	struct stream_peeked all;
	enum packing packing;
	int r = stream_peek(&all, from, e);

	if (r < 0)
		return r;
	packing = packing_of(all.head, all.len);
	if (packing == PACKING_NONE && !tar_begins(all.head, all.len))
		return refuse_content(name, e);
	l.media_type = types[packing];
	r = l.media_type ? take_as_is(b, &all.stream, &l, e) : pack_anew(b, &all.stream, name, &l, e);
	if (r == 0 && packing == PACKING_NONE)
		memcpy(l.diff_id, l.digest, DIGEST_CAP);
	else if (r == 0 && types[packing] && want_diff_id)
		r = find_diff_id(b, name, &l, e);
	if (r == 0)
		*ret = l;
	return r;
}
