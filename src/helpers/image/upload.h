/* SPDX-License-Identifier: Apache-2.0 */
/* Takes blobs to a registry. */
#ifndef HELPERS_IMAGE_UPLOAD_H
#define HELPERS_IMAGE_UPLOAD_H

#include "helpers/image/blobs.h"
#include "helpers/image/remote.h"

#define UPLOAD_CHUNK (32u << 20) /* bytes; what is longer goes in several parts */

struct upload_count {
	size_t sent;
	size_t there; /* already, or in another repository of the same registry */
};

/* The N blobs, several at once. MOUNT_FROM: a repository of that registry that may have them, or NULL. */
int upload_blobs(struct remote *r, const struct blobs *b, const struct oci_descriptor *items, size_t n,
		 const char *mount_from, struct upload_count *ret, struct aisbx_error *e);

#endif
