/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A box of an ordinary user has one group: the user's own. Files of another group of the user (a
 * supplementary one) could only be read there: overlayfs cannot copy up a file whose id is not mapped in the
 * box (EOVERFLOW). /etc/subgid can allow another group.
 */
#ifndef SYS_GROUP_H
#define SYS_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define SYS_NEWGIDMAP "/usr/bin/newgidmap"

/*
 * The group of the directory DIR, or of one of its entries, if it is a supplementary group of ours; 0: none.
 */
gid_t sys_other_group(const char *dir);
/* Whether a box of ours may have GROUP: /etc/subgid allows it, and the program that maps it exists. */
bool sys_may_map_group(gid_t group);
/* "NAME (GID)" of GROUP, and the line for /etc/subgid that allows it. */
void sys_group_words(gid_t group, char *ret_name, char *ret_line, size_t cap);
/* Whether we are in GROUP, primary or supplementary. */
bool sys_in_group(gid_t group);
/* What /etc/passwd calls us; "": nothing. */
void sys_user_name(char *ret, size_t cap);

#endif
