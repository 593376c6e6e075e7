/* SPDX-License-Identifier: Apache-2.0 */
/* A listener to a command's output, on its way to its destination: secrets are removed, nothing is cut. */
#ifndef RUN_LISTENER_H
#define RUN_LISTENER_H

#include <stddef.h>

/* WHICH: 0 stdout, 1 stderr. */
typedef void stream_listener(void *ctx, int which, const char *data, size_t len);

#endif
