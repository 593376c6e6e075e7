/* SPDX-License-Identifier: Apache-2.0 */
/* Extended attributes of what a walk finds. */
#ifndef FLEET_CONTENT_WALK_ATTR_H
#define FLEET_CONTENT_WALK_ATTR_H

#include "fleet/content/tree.h"

/* Those of NAME in the directory DIR that travel; *LEFT_OUT counts those that could mean something and do
 * not. */
int content_walk_xattrs(int dir, const char *name, struct content_entry *n, uint64_t *left_out,
			struct aisbx_error *e);

#endif
