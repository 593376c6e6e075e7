/* SPDX-License-Identifier: Apache-2.0 */
/* Names that some file system treats as the same. */
#ifndef BASE_CASEFOLD_H
#define BASE_CASEFOLD_H

#include <stddef.h>

/*
 * Writes the one spelling of PATH by which all its spellings are compared to RET of CAP bytes, truncated if
 * too small: HFS+ ignores invisible characters, NTFS ignores dots and spaces at the end of a name, others
 * ignore case.
 */
void casefold_path(const char *path, char *ret, size_t cap);

#endif
