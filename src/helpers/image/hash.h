/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of large things, by OpenSSL, which uses what the processor has for it. */
#ifndef HELPERS_IMAGE_HASH_H
#define HELPERS_IMAGE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "image/digest.h"

/* What is being hashed; NULL if memory ran out. */
void *hash_create(void);
void hash_destroy(void *hash);
/* For scoped(). */
void hash_drop(void **hash);
void hash_restart(void *hash);
void hash_add(void *hash, const void *data, size_t len);
/* It can only be destroyed or restarted then. */
void hash_end(void *hash, char ret[DIGEST_CAP]);

/* Of a file, from its beginning to its end. RET_SIZE may be NULL. */
int hash_fd(int fd, char ret[DIGEST_CAP], uint64_t *ret_size, struct aisbx_error *e);

#endif
