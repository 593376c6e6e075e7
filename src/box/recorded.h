/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that can be replayed from their start: snapshots around a run, and boxes that record all runs. */
#ifndef BOX_RECORDED_H
#define BOX_RECORDED_H

#include "box/box.h"

/* A snapshot of the current state of the box, whose lock the caller has; an existing one will do. */
int box_record_point(struct box_state *s, const struct store_box *b, char ret_id[STORE_ID_MAX],
		     struct aisbx_error *e);

/* All runs in the box ID are recorded from now on. */
int box_recorded_set(const char *dir, const char *id, struct aisbx_error *e);
bool box_recorded(const char *dir, const char *id);
void box_recorded_drop(const char *dir, const char *id);

#endif
