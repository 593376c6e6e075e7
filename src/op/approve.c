/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `approve`: a person's word on the stage at which a pipeline waits. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "op/pipeline.h"

#define MAX_NOTE 4096u

/* Of the stage that waits; N: none does. */
static size_t waiting_at(const struct store_pipeline *row)
{
	size_t i = 0;

	while (i < row->n_stages && strcmp(row->stages[i].state, stage_state_name(STAGE_WAITING)) != 0)
		i++;
	return i;
}

/* With the event that tells of it, on the disk. */
static int record(struct pipeline *p, size_t i, const struct store_approval *a, struct aisbx_error *e)
{
	struct store *s = p->shelf.store;
	int r = store_sync(s, e);

	if (r == 0)
		r = store_begin(s, e);
	if (r == 0)
		r = store_approval_add(s, p->row.id, i, a, e);
	if (r == 0)
		r = store_event_add(s, a->approved ? "stage.approved" : "stage.rejected", p->row.box, NULL, e,
				    "{\"pipeline\":\"%s\",\"stage\":%zu}", p->row.id, i);
	if (r == 0)
		r = store_commit(s, e);
	store_rollback(s);
	return r;
}

/* Of the stage that waits there is something that would run code later. */
static bool has_traps(struct pipeline *p, size_t i)
{
	json_t *whole = pipeline_json(p->shelf.store, &p->row);
	const json_t *stage = json_array_get(json_object_get(whole, "stages"), i);
	bool any = !whole || json_array_size(json_object_get(json_object_get(stage, "target"), "traps")) > 0;

	json_decref(whole);
	return any;
}

static int say(struct pipeline *p, const json_t *args, struct aisbx_error *e)
{
	const char *note = json_string_value(json_object_get(args, "note")),
		   *snapshot = json_string_value(json_object_get(args, "snapshot"));
	struct store_approval a = { .approved = !json_is_true(json_object_get(args, "reject")),
				    .note = (char *)(note ? note : "") };
	size_t i = waiting_at(&p->row);

	if (i == p->row.n_stages || p->row.back)
		return aisbx_refuse(
			e, AISBX_AREA_USAGE, EALREADY,
			"pipeline '%s' does not wait for anybody; 'aisbx pipeline show %s' tells where it is",
			p->row.id, p->row.id);
	if (strlen(a.note) > MAX_NOTE)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "a note has at most %u bytes", MAX_NOTE);
	if (snapshot && strcmp(snapshot, p->row.snapshot) != 0)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
				    "pipeline '%s' is about snapshot '%s', not '%.60s'", p->row.id,
				    p->row.snapshot, snapshot);
	if (p->ctx->person && a.approved && has_traps(p, i)) /* a client may answer by itself */
		return aisbx_refuse(
			e, AISBX_AREA_POLICY, EACCES,
			"stage '%.60s' would run code later, outside of any box: look at it, and run "
			"'aisbx approve %s' in a terminal",
			p->row.stages[i].name, p->row.id);
	memcpy(a.snapshot, p->row.snapshot, sizeof(a.snapshot));
	snprintf(a.way, sizeof(a.way), "%s", p->ctx->person ? "asked" : "approve");
	pipeline_who(p->ctx, &a);
	return record(p, i, &a, e);
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(pipeline_finish) struct pipeline p = PIPELINE_INIT;
	int r;

	if (ctx->owner && !ctx->person)
		return aisbx_refuse(
			e, AISBX_AREA_POLICY, EACCES,
			"only a person can approve: ask them to run 'aisbx approve %.40s' in a terminal",
			json_string_value(json_object_get(args, "pipeline")));
	r = pipeline_open(ctx, json_string_value(json_object_get(args, "pipeline")), true, &p, e);
	if (r == 0)
		r = say(&p, args, e);
	if (r < 0)
		return r;
	if (!json_is_true(json_object_get(args, "no-resume")))
		return pipeline_drive(&p, ret_result, e);
	close_fd(&p.lock);
	*ret_result = pipeline_json(p.shelf.store, &p.row);
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
}

static const struct op_param params[] = {
	PIPELINE_PARAM,
	{ .name = "reject", .type = OP_FLAG, .help = "say no: the stage fails, and nothing further happens" },
	{ .name = "note", .type = OP_STRING, .value = "TEXT", .help = "kept with your word" },
	{ .name = "snapshot",
	  .type = OP_STRING,
	  .value = "ID",
	  .help = "only if it is about this snapshot: the one that was looked at" },
	{ .name = "no-resume", .type = OP_FLAG, .help = "only say so; 'aisbx pipeline resume' goes on" },
	{ .name = NULL },
};

static const struct op_field result[] = { PIPELINE_FIELDS(""), { NULL, NULL, NULL } };

const struct op op_approve = {
	.name = "approve",
	.method = "pipeline.approve",
	.summary = "Approve of the stage at which a pipeline waits",
	.about = "Says yes, or with --reject no, to the stage at which the pipeline waits, and goes on with "
		 "it. Who said so, when, and\n"
		 "to which frozen state of the box is written down; it counts for that stage and that state "
		 "only. A model behind a\n"
		 "protocol cannot approve: the person is asked by its client, or runs this command. Where "
		 "there are traps only this\n"
		 "command counts, since a client may answer by itself.",
	.example = "aisbx approve pipe-1f2e --note 'as agreed with QA'\naisbx approve pipe-1f2e --reject "
		   "--note 'not on a Friday'",
	.grant = GRANT_HOST,
	.params = params,
	.result = result,
	.run = run,
};
