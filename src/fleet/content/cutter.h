/* SPDX-License-Identifier: Apache-2.0 */
/* Files cut into chunks: small ones whole, others by content, holes left out. */
#ifndef FLEET_CONTENT_CUTTER_H
#define FLEET_CONTENT_CUTTER_H

#include "base/cut.h"
#include "fleet/content/sender.h"
#include "fleet/content/tree.h"

#define CONTENT_WHOLE (2u << 20) /* a smaller file is one chunk */

struct content_cutter {
	struct content_sender *sender; /* borrowed */
	struct cut cut, tree_cut;
	uint8_t *room; /* owned */
	uint64_t read; /* bytes of files */
};

int content_cutter_init(struct content_cutter *ret, struct content_sender *s, struct aisbx_error *e);
void content_cutter_finish(struct content_cutter *c);

/* The content of FD as chunks of N. *RET_IS_SURE: it did not change while it was read. */
int content_cut_file(struct content_cutter *c, int fd, struct content_entry *n, bool *ret_is_sure,
		     struct aisbx_error *e);
/* A tree as chunks of its root. */
int content_cut_tree(struct content_cutter *c, const void *data, size_t len, struct content_root *ret,
		     struct aisbx_error *e);

#endif
