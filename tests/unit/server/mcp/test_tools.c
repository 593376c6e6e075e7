/* SPDX-License-Identifier: Apache-2.0 */
/* Tools as a model sees them: the list, what it may write, what it reads. */
#include "support/test.h"

#include "server/mcp/tools.h"

/* Few enough not to crowd a model's context. */
#define LIST_MAX (16 * 1024)

static json_t *args_of(const char *tool, const char *arguments, struct aisbx_error *e)
{
	const struct op *op = tool_find(tool, false);
	json_t *given = arguments ? json_loads(arguments, JSON_DECODE_ANY, NULL) : NULL, *args = NULL;

	assert_non_null(op);
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	tool_args(op, given, &args, e);
	json_decref(given);
	return args;
}

/* What a model wrote becomes WANT. */
static void check_args(const char *tool, const char *arguments, const char *want)
{
	struct aisbx_error e;
	json_t *args = args_of(tool, arguments, &e), *expected = json_loads(want, 0, NULL);

	if (!args)
		fail_msg("%s %s: %s", tool, arguments, e.text);
	if (!json_equal(args, expected))
		fail_msg("%s %s: %s", tool, arguments, json_dumps(args, 0));
	json_decref(args);
	json_decref(expected);
}

static void check_refused(const char *tool, const char *arguments, const char *word)
{
	struct aisbx_error e;
	json_t *args = args_of(tool, arguments, &e);

	if (args)
		fail_msg("%s takes %s", tool, arguments);
	if (!strstr(e.text, word))
		fail_msg("'%s' is not in '%s'", word, e.text);
	assert_int_equal(e.area, AISBX_AREA_USAGE);
}

static void list_is_small_and_stays_in_order(void **state)
{
	json_t *list = tools_list(false), *again = tools_list(false), *all = tools_list(true), *tool;
	char *text = json_dumps(list, JSON_COMPACT);
	size_t i;

	(void)state;
	print_message("tools/list: %zu tools, %zu bytes\n", json_array_size(list), strlen(text));
	assert_true(strlen(text) < LIST_MAX);
	assert_true(json_array_size(list) >= 12);
	assert_true(json_equal(list, again));
	assert_true(json_array_size(all) > json_array_size(list));
	json_array_foreach(all, i, tool)
	{
		const char *name = json_string_value(json_object_get(tool, "name"));

		assert_int_equal(strncmp(name, "sandbox_", 8), 0);
		assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
		assert_non_null(tool_find(name, true));
		if (i < json_array_size(list))
			assert_true(json_equal(tool, json_array_get(list, i)));
		else
			assert_null(tool_find(name, false));
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(name,
						json_string_value(
							json_object_get(json_array_get(all, j), "name")));
	}
	free(text);
	json_decref(list);
	json_decref(again);
	json_decref(all);
}

static void few_have_words_for_models(void **state)
{
	(void)state;
	for (size_t i = 0; ops[i]; i++) {
		if (!ops[i]->tool)
			continue;
		if (!ops[i]->brief || strlen(ops[i]->brief) > 480)
			fail_msg("%s has no brief, or a long one", ops[i]->tool);
		if (ops[i]->brief && (strstr(ops[i]->brief, "--") || strstr(ops[i]->brief, "aisbx ")))
			fail_msg("the brief of %s speaks of the command line", ops[i]->tool);
	}
}

static void hints_come_from_the_table(void **state)
{
	json_t *list = tools_list(true), *tool;
	size_t i;

	(void)state;
	json_array_foreach(list, i, tool)
	{
		const struct op *op = tool_find(json_string_value(json_object_get(tool, "name")), true);
		const json_t *hints = json_object_get(tool, "annotations");

		assert_int_equal(json_is_true(json_object_get(hints, "readOnlyHint")),
				 op->grant == GRANT_READ);
		assert_true(json_is_false(json_object_get(hints, "openWorldHint")));
		/* Where it is not said, the protocol takes a tool for a destructive one. */
		assert_int_equal(json_is_false(json_object_get(hints, "destructiveHint")),
				 op->grant == GRANT_RUN && !op->destroys);
	}
	json_decref(list);
}

static void unknown_tool_names_the_nearest(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_null(tool_find("sandbox_crate", false));
	assert_failed(tool_unknown("sandbox_crate", false, &e), ENOENT, e, "sandbox_create");
}

