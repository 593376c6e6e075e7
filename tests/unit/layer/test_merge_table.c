/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a change in the box and one outside make together, for every pair of kinds. With the argument "print"
 * it prints the table, which tests/map/test_changes.py compares with the one in docs/internals/changes.md.
 */
#include "support/test.h"

#include "layer/merge.h"

static const enum change_kind kinds[] = {
#define X(id, name) CHANGE_##id,
	CHANGE_KINDS(X)
#undef X
};

#define COUNT (sizeof(kinds) / sizeof(*kinds))

/* What there was before; -1: either. */
static int had_base(enum change_kind kind)
{
	switch (kind) {
	case CHANGE_NONE:
		return -1;
	case CHANGE_CREATE:
		return 0;
	case CHANGE_MODIFY:
	case CHANGE_DELETE:
	case CHANGE_REPLACE:
	case CHANGE_MODE:
	case CHANGE_XATTR:
	case CHANGE_TOUCH:
		return 1;
	case CHANGE_KIND_COUNT:
		break;
	}
	fail_msg("%d is no kind", (int)kind);
	return 0;
}

static bool can_be(enum change_kind box, enum change_kind host)
{
	int b = had_base(box), h = had_base(host);

	return b < 0 || h < 0 || b == h;
}

static const char *action(enum change_kind box, enum change_kind host)
{
	const char *name = merge_action_name(box, host);

	return name ? name : "-";
}

static void test_the_list_is_whole(void **state)
{
	(void)state;
	assert_int_equal(COUNT, CHANGE_KIND_COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		assert_int_equal(kinds[i], i);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(change_kind_name(kinds[i]), change_kind_name(kinds[j]));
	}
}

static void test_exactly_the_impossible_have_no_name(void **state)
{
	static const char *const names[] = { "nothing", "apply", "merge", "conflict" };

	(void)state;
	for (size_t b = 0; b < COUNT; b++)
		for (size_t h = 0; h < COUNT; h++) {
			const char *name = merge_action_name(kinds[b], kinds[h]);
			bool known = false;

			if (!name != !can_be(kinds[b], kinds[h]))
				fail_msg("%s and %s: %s", change_kind_name(kinds[b]),
					 change_kind_name(kinds[h]), name ? name : "-");
			for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
				known |= !strcmp(name, names[i]);
			assert_true(!name || known);
		}
}

/* The rules in words, each over all kinds it is about. */
static void test_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		enum change_kind k = kinds[i];

		/* The box did nothing: nothing. The host did nothing, or only set a time: the box's change
		 * goes in. */
		assert_string_equal(action(CHANGE_NONE, k), "nothing");
		if (k != CHANGE_NONE)
			assert_string_equal(action(k, CHANGE_NONE), "apply");
		if (had_base(k) == 1)
			assert_string_equal(action(k, CHANGE_TOUCH), "apply");
		/* A time set in the box is worth nothing against more than that. */
		if (had_base(k) == 1 && k != CHANGE_TOUCH)
			assert_string_equal(action(CHANGE_TOUCH, k), "nothing");
		/* Deleted or replaced, against whatever else was done to it. */
		if (had_base(k) == 1 && k != CHANGE_TOUCH && k != CHANGE_DELETE) {
			assert_string_equal(action(CHANGE_DELETE, k), "conflict");
			assert_string_equal(action(k, CHANGE_DELETE), "conflict");
		}
		if (had_base(k) == 1 && k != CHANGE_TOUCH) {
			assert_string_equal(action(CHANGE_REPLACE, k), "conflict");
			assert_string_equal(action(k, CHANGE_REPLACE), "conflict");
		}
	}
	assert_string_equal(action(CHANGE_DELETE, CHANGE_DELETE), "nothing");
	assert_string_equal(action(CHANGE_CREATE, CHANGE_CREATE), "conflict");
	/* Content, permissions and attributes can each be of another side. */
	for (size_t i = 0; i < COUNT; i++)
		for (size_t j = 0; j < COUNT; j++)
			if ((kinds[i] == CHANGE_MODIFY || kinds[i] == CHANGE_MODE ||
			     kinds[i] == CHANGE_XATTR) &&
			    (kinds[j] == CHANGE_MODIFY || kinds[j] == CHANGE_MODE ||
			     kinds[j] == CHANGE_XATTR))
				assert_string_equal(action(kinds[i], kinds[j]), "merge");
}

static void print_table(void)
{
	printf("box");
	for (size_t h = 0; h < COUNT; h++)
		printf("\t%s", change_kind_name(kinds[h]));
	for (size_t b = 0; b < COUNT; b++) {
		printf("\n%s", change_kind_name(kinds[b]));
		for (size_t h = 0; h < COUNT; h++)
			printf("\t%s", action(kinds[b], kinds[h]));
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_list_is_whole),
		cmocka_unit_test(test_exactly_the_impossible_have_no_name),
		cmocka_unit_test(test_rules),
	};

	if (argc == 2 && !strcmp(argv[1], "print")) {
		print_table();
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
