/* SPDX-License-Identifier: Apache-2.0 */
/* The host name of a box: its own name, which its programs can look up. */
#ifndef DRIVER_HOST_NAME_H
#define DRIVER_HOST_NAME_H

#include "base/buf.h"

/* With its NUL; the kernel takes one letter more. */
#define HOST_NAME_ROOM 64

/*
 * Letters and digits of NAME, '-' for the rest, except for '.' between two of them; "box" if nothing is left.
 */
void host_name_of(const char *name, char ret[HOST_NAME_ROOM]);
/*
 * The text of /etc/hosts with a line for HOST: programs that look up their own host name (sudo, Java) find
 * it. Empty if the host has no such file, or one that is not plain.
 */
void host_name_list(const char *host, struct buf *ret);

#endif
