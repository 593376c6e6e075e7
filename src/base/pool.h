/* SPDX-License-Identifier: Apache-2.0 */
/* Many short texts that are freed together: uses no more memory than their bytes. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stddef.h>

struct pool {
	char **chunks; /* owned */
	size_t n;
	size_t used, cap; /* of the last chunk */
};

void pool_finish(struct pool *p);
/* A copy of TEXT that lives as long as the pool; NULL if memory ran out. */
const char *pool_add(struct pool *p, const char *text);

#endif
