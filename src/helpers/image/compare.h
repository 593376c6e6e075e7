/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unpacked files beside the archive that they come from: contents, kinds, permissions, owners, targets of
 * links. Not times, nor extended attributes. Neither changes anything.
 */
#ifndef HELPERS_IMAGE_COMPARE_H
#define HELPERS_IMAGE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"

struct compare_order {
	int blob;           /* the archive, compressed or not; read from its beginning */
	const char *digest; /* of BLOB, which is checked by the way */
	uint64_t most;      /* bytes of the archive */
	int up;             /* the directory of the layer */
	const int *below;   /* those of its parents, oldest first */
	size_t n_below;
	uint32_t id_shift;
	bool one_id;
};

struct compare_counts {
	uint64_t files;   /* that are as they should be */
	uint64_t skipped; /* reached by a link of another layer, or left out when they were unpacked */
};

/* -EUCLEAN: something is different, and E names the first. -EBADMSG: the blob is damaged. */
int compare_layer(const struct compare_order *o, struct compare_counts *ret, struct aisbx_error *e);

#endif
