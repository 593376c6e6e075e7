/* SPDX-License-Identifier: Apache-2.0 */
/* Finds aisbx's own helper programs. */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

#include "aisbx/error.h"

/* Beside the running program, then where the build installed it. Never on PATH. */
int program_open(const char *name, int *ret_fd, struct aisbx_error *e);

#endif
