/* SPDX-License-Identifier: Apache-2.0 */
/* Walls that a helper puts around itself before it reads files of a box. */
#ifndef SYS_CONFINE_H
#define SYS_CONFINE_H

#include <stdint.h>

#include "aisbx/error.h"

/*
 * From now on this process reads what it could read before, and changes files only below the directories
 * WRITABLE (NULL-terminated). It starts no program and gains no privileges. It makes no TCP connection (Linux
 * 6.7), reaches no abstract socket of others, and signals only itself (both Linux 6.12). It cannot be undone.
 * Fails if the kernel has no Landlock.
 */
int confine_self(const char *const *writable, struct aisbx_error *e);

/*
 * Stricter: it reads below READABLE and WRITABLE only. Below WRITABLE it can make and remove everything:
 * files, directories, links, fifos and whiteouts.
 */
int confine_to_trees(const char *const *readable, const char *const *writable, struct aisbx_error *e);

/* Gives all capabilities back except those of KEEP, bits by number. */
int confine_caps(uint64_t keep, struct aisbx_error *e);
/* The same for a client of servers: it may make TCP connections. */
int confine_client(const char *const *writable, struct aisbx_error *e);

#endif
