/* SPDX-License-Identifier: Apache-2.0 */
/* Building plans: layout, replaced variables, sealing, and what does not fit. */
#include "support/test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/scope.h"
#include "support/sample_plan.h"
#include "sys/sys.h"

static void sections_are_aligned_and_in_order(void **state)
{
	scoped(jail_plan_builder_finish) struct jail_plan_builder b = { 0 };
	scoped(buf_finish) struct buf bytes = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	const struct jail_plan_head *h;

	(void)state;
	sample_plan(&b, true);
	assert_int_equal(jail_plan_encode(&b, &bytes, &e), 0);
	h = (const void *)bytes.data;
	assert_int_equal(h->size, bytes.len);
	assert_int_equal((h->ops_at | h->rules_at | h->args_at | h->env_at | h->filter_at | h->strings_at) %
				 8,
			 0);
	assert_true(h->ops_at < h->rules_at && h->rules_at < h->args_at && h->args_at < h->env_at &&
		    h->env_at < h->filter_at && h->filter_at < h->strings_at);
}

static void a_later_variable_wins(void **state)
{
	scoped(jail_plan_builder_finish) struct jail_plan_builder b = { 0 };
	scoped(buf_finish) struct buf bytes = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct jail_plan p;

	(void)state;
	sample_plan(&b, false);
	jail_plan_add_env(&b, "PATH=/bin");
	jail_plan_add_env(&b, "PAT=no");
	assert_int_equal(jail_plan_encode(&b, &bytes, &e), 0);
	assert_int_equal(jail_plan_decode(bytes.data, bytes.len, &p, &e), 0);
	assert_int_equal(p.head->n_env, 3);
	assert_string_equal(jail_plan_string(&p, p.env[0]), "PATH=/bin");
	assert_string_equal(jail_plan_string(&p, p.env[2]), "PAT=no");
}

static void a_second_filter_lies_behind_the_first(void **state)
{
	static const struct sock_filter first = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_LOG),
					second = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	static const size_t sizes[] = { 0, 1, JAIL_PLAN_MAX_FILTER, JAIL_PLAN_MAX_FILTER + 1 };
	static struct sock_filter many[JAIL_PLAN_MAX_FILTER + 1];
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		scoped(jail_plan_builder_finish) struct jail_plan_builder b = { 0 };
		scoped(buf_finish) struct buf bytes = { 0 };
		const size_t n = sizes[i];
		struct jail_plan p;

		sample_plan(&b, false);
		jail_plan_set_filter(&b, &first, 1);
		many[0] = second;
		jail_plan_add_filter(&b, many, n);
		if (n > JAIL_PLAN_MAX_FILTER) {
			assert_int_equal(jail_plan_encode(&b, &bytes, &e), -EBADMSG);
			continue;
		}
		assert_int_equal(jail_plan_encode(&b, &bytes, &e), 0);
		assert_int_equal(jail_plan_decode(bytes.data, bytes.len, &p, &e), 0);
		assert_int_equal(p.head->n_more, n);
		assert_int_equal(p.head->n_filter, n + 1);
		assert_memory_equal(p.filter, &first, sizeof(first));
		if (n)
			assert_memory_equal(p.filter + 1, &second, sizeof(second));
	}
}

static void a_sealed_plan_stays_as_it_is(void **state)
{
	scoped(jail_plan_builder_finish) struct jail_plan_builder b = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct stat st;
	struct jail_plan p;
	void *data;
	int fd = -1;

	(void)state;
	sample_plan(&b, false);
	assert_int_equal(jail_plan_seal(&b, &fd, &e), 0);
	assert_int_equal(sys_memfd_is_sealed(fd), 1);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(pwrite(fd, "x", 1, 0), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(ftruncate(fd, 0), -1);
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(data != MAP_FAILED);
	assert_int_equal(jail_plan_decode(data, (size_t)st.st_size, &p, &e), 0);
	munmap(data, (size_t)st.st_size);
	close(fd);
}

static void a_flaw_does_not_leave_the_house(void **state)
{
	scoped(jail_plan_builder_finish) struct jail_plan_builder b = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	int fd = -7;

	(void)state;
	assert_int_equal(jail_plan_seal(&b, &fd, &e), -EBADMSG); /* nothing in it: not even a command */
	assert_int_equal(fd, -7);
	sample_plan(&b, false);
	jail_plan_add_op(&b, JAIL_PLAN_DIR, 0, 0, NULL, "/a/../b");
	assert_failed(jail_plan_seal(&b, &fd, &e), EBADMSG, e, "path");
}

static void what_does_not_fit_is_told(void **state)
{
	scoped(jail_plan_builder_finish) struct jail_plan_builder b = { 0 };
	scoped(buf_finish) struct buf bytes = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	char *big = calloc(1, JAIL_PLAN_MAX_SIZE + 1);

	(void)state;
	sample_plan(&b, false);
	memset(big, 'x', JAIL_PLAN_MAX_SIZE);
	jail_plan_add_arg(&b, big);
	free(big);
	assert_failed(jail_plan_encode(&b, &bytes, &e), E2BIG, e, "at most");
}

static void memory_that_ran_out_is_told(void **state)
{
	scoped(jail_plan_builder_finish) struct jail_plan_builder b = { 0 };
	scoped(buf_finish) struct buf bytes = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	sample_plan(&b, false);
	b.strings.failed = true;
	jail_plan_add_env(&b, "LATE=1");
	assert_failed(jail_plan_encode(&b, &bytes, &e), ENOMEM, e, "build the plan");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_are_aligned_and_in_order),
		cmocka_unit_test(a_later_variable_wins),
		cmocka_unit_test(a_second_filter_lies_behind_the_first),
		cmocka_unit_test(a_sealed_plan_stays_as_it_is),
		cmocka_unit_test(a_flaw_does_not_leave_the_house),
		cmocka_unit_test(what_does_not_fit_is_told),
		cmocka_unit_test(memory_that_ran_out_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
