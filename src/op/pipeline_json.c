/* SPDX-License-Identifier: Apache-2.0 */
/* Pipelines as JSON, and the hands by which a context works on one. */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "op/pipeline.h"
#include "op/promotion.h"

static json_t *time_json(int64_t ms)
{
	return ms ? json_integer(ms) : json_null();
}

static json_t *approval_json(struct store *s, const struct store_pipeline *row, size_t i)
{
	scoped(store_approval_finish) struct store_approval a = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	if (store_approval_find(s, row->id, i, row->snapshot, &a, &ignored) < 0)
		return json_null();
	return json_pack("{s:b, s:s, s:I, s:s, s:s, s:I}", "approved", a.approved, "name", a.name, "uid",
			 (json_int_t)a.uid, "way", a.way, "note", a.note, "time_ms", (json_int_t)a.time_ms);
}

static json_t *stage_json(struct store *s, const struct store_pipeline *row, size_t i)
{
	const struct store_stage *stage = &row->stages[i];
	json_t *detail = json_loads(stage->detail, 0, NULL);
	json_t *j = json_pack("{s:s, s:s, s:s?, s:s?, s:o, s:o, s:o}", "stage", stage->name, "state",
			      stage->state, "why", *stage->why ? stage->why : NULL, "promotion",
			      stage->promotion[0] ? stage->promotion : NULL, "begun_ms",
			      time_json(stage->begun_ms), "ended_ms", time_json(stage->ended_ms), "approval",
			      approval_json(s, row, i));

	json_object_update_missing(j, detail);
	json_decref(detail);
	return j;
}

json_t *op_pipeline_json(struct store *s, const struct store_pipeline *row)
{
	json_t *stages = json_array();

	for (size_t i = 0; i < row->n_stages; i++)
		json_array_append_new(stages, stage_json(s, row, i));
	return json_pack("{s:s, s:s, s:b, s:s, s:s, s:s, s:b, s:I, s:o}", "pipeline", row->id, "state",
			 pipeline_state_name(pipeline_row_state(row)), "live", pipeline_is_live(row->project),
			 "box", row->box_name, "snapshot", row->snapshot, "project", row->project, "back",
			 row->back, "created_ms", (json_int_t)row->created_ms, "stages", stages);
}

static void tell(void *face, const struct store_pipeline *row, size_t i)
{
	struct op_context *ctx = face;
	const struct store_stage *s = &row->stages[i];
	json_t *item = ctx->emit ? json_pack("{s:s, s:s, s:s, s:s?}", "pipeline", row->id, "stage", s->name,
					     "state", s->state, "why", *s->why ? s->why : NULL)
				 : NULL;

	if (item)
		ctx->emit(ctx, item);
	json_decref(item);
}

static json_t *look_json(const struct promote_report *look, const char *runs_later)
{
	json_t *j = op_promotion_look_json(look);

	if (runs_later)
		json_array_append_new(json_object_get(j, "traps"),
				      json_pack("{s:s, s:s, s:s}", "path", runs_later, "kind", "gate", "why",
						"a stage runs it outside of any box"));
	return j;
}

int op_callbacks_init(struct op_context *ctx, struct op_callbacks *ret, struct aisbx_error *e)
{
	int r = commit_identity_find(&ctx->by, NULL, &ret->who, e);

	ret->callbacks = (struct pipeline_callbacks){ .by = &ctx->by,
						      .name = ret->who.name,
						      .email = ret->who.email,
						      .tell = tell,
						      .look_json = look_json,
						      .ctx = ctx };
	return r;
}

void op_callbacks_finish(struct op_callbacks *h)
{
	git_identity_finish(&h->who);
}

int op_pipeline_status(const struct store_pipeline *row)
{
	static const int statuses[] = { [PIPELINE_RUNNING] = 1,
					[PIPELINE_WAITING] = 3,
					[PIPELINE_DONE] = 0,
					[PIPELINE_STOPPED] = 1,
					[PIPELINE_UNDONE] = 0 };

	return statuses[pipeline_row_state(row)];
}

int op_pipeline_drive(struct op_context *ctx, struct pipeline *p, json_t **ret, struct aisbx_error *e)
{
	int r = pipeline_drive(p, e);

	if (r < 0)
		return r;
	ctx->exit_status = op_pipeline_status(&p->row);
	*ret = op_pipeline_json(p->state.store, &p->row);
	return *ret ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
}
