/* SPDX-License-Identifier: Apache-2.0 */
/* Names as some file system takes them for the same. */
#ifndef BASE_FOLD_H
#define BASE_FOLD_H

#include <stddef.h>

/*
 * PATH in the one spelling by which all its spellings are compared, into RET of CAP bytes, cut where that is
 * too small: HFS+ passes over characters that are not seen, NTFS over dots and spaces at the end of a name,
 * others do not tell case apart.
 */
void fold_path(const char *path, char *ret, size_t cap);

#endif
