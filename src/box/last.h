/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who pid 1 of a box's last run was. A supervisor that is killed lets go of the box at once, and what it ran
 * dies a moment later; until then nobody may mount, or read, what the box writes to.
 */
#ifndef BOX_LAST_H
#define BOX_LAST_H

#include <stdint.h>

#include "box/box.h"

/* Where the run says who it is. Only for who has the box's lock. */
int box_last_open(const struct box_shelf *s, const struct store_box *b, int *ret_fd, struct aisbx_error *e);
/* PID was born, and has nothing of the box yet. */
int box_last_write(int fd, int32_t pid, struct aisbx_error *e);
/* It is gone, with everybody. */
void box_last_clear(int fd);
/* Waits for who a killed supervisor left behind; -EBUSY with an error when that takes too long. For who has
 * just locked the box. */
int box_last_await(const struct box_shelf *s, const struct store_box *b, struct aisbx_error *e);
void box_last_drop(const struct box_shelf *s, const struct store_box *b);

#endif
