/* SPDX-License-Identifier: Apache-2.0 */
/* Things by their name, in the order in which they were put: the same steps meet them in the same order, so
 * that a simulation repeats exactly. No name that a stranger chooses makes it slow. */
#ifndef FLEET_CORE_TABLE_H
#define FLEET_CORE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fleet_table;

struct fleet_table *fleet_table_create(void);
/* The values are the caller's: what they need must be done before. NULL is allowed. */
void fleet_table_destroy(struct fleet_table *t);
/* The value, or NULL. */
void *fleet_table_get(const struct fleet_table *t, const char *name);
/* VALUE is not NULL. Returns the value that had this name and does so no more (VALUE keeps its place in the
 * order), or NULL. The name is copied; one longer than FLEET_KEY is no name, and ends the program. */
void *fleet_table_put(struct fleet_table *t, const char *name, void *value);
/* Returns the value that had this name, or NULL. */
void *fleet_table_remove(struct fleet_table *t, const char *name);
size_t fleet_table_count(const struct fleet_table *t);

/* Where one is; {0} is before the first. */
struct fleet_cursor {
	uint64_t last; /* number of the one that was met last */
	size_t index;  /* where the next one is, unless gaps were closed since */
	uint64_t packed;
};

/* The next value, or NULL at the end. Between two calls anything may be removed or put: what is removed is
 * not met, what is put is met at the end. *RET_NAME is valid until it is removed; RET_NAME may be NULL. */
void *fleet_table_next(const struct fleet_table *t, struct fleet_cursor *at, const char **ret_name);

#endif
