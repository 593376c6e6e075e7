/* SPDX-License-Identifier: Apache-2.0 */
/* Brings blobs of a registry into the directory of blobs. */
#ifndef HELPERS_IMAGE_TRANSFER_H
#define HELPERS_IMAGE_TRANSFER_H

#include "helpers/image/blobs.h"
#include "helpers/image/remote.h"

/*
 * The N blobs, several at once; each is verified while it comes. One that is there already is not asked for,
 * one that is there in part is asked for from there on. On an error, what came so far is kept for the next
 * time, unless it was wrong.
 */
int transfer_blobs(struct remote *r, struct blobs *b, const struct oci_descriptor *items, size_t n,
		   struct aisbx_error *e);

#endif
