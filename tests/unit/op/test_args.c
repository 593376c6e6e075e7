/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of `run` to a request: what is made of each, and what is refused in which words. */
#include "support/test.h"

#include "op/args.h"

static const char *const env[] = { "KEEP=1", "KEEPER=2", NULL };
static const struct op_context ctx = {
	.by.stdin_fd = -1, .by.out_fds = { -1, -1 }, .by.cwd = "/w", .by.env = env
};

static int request(const char *text, struct run_spec *req, struct aisbx_error *e, json_t **ret_args)
{
	json_error_t at;

	*req = (struct run_spec){ 0 };
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	*ret_args = json_loads(text, 0, &at);
	if (!*ret_args)
		fail_msg("%s: %s", text, at.text);
	return op_run_request(&ctx, *ret_args, req, e);
}

static void defaults(void **state)
{
	struct run_spec req;
	struct aisbx_error e;
	json_t *args;

	(void)state;
	assert_int_equal(request("{\"command\":[\"ls\",\"-l\"]}", &req, &e, &args), 0);
	assert_string_equal(req.profile.name, "dev");
	assert_string_equal(req.walls.project, "/w");
	assert_string_equal(req.command.cwd, "/w");
	assert_string_equal(req.command.argv.items[1], "-l");
	assert_int_equal(req.command.argv.n, 2);
	assert_int_equal(req.walls.without, 0);
	assert_int_equal(req.walls.n_mounts, 0);
	assert_false(req.io.tty);
	box_spec_finish(&req);
	json_decref(args);
}

static void everything(void **state)
{
	struct run_spec req;
	struct aisbx_error e;
	json_t *args;

	(void)state;
	assert_int_equal(
		request("{\"command\":[\"x\"],\"profile\":\"strict\",\"project\":\"p/..//q\",\"cwd\":\"d\","
			"\"ro\":[\"a\",\"/b:/c\",\"x\\\\:y:/z\"],\"rw\":[\"../r\"],\"hide\":[\"h\",\"/i\"],"
			"\"env\":[\"A=b\",\"KEEP\",\"NOT_SET\"],\"net\":\"loopback\",\"timeout\":\"2s\","
			"\"disk\":\"2m\","
			"\"pids\":7,\"files\":\"99\",\"output\":1000,\"tty\":true,\"without\":[\"landlock\","
			"\"net\"]}",
			&req, &e, &args),
		0);
	assert_string_equal(req.walls.project, "/w/q");
	assert_string_equal(req.command.cwd, "/w/q/d");
	assert_int_equal(req.walls.n_mounts, 4);
	assert_string_equal(req.walls.mounts[0].host, "/w/a");
	assert_string_equal(req.walls.mounts[0].guest, "/w/a");
	assert_string_equal(req.walls.mounts[1].guest, "/c");
	assert_string_equal(req.walls.mounts[2].host, "/w/x:y");
	assert_string_equal(req.walls.mounts[2].guest, "/z");
	assert_false(req.walls.mounts[2].writable);
	assert_string_equal(req.walls.mounts[3].host, "/r");
	assert_true(req.walls.mounts[3].writable);
	assert_string_equal(req.walls.hides.items[0], "/w/h");
	assert_int_equal(req.command.set_env.n, 2);
	assert_string_equal(req.command.set_env.items[1], "KEEP=1");
	assert_int_equal(req.profile.net, NET_LOOPBACK);
	assert_int_equal(req.profile.limits[LIMIT_WALL_TIME], 2000);
	assert_int_equal(req.profile.limits[LIMIT_DISK], 2 << 20);
	assert_int_equal(req.profile.limits[LIMIT_PROCESSES], 7);
	assert_int_equal(req.profile.limits[LIMIT_FILES], 99);
	assert_int_equal(req.profile.limits[LIMIT_OUTPUT], 1000);
	assert_true(req.io.tty);
	assert_int_equal(req.walls.without, WALL_BIT(LANDLOCK) | WALL_BIT(NET));
	box_spec_finish(&req);
	json_decref(args);
}

