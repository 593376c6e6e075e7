/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two files are the same in everything but their place. For layer/share.c. */
#ifndef LAYER_SHARE_SAME_H
#define LAYER_SHARE_SAME_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Type, mode, owner, size, time and file system; and they are not one file already. */
bool share_same_stat(const struct stat *a, const struct stat *b);
/* All extended attributes, also those that are no person's. */
bool share_same_attrs(int a, int b);
/* 1 if their SIZE bytes are equal, 0 if not, or a negative errno. */
int share_same_content(int a, int b, off_t size);

#endif
