/* SPDX-License-Identifier: Apache-2.0 */
/* Who listens to what a command writes, on its way to wherever it goes: secrets are taken out, nothing is
 * cut. */
#ifndef RUN_TAP_H
#define RUN_TAP_H

#include <stddef.h>

/* WHICH: 0 stdout, 1 stderr. */
typedef void stream_tap(void *ctx, int which, const char *data, size_t len);

#endif
