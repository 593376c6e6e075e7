/* SPDX-License-Identifier: Apache-2.0 */
/* An image that leaves the directory of blobs: one function for each form, and what they share. */
#ifndef HELPERS_IMAGE_WRITE_H
#define HELPERS_IMAGE_WRITE_H

#include <sys/types.h>

#include "helpers/image/fetched.h"
#include "helpers/image/tar_write.h"

struct write_order {
	const struct blobs *blobs;   /* borrowed */
	const struct fetched *image; /* borrowed */
	const char *name;            /* borrowed; "repository:tag"; NULL: none */
	int dir;                     /* borrowed; where it is written to */
	const char *file;            /* borrowed; its name there */
};

/* FILE in DIR is made: a directory with blobs, "index.json" and "oci-layout". DIR is that directory. */
int write_layout(const struct write_order *o, struct aisbx_error *e);
/* The same as one archive. */
int write_oci_archive(const struct write_order *o, struct aisbx_error *e);
/* As `docker save` writes them: "manifest.json" and uncompressed layers. */
int write_docker_archive(const struct write_order *o, struct aisbx_error *e);
/* DIR is the directory of a pseudo-image that does not exist yet (docs/pseudo-image.md). */
int write_pseudo(const struct write_order *o, struct aisbx_error *e);
/* The same as one archive, not compressed: its layers are. */
int write_pseudo_archive(const struct write_order *o, struct aisbx_error *e);

/* The text of "index.json". Heap, or NULL with an error. */
char *write_index(const struct write_order *o, struct aisbx_error *e);
/* The tag of NAME: "latest" if there is none. RET has room for all of NAME. */
void write_tag(const char *name, char *ret, size_t cap);

/* Every blob of the image, once, sorted by its digest. Heap; N of them; NULL: no memory. */
struct write_blob {
	char digest[DIGEST_CAP];
	uint64_t size;
};
int write_blobs(const struct write_order *o, struct write_blob **ret, size_t *ret_n, struct aisbx_error *e);
/* The content of a blob to SINK, verified on the way. */
int write_blob(const struct write_order *o, const struct write_blob *blob, tar_sink_fn *sink, void *ctx,
	       struct aisbx_error *e);

/* A file of an archive from memory, and a directory: owner 0, no time. */
int write_tar_text(const char *path, const void *text, size_t len, tar_sink_fn *sink, void *ctx,
		   struct aisbx_error *e);
int write_tar_dir(const char *path, tar_sink_fn *sink, void *ctx, struct aisbx_error *e);
/* The header of a file whose SIZE bytes follow. */
int write_tar_file(const char *path, uint64_t size, tar_sink_fn *sink, void *ctx, struct aisbx_error *e);
/* What R, of a function of tar_write.h, means, unless its sink said so. */
int write_tar_result(int r, struct aisbx_error *e);

#endif
