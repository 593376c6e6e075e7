/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a fetch: an image whose blobs are all there. */
#ifndef HELPERS_IMAGE_FETCHED_H
#define HELPERS_IMAGE_FETCHED_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "helpers/image/blobs.h"
#include "image/oci.h"

struct fetched_layer {
	char digest[DIGEST_CAP];
	char diff_id[DIGEST_CAP];
	const char *media_type; /* constant: OCI_LAYER, OCI_LAYER_GZIP or OCI_LAYER_ZSTD */
	uint64_t size;
	bool there; /* its blob, unless nobody looked */
};

struct fetched {
	char manifest[DIGEST_CAP];
	char config[DIGEST_CAP];
	struct fetched_layer *layers; /* owned */
	size_t n_layers;
	uint64_t size; /* of manifest, config and layers */
};

void fetched_finish(struct fetched *f);

/* Reads manifest and config, which are in B, checks that they agree with each other and with PLATFORM (""
 * or NULL: any), and that every layer is there with its size
 * (or not at all, if B may lack some). So a source only has to bring the blobs. */
int fetched_from_blobs(const struct blobs *b, const char *manifest, const char *platform, struct fetched *ret,
		       struct aisbx_error *e);
/* The object of "ok". NULL if memory ran out. */
json_t *fetched_json(const struct fetched *f);

#endif
