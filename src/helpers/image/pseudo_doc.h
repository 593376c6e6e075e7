/* SPDX-License-Identifier: Apache-2.0 */
/* The documents of a pseudo-image: image.yaml and policy.json. docs/pseudo-image.md describes both. */
#ifndef HELPERS_IMAGE_PSEUDO_DOC_H
#define HELPERS_IMAGE_PSEUDO_DOC_H

#include <jansson.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "helpers/image/fetched.h"
#include "image/pseudo_policy.h"

#define PSEUDO_IMAGE  "image.yaml"
#define PSEUDO_LAYERS "layers/"

/* Labels of the image that is made of one: its documents to the byte, so that it can be made again. */
#define PSEUDO_LABEL_IMAGE "aisbx.pseudo.image"
/* "host": it stands on this machine, not on an image. */
#define PSEUDO_LABEL_BASE "aisbx.pseudo.base"

#define PSEUDO_FILE_MAX 200u

struct pseudo_layer {
	char *file;               /* owned: "layers/001-debian.tar.zst" */
	char digest[DIGEST_CAP];  /* of the file */
	char diff_id[DIGEST_CAP]; /* of the archive in it; "": not said */
};

struct pseudo {
	char *name, *version;        /* owned */
	char *base;                  /* owned; "none", "host" or "REFERENCE@DIGEST" */
	const char *base_digest;     /* into base; NULL: it stands on no image */
	struct pseudo_layer *layers; /* owned */
	size_t n_layers;
	json_t *settings; /* owned; as compose_image takes them */
};

void pseudo_finish(struct pseudo *p);
int pseudo_parse(const char *text, size_t len, struct pseudo *ret, struct aisbx_error *e);
/* Whether TEXT is a policy: only known keys, and of each a known value. */
int pseudo_policy_check(const char *text, size_t len, struct aisbx_error *e);

/* The text of image.yaml for an image that is none yet: the same for the same image. BASE: see above. */
int pseudo_print(const struct pseudo *p, struct buf *ret, struct aisbx_error *e);

#endif