static void forms_that_models_write(void **state)
{
	(void)state;
	check_args("sandbox_run", "{\"command\": \"make test | tail\"}",
		   "{\"command\": [\"sh\", \"-c\", \"make test | tail\"]}");
	check_args("sandbox_run", "{\"command\": [\"ls\", \"-l\"]}", "{\"command\": [\"ls\", \"-l\"]}");
	check_args("sandbox_run", "{\"command\": \"x\", \"box\": null, \"timeout\": 5, \"detach\": \"true\"}",
		   "{\"command\": [\"sh\", \"-c\", \"x\"], \"timeout\": 5, \"detach\": true}");
	check_args("sandbox_run", "{\"command\": [\"x\"], \"env\": {\"A\": \"1\", \"B\": \"\"}}",
		   "{\"command\": [\"x\"], \"env\": [\"A=1\", \"B=\"]}");
	check_args("sandbox_run", "{\"command\": [\"x\"], \"env\": [\"A=1\"]}",
		   "{\"command\": [\"x\"], \"env\": [\"A=1\"]}");
	check_args("sandbox_promote", "{\"box\": \"b\", \"dry_run\": true}",
		   "{\"box\": \"b\", \"dry-run\": true}");
	check_args("sandbox_promote", "{\"box\": \"b\", \"dry-run\": true, \"paths\": \"src\"}",
		   "{\"box\": \"b\", \"dry-run\": true, \"paths\": [\"src\"]}");
	check_args("sandbox_fork", "{\"from\": \"b\", \"count\": 3.0}", "{\"from\": \"b\", \"count\": 3}");
	check_args("sandbox_fork", "{\"from\": \"b\", \"count\": \"3\"}",
		   "{\"from\": \"b\", \"count\": \"3\"}");
	check_args("sandbox_remove", "{\"boxes\": \"b\"}", "{\"boxes\": [\"b\"]}");
	check_args("sandbox_list", NULL, "{}");
	check_args("sandbox_list", "null", "{}");
	check_args("sandbox_diff", "{\"box\": \"b\"}", "{\"box\": \"b\", \"patch\": true}");
}

/* Clients stop a call after a minute. */
static void a_wait_comes_back_in_time(void **state)
{
	(void)state;
	check_args("sandbox_wait", "{\"run\": \"r-1\"}",
		   "{\"run\": \"r-1\", \"timeout\": 30, \"output\": 262144}");
	check_args("sandbox_wait", "{\"run\": \"r-1\", \"timeout\": 2}",
		   "{\"run\": \"r-1\", \"timeout\": 2, \"output\": 262144}");
	check_args("sandbox_wait", "{\"run\": \"r-1\", \"timeout\": \"1h\"}",
		   "{\"run\": \"r-1\", \"timeout\": 40, \"output\": 262144}");
}

static void what_makes_no_sense_is_told(void **state)
{
	(void)state;
	check_refused("sandbox_run", "{}", "needs 'command'");
	check_refused("sandbox_run", "{\"command\": []}", "needs 'command'");
	check_refused("sandbox_run", "{\"comand\": \"ls\"}", "did you mean 'command'?");
	check_refused("sandbox_run", "{\"command\": [1]}", "must be a list of texts");
	check_refused("sandbox_run", "[]", "must be an object");
	check_refused("sandbox_run", "{\"command\": \"x\", \"timeout\": \"soon\"}", "a time such as");
	check_refused("sandbox_run_code", "{\"lang\": \"python\"}", "needs 'code'");
	check_refused("sandbox_run_code", "{\"lang\": \"cobol\", \"code\": \"x\"}", "allowed: python");
	check_refused("sandbox_diff", NULL, "needs 'box'");
	check_refused("sandbox_fork", "{\"from\": \"b\", \"count\": -1}", "whole number");
}

/* A model takes what it is shown, not what it knows of the command line: no wall, no file of the host, no key
 * of the person's. */
