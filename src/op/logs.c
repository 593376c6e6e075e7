/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `logs`: output of a detached run, during and after it. */
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
	{ "records", "array", "all records, where they cannot be sent one by one" },
	{ NULL, NULL, NULL },
};

const struct op op_logs = {
	.name = "logs",
	.group = GROUP_RUN,
	.view = VIEW_NOTHING,
	.no_tool = "sandbox_wait returns a run's output",
	.method = "run.logs",
	.summary = "Show the output of a detached run",
	.about = "Shows the output of a run that was started with --detach, from its beginning: standard\n"
		 "output of the command on standard output, standard error on standard error.\n"
		 "With --service it shows the output of a service. With --follow it continues until the\n"
		 "run has ended. Several clients can read a log at the same time, and also after the end.\n"
		 "With --json it prints a JSON text for each record, and one at the end.\n\n"
		 "Logs are kept for a week, at most 1 GiB in all; 'aisbx gc' removes older ones.",
	.example = "aisbx logs --follow r-1f2e",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
