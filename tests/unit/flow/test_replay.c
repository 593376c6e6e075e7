/* SPDX-License-Identifier: Apache-2.0 */
/* Two takes of a run against each other: how they ended, what they wrote, what cannot be told. */
#include "support/test.h"

#include "base/scope.h"
#include "flow/replay.h"

static struct take take(int exit_code, const char *status, const char *out)
{
	struct take t = { .exit_code = exit_code, .signal = TAKE_NULL, .status = status };

	if (out) {
		t.has_output = true;
		buf_add(&t.output[0], out, strlen(out));
	}
	return t;
}

static void differ(struct take *was, struct take *is, struct replay_list *list, struct replay_gaps *gaps,
		   struct replay_detail *detail)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct box_state none = { 0 };

	if (takes_differ(&none, was, is, list, gaps, detail, &e) < 0)
		fail_msg("%s", e.text);
}

static const struct replay_difference *find(const struct replay_list *l, const char *what)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->items[i].what, what))
			return &l->items[i];
	return NULL;
}

static void the_same(void **state)
{
	scoped(take_finish) struct take a = take(0, "ok", "hello\n"), b = take(0, "ok", "hello\n");
	scoped(replay_list_finish) struct replay_list list = { 0 };
	scoped(replay_gaps_finish) struct replay_gaps gaps = { 0 };
	scoped(replay_detail_finish) struct replay_detail detail = { 0 };

	(void)state;
	differ(&a, &b, &list, &gaps, &detail);
	assert_int_equal(list.n, 0);
	assert_true(detail.streams[0].compared && detail.streams[0].text.same);
	assert_int_equal(gaps.n, 1); /* neither has a box */
	assert_string_equal(gaps.items[0].what, "changes");
}

static void how_it_ended(void **state)
{
	scoped(take_finish) struct take a = take(0, "ok", NULL), b = take(TAKE_NULL, "limit", NULL);
	scoped(replay_list_finish) struct replay_list list = { 0 };
	scoped(replay_gaps_finish) struct replay_gaps gaps = { 0 };
	const struct replay_difference *code;

	(void)state;
	differ(&a, &b, &list, &gaps, NULL);
	assert_int_equal(list.n, 2);
	code = find(&list, "exit_code");
	assert_non_null(code);
	assert_int_equal(code->example.kind, EXAMPLE_NUMBER);
	assert_true(code->example.was_number == 0 && code->example.is_number == TAKE_NULL);
	assert_memory_equal(find(&list, "status")->example.is, "limit", 5);
	assert_int_equal(gaps.n, 3); /* and what was written to either stream */
}

static void its_fuel(void **state)
{
	scoped(take_finish) struct take a = take(0, "ok", ""), b = take(0, "ok", "");
	scoped(replay_list_finish) struct replay_list list = { 0 };

	(void)state;
	a.fuel = 5000000000;
	b.fuel = 5000000001;
	differ(&a, &b, &list, NULL, NULL);
	assert_int_equal(list.n, 1);
	assert_int_equal(find(&list, "fuel")->example.is_number, 5000000001);
}

static void what_it_wrote(void **state)
{
	scoped(take_finish) struct take a = take(0, "ok", "id 17\nend\n"), b = take(0, "ok", "id 18\nend\n");
	scoped(replay_list_finish) struct replay_list list = { 0 };
	scoped(replay_detail_finish) struct replay_detail detail = { 0 };
	const struct replay_difference *d;

	(void)state;
	differ(&a, &b, &list, NULL, &detail);
	d = find(&list, "stdout");
	assert_non_null(d);
	assert_string_equal(d->kind, "number");
	assert_int_equal(d->example.line, 1);
	assert_int_equal(d->example.was_len, 5);
	assert_memory_equal(d->example.was, "id 17", 5);
	assert_int_equal(detail.streams[0].text.n_lines, 1);
}

/* The texts are alike as far as they are kept, the sums are not. */
static void behind_what_is_kept(void **state)
{
	scoped(take_finish) struct take a = take(0, "ok", "x"), b = take(0, "ok", "x");
	scoped(replay_list_finish) struct replay_list list = { 0 };

	(void)state;
	a.sums[0] = strdup("{1}");
	b.sums[0] = strdup("{2}");
	differ(&a, &b, &list, NULL, NULL);
	assert_string_equal(find(&list, "stdout")->kind, "content");
	assert_int_equal(find(&list, "stdout")->example.kind, EXAMPLE_NONE);
}

static void joined(void **state)
{
	scoped(take_finish) struct take a = take(0, "ok", NULL), b = take(1, "failed", NULL);
	scoped(replay_list_finish) struct replay_list all = { 0 }, more = { 0 };

	(void)state;
	differ(&a, &b, &all, NULL, NULL);
	differ(&a, &b, &more, NULL, NULL);
	replay_list_join(&all, &more);
	assert_int_equal(all.n, 2);
	assert_int_equal(more.n, 0);
	assert_true(replay_list_has(&all, "status") && !replay_list_has(&all, "stderr"));
}

static void how_often(void **state)
{
	static const uint64_t wrong[] = { 0, REPLAY_MAX_TIMES + 1 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		scoped(replay_result_finish) struct replay_result done = { 0 };
		const struct replay_request req = { .run = "r-1", .times = wrong[i] };
		struct aisbx_error e = AISBX_ERROR_INIT;
		int r = replay_run(NULL, &req, &done, &e);

		assert_failed(r, EINVAL, e, "--times must be 1 to 50");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same),
		cmocka_unit_test(how_it_ended),
		cmocka_unit_test(its_fuel),
		cmocka_unit_test(what_it_wrote),
		cmocka_unit_test(behind_what_is_kept),
		cmocka_unit_test(joined),
		cmocka_unit_test(how_often),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
