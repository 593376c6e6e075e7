/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as text, and back. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/buf.h"

void base64_add(struct buf *b, const char *data, size_t len);
/* Strict: whole groups of four with their padding, nothing else; false: invalid, and B is unchanged. */
bool base64_read(struct buf *b, const char *text, size_t len);

#endif
