/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of overlay layers as one archive in the form of OCI: the same changes are the same bytes. */
#ifndef HELPERS_IMAGE_PACK_TREE_H
#define HELPERS_IMAGE_PACK_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "helpers/image/pack_attr.h"
#include "helpers/image/tar_write.h"

struct pack_order {
	const char *const *ups; /* borrowed; directories of changes, oldest first */
	size_t n_ups;
	/* borrowed; what the image below consists of, oldest first: only what is there has to be deleted.
	 * NULL: not known, everything that is deleted is said to be */
	const char *const *below;
	size_t n_below;
	struct pack_ids ids;
	int64_t newest; /* later times become this one */
	uint64_t most;  /* bytes of contents; a file with more is not even begun */
};

struct pack_counts {
	uint64_t files;    /* entries, also those of deleted names */
	uint64_t bytes;    /* of contents */
	uint64_t left_out; /* devices, sockets, and attributes that cannot be in an archive */
};

/* SINK gets the archive. Its errors are described in E by itself. */
int pack_tree(const struct pack_order *order, tar_sink_fn *sink, void *ctx, struct pack_counts *ret,
	      struct aisbx_error *e);

#endif
