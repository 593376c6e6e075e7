/* SPDX-License-Identifier: Apache-2.0 */
/* What to do when the disk is full. */
#ifndef BOX_ROOM_H
#define BOX_ROOM_H

#include "aisbx/error.h"

/* If R says that the disk of STATE, the state directory, is full, E says how much is left there and how to
 * make room. Returns R. */
int box_hint_room(const char *state, int r, struct aisbx_error *e);

#endif
