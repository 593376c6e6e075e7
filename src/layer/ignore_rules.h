/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of git for ignored files, written so that libgit2 understands them as git does. */
#ifndef LAYER_IGNORE_RULES_H
#define LAYER_IGNORE_RULES_H

#include <stddef.h>

#include "base/buf.h"

/* Adds the rules of TEXT, a file such as .gitignore, each as a line. */
void ignore_rules_add(struct buf *ret, const char *text, size_t len);

#endif
