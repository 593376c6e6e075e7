/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A box of an ordinary user knows one group: his own. Files of another group he is in (a supplementary one)
 * could only be read there: overlayfs cannot copy up what has no id in the box (EOVERFLOW). /etc/subgid can
 * say that a group may be known as well.
 */
#ifndef SYS_GROUP_H
#define SYS_GROUP_H

#include <stdbool.h>
#include <sys/types.h>

#define SYS_NEWGIDMAP "/usr/bin/newgidmap"

/* The group of the directory DIR, or of something right in it, if it is one of ours beside our
 * own; 0: none. */
gid_t sys_other_group(const char *dir);
/* Whether a box of ours may know GROUP: /etc/subgid says so, and there is the program that does it. */
bool sys_may_map_group(gid_t group);
/* "NAME (GID)" of GROUP, and the line for /etc/subgid that lets boxes of ours know it. */
void sys_group_words(gid_t group, char *ret_name, char *ret_line, size_t cap);
/* Whether we are in GROUP, be it our own or a supplementary one. */
bool sys_in_group(gid_t group);

#endif
