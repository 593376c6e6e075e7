/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run on top of the current state of a box: the command sees the project as the box has it and the system
 * as the host has it, and its changes are discarded.
 */
#ifndef BOX_THROWAWAY_H
#define BOX_THROWAWAY_H

#include "box/box.h"

/* SNAPSHOT "": B as it is, which must be locked then. SPEC: without layers and project, which come from the
 * box. */
int box_run_throwaway(struct box_state *s, const struct store_box *b, const char *snapshot,
		      struct run_spec *spec, struct driver_result *ret_result, struct aisbx_error *e);

#endif