static void nothing_leads_around_the_walls(void **state)
{
	(void)state;
	check_refused("sandbox_run", "{\"command\": \"x\", \"rw\": [\"/\"]}", "has no argument 'rw'");
	check_refused("sandbox_run", "{\"command\": \"x\", \"ro\": [\"/root\"]}", "has no argument 'ro'");
	check_refused("sandbox_run", "{\"command\": \"x\", \"without\": [\"seccomp\"]}",
		      "has no argument 'without'");
	check_refused("sandbox_run", "{\"command\": \"x\", \"project\": \"/root\"}",
		      "has no argument 'project'");
	check_refused("sandbox_run", "{\"command\": \"x\", \"profile\": \"./mine.yaml\"}",
		      "has no argument 'profile'");
	check_refused("sandbox_run", "{\"command\": \"x\", \"secret\": [\"A=cmd:id\"]}",
		      "has no argument 'secret'");
	check_refused("sandbox_run", "{\"command\": \"x\", \"services\": \"/etc/passwd\"}",
		      "has no argument 'services'");
	check_refused("sandbox_run", "{\"command\": \"x\", \"env\": [\"AWS_SECRET_ACCESS_KEY\"]}",
		      "must be an object");
	check_refused("sandbox_run", "{\"command\": \"x\", \"env\": {\"A\": 1}}", "must be an object");
	check_refused("sandbox_run", "{\"command\": \"x\", \"env\": \"PATH\"}", "must be an object");
	check_refused("sandbox_create", "{\"project\": \"/root\"}", "has no argument 'project'");
	check_refused("sandbox_create", "{\"secret\": [\"A=file:/etc/shadow\"]}", "has no argument 'secret'");
	check_refused("sandbox_run_code", "{\"lang\": \"python\", \"file\": \"/etc/shadow\"}",
		      "has no argument 'file'");
	check_refused("sandbox_run_code", "{\"lang\": \"python\", \"code\": \"1\", \"out\": \"/root\"}",
		      "has no argument 'out'");
	check_refused("sandbox_run_code", "{\"lang\": \"python\", \"code\": \"1\", \"policy\": \"none\"}",
		      "has no argument 'policy'");
	check_refused("sandbox_run_code", "{\"lang\": \"python\", \"code\": \"1\", \"yes\": true}",
		      "has no argument 'yes'");
	check_refused("sandbox_promote", "{\"box\": \"b\", \"yes\": true}", "has no argument 'yes'");
	check_refused("sandbox_promote", "{\"box\": \"b\", \"to\": \"/root\"}", "has no argument 'to'");
	check_refused("sandbox_promote", "{\"box\": \"b\", \"allow_secret\": [\"A\"]}",
		      "has no argument 'allow_secret'");
}

/* Nor does one of all the others. */
static void all_of_them_neither(void **state)
{
	static const char *const absent[] = { "sandbox_artifact_get",  "sandbox_install",
					      "sandbox_profile_check", "sandbox_profile_diff",
					      "sandbox_run_input",     "sandbox_run_logs",
					      "sandbox_file_watch",    "sandbox_recover" };
	static const char *const never[] = { "rw",           "ro",      "without",  "secret",
					     "allow_secret", "project", "services", "file",
					     "files",        "policy",  "yes",      "out",
					     "output",       "socket",  "listen",   "token_file" };
	json_t *all = tools_list(true), *tool;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(absent) / sizeof(*absent); i++)
		if (tool_find(absent[i], true))
			fail_msg("there is a tool '%s'", absent[i]);
	json_array_foreach(all, i,
			   tool) for (size_t n = 0; n < sizeof(never) / sizeof(*never);
				      n++) if (json_object_get(json_object_get(json_object_get(tool,
											       "inputSchema"),
									       "properties"),
							       never[n]))
		fail_msg("%s takes '%s'", json_string_value(json_object_get(tool, "name")), never[n]);
	json_decref(all);
}

static json_t *result_of(const char *tool, const char *result, const struct tool_output *out)
{
	json_t *given = result ? json_loads(result, 0, NULL) : NULL;
	json_t *r = tool_result(tool_find(tool, false), false, given, out, NULL, NULL, NULL);

	json_decref(given);
	assert_non_null(r);
	return r;
}

static const char *text_of(const json_t *r)
{
	return json_string_value(json_object_get(json_array_get(json_object_get(r, "content"), 0), "text"));
}

static const json_t *data_of(const json_t *r, const char *name)
{
	return json_object_get(json_object_get(r, "structuredContent"), name);
}

