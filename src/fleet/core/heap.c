/* SPDX-License-Identifier: Apache-2.0 */
/* A binary heap of items that know their position in it. */
#include "fleet/core/heap.h"

#include <stdlib.h>

#include "fleet/core/memory.h"

static bool is_before(const struct fleet_heap_item *a, const struct fleet_heap_item *b)
{
	return a->key != b->key ? a->key < b->key : a->then < b->then;
}

static void set(struct fleet_heap *heap, size_t i, struct fleet_heap_item *item)
{
	heap->items[i] = item;
	item->position = i + 1;
}

static void rise(struct fleet_heap *heap, size_t i)
{
	struct fleet_heap_item *item = heap->items[i];

	while (i > 0 && is_before(item, heap->items[(i - 1) / 2])) {
		set(heap, i, heap->items[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	set(heap, i, item);
}

static void sink(struct fleet_heap *heap, size_t i)
{
	struct fleet_heap_item *item = heap->items[i];

	for (size_t child = 2 * i + 1; child < heap->n; child = 2 * i + 1) {
		if (child + 1 < heap->n && is_before(heap->items[child + 1], heap->items[child]))
			child++;
		if (!is_before(heap->items[child], item))
			break;
		set(heap, i, heap->items[child]);
		i = child;
	}
	set(heap, i, item);
}

void fleet_heap_finish(struct fleet_heap *heap)
{
	free(heap->items);
	*heap = (struct fleet_heap){ 0 };
}

void fleet_heap_add(struct fleet_heap *heap, struct fleet_heap_item *item, uint64_t key, uint64_t then)
{
	item->key = key;
	item->then = then;
	heap->items = fleet_grow(heap->items, &heap->room, heap->n + 1, sizeof(struct fleet_heap_item *));
	set(heap, heap->n, item);
	rise(heap, heap->n++);
}

void fleet_heap_remove(struct fleet_heap *heap, struct fleet_heap_item *item)
{
	size_t i = item->position - 1;
	struct fleet_heap_item *last;

	if (item->position == 0)
		return;
	item->position = 0;
	last = heap->items[--heap->n];
	if (last == item)
		return;
	set(heap, i, last);
	rise(heap, i);
	sink(heap, last->position - 1);
}

void fleet_heap_move(struct fleet_heap *heap, struct fleet_heap_item *item, uint64_t key)
{
	item->key = key;
	rise(heap, item->position - 1);
	sink(heap, item->position - 1);
}

struct fleet_heap_item *fleet_heap_first(const struct fleet_heap *heap)
{
	return heap->n > 0 ? heap->items[0] : NULL;
}
