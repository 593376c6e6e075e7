/* SPDX-License-Identifier: Apache-2.0 */
/* Finding aisbx's own helper programs. */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

#include "aisbx/error.h"

/* Beside the running program, then where the build installed it. Never by PATH. */
int program_open(const char *name, int *ret_fd, struct aisbx_error *e);

#endif
