/* SPDX-License-Identifier: Apache-2.0 */
/* Equal files of snapshots, images and templates take their space once. Part of gc. */
#ifndef BOX_SHARE_H
#define BOX_SHARE_H

#include "box/box.h"
#include "layer/share.h"

/* Of all frozen layers, except those below a box that runs or belongs to a session. Does nothing if they are
 * the same as the last time. */
int box_share(struct box_state *s, struct share_report *ret, struct aisbx_error *e);

#endif
