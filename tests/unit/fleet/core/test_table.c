/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: by name, in the order of putting, changed while one goes through them; against a plain list. */
#include "support/test.h"

#include "fleet/core/heap.h"
#include "fleet/core/table.h"

static int values[100000];

static void name_of(unsigned i, char ret[16])
{
	snprintf(ret, 16, "n%u", i);
}

static void put_get_remove(void **state)
{
	struct fleet_table *t = fleet_table_create();
	int a = 1, b = 2;

	(void)state;
	assert_null(fleet_table_get(t, "a"));
	assert_null(fleet_table_remove(t, "a"));
	assert_null(fleet_table_put(t, "a", &a));
	assert_ptr_equal(fleet_table_get(t, "a"), &a);
	assert_ptr_equal(fleet_table_put(t, "a", &b), &a);
	assert_int_equal(fleet_table_count(t), 1);
	assert_ptr_equal(fleet_table_remove(t, "a"), &b);
	assert_int_equal(fleet_table_count(t), 0);
	fleet_table_destroy(t);
	fleet_table_destroy(NULL);
}

static void met_in_the_order_of_putting(void **state)
{
	static const char *const names[] = { "z", "a", "m", "b" };
	struct fleet_table *t = fleet_table_create();
	struct fleet_cursor at = { 0 };
	const char *name;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		fleet_table_put(t, names[i], &values[i]);
	fleet_table_put(t, "z", &values[9]); /* keeps its place */
	for (unsigned i = 0; i < 4; i++) {
		assert_ptr_equal(fleet_table_next(t, &at, &name), &values[i == 0 ? 9 : i]);
		assert_string_equal(name, names[i]);
	}
	assert_null(fleet_table_next(t, &at, &name));
	fleet_table_put(t, "late", &values[5]);
	assert_ptr_equal(fleet_table_next(t, &at, NULL), &values[5]);
	fleet_table_destroy(t);
}

/* Each is met once, though all are removed meanwhile, by the table's own name. */
static void emptied_while_one_goes_through_it(void **state)
{
	const unsigned n = sizeof(values) / sizeof(*values);
	struct fleet_table *t = fleet_table_create();
	struct fleet_cursor at = { 0 };
	const char *name;
	unsigned met = 0;
	int *value;

	(void)state;
	for (unsigned i = 0; i < n; i++) {
		char text[16];

		name_of(i, text);
		fleet_table_put(t, text, &values[i]);
	}
	while ((value = fleet_table_next(t, &at, &name))) {
		assert_ptr_equal(value, &values[met++]);
		assert_ptr_equal(fleet_table_remove(t, name), value);
	}
	assert_int_equal(met, n);
	assert_int_equal(fleet_table_count(t), 0);
	fleet_table_destroy(t);
}

/* As a queue: the first is taken, a new one is put. Each look for the first must not pass all that were
 * there. */
static void used_as_a_queue(void **state)
{
	struct fleet_table *t = fleet_table_create();
	char text[16];

	(void)state;
	for (unsigned i = 0; i < 50000; i++) {
		name_of(i, text);
		fleet_table_put(t, text, &values[i]);
	}
	for (unsigned i = 0; i < 50000; i++) {
		struct fleet_cursor at = { 0 };
		const char *name;

		assert_ptr_equal(fleet_table_next(t, &at, &name), &values[i]);
		fleet_table_remove(t, name);
		name_of(50000 + i, text);
		fleet_table_put(t, text, &values[50000 + i]);
	}
	assert_int_equal(fleet_table_count(t), 50000);
	fleet_table_destroy(t);
}

#define NAMES 200

/* The plain list: names in order. */
struct list {
	unsigned names[NAMES];
	unsigned n;
};

static int find(const struct list *l, unsigned name)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->names[i] == name)
			return (int)i;
	return -1;
}

static unsigned next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*seed >> 33);
}

