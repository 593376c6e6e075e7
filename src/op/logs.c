/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `logs`: what a detached run has written, while it runs and afterwards. */
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
	{ "follow", 'f', OP_FLAG, 0, NULL, "go on until the run has ended" },
	{ "service", 's', OP_STRING, 0, "NAME", "what this service of the run has written" },
	{ "timestamps", 't', OP_FLAG, 0, NULL, "with the time before each line" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "time_us", "integer", "of a record: microseconds since 1970" },
	{ "stream", "string", "of a record: stdout or stderr" },
	{ "data", "string", "of a record: what was written; bytes that are not UTF-8 become U+FFFD" },
	{ "run", "string", "in the last line: id" },
	{ "complete", "boolean", "in the last line: the run had ended, and this is all" },
	{ "records", "array", "the records, where they cannot be told one by one" },
	{ NULL, NULL, NULL },
};

const struct op op_logs = {
	.name = "logs",
	.group = GROUP_RUN,
	.view = VIEW_NOTHING,
	.no_tool = "sandbox_wait has what a run has written",
	.method = "run.logs",
	.summary = "Show what a detached run has written",
	.about = "Shows the output of a run that was started with --detach, from its beginning: what it "
		 "wrote to standard output\n"
		 "on standard output, the rest on standard error; with --service that of a service beside "
		 "it. With --follow goes on until the run has ended. Several can\n"
		 "do so at once, and after the end, too. With --json prints a JSON text for each record, and "
		 "one at the end.\n\n"
		 "Logs are kept for a week, and of all together 1 GiB; 'aisbx gc' removes older ones.",
	.example = "aisbx logs --follow r-1f2e",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