static void smaller_wishes(void **state)
{
	struct run_spec req;
	struct aisbx_error e;
	json_t *args;

	(void)state;
	assert_int_equal(request("{\"command\":[\"x\"],\"no-net\":true,\"net\":\"loopback\"}", &req, &e,
				 &args),
			 0);
	assert_int_equal(req.profile.net, NET_NONE);
	box_spec_finish(&req);
	json_decref(args);
	assert_int_equal(request("{\"command\":[\"x\"],\"tty\":true}", &req, &e, &args), 0);
	assert_int_equal(req.profile.limits[LIMIT_WALL_TIME], 0);
	box_spec_finish(&req);
	json_decref(args);
	assert_int_equal(request("{\"command\":[\"x\"],\"timeout\":1.5}", &req, &e, &args), 0);
	assert_int_equal(req.profile.limits[LIMIT_WALL_TIME], 1500);
	box_spec_finish(&req);
	json_decref(args);
}

/* What the kernel, or a plan, would refuse without a word about why. */
static void too_much(void **state)
{
	json_t *args = json_object(), *command = json_array(), *none;
	char *text = malloc(200001);
	struct run_spec req;
	struct aisbx_error e;
	char *dumped;

	(void)state;
	json_object_set_new(args, "command", command);
	json_array_append_new(command, json_string("x"));
	memset(text, 'a', 200000);
	text[200000] = '\0';
	json_array_append_new(command, json_string(text));
	dumped = json_dumps(args, 0);
	assert_failed(request(dumped, &req, &e, &none), E2BIG, e, "word 2 of the command has 200000 bytes");
	box_spec_finish(&req);
	json_decref(none);
	free(dumped);
	json_array_clear(command);
	for (size_t i = 0; i < 100001; i++)
		json_array_append_new(command, json_string("x"));
	dumped = json_dumps(args, 0);
	assert_failed(request(dumped, &req, &e, &none), E2BIG, e, "100001 words, and at most 65536");
	box_spec_finish(&req);
	json_decref(none);
	free(dumped);
	json_decref(args);
	free(text);
}

static void refusals(void **state)
{
	static const struct {
		const char *args;
		int err;
		const char *word;
	} cases[] = {
		{ "{\"command\":[\"x\"],\"profile\":\"lax\"}", ENOENT, "no profile 'lax'" },
		{ "{\"command\":[\"x\"],\"disk\":\"1k\"}", EINVAL, "1 MiB" },
		{ "{\"command\":[\"x\"],\"pids\":1}", EINVAL, "2 processes" },
		{ "{\"command\":[\"x\"],\"files\":3}", EINVAL, "16 open files" },
		{ "{\"command\":[\"x\"],\"ro\":[\"\"]}", EINVAL, "HOST[:GUEST]" },
		{ "{\"command\":[\"x\"],\"ro\":[\"a:b\"]}", EINVAL, "absolute GUEST" },
		{ "{\"command\":[\"x\"],\"rw\":[\"a:/\"]}", EINVAL, "over the root" },
		{ "{\"command\":[\"x\"],\"hide\":[\"/\"]}", EINVAL, "root directory cannot be hidden" },
		{ "{\"command\":[\"x\"],\"env\":[\"=x\"]}", EINVAL, "NAME=VALUE" },
		{ "{\"command\":[\"x\"],\"without\":[\"moat\"]}", EINVAL, "no wall 'moat'" },
		{ "{\"command\":[\"x\"],\"without\":[\"userns\"]}", EINVAL, "cannot be built without" },
		{ "{\"command\":[\"x\"],\"without\":[\"root\"]}", EINVAL, "cannot be built without" },
		{ "{\"command\":[]}", EINVAL, "no command given" },
		{ "{\"command\":[\"\"]}", EINVAL, "no command given" },
	};
	struct run_spec req;
	struct aisbx_error e;
	json_t *args;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int r = request(cases[i].args, &req, &e, &args);

		assert_failed(r, cases[i].err, e, cases[i].word);
		box_spec_finish(&req);
		json_decref(args);
	}
}

static void paths_too_long_are_told(void **state)
{
	struct run_spec req = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	char big[6000];
	json_t *args;

	(void)state;
	for (size_t i = 0; i + 2 < sizeof(big); i += 2)
		memcpy(big + i, "/p", 3);
	args = json_pack("{s:[s], s:s}", "command", "x", "project", big);
	assert_failed(op_run_request(&ctx, args, &req, &e), ENAMETOOLONG, e, "too long");
	box_spec_finish(&req);
	json_decref(args);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),       cmocka_unit_test(everything),
		cmocka_unit_test(smaller_wishes), cmocka_unit_test(too_much),
		cmocka_unit_test(refusals),       cmocka_unit_test(paths_too_long_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
