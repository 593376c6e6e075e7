/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in less room: the only user of zlib. */
#ifndef BASE_PACK_H
#define BASE_PACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Appends DATA to OUT, packed quickly rather than tightly. False: no memory. */
bool pack_bytes(const void *data, size_t len, struct buf *out);
/* The other way: RET gets exactly LEN bytes. False: DATA is not what that many were packed to. */
bool unpack_bytes(const void *data, size_t data_len, void *ret, size_t len);

#endif
