/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `logs`: output of a run, of a detached one also while it runs. */
#include "box/logs.h"
#include "op/args.h"

struct telling {
	struct op_context *ctx;
	json_t *records; /* owned; where nobody takes them one by one */
};

static void tell(void *data, const struct run_logged *l)
{
	struct telling *t = data;
	json_t *item = json_pack("{s:I, s:s, s:s%}", "time_us", (json_int_t)l->time_us, "stream", l->stream,
				 "data", l->data, l->len);

	if (item && t->ctx->emit)
		t->ctx->emit(t->ctx, item);
	else if (item)
		json_array_append(t->records, item);
	json_decref(item);
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct telling telling = { ctx, json_array() };
	const struct run_logs_request req = { .run = op_text(args, "run"),
					      .service = op_text(args, "service"),
					      .follow = op_flag(args, "follow"),
					      .timestamps = op_flag(args, "timestamps"),
					      .tell = tell,
					      .ctx = &telling };
	struct run_logs seen = { 0 };
	int r = run_logs(&ctx->by, &req, &seen, e);

	if (r == 0) {
		*ret_result = json_pack("{s:s, s:b}", "run", seen.id, "complete", seen.complete);
		if (seen.cut)
			json_object_set_new(*ret_result, "cut", json_integer((json_int_t)seen.cut));
		if (json_array_size(telling.records))
			json_object_set(*ret_result, "records", telling.records);
	}
	json_decref(telling.records);
	return r;
}

static const struct op_param params[] = {
	RUN_PARAM,
	{ "follow", 'f', OP_FLAG, 0, NULL, "continue until the run has ended" },
	{ "service", 's', OP_STRING, 0, "NAME", "show the output of this service of the run" },
	{ "timestamps", 't', OP_FLAG, 0, NULL, "print the time before each line" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "time_us", "integer", "in a record: microseconds since 1970" },
	{ "stream", "string", "in a record: stdout or stderr" },
	{ "data", "string", "in a record: the output; bytes that are not UTF-8 become U+FFFD" },
	{ "run", "string", "in the last line: run id" },
	{ "complete", "boolean", "in the last line: the run has ended, and the output is complete" },
	{ "cut", "integer", "in the last line, if there are any: bytes in the middle that are not kept" },
	{ "records", "array", "all records, where they cannot be sent one by one" },
	{ NULL, NULL, NULL },
};

const struct op op_logs = {
	.name = "logs",
	.group = GROUP_RUN,
	.view = VIEW_NOTHING,
	.no_tool = "sandbox_wait returns a run's output",
	.method = "run.logs",
	.summary = "Show the output of a run",
	.about = "Shows the output of a run, from its beginning: standard output of the command on standard\n"
		 "output, standard error on standard error. Of a run that was started with --detach it can\n"
		 "be read while it runs, of any other when it has ended.\n"
		 "With --service it shows the output of a service. With --follow it continues until the\n"
		 "run has ended. Several clients can read a log at the same time, and also after the end.\n"
		 "With --json it prints a JSON text for each record, and one at the end.\n\n"
		 "Output is kept without secrets, per project up to 64 MiB on disk; the oldest goes first.\n"
		 "A profile changes that ('keep-output'). Of a run with more than 8 MiB only the beginning\n"
		 "and the end are kept. Logs of detached runs are complete for a week, at most 1 GiB in\n"
		 "all. 'aisbx history --grep' finds runs by their output.",
	.example = "aisbx logs --follow r-1f2e\n"
		   "aisbx logs r-1f2e --timestamps",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
