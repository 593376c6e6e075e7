/* SPDX-License-Identifier: Apache-2.0 */
/* Opens paths of the tree that a program sees; no link and no ".." leaves it. */
#ifndef HELPERS_WASM_TREE_H
#define HELPERS_WASM_TREE_H

#include <sys/types.h>

/* As openat() below ROOT, which is "/" to PATH and to the links on it. A descriptor, or a negative errno. */
int tree_open(int root, const char *path, int flags, mode_t mode);

#endif