/* As it goes over the wire, with what goes around it. */
static void check_size(const json_t *r)
{
	char *whole = json_dumps(r, JSON_COMPACT);

	assert_true(strlen(whole) <= TOOL_OUTPUT_MAX);
	free(whole);
}

static void check_said(const json_t *r, const char *words)
{
	if (!strstr(text_of(r), words))
		fail_msg("'%s' is not in '%s'", words, text_of(r));
}

static void a_limit_that_nobody_counted(void **state)
{
	json_t *r = result_of("sandbox_run",
			      "{\"status\": \"failed\", \"exit_code\": 1, \"limit\": {\"kind\": "
			      "\"memory\", \"value\": 64, \"raise_with\": \"--mem\", \"sure\": false}}",
			      NULL);

	(void)state;
	check_said(r, "[perhaps failed for the limit memory: 64; only the person can change it]");
	json_decref(r);
}

static void a_run_in_words(void **state)
{
	json_t *r = result_of("sandbox_run",
			      "{\"run\": \"r-1\", \"status\": \"failed\", \"exit_code\": 2, \"signal\": "
			      "null, \"stdout\": \"one\", "
			      "\"stderr\": \"two\\n\", \"isolation\": {\"level\": \"full\"}, \"usage\": "
			      "{\"wall_ms\": 12.5, \"disk\": 1}, "
			      "\"limit\": {\"kind\": \"wall_time\", \"value\": 5000, \"used\": 5001, "
			      "\"raise_with\": \"--timeout\"}, "
			      "\"violations\": [{\"what\": \"connect 1.2.3.4:80\", \"by\": \"curl\", "
			      "\"rule\": \"net=none\"}]}",
			      NULL);

	(void)state;
	assert_string_equal(
		text_of(r),
		"one\n[stderr]\ntwo\n[ended by the limit wall_time: 5000 ms; 'timeout' changes it]\n"
		"[refused: connect 1.2.3.4:80 by curl (net=none)]\n[failed, exit code 2, 12 ms, run r-1]\n");
	assert_true(json_is_false(json_object_get(r, "isError")));
	assert_null(data_of(r, "isolation"));
	assert_null(data_of(r, "truncated"));
	assert_string_equal(json_string_value(data_of(r, "stdout")), "one");
	assert_null(json_object_get(data_of(r, "usage"), "disk"));
	json_decref(r);
	r = result_of("sandbox_run",
		      "{\"run\": \"r-1\", \"status\": \"error\", \"exit_code\": null, \"error\": \"execute "
		      "'x': no\"}",
		      NULL);
	assert_true(json_is_true(json_object_get(r, "isError")));
	check_said(r, "execute 'x': no");
	json_decref(r);
}

static void one_that_goes_on(void **state)
{
	struct tool_output out = { .run = "r-9", .running = true };
	json_t *r;

	(void)state;
	tool_output_add(&out, 0, "so far\n", 7);
	r = result_of("sandbox_run", NULL, &out);
	check_said(r, "so far\n");
	check_said(r, "run r-9; sandbox_wait");
	assert_string_equal(json_string_value(data_of(r, "status")), "running");
	assert_string_equal(json_string_value(data_of(r, "run")), "r-9");
	json_decref(r);
	tool_output_finish(&out);
	r = result_of("sandbox_run",
		      "{\"run\": \"r-8\", \"trace_id\": \"t\", \"detached\": true, \"box\": null}", NULL);
	check_said(r, "run r-8; sandbox_wait");
	assert_string_equal(json_string_value(data_of(r, "status")), "running");
	json_decref(r);
}

/* Over a fleet: a result has its output, though it was streamed as well, and says where it was done. */
static void a_result_from_a_node(void **state)
{
	struct tool_output out = { .run = "r-1" };
	json_t *r;

	(void)state;
	tool_output_add(&out, 0, "streamed\n", 9);
	r = result_of("sandbox_run",
		      "{\"run\": \"r-1\", \"status\": \"ok\", \"exit_code\": 0, \"stdout\": \"whole\\n\", "
		      "\"stderr\": \"\", \"node\": \"n\"}",
		      &out);
	assert_string_equal(text_of(r), "whole\n[ok, exit code 0, run r-1, node n]\n");
	assert_string_equal(json_string_value(data_of(r, "node")), "n");
	json_decref(r);
	tool_output_finish(&out);
	r = result_of(
		"sandbox_list",
		"{\"boxes\": [{\"name\": \"one\", \"id\": \"b-1\", \"project\": null, \"snapshots\": 0, "
		"\"node\": \"n\"}], \"missing\": [{\"node\": \"m\", \"why\": \"it is gone\"}]}",
		NULL);
	assert_string_equal(text_of(r), "one (id b-1), project none, 0 snapshots, node n\n"
					"[the boxes of node m are missing: it is gone]\n");
	json_decref(r);
}

