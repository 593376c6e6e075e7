/* SPDX-License-Identifier: Apache-2.0 */
/* The lowest of many, by a number; equal ones by a second one, so that the order is always the same. */
#ifndef FLEET_CORE_HEAP_H
#define FLEET_CORE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Part of the caller's structure, which must not move while it is in a heap. */
struct fleet_heap_item {
	uint64_t key, then;
	size_t position; /* from 1 on; 0: in no heap */
	void *owner;     /* the structure that it is part of */
};

/* {0} is an empty heap. */
struct fleet_heap {
	struct fleet_heap_item **items; /* owned; what they point to is not */
	size_t n, room;
};

void fleet_heap_finish(struct fleet_heap *heap);
void fleet_heap_add(struct fleet_heap *heap, struct fleet_heap_item *item, uint64_t key, uint64_t then);
/* In no heap is allowed. */
void fleet_heap_remove(struct fleet_heap *heap, struct fleet_heap_item *item);
/* Another key for one that is in the heap. */
void fleet_heap_move(struct fleet_heap *heap, struct fleet_heap_item *item, uint64_t key);
/* The lowest, or NULL. */
struct fleet_heap_item *fleet_heap_first(const struct fleet_heap *heap);

#endif
