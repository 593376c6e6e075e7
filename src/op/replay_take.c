/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a run with its record and its output from where they are kept; runs one again by its record. */
#include "op/replay_take.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "op/record.h"
#include "run/log.h"

/* Should nobody be left to remove the box of a replay, gc does. */
#define BOX_HOURS 24

void take_finish(struct take *t)
{
	json_decref(t->result);
	buf_finish(&t->output[0]);
	buf_finish(&t->output[1]);
	*t = (struct take){ 0 };
}

static void read_output(struct take *t)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct runlog_reader reader = { .fd = -1 };
	scoped(drop_fd) int dir = -1;
	struct runlog_piece p;

	if (box_run_open(t->id, &dir, &ignored) < 0 || runlog_open(dir, BOX_RUN_LOG, &reader, &ignored) < 0)
		return;
	while (runlog_next(&reader, &p, &ignored) > 0) {
		struct buf *b = &t->output[p.stream == RUNLOG_STDERR];
		size_t room = RECORD_OUTPUT - b->len;

		buf_add(b, p.data, p.len < room ? p.len : room);
	}
	t->has_output = reader.ended && buf_str(&t->output[0]) && buf_str(&t->output[1]);
	runlog_finish(&reader);
}

static void copy_id(char ret[STORE_ID_MAX], const json_t *record, const char *key)
{
	const char *id = json_string_value(json_object_get(record, key));

	snprintf(ret, STORE_ID_MAX, "%s", id ? id : "");
}

int take_read(struct box_shelf *shelf, const char *id, struct take *ret, struct aisbx_error *e)
{
	struct store_run found;
	struct take t = { 0 };
	int r = store_run_find(shelf->store, id, &found, e);

	if (r < 0)
		return r;
	memcpy(t.id, found.id, sizeof(t.id));
	memcpy(t.box, found.box, sizeof(t.box));
	t.started_ms = found.started_ms;
	t.result = found.result ? json_loads(found.result, 0, NULL) : NULL;
	t.record = json_object_get(t.result, "record");
	copy_id(t.before, t.record, "before");
	copy_id(t.after, t.record, "after");
	store_run_finish(&found);
	read_output(&t);
	*ret = t;
	return 0;
}

static int fork_stage(struct op_context *ctx, const char *from, char ret_box[STORE_ID_MAX],
		      struct aisbx_error *e)
{
	json_t *args = json_pack("{s:s, s:i, s:s}", "from", from, "ttl", BOX_HOURS * 3600, "drift", "off"),
	       *result = NULL;
	int r = args ? op_call(&op_fork, ctx, args, &result, e)
		     : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "fork '%s'", from);
	const char *id =
		json_string_value(json_object_get(json_array_get(json_object_get(result, "boxes"), 0), "id"));

	if (r == 0 && !id)
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "fork '%s'", from);
	if (r == 0)
		snprintf(ret_box, STORE_ID_MAX, "%s", id);
	json_decref(args);
	json_decref(result);
	return r;
}

/* As they were given, but for where it runs. */
static json_t *args_again(const struct take *of, const char *box)
{
	json_t *args = json_deep_copy(json_object_get(of->record, "args"));

	json_object_del(args, "tty"); /* nobody sits there */
	json_object_set_new(args, "record", json_true());
	json_object_del(args, "box");
	if (box[0]) {
		json_object_set_new(args, "box", json_string(box));
		json_object_del(args, "project");
		return args;
	}
	json_object_set(args, "profile", json_object_get(of->record, "profile"));
	if (json_is_string(json_object_get(of->record, "project")))
		json_object_set(args, "project", json_object_get(of->record, "project"));
	return args;
}

int take_again(struct op_context *ctx, const struct take_stage *stage, struct take *ret,
	       struct aisbx_error *e)
{
	struct op_context quiet = *ctx;
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	char box[STORE_ID_MAX] = "", id[STORE_ID_MAX] = "";
	json_t *args, *result = NULL;
	int r = stage->from ? fork_stage(ctx, stage->from, box, e) : 0;

	if (r < 0)
		return r;
	snprintf(ret->box, sizeof(ret->box), "%s", box);
	quiet.stdin_fd = quiet.out_fds[0] = quiet.out_fds[1] = -1;
	quiet.emit = NULL;
	quiet.begun = NULL;
	quiet.cwd = json_string_value(json_object_get(stage->of->record, "cwd"));
	args = args_again(stage->of, box);
	r = args && quiet.cwd ? op_call(&op_run, &quiet, args, &result, e)
			      : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "replay");
	if (r == 0)
		copy_id(id, result, "run");
	if (r == 0)
		r = box_shelf_open(&shelf, e);
	if (r == 0)
		r = take_read(&shelf, id, ret, e);
	json_decref(args);
	json_decref(result);
	return r;
}

void take_drop_box(struct op_context *ctx, const struct take *t)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	json_t *args = t->box[0] ? json_pack("{s:[s]}", "boxes", t->box) : NULL, *result = NULL;

	if (args)
		op_call(&op_rm, ctx, args, &result, &ignored);
	json_decref(args);
	json_decref(result);
}
