/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An archive as `docker save` writes it and `docker load` reads it. Its layers are not compressed: not every
 * version of docker reads zstd there.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/hash.h"
#include "helpers/image/out_file.h"
#include "helpers/image/stream.h"
#include "helpers/image/write.h"
#include "image/reference.h"
#include "image/wire.h"

/* "NAME:TAG", or nothing. */
static json_t *tags_json(const char *name)
{
	struct reference ref = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_mem) char *full = NULL;
	json_t *list;

	if (!name || reference_parse(name, &ref, &ignored) < 0)
		return json_null();
	free(ref.digest);
	ref.digest = NULL;
	full = reference_full(&ref);
	reference_finish(&ref);
	list = full ? json_pack("[s]", full) : NULL;
	return list;
}

static char *manifest_text(const struct write_order *o, struct aisbx_error *e)
{
	json_t *layers = json_array(), *all;
	char config[DIGEST_CAP + 8], *text;

	snprintf(config, sizeof(config), "%s.json", digest_hex(o->image->config));
	for (size_t i = 0; i < o->image->n_layers; i++) {
		char file[DIGEST_CAP + 8];

		snprintf(file, sizeof(file), "%s.tar", digest_hex(o->image->layers[i].diff_id));
		json_array_append_new(layers, json_string(file));
	}
	all = json_pack("[{s:s,s:o,s:o}]", "Config", config, "RepoTags", tags_json(o->name), "Layers",
			layers);
	text = all ? json_dumps(all, JSON_COMPACT) : NULL;
	json_decref(all);
	if (!text)
		aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write an archive");
	return text;
}

/* Reads the archive in the blob FD; to F unless that is NULL. */
static int read_layer(int fd, struct out_file *f, char ret_diff_id[DIGEST_CAP], uint64_t *ret_size,
		      struct aisbx_error *e)
{
	scoped(drop_mem) char *chunk = malloc(STREAM_CHUNK);
	scoped(hash_drop) void *hash = hash_create();
	struct stream_unpacked unpacked;
	struct stream_file file;
	ssize_t n = 1;
	int r;

	if (!chunk || !hash)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read a layer");
	if (lseek(fd, 0, SEEK_SET) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "read a layer");
	stream_of_file(&file, fd);
	r = stream_unpack(&unpacked, &file.stream, IMAGE_MAX_BYTES, e);
	if (r < 0)
		return r;
	*ret_size = 0;
	while (r == 0 && (n = unpacked.stream.read(&unpacked.stream, chunk, STREAM_CHUNK, e)) > 0) {
		hash_add(hash, chunk, (size_t)n);
		*ret_size += (uint64_t)n;
		r = f ? out_file_write(f, chunk, (size_t)n) : 0;
	}
	stream_unpacked_finish(&unpacked);
	hash_end(hash, ret_diff_id);
	return n < 0 ? (int)n : r;
}

/* The layer, read twice: its size comes before its content. */
static int put_layer(const struct write_order *o, const struct fetched_layer *layer, struct out_file *f,
		     struct aisbx_error *e)
{
	char path[DIGEST_CAP + 8], diff_id[DIGEST_CAP];
	scoped(drop_fd) int fd = -1;
	uint64_t size = 0, again = 0;
	int r = blobs_open_blob(o->blobs, layer->digest, layer->size, false, &fd, NULL, e);

	r = r < 0 ? r : read_layer(fd, NULL, diff_id, &size, e);
	if (r == 0 && strcmp(diff_id, layer->diff_id) != 0)
		return aisbx_refuse(e, AISBX_KIND_CONFLICT, AISBX_AREA_BOX, EBADMSG,
				    "the layer %s has the content %s, not %s", layer->digest, diff_id,
				    layer->diff_id);
	snprintf(path, sizeof(path), "%s.tar", digest_hex(layer->diff_id));
	r = r < 0 ? r : write_tar_file(path, size, out_file_write, f, e);
	r = r < 0 ? r : read_layer(fd, f, diff_id, &again, e);
	if (r == 0 && (again != size || strcmp(diff_id, layer->diff_id) != 0))
		return aisbx_refuse(e, AISBX_KIND_CONFLICT, AISBX_AREA_BOX, EBADMSG,
				    "the layer %s was changed while it was read", layer->digest);
	return r < 0 ? r : write_tar_result(tar_write_padding(size, out_file_write, f), e);
}

static bool is_first(const struct fetched *image, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(image->layers[k].diff_id, image->layers[i].diff_id))
			return false;
	return true;
}

int write_docker_archive(const struct write_order *o, struct aisbx_error *e)
{
	scoped(out_file_finish) struct out_file f = OUT_FILE_INIT;
	scoped(buf_finish) struct buf config = { 0 };
	scoped(drop_mem) char *manifest = manifest_text(o, e);
	char path[DIGEST_CAP + 8];
	int r = manifest ? blobs_read(o->blobs, o->image->config, &config, e) : e->code;

	snprintf(path, sizeof(path), "%s.json", digest_hex(o->image->config));
	r = r < 0 ? r : out_file_begin(o->dir, o->file, &f, e);
	for (size_t i = 0; r == 0 && i < o->image->n_layers; i++)
		if (is_first(o->image, i))
			r = put_layer(o, &o->image->layers[i], &f, e);
	r = r < 0 ? r : write_tar_text(path, config.data, config.len, out_file_write, &f, e);
	r = r < 0 ? r : write_tar_text("manifest.json", manifest, strlen(manifest), out_file_write, &f, e);
	r = r < 0 ? r : write_tar_result(tar_write_end(out_file_write, &f), e);
	return r < 0 ? r : out_file_end(&f);
}