static void an_error_keeps_its_words(void **state)
{
	struct aisbx_error e = { -ENOENT, AISBX_AREA_BOX, AISBX_KIND_NOT_FOUND, "there is no box 'x'" };
	json_t *r = tool_result(tool_find("sandbox_diff", false), false, NULL, NULL, &e, NULL, NULL);

	(void)state;
	assert_true(json_is_true(json_object_get(r, "isError")));
	assert_string_equal(text_of(r), "there is no box 'x'");
	assert_string_equal(json_string_value(data_of(r, "error_kind")), "not_found");
	json_decref(r);
}

/* Whatever is written, in pieces of any size: it is all there, or its beginning and its end are. */
static void output_of_any_length(void **state)
{
	static const size_t totals[] = { 0, 1, 1000, 6143, 6144, 6145, 8000, 12288, 14000, 3000000 };
	static const size_t pieces[] = { 1 << 20, 65536, 4093 };

	(void)state;
	for (size_t t = 0; t < sizeof(totals) / sizeof(*totals); t++)
		for (size_t p = 0; p < sizeof(pieces) / sizeof(*pieces); p++) {
			struct tool_output out = { .run = "r-1" };
			char *all = malloc(totals[t] + 16);
			json_t *r;
			const char *got;
			size_t n = 0, len;

			for (size_t line = 0; n < totals[t]; line++)
				n += (size_t)snprintf(all + n, 16, "%09zu\n", line);
			n = totals[t];
			for (size_t at = 0; at < n; at += pieces[p])
				tool_output_add(&out, 0, all + at, n - at < pieces[p] ? n - at : pieces[p]);
			r = result_of(
				"sandbox_run",
				"{\"run\": \"r-1\", \"status\": \"ok\", \"stdout\": \"\", \"stderr\": \"\"}",
				&out);
			got = json_string_value(data_of(r, "stdout"));
			len = json_string_length(data_of(r, "stdout"));
			check_size(r);
			if (n <= 8000) {
				assert_int_equal(len, n);
				assert_memory_equal(got, all, n);
				assert_int_equal(json_array_size(json_object_get(r, "content")), 1);
			} else {
				const json_t *link = json_array_get(json_object_get(r, "content"), 1);

				assert_true(len > 8000);
				assert_memory_equal(got, all, 3500);
				assert_memory_equal(got + len - 3500, all + n - 3500, 3500);
				assert_non_null(
					strstr(got,
					       "bytes are left out here; complete: aisbx://runs/r-1/stdout"));
				assert_string_equal(json_string_value(json_object_get(link, "uri")),
						    "aisbx://runs/r-1/stdout");
				assert_true(json_integer_value(
						    json_object_get(data_of(r, "truncated"), "stdout")) > 0);
			}
			json_decref(r);
			tool_output_finish(&out);
			free(all);
		}
}

/* Cut anywhere, it is UTF-8, and no letter is a wrong one. */
static void no_letter_is_cut(void **state)
{
	struct tool_output out = { .run = "r-1" };
	const char *got;
	json_t *r;

	(void)state;
	tool_output_add(&out, 1, "x", 1);
	for (size_t i = 0; i < 700000; i++)
		tool_output_add(&out, 1, "\xE2\x82\xAC", 3);
	tool_output_add(&out, 0, "\xFF\n", 2);
	r = result_of("sandbox_run", "{\"run\": \"r-1\", \"status\": \"ok\"}", &out);
	got = json_string_value(data_of(r, "stderr"));
	assert_non_null(got);
	assert_null(strstr(got, "\xEF\xBF\xBD"));
	assert_string_equal(json_string_value(data_of(r, "stdout")), "\xEF\xBF\xBD\n");
	check_size(r);
	json_decref(r);
	tool_output_finish(&out);
}

