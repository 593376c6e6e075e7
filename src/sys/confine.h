/* SPDX-License-Identifier: Apache-2.0 */
/* Walls that a helper puts around itself before it reads what a box wrote. */
#ifndef SYS_CONFINE_H
#define SYS_CONFINE_H

#include "aisbx/error.h"

/*
 * From now on this process reads what it could read before, and changes files only below the directories
 * WRITABLE (NULL-terminated). It starts no program and gains no right by one. It makes no connection by TCP
 * (Linux 6.7), reaches nobody's abstract socket, and signals nobody but itself (both Linux 6.12). It cannot
 * be undone. Fails when the kernel has no Landlock.
 */
int confine_self(const char *const *writable, struct aisbx_error *e);

#endif
