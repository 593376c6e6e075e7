/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a run with its record and its output from the history; repeats a run by its record. */
#include "flow/replay_take.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/execute.h"
#include "box/lifecycle.h"
#include "box/live_run.h"
#include "box/record.h"
#include "run/log.h"

/* Should nobody be left to remove the box of a replay, gc does. */
#define BOX_HOURS 24

void take_finish(struct take *t)
{
	run_options_finish(&t->options);
	strlist_finish(&t->env_not_kept);
	for (int i = 0; i < 2; i++) {
		free(t->sums[i]);
		buf_finish(&t->output[i]);
	}
	json_decref(t->kept);
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

static int64_t number_of(const json_t *kept, const char *key)
{
	const json_t *n = json_object_get(kept, key);

	return json_is_integer(n) ? json_integer_value(n) : TAKE_NULL;
}

/* How it was run, and what of it was recorded. */
static int read_record(struct take *t, const json_t *record, struct aisbx_error *e)
{
	static const char *const streams[] = { "stdout", "stderr" };
	const json_t *args = json_object_get(record, "args"), *name, *sum;
	size_t i;

	t->owner = json_string_value(json_object_get(record, "owner"));
	t->cwd = json_string_value(json_object_get(record, "cwd"));
	t->profile = json_string_value(json_object_get(record, "profile"));
	t->project = json_string_value(json_object_get(record, "project"));
	t->joined = json_is_true(json_object_get(record, "joined"));
	t->input = json_is_true(json_object_get(record, "input"));
	copy_id(t->before, record, "before");
	copy_id(t->after, record, "after");
	json_array_foreach(json_object_get(record, "env_not_kept"), i, name)
		strlist_add(&t->env_not_kept, json_string_value(name));
	for (i = 0; i < 2; i++) {
		sum = json_object_get(record, streams[i]);
		t->sums[i] = sum ? json_dumps(sum, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY) : NULL;
		if (sum && !t->sums[i])
			return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "read the run");
	}
	t->replayable = json_is_object(args);
	return t->replayable ? run_options_read(args, &t->options, e) : 0;
}

int take_read(struct box_state *state, const char *id, struct take *ret, struct aisbx_error *e)
{
	struct store_run found;
	int r = store_run_find(state->store, id, &found, e);

	if (r < 0)
		return r;
	*ret = (struct take){ .started_ms = found.started_ms };
	memcpy(ret->id, found.id, sizeof(ret->id));
	memcpy(ret->box, found.box, sizeof(ret->box));
	ret->kept = found.result ? json_loads(found.result, 0, NULL) : NULL;
	store_run_finish(&found);
	ret->exit_code = (int)number_of(ret->kept, "exit_code");
	ret->signal = (int)number_of(ret->kept, "signal");
	ret->status = json_string_value(json_object_get(ret->kept, "status"));
	ret->usage = json_object_get(ret->kept, "usage");
	ret->fuel = number_of(ret->usage, "fuel");
	read_output(ret);
	return read_record(ret, json_object_get(ret->kept, "record"), e);
}

/* As it was wished, but for where it runs. Borrows all of it. */
static struct run_options options_again(const struct take *of, const char *box)
{
	struct run_options w = of->options;

	w.tty = false; /* nobody sits there */
	w.record = w.replayable = true;
	w.box = box[0] ? box : NULL;
	w.profile = w.box ? w.profile : of->profile;
	w.project = w.box ? NULL : of->project ? of->project : w.project;
	return w;
}

int take_again(const struct caller *by, const char *from, const struct take *of, struct take *ret,
	       struct aisbx_error *e)
{
	scoped(run_report_finish) struct run_report report = { 0 };
	scoped(box_state_close) struct box_state state = { 0 };
	struct caller quiet = *by;
	struct box_scratch box = { 0 };
	struct run_options options;
	int r = from ? box_scratch_make(from, NULL, BOX_HOURS * 3600u * 1000, &box, e) : 0;

	if (r < 0)
		return r;
	memcpy(ret->box, box.name, sizeof(ret->box)); /* is its id */
	quiet.stdin_fd = quiet.out_fds[0] = quiet.out_fds[1] = -1;
	quiet.begun = NULL;
	quiet.cwd = of->cwd;
	quiet.project = NULL;
	options = options_again(of, box.name);
	r = quiet.cwd ? run_execute(&quiet, &options, &report, e)
		      : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "replay");
	if (r == 0)
		r = box_state_open(&state, e);
	return r == 0 ? take_read(&state, report.run, ret, e) : r;
}

void take_drop_box(const struct take *t)
{
	struct box_scratch box;

	memcpy(box.name, t->box, sizeof(t->box));
	box_scratch_drop(&box);
}
