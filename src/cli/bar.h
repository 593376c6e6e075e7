/* SPDX-License-Identifier: Apache-2.0 */
/* The progress bar of long work: one line of the terminal, drawn over, gone when the work is done. */
#ifndef CLI_BAR_H
#define CLI_BAR_H

#include "base/buf.h"
#include "base/meter.h"

/* Long work of this process is shown on stderr, if that is a terminal. */
void bar_listen(void);
/* Removes the bar before something else is written. */
void bar_clear(void);

/* The line for M, NOW_MS being the time, in at most WIDTH columns. */
void bar_line(const struct meter *m, uint64_t now_ms, int width, struct buf *ret);

#endif
