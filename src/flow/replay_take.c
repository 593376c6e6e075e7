/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a run with its record and its output from where they are kept; runs one again by its record. */
#include "flow/replay_take.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/execute.h"
#include "box/lifecycle.h"
#include "box/record.h"
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

/* As it was wished, but for where it runs. */
static int wish_again(const struct take *of, const char *box, struct run_wish *w, struct aisbx_error *e)
{
	const char *project = json_string_value(json_object_get(of->record, "project"));
	int r = run_wish_read(json_object_get(of->record, "args"), w, e);

	w->tty = false; /* nobody sits there */
	w->record = w->replayable = true;
	w->box = box[0] ? box : NULL;
	if (w->box) {
		w->project = NULL;
		return r;
	}
	w->profile = json_string_value(json_object_get(of->record, "profile"));
	if (project)
		w->project = project;
	return r;
}

int take_again(struct op_context *ctx, const struct take_stage *stage, struct take *ret,
	       struct aisbx_error *e)
{
	scoped(run_report_finish) struct run_report report = { 0 };
	scoped(run_wish_finish) struct run_wish wish = { 0 };
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	struct caller quiet = ctx->by;
	struct box_scratch box = { 0 };
	int r = stage->from ? box_scratch_make(stage->from, NULL, BOX_HOURS * 3600u * 1000, &box, e) : 0;

	if (r < 0)
		return r;
	memcpy(ret->box, box.name, sizeof(ret->box)); /* is its id */
	quiet.stdin_fd = quiet.out_fds[0] = quiet.out_fds[1] = -1;
	quiet.begun = NULL;
	quiet.cwd = json_string_value(json_object_get(stage->of->record, "cwd"));
	r = quiet.cwd ? wish_again(stage->of, box.name, &wish, e)
		      : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "replay");
	if (r == 0)
		r = run_execute(&quiet, &wish, &report, e);
	if (r == 0)
		r = box_shelf_open(&shelf, e);
	return r == 0 ? take_read(&shelf, report.run, ret, e) : r;
}

void take_drop_box(const struct take *t)
{
	struct box_scratch box;

	memcpy(box.name, t->box, sizeof(t->box));
	box_scratch_drop(&box);
}
