/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for the core. When there is none left the program ends: a crash is one of the faults that the fleet
 * is made for, and half a step of a state machine is not. Only aisbx-fleet and the simulator link this. */
#ifndef FLEET_CORE_MEMORY_H
#define FLEET_CORE_MEMORY_H

#include <stddef.h>

/* SIZE bytes, all zero; for free(). Never NULL. */
void *fleet_new(size_t size);
/* ITEMS with room for WANT items of SIZE bytes at least; *ROOM is how many there is room for, new ones are
 * zero. Grows by doubling. */
void *fleet_grow(void *items, size_t *room, size_t want, size_t size);
void fleet_out_of_memory(void) __attribute__((noreturn));

#endif
