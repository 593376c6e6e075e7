/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pid 1 of a box's last run. A killed supervisor releases the box at once, but its processes die a moment
 * later; until then nobody may mount or read what the box writes to.
 */
#ifndef BOX_LAST_INIT_H
#define BOX_LAST_INIT_H

#include <stdint.h>

#include "box/box.h"

/* Where the run records its pid 1. Only for the holder of the box's lock. */
int box_last_init_open(const struct box_state *s, const struct store_box *b, int *ret_fd,
		       struct aisbx_error *e);
/* PID was started, and has no access to the box yet. */
int box_last_init_write(int fd, int32_t pid, struct aisbx_error *e);
/* It is gone, with all processes. */
void box_last_init_clear(int fd);
/*
 * Waits for processes that a killed supervisor left behind; -EBUSY with an error if that takes too long. Call
 * it right after locking the box.
 */
int box_last_init_await(const struct box_state *s, const struct store_box *b, struct aisbx_error *e);
void box_last_init_drop(const struct box_state *s, const struct store_box *b);

#endif
