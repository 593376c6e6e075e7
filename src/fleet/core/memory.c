/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is there, or the end of the program. */
#include "fleet/core/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fleet_out_of_memory(void)
{
	fputs("aisbx-fleet: out of memory; ended, for what is saved is consistent and half a step would not "
	      "be\n",
	      stderr);
	abort();
}

void *fleet_new(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		fleet_out_of_memory();
	return p;
}

void *fleet_grow(void *items, size_t *room, size_t want, size_t size)
{
	size_t more = *room ? *room : 8;
	char *p;

	if (want <= *room)
		return items;
	while (more < want) {
		if (more > SIZE_MAX / 2)
			fleet_out_of_memory();
		more *= 2;
	}
	p = reallocarray(items, more, size);
	if (!p)
		fleet_out_of_memory();
	memset(p + *room * size, 0, (more - *room) * size);
	*room = more;
	return p;
}
