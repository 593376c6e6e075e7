/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks that are filled one after the other. */
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK 65536u

void pool_finish(struct pool *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->chunks[i]);
	free(p->chunks);
	*p = (struct pool){ 0 };
}

const char *pool_add(struct pool *p, const char *text)
{
	size_t len = strlen(text) + 1, cap = len > CHUNK ? len : CHUNK;
	char *at;

	if (!*text)
		return "";
	if (len > p->cap - p->used) {
		char **grown = realloc(p->chunks, (p->n + 1) * sizeof(*grown));

		if (!grown)
			return NULL;
		p->chunks = grown;
		grown[p->n] = malloc(cap);
		if (!grown[p->n])
			return NULL;
		p->n++;
		p->cap = cap;
		p->used = 0;
	}
	at = p->chunks[p->n - 1] + p->used;
	memcpy(at, text, len);
	p->used += len;
	return at;
}