/* What takes two or six bytes each on the wire is counted so. */
static void control_characters_count(void **state)
{
	struct tool_output out = { 0 };
	json_t *r;

	(void)state;
	for (const char *c = "\x01\"\\\t"; *c; c++) {
		for (size_t i = 0; i < 800000; i++)
			tool_output_add(&out, (int)(i % 2), c, 1);
		r = result_of("sandbox_run", "{\"run\": \"r-1\", \"status\": \"ok\"}", &out);
		check_size(r);
		assert_true(json_string_length(data_of(r, "stdout")) > 500);
		json_decref(r);
		tool_output_finish(&out);
	}
}

/* Both streams long: each keeps half. */
static void both_streams_share(void **state)
{
	struct tool_output out = { .run = "r-1" };
	json_t *r;

	(void)state;
	for (size_t i = 0; i < 200000; i++) {
		tool_output_add(&out, 0, "stdout\n", 7);
		tool_output_add(&out, 1, "stderr\n", 7);
	}
	r = result_of("sandbox_run", "{\"run\": \"r-1\", \"status\": \"ok\"}", &out);
	assert_true(json_string_length(data_of(r, "stdout")) > 4000);
	assert_true(json_string_length(data_of(r, "stderr")) > 4000);
	check_size(r);
	assert_int_equal(json_array_size(json_object_get(r, "content")), 3);
	json_decref(r);
	tool_output_finish(&out);
}

/* Long lists and texts that are no output have an end, too. */
static void a_long_diff_is_cut(void **state)
{
	json_t *changes = json_array(), *given, *r, *all = NULL;
	char *patch = malloc(2000001), *whole;

	(void)state;
	memset(patch, '+', 2000000);
	patch[2000000] = '\0';
	for (int i = 0; i < 100000; i++)
		json_array_append_new(changes, json_pack("{s:s, s:s}", "path", "some/directory/and/a/file",
							 "kind", "created"));
	given = json_pack("{s:s, s:{s:i}, s:o, s:s}", "project", "/p", "summary", "created", 100000,
			  "changes", changes, "patch", patch);
	r = tool_result(&op_diff, false, given, NULL, NULL, "aisbx://results/1", &all);
	whole = json_dumps(r, JSON_COMPACT);
	assert_true(strlen(whole) <= TOOL_OUTPUT_MAX);
	assert_int_equal(json_array_size(json_object_get(all, "changes")), 100000);
	assert_int_equal(json_string_length(json_object_get(all, "patch")), 2000000);
	assert_string_equal(json_string_value(data_of(r, "whole")), "aisbx://results/1");
	check_said(r, "complete: aisbx://results/1");
	json_decref(all);
	assert_int_equal(json_array_size(data_of(r, "changes")) +
				 (size_t)json_integer_value(
					 json_object_get(data_of(r, "not_shown"), "changes")),
			 100000);
	check_said(r, "100000 created");
	check_said(r, "bytes are left out here");
	free(whole);
	json_decref(r);
	json_decref(given);
	free(patch);
}

/* Also one text in a list, which is no output at all. */
static void a_long_word_is_cut(void **state)
{
	json_t *given = json_pack("{s:s, s:[s, o]}", "intent", "test", "command", "make",
				  json_sprintf("%2000000s", "x"));
	json_t *r = tool_result(&op_do, false, given, NULL, NULL, NULL, NULL);

	(void)state;
	check_size(r);
	assert_int_equal(json_array_size(data_of(r, "command")), 2);
	json_decref(r);
	json_decref(given);
}

