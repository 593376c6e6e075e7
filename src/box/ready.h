/* SPDX-License-Identifier: Apache-2.0 */
/* A box that is made for a caller before it asks: its next run that can use it does, and is not aware of it.
 */
#ifndef BOX_READY_H
#define BOX_READY_H

#include <stdbool.h>

#include "aisbx/error.h"
#include "box/caller.h"

/* What BY runs from now on makes a box, and runs nothing: it ends with -ECANCELED. */
int box_ready_begin(struct caller *by, struct aisbx_error *e);
/* Runs are runs again. False: no box was made, and box_ready_end was called. */
bool box_ready_is_made(struct caller *by);
/* Takes a box down that was not used. */
void box_ready_end(struct caller *by);

#endif