static void change(struct fleet_table *t, struct list *l, uint64_t *seed)
{
	unsigned name = next_random(seed) % NAMES;
	int i = find(l, name);
	char text[16];

	name_of(name, text);
	assert_ptr_equal(fleet_table_get(t, text), i < 0 ? NULL : &values[name]);
	if (next_random(seed) % 5 < 3) {
		assert_ptr_equal(fleet_table_remove(t, text), i < 0 ? NULL : &values[name]);
		if (i >= 0) {
			memmove(&l->names[i], &l->names[i + 1], (l->n - (unsigned)i - 1) * sizeof(*l->names));
			l->n--;
		}
	} else {
		assert_ptr_equal(fleet_table_put(t, text, &values[name]), i < 0 ? NULL : &values[name]);
		if (i < 0)
			l->names[l->n++] = name;
	}
	assert_int_equal(fleet_table_count(t), l->n);
}

static void compare(const struct fleet_table *t, const struct list *l)
{
	struct fleet_cursor at = { 0 };

	for (unsigned i = 0; i < l->n; i++)
		assert_ptr_equal(fleet_table_next(t, &at, NULL), &values[l->names[i]]);
	assert_null(fleet_table_next(t, &at, NULL));
}

/* Goes through the table and changes it on the way: whoever stays from beginning to end is met once, in
 * order. */
static void go_through(struct fleet_table *t, struct list *l, uint64_t *seed)
{
	unsigned stayed[NAMES] = { 0 }, met[NAMES] = { 0 };
	struct fleet_cursor at = { 0 };
	int *value;

	for (unsigned i = 0; i < l->n; i++)
		stayed[l->names[i]] = 1;
	for (unsigned steps = 0; steps < NAMES * 3 && (value = fleet_table_next(t, &at, NULL)); steps++) {
		met[value - values]++;
		assert_true(find(l, (unsigned)(value - values)) >= 0);
		for (unsigned k = next_random(seed) % 3; k > 0; k--) {
			change(t, l, seed);
			for (unsigned i = 0; i < NAMES; i++)
				if (find(l, i) < 0)
					stayed[i] = 0;
		}
	}
	for (unsigned i = 0; i < NAMES; i++)
		if (stayed[i])
			assert_int_equal(met[i], 1);
}

static void same_as_a_plain_list(void **state)
{
	struct fleet_table *t = fleet_table_create();
	struct list l = { 0 };
	uint64_t seed = 20;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		change(t, &l, &seed);
		if (i % 7 == 0)
			compare(t, &l);
		if (i % 101 == 0)
			go_through(t, &l, &seed);
	}
	fleet_table_destroy(t);
}

static void a_heap_gives_the_lowest(void **state)
{
	static struct fleet_heap_item items[300];
	struct fleet_heap heap = { 0 };
	uint64_t seed = 3;

	(void)state;
	for (unsigned i = 0; i < 50000; i++) {
		struct fleet_heap_item *item = &items[next_random(&seed) % 300], *lowest = NULL;

		if (item->position == 0)
			fleet_heap_add(&heap, item, next_random(&seed) % 50, (uint64_t)(item - items));
		else if (next_random(&seed) % 2)
			fleet_heap_move(&heap, item, next_random(&seed) % 50);
		else
			fleet_heap_remove(&heap, item);
		for (unsigned k = 0; k < 300; k++)
			if (items[k].position > 0 && (!lowest || items[k].key < lowest->key))
				lowest = &items[k];
		assert_ptr_equal(fleet_heap_first(&heap), lowest);
	}
	fleet_heap_finish(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(put_get_remove),
		cmocka_unit_test(met_in_the_order_of_putting),
		cmocka_unit_test(emptied_while_one_goes_through_it),
		cmocka_unit_test(used_as_a_queue),
		cmocka_unit_test(same_as_a_plain_list),
		cmocka_unit_test(a_heap_gives_the_lowest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
