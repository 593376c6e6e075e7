/* SPDX-License-Identifier: Apache-2.0 */
/* The progress of layers of an image: a line with a bar for each that is under way, on a terminal. */
#ifndef CLI_LAYER_BARS_H
#define CLI_LAYER_BARS_H

#include <jansson.h>

#include "base/buf.h"

/* PROGRESS as in image/wire.h. Without a terminal on stderr nothing happens. */
void layer_bars_take(const json_t *progress);
/* Removes them from the screen; what comes is written where they were. */
void layer_bars_clear(void);

/* One line, without its end, in at most WIDTH columns. */
void layer_bars_line(const json_t *progress, int width, struct buf *ret);

#endif
