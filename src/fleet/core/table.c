/* SPDX-License-Identifier: Apache-2.0 */
/* A table: a balanced tree by name (the C library's), and an array in the order of putting. Removal leaves a
 * gap in the array; gaps are closed when they are most of it. */
#include "fleet/core/table.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/core/memory.h"
#include "fleet/core/types.h"

struct item {
	const char *name; /* first: what is looked for is an item of which only this is set */
	void *value;      /* the caller's */
	uint64_t number;  /* rises with each one that is put */
	size_t index;     /* in order */
	char own[FLEET_KEY];
};

struct fleet_table {
	void *tree;          /* of struct item */
	struct item **order; /* owned; NULL: a gap */
	size_t used, room;   /* of order, gaps included */
	size_t first;        /* before it are only gaps */
	uint64_t packed;     /* how often gaps were closed */
	size_t count;
	uint64_t numbers;
};

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct item *)a)->name, ((const struct item *)b)->name);
}

static struct item *find(const struct fleet_table *t, const char *name)
{
	struct item wanted = { .name = name };
	struct item *const *found = tfind(&wanted, &t->tree, compare);

	return found ? *found : NULL;
}

struct fleet_table *fleet_table_create(void)
{
	return fleet_new(sizeof(struct fleet_table));
}

void fleet_table_destroy(struct fleet_table *t)
{
	if (!t)
		return;
	tdestroy(t->tree, free);
	free(t->order);
	free(t);
}

void *fleet_table_get(const struct fleet_table *t, const char *name)
{
	const struct item *item = find(t, name);

	return item ? item->value : NULL;
}

void *fleet_table_put(struct fleet_table *t, const char *name, void *value)
{
	struct item *item = find(t, name);
	size_t len = strlen(name);

	if (item) {
		void *before = item->value;

		item->value = value;
		return before;
	}
	if (len >= FLEET_KEY)
		abort();
	item = fleet_new(sizeof(*item));
	*item = (struct item){ .name = item->own, .value = value, .number = ++t->numbers, .index = t->used };
	memcpy(item->own, name, len);
	t->order = fleet_grow(t->order, &t->room, t->used + 1, sizeof(struct item *));
	t->order[t->used++] = item;
	if (!tsearch(item, &t->tree, compare))
		fleet_out_of_memory();
	t->count++;
	return NULL;
}

static void close_gaps(struct fleet_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->used; i++) {
		if (!t->order[i])
			continue;
		t->order[i]->index = n;
		t->order[n++] = t->order[i];
	}
	t->used = n;
	t->first = 0;
	t->packed++;
}

void *fleet_table_remove(struct fleet_table *t, const char *name)
{
	struct item *item = find(t, name);
	void *value;

	if (!item)
		return NULL;
	value = item->value;
	tdelete(item, &t->tree, compare);
	t->order[item->index] = NULL;
	free(item); /* NAME may have been its own */
	t->count--;
	while (t->first < t->used && !t->order[t->first])
		t->first++;
	if (t->used > 16 && t->count < t->used / 2)
		close_gaps(t);
	return value;
}

size_t fleet_table_count(const struct fleet_table *t)
{
	return t->count;
}

/* The first index whose item has a number above LAST. Gaps are passed: what is there is in the order of
 * numbers. */
static size_t seek(const struct fleet_table *t, uint64_t last)
{
	size_t low = 0, high = t->used;

	while (low < high) {
		size_t middle = low + (high - low) / 2, i = middle;

		while (i < high && !t->order[i])
			i++;
		if (i < high && t->order[i]->number <= last)
			low = i + 1;
		else
			high = middle;
	}
	return low;
}

void *fleet_table_next(const struct fleet_table *t, struct fleet_cursor *at, const char **ret_name)
{
	size_t i = at->packed == t->packed ? at->index : seek(t, at->last);

	if (i < t->first)
		i = t->first;
	while (i < t->used && !t->order[i])
		i++;
	if (i >= t->used)
		return NULL;
	at->last = t->order[i]->number;
	at->index = i + 1;
	at->packed = t->packed;
	if (ret_name)
		*ret_name = t->order[i]->name;
	return t->order[i]->value;
}
