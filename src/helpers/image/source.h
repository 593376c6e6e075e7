/* SPDX-License-Identifier: Apache-2.0 */
/* Where a local image comes from: a directory or an archive with files in it. Their names are hostile. */
#ifndef HELPERS_IMAGE_SOURCE_H
#define HELPERS_IMAGE_SOURCE_H

#include <stdbool.h>

#include <jansson.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "base/str.h"
#include "helpers/image/blobs.h"
#include "helpers/image/fetched.h"
#include "helpers/image/stream.h"

/* Takes the content of NAMES[INDEX]. */
typedef int source_take_fn(void *ctx, size_t index, struct stream *from, struct aisbx_error *e);

struct source {
	/* A document: at most IMAGE_MAX_JSON bytes. -ENOENT: it is not there. */
	int (*document)(struct source *s, const char *name, struct buf *ret, struct aisbx_error *e);
	/* Calls TAKE for each of NAMES that is there, in whatever order, once. */
	int (*each)(struct source *s, const struct strlist *names, source_take_fn *take, void *ctx,
		    struct aisbx_error *e);
	void (*close)(struct source *s);
};

int source_open_dir(const char *path, struct source **ret, struct aisbx_error *e);
/* A tar archive, packed or not. All its documents are read here. */
int source_open_archive(const char *path, struct source **ret, struct aisbx_error *e);
/* The name in the archive that NAME, a symbolic link there, stands for; NAME itself if it is none. Borrowed.
 */
const char *source_archive_target(struct source *s, const char *name);
void source_close(struct source **s);

/* What is asked of a local source. */
struct fetch {
	const json_t *request; /* borrowed */
	const char *path;      /* borrowed */
	const char *name;      /* borrowed: of the image, where there are several; NULL: the only one */
	const char *platform;  /* borrowed or NULL */
	const json_t *keys;    /* borrowed or NULL */
	struct blobs *blobs;   /* borrowed */
};

/* Each fetches one kind; REQUEST is checked, and this process confined. RET_MANIFEST: what it is. */
int source_layout(const struct fetch *f, char ret_manifest[DIGEST_CAP], struct aisbx_error *e);
int source_oci_archive(const struct fetch *f, char ret_manifest[DIGEST_CAP], struct aisbx_error *e);
int source_docker_archive(const struct fetch *f, char ret_manifest[DIGEST_CAP], struct aisbx_error *e);
int source_rootfs(const struct fetch *f, char ret_manifest[DIGEST_CAP], struct aisbx_error *e);

#endif
