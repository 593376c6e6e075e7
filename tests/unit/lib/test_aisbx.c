/* SPDX-License-Identifier: Apache-2.0 */
/* libaisbx against a real aisbx, as a program in C has it; tests/e2e/test_c.py starts it with a state
 * directory of its own. */
#include "support/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aisbx/aisbx.h"

static int set_up(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (aisbx_open(NULL, (struct aisbx **)state, &e) == 0)
		return 0;
	fprintf(stderr, "%s\n", e.text);
	return -1;
}

static int tear_down(void **state)
{
	aisbx_close(*state);
	return 0;
}

static void test_a_command(void **state)
{
	const char *const argv[] = { "sh", "-c", "echo out; echo err >&2; echo $WORD; exit 3", NULL };
	const char *const env[] = { "WORD=x y", NULL };
	const struct aisbx_run_options how = { .size = sizeof(how), .env = env, .timeout_s = 20 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct aisbx_result *r = NULL;

	assert_int_equal(aisbx_run(*state, argv, &how, &r, &e), 0);
	assert_string_equal(r->status, "failed");
	assert_int_equal(r->exit_code, 3);
	assert_int_equal(r->exit_signal, 0);
	assert_string_equal(r->out, "out\nx y\n");
	assert_int_equal(r->out_len, strlen(r->out));
	assert_string_equal(r->err, "err\n");
	assert_null(r->limit);
	assert_null(r->error);
	assert_non_null(strstr(r->json, "\"isolation\""));
	aisbx_result_free(r);
}

/* Attack 163: what the program prints must not be told to aisbx, nor what the box writes to who reads the
 * program's input. */
static int with_closed(unsigned int which)
{
	const char *const argv[] = { "echo", "out", NULL };
	const struct aisbx_run_options how = { .size = sizeof(how), .timeout_s = 20 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct aisbx_result *r = NULL;
	struct aisbx *a = NULL;
	int wrong = 0;

	for (int fd = 0; fd < 3; fd++)
		if (which & (1u << fd))
			close(fd);
	alarm(60);
	if (aisbx_open(NULL, &a, &e) < 0)
		return 10;
	for (int fd = 0; fd < 3; fd++)
		wrong |= (which & (1u << fd)) && fcntl(fd, F_GETFD) >= 0;
	if (aisbx_run(a, argv, &how, &r, &e) < 0)
		return 11;
	wrong |= strcmp(r->out, "out\n") != 0;
	aisbx_result_free(r);
	aisbx_close(a);
	return wrong;
}

static void test_closed_descriptors(void **state)
{
	(void)state;
	for (unsigned int which = 1; which < 8; which++) {
		pid_t pid = fork();
		int status = -1;

		if (pid == 0)
			_exit(with_closed(which));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}

static void test_a_limit_and_what_is_not_there(void **state)
{
	const char *const slow[] = { "sleep", "60", NULL }, *const none[] = { "/no/such/program", NULL };
	const struct aisbx_run_options how = { .size = sizeof(how), .timeout_s = 0.3 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct aisbx_result *r = NULL;

	assert_int_equal(aisbx_run(*state, slow, &how, &r, &e), 0);
	assert_string_equal(r->limit, "wall_time");
	assert_int_equal(r->exit_code, -1);
	aisbx_result_free(r);
	assert_int_equal(aisbx_run(*state, none, NULL, &r, &e), 0);
	assert_string_equal(r->status, "error");
	assert_non_null(strstr(r->error, "/no/such/program"));
	aisbx_result_free(r);
}

/* An older caller's struct ends earlier: what lies behind is not looked at. */
static void test_a_shorter_struct(void **state)
{
	const char *const argv[] = { "true", NULL };
	struct aisbx_run_options how = { .size = offsetof(struct aisbx_run_options, env),
					 .timeout_s = 0.000001 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct aisbx_result *r = NULL;

	how.env = (const char *const *)(uintptr_t)8; /* nobody may touch it */
	assert_int_equal(aisbx_run(*state, argv, &how, &r, &e), 0);
	assert_string_equal(r->status, "ok");
	aisbx_result_free(r);
}

static void test_errors_are_as_everywhere(void **state)
{
	const char *const argv[] = { "true", NULL };
	const struct aisbx_run_options how = { .size = sizeof(how), .box = "nobody-made-it" };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct aisbx_result *r = NULL;
	char *text = NULL;

	assert_failed(aisbx_run(*state, argv, &how, &r, &e), ENOENT, e, "there is no box 'nobody-made-it'");
	assert_int_equal(e.area, AISBX_AREA_BOX);
	assert_failed(aisbx_call(*state, "box.create", "[]", NULL, &text, &e), EINVAL, e, "a JSON object");
	assert_failed(aisbx_call(*state, "box.create", "{\"nmae\":\"x\"}", NULL, &text, &e), EINVAL, e,
		      "nmae");
	assert_true(aisbx_call(*state, "box.craete", NULL, NULL, &text, &e) < 0);
	assert_non_null(strstr(e.text, "box.create"));
}

struct heard {
	struct aisbx *a;
	char out[64];
	size_t len;
	char run[32];
	int items;
};

static void on_output(void *context, int stream, const char *data, size_t len)
{
	struct heard *h = context;

	assert_int_equal(stream, 1);
	assert_true(h->len + len < sizeof(h->out));
	memcpy(h->out + h->len, data, len);
	h->len += len;
	if (h->a && h->len >= 3)
		aisbx_cancel(h->a);
}

static void on_begun(void *context, const char *run, const char *trace_id)
{
	struct heard *h = context;

	snprintf(h->run, sizeof(h->run), "%s", run);
	assert_int_equal(strlen(trace_id), 32);
}

static void test_input_and_output_as_it_comes(void **state)
{
	struct heard h = { .a = NULL };
	const struct aisbx_events ev = { .size = sizeof(ev),
					 .context = &h,
					 .output = on_output,
					 .begun = on_begun,
					 .input = "\0\377abc",
					 .input_len = 5 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	char *text = NULL;

	assert_int_equal(aisbx_call(*state, "run.exec", "{\"command\":[\"cat\"]}", &ev, &text, &e), 0);
	assert_int_equal(h.len, 5);
	assert_memory_equal(h.out, "\0\377abc", 5);
	assert_non_null(strstr(text, h.run));
	assert_non_null(strstr(text, "\"status\":\"ok\""));
	aisbx_free(text);
}

static void test_cancel(void **state)
{
	struct heard h = { .a = *state };
	const struct aisbx_events ev = { .size = sizeof(ev), .context = &h, .output = on_output };
	struct aisbx_error e = AISBX_ERROR_INIT;
	char *text = NULL;

	assert_int_equal(aisbx_call(*state, "run.exec",
				    "{\"command\":[\"sh\",\"-c\",\"echo on; exec sleep 60\"]}", &ev, &text,
				    &e),
			 0);
	assert_non_null(strstr(text, "\"status\":\"interrupted\""));
	aisbx_free(text);
	assert_int_equal(aisbx_call(*state, "rpc.ping", NULL, NULL, &text, &e),
			 0); /* and the next is not cancelled with it */
	aisbx_free(text);
}

static void *cancel_soon(void *a)
{
	usleep(1000000);
	aisbx_cancel(a);
	return NULL;
}

static void test_cancel_from_another_thread(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	pthread_t thread;
	char *text = NULL;

	assert_int_equal(pthread_create(&thread, NULL, cancel_soon, *state), 0);
	assert_int_equal(aisbx_call(*state, "run.exec", "{\"command\":[\"sleep\",\"60\"]}", NULL, &text, &e),
			 0);
	assert_non_null(strstr(text, "\"status\":\"interrupted\""));
	aisbx_free(text);
	pthread_join(thread, NULL);
}

static void test_owners(void **state)
{
	const struct aisbx_options one = { .size = sizeof(one), .owner = "one" },
				   two = { .size = sizeof(two), .owner = "two" };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct aisbx *a = NULL, *b = NULL;
	char *text = NULL;

	assert_int_equal(aisbx_open(&one, &a, &e), 0);
	assert_int_equal(aisbx_open(&two, &b, &e), 0);
	assert_int_equal(aisbx_call(a, "box.create", "{\"name\":\"mine\"}", NULL, &text, &e), 0);
	aisbx_free(text);
	assert_int_equal(aisbx_call(a, "box.create", "{\"name\":\"ours\", \"shared\":true}", NULL, &text, &e),
			 0);
	aisbx_free(text);
	assert_int_equal(aisbx_call(b, "box.ls", NULL, NULL, &text, &e), 0);
	assert_null(strstr(text, "\"mine\""));
	assert_non_null(strstr(text, "\"ours\""));
	aisbx_free(text);
	assert_failed(aisbx_call(b, "box.rm", "{\"boxes\":[\"mine\"]}", NULL, &text, &e), ENOENT, e,
		      "there is no box 'mine'");
	assert_int_equal(aisbx_call(*state, "box.ls", NULL, NULL, &text, &e), 0);
	assert_non_null(strstr(text, "\"mine\"")); /* the person has all */
	aisbx_free(text);
	aisbx_close(a);
	aisbx_close(b);
}

static void test_what_cannot_be_opened(void **state)
{
	const struct aisbx_options program = { .size = sizeof(program), .program = "/no/such/aisbx" };
	const struct aisbx_options socket = { .size = sizeof(socket), .socket = "/no/such/socket" };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct aisbx *a = NULL;

	(void)state;
	assert_failed(aisbx_open(&program, &a, &e), ENOENT, e, "/no/such/aisbx");
	assert_failed(aisbx_open(&socket, &a, &e), ENOENT, e, "/no/such/socket");
	aisbx_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_command, set_up, tear_down),
		cmocka_unit_test(test_closed_descriptors),
		cmocka_unit_test_setup_teardown(test_a_limit_and_what_is_not_there, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_shorter_struct, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_errors_are_as_everywhere, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_input_and_output_as_it_comes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_cancel, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_cancel_from_another_thread, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_owners, set_up, tear_down),
		cmocka_unit_test(test_what_cannot_be_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