static void promotions_in_words(void **state)
{
	json_t *r =
		result_of("sandbox_promote",
			  "{\"promotion\": null, \"box\": \"b\", \"target\": \"/p\", \"applied\": false, "
			  "\"dry_run\": false, "
			  "\"summary\": {\"created\": 1, \"conflicts\": 1, \"traps\": 1, \"secrets\": 0}, "
			  "\"changes\": [{\"path\": \"f\", \"kind\": \"created\"}], "
			  "\"conflicts\": [{\"path\": \"a\", \"reason\": \"both changed it\"}], "
			  "\"traps\": [{\"path\": \".git/hooks/x\", \"kind\": \"git-hook\", \"why\": \"git "
			  "runs it\"}], \"secrets\": []}",
			  NULL);

	(void)state;
	assert_true(json_is_true(json_object_get(r, "isError")));
	check_said(r, "Nothing was changed in /p");
	check_said(r, "a: both changed it");
	check_said(r, ".git/hooks/x: git runs it");
	check_said(r, "aisbx promote -y b");
	json_decref(r);
	/* Names are the session's own, so a person is told the id. */
	r = result_of("sandbox_promote",
		      "{\"promotion\": null, \"box\": \"t1\", \"box_id\": \"b-1\", \"target\": \"/p\", "
		      "\"applied\": false, "
		      "\"dry_run\": false, \"summary\": {\"traps\": 1}, \"traps\": [{\"path\": \"f\", "
		      "\"why\": \"w\"}]}",
		      NULL);
	check_said(r, "aisbx promote -y b-1");
	json_decref(r);
	r = result_of(
		"sandbox_promote",
		"{\"promotion\": \"p-1\", \"box\": \"b\", \"target\": \"/p\", \"applied\": true, "
		"\"dry_run\": false, "
		"\"summary\": {\"created\": 1}, \"changes\": [{\"path\": \"f\", \"kind\": \"created\"}]}",
		NULL);
	assert_true(json_is_false(json_object_get(r, "isError")));
	check_said(r, "Promoted into /p (sandbox_undo undoes p-1): 1 created");
	json_decref(r);
}

/* What a person is asked before a promotion, and what the answer allows. */
static void a_question_before_a_promotion(void **state)
{
	json_t *args = json_pack("{s:s}", "box", "b"), *look = tool_preview(&op_promote, args);
	json_t *seen =
		json_loads("{\"box\": \"b\", \"target\": \"/p\", \"summary\": {\"created\": 1}, \"changes\": "
			   "[{\"path\": \"f\", \"kind\": \"created\"}]}",
			   0, NULL);
	json_t *trap = json_loads("{\"box\": \"b\", \"target\": \"/p\", \"summary\": {\"created\": 1, "
				  "\"traps\": 1}, \"changes\": "
				  "[{\"path\": \"f\", \"kind\": \"created\"}]}",
				  0, NULL);
	json_t *nothing = json_loads("{\"box\": \"b\", \"summary\": {}, \"changes\": []}", 0, NULL);
	char *question = tool_question(&op_promote, seen);

	(void)state;
	assert_true(json_is_true(json_object_get(look, "dry-run")));
	assert_null(json_object_get(args, "dry-run"));
	assert_null(tool_preview(&op_promote, look));
	assert_null(tool_preview(&op_diff, args));
	assert_non_null(strstr(question, "into /p?"));
	assert_null(tool_question(&op_promote, trap)); /* for a person at a terminal */
	assert_null(tool_question(&op_promote, nothing));
	free(question);
	json_decref(nothing);
	json_decref(seen);
	json_decref(trap);
	json_decref(look);
	json_decref(args);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_is_small_and_stays_in_order),
		cmocka_unit_test(few_have_words_for_models),
		cmocka_unit_test(hints_come_from_the_table),
		cmocka_unit_test(unknown_tool_names_the_nearest),
		cmocka_unit_test(forms_that_models_write),
		cmocka_unit_test(a_wait_comes_back_in_time),
		cmocka_unit_test(what_makes_no_sense_is_told),
		cmocka_unit_test(nothing_leads_around_the_walls),
		cmocka_unit_test(all_of_them_neither),
		cmocka_unit_test(a_run_in_words),
		cmocka_unit_test(a_limit_that_nobody_counted),
		cmocka_unit_test(one_that_goes_on),
		cmocka_unit_test(a_result_from_a_node),
		cmocka_unit_test(an_error_keeps_its_words),
		cmocka_unit_test(output_of_any_length),
		cmocka_unit_test(no_letter_is_cut),
		cmocka_unit_test(both_streams_share),
		cmocka_unit_test(control_characters_count),
		cmocka_unit_test(a_long_diff_is_cut),
		cmocka_unit_test(a_long_word_is_cut),
		cmocka_unit_test(promotions_in_words),
		cmocka_unit_test(a_question_before_a_promotion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
