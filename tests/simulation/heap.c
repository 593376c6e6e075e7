/* SPDX-License-Identifier: Apache-2.0 */
/* A binary heap of events, and memory that is there. */
#include "heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *must_alloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p) {
		fputs("fleet-sim: out of memory\n", stderr);
		exit(2);
	}
	return p;
}

void must_grow(void *list, size_t n, size_t *room, size_t size)
{
	void *grown;

	if (n < *room)
		return;
	*room = *room ? *room * 2 : 8;
	memcpy(&grown, list, sizeof(grown));
	grown = reallocarray(grown, *room, size);
	if (!grown) {
		fputs("fleet-sim: out of memory\n", stderr);
		exit(2);
	}
	memcpy(list, &grown, sizeof(grown));
}

static bool is_before(const struct sim_event *a, const struct sim_event *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

void heap_add(struct sim_heap *heap, struct sim_event event)
{
	size_t i = heap->n;

	must_grow(&heap->items, heap->n, &heap->room, sizeof(*heap->items));
	heap->n++;
	event.order = heap->planned++;
	while (i > 0 && is_before(&event, &heap->items[(i - 1) / 2])) {
		heap->items[i] = heap->items[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	heap->items[i] = event;
}

bool heap_take(struct sim_heap *heap, struct sim_event *ret)
{
	struct sim_event last;
	size_t i = 0;

	if (heap->n == 0)
		return false;
	*ret = heap->items[0];
	last = heap->items[--heap->n];
	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= heap->n)
			break;
		if (child + 1 < heap->n && is_before(&heap->items[child + 1], &heap->items[child]))
			child++;
		if (is_before(&last, &heap->items[child]))
			break;
		heap->items[i] = heap->items[child];
		i = child;
	}
	heap->items[i] = last;
	return true;
}
