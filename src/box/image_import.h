/* SPDX-License-Identifier: Apache-2.0 */
/* Brings images here: fetched and verified, each layer unpacked once, and then known to the store. */
#ifndef BOX_IMAGE_IMPORT_H
#define BOX_IMAGE_IMPORT_H

#include "box/image_layers.h"

struct image_import {
	const char *from;     /* the kind of the source, as in image/wire.h; NULL: it is found out */
	const char *source;   /* a reference, or a clean path */
	const char *name;     /* what the image is called here; NULL: by the reference or the file */
	const char *platform; /* NULL: this machine's */
	bool no_blobs;        /* blobs of layers are not kept: the image can be used but not sent away */
	/* Sees the config before anything is unpacked, and may refuse it; NULL: nobody. */
	int (*check)(void *ctx, const char *config, struct aisbx_error *e);
	void *check_ctx; /* borrowed */
	const struct caller *by;
	images_progress_fn *progress; /* may be NULL */
	void *progress_ctx;           /* borrowed */
};

struct image_imported {
	struct store_image image;       /* owned */
	char *name;                     /* owned; that points to it now */
	size_t layers, unpacked;        /* how many it has, and how many of them were not here yet */
	struct image_left_out left_out; /* of those */
};

void image_imported_finish(struct image_imported *i);
/*
 * Killed at any moment, it leaves nothing that is used; repeated, it completes. What stays behind is removed
 * by gc. RET is set only on success.
 */
int image_import(const struct image_import *how, struct image_imported *ret, struct aisbx_error *e);

/* The same for an image whose blobs are all in I already: MANIFEST is the digest of its manifest. */
int image_adopt(struct images *i, const char *manifest, const char *name, const char *source,
		const struct image_import *how, struct image_imported *ret, struct aisbx_error *e);

/* What kind of source a file or directory is, as in image/wire.h. PATH is clean. */
int image_kind(const char *path, const char **ret, struct aisbx_error *e);
/* Whether it can be the name of an image here. */
int image_check_name(const char *name, struct aisbx_error *e);

#endif
