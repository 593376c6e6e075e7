/* SPDX-License-Identifier: Apache-2.0 */
/* What the forms in which an image is written have in common. */
#include "helpers/image/write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/hash.h"
#include "image/oci.h"
#include "image/reference.h"

#define CHUNK (256u << 10)

void write_tag(const char *name, char *ret, size_t cap)
{
	struct reference ref = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	bool good = name && reference_parse(name, &ref, &ignored) == 0;

	snprintf(ret, cap, "%s", good && ref.tag ? ref.tag : REFERENCE_DEFAULT_TAG);
	if (good)
		reference_finish(&ref);
}

/* What the manifest says it is: Docker's stays Docker's. */
static int describe(const struct write_order *o, struct oci_descriptor *ret, struct aisbx_error *e)
{
	scoped(oci_manifest_finish) struct oci_manifest m = { 0 };
	scoped(buf_finish) struct buf text = { 0 };
	int r = blobs_read(o->blobs, o->image->manifest, &text, e);

	r = r < 0 ? r : oci_manifest_read(text.data, text.len, NULL, &m, e);
	if (r < 0)
		return r;
	ret->media_type = strdup(m.media_type);
	ret->size = text.len;
	memcpy(ret->digest, o->image->manifest, sizeof(ret->digest));
	return ret->media_type ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write an image");
}

char *write_index(const struct write_order *o, struct aisbx_error *e)
{
	scoped(oci_descriptor_finish) struct oci_descriptor d = { 0 };
	const struct oci_index index = { .items = &d, .n = 1 };
	char tag[REFERENCE_MAX + 1], *text;

	if (describe(o, &d, e) < 0)
		return NULL;
	write_tag(o->name, tag, sizeof(tag));
	d.annotations = json_pack("{s:s}", OCI_REF_NAME, tag);
	text = d.annotations ? oci_index_write(&index) : NULL;
	if (!text)
		aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the index of an image");
	return text;
}

static int by_digest(const void *a, const void *b)
{
	return strcmp(((const struct write_blob *)a)->digest, ((const struct write_blob *)b)->digest);
}

int write_blobs(const struct write_order *o, struct write_blob **ret, size_t *ret_n, struct aisbx_error *e)
{
	const struct fetched *image = o->image;
	scoped(drop_mem) struct write_blob *all = calloc(image->n_layers + 2, sizeof(*all));
	size_t n = 0, kept = 0;

	if (!all)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write an image");
	memcpy(all[n++].digest, image->manifest, DIGEST_CAP);
	memcpy(all[n++].digest, image->config, DIGEST_CAP);
	for (size_t i = 0; i < image->n_layers; i++)
		memcpy(all[n++].digest, image->layers[i].digest, DIGEST_CAP);
	qsort(all, n, sizeof(*all), by_digest);
	for (size_t i = 0; i < n; i++) {
		if (kept && !strcmp(all[kept - 1].digest, all[i].digest))
			continue;
		all[kept] = all[i];
		if (!blobs_has(o->blobs, all[kept].digest, &all[kept].size))
			return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
					    "the blob %s is missing", all[kept].digest);
		kept++;
	}
	*ret = take_mem(&all);
	*ret_n = kept;
	return 0;
}

int write_blob(const struct write_order *o, const struct write_blob *blob, tar_sink_fn *sink, void *ctx,
	       struct aisbx_error *e)
{
	scoped(drop_mem) char *chunk = malloc(CHUNK);
	scoped(hash_drop) void *hash = hash_create();
	scoped(drop_fd) int fd = -1;
	char found[DIGEST_CAP];
	uint64_t left = blob->size;
	int r = blobs_open_blob(o->blobs, blob->digest, blob->size, false, &fd, NULL, e);

	if (r == 0 && (!chunk || !hash))
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write an image");
	while (r == 0 && left) {
		ssize_t n = read(fd, chunk, left < CHUNK ? (size_t)left : CHUNK);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return aisbx_fail(e, AISBX_AREA_BOX, n < 0 ? errno : EIO, "read the blob %s",
					  blob->digest);
		hash_add(hash, chunk, (size_t)n);
		left -= (uint64_t)n;
		r = sink(ctx, chunk, (size_t)n);
	}
	if (r < 0)
		return e->code ? r : aisbx_fail(e, AISBX_AREA_BOX, -r, "write an image");
	hash_end(hash, found);
	if (strcmp(found, blob->digest) != 0)
		return aisbx_refuse(e, AISBX_KIND_CONFLICT, AISBX_AREA_BOX, EBADMSG,
				    "the blob %s was changed on disk: it is %s now", blob->digest, found);
	return 0;
}

int write_tar_result(int r, struct aisbx_error *e)
{
	return r < 0 && !e->code ? aisbx_fail(e, AISBX_AREA_BOX, -r, "write an archive") : r;
}

int write_tar_file(const char *path, uint64_t size, tar_sink_fn *sink, void *ctx, struct aisbx_error *e)
{
	const struct tar_entry entry = { .path = path, .type = '0', .mode = 0644, .size = size };

	return write_tar_result(tar_write_entry(&entry, sink, ctx), e);
}

int write_tar_text(const char *path, const void *text, size_t len, tar_sink_fn *sink, void *ctx,
		   struct aisbx_error *e)
{
	int r = write_tar_file(path, len, sink, ctx, e);

	if (r == 0)
		r = write_tar_result(sink(ctx, text, len), e);
	return r < 0 ? r : write_tar_result(tar_write_padding(len, sink, ctx), e);
}

int write_tar_dir(const char *path, tar_sink_fn *sink, void *ctx, struct aisbx_error *e)
{
	const struct tar_entry entry = { .path = path, .type = '5', .mode = 0755 };

	return write_tar_result(tar_write_entry(&entry, sink, ctx), e);
}
