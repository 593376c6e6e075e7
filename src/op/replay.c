/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `replay`: a run again, from where it started, and what is not the same. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/diff.h"
#include "box/owner.h"
#include "op/args.h"
#include "op/path.h"
#include "flow/replay_differ.h"
#include "base/value.h"

#define MAX_TIMES 50
/* Files of the project that changed since, told by name. */
#define MAX_STALE 20

struct replay {
	struct op_context *ctx; /* borrowed */
	struct box_shelf shelf;
	struct take was;
	struct take takes[MAX_TIMES];
	size_t n;
	char from[2 * STORE_ID_MAX + 2]; /* "": no box */
	json_t *not_compared;            /* owned, as all below */
	json_t *of_record;               /* what differs from the record, of any take */
	json_t *among;                   /* what differs between takes */
	json_t *detail;
	bool keep;
};

static void replay_finish(struct replay *p)
{
	for (size_t i = 0; i < p->n; i++) {
		if (!p->keep)
			take_drop_box(&p->takes[i]);
		take_finish(&p->takes[i]);
	}
	take_finish(&p->was);
	json_decref(p->not_compared);
	json_decref(p->of_record);
	json_decref(p->among);
	json_decref(p->detail);
	box_shelf_close(&p->shelf);
}

/* Somebody who acts for an owner replays what that owner ran, and nothing a person allowed themselves. */
static int check_owner(const struct replay *p, const char *key, struct aisbx_error *e)
{
	const char *owner = json_string_value(json_object_get(p->was.record, "owner"));

	if (!box_acting_for() || (owner && !strcmp(owner, box_acting_for())))
		return 0;
	return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
			    "there is no run '%s'; 'aisbx history' lists them", key);
}

static int find(struct replay *p, const char *key, struct aisbx_error *e)
{
	char id[STORE_ID_MAX];
	scoped(drop_fd) int live = -1;
	int r = live_run_find(key, id, e);

	if (r == 0 && live_run_connect(id, &live, e) == 0)
		return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_RUN, EBUSY,
				    "run '%s' has not ended; 'aisbx wait %s' waits for it", id, id);
	if (r == 0 && !e->code)
		r = box_shelf_open(&p->shelf, e);
	if (r == 0)
		r = take_read(&p->shelf, id, &p->was, e);
	if (r == 0)
		r = check_owner(p, key, e);
	if (r == 0 && !json_is_object(json_object_get(p->was.record, "args")))
		r = aisbx_refuse(
			e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, ENODATA,
			"nothing tells how to run '%s' again: it was started by 'exec' or 'run-code', "
			"was killed, or is of an older aisbx; those of 'run' and 'do' can be replayed",
			p->was.id);
	return r;
}

static void note_start(struct replay *p, const char *why)
{
	note_not_compared(p->not_compared, "start", why);
}

/* Where the replays start: the nearest to where the run did that is still there. */
static void choose_stage(struct replay *p)
{
	scoped(store_box_finish) struct store_box box = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct store_snapshot snap;

	if (!p->was.box[0])
		return note_start(p, "the run had no box: it is replayed on the host as that is now");
	if (box_find(&p->shelf, p->was.box, &box, &ignored) < 0) {
		p->was.after[0] = '\0';
		return note_start(p, "the box of the run is gone, with its snapshots: it is replayed on the "
				     "host as that is now");
	}
	if (p->was.before[0] &&
	    store_snapshot_find(p->shelf.store, box.id, p->was.before, &snap, &ignored) == 0) {
		snprintf(p->from, sizeof(p->from), "%s@%s", box.id, p->was.before);
		return;
	}
	snprintf(p->from, sizeof(p->from), "%s", box.id);
	p->was.after[0] = '\0';
	if (json_is_true(json_object_get(p->was.record, "joined")))
		return note_start(p, "other commands ran in the box meanwhile, so no snapshot holds where "
				     "the run started: it is replayed on "
				     "what the box has now");
	note_start(p, "no snapshot holds where the run started, for it was not recorded: it is replayed on "
		      "what the box has now");
}

/* What a replay cannot give the command again. */
static void note_lost(struct replay *p)
{
	const json_t *record = p->was.record, *args = json_object_get(record, "args"), *name;
	size_t i;

	if (json_is_true(json_object_get(record, "input")))
		note_not_compared(p->not_compared, "stdin",
				  "what the run read is not kept: replays have an empty input");
	if (json_is_true(json_object_get(args, "tty")))
		note_not_compared(p->not_compared, "terminal", "replays have none");
	json_array_foreach(json_object_get(record, "env_not_kept"), i, name)
	{
		json_t *what = json_sprintf("variable %s", json_string_value(name));

		note_not_compared(p->not_compared, json_string_value(what),
				  "its value was not kept, for the run was not recorded: it is not set");
		json_decref(what);
	}
}

/* The host under a box is as it is now: what of the project changed since may be why a replay differs. */
static int note_stale(struct replay *p, json_t *result, struct aisbx_error *e)
{
	const char *project = json_string_value(json_object_get(p->was.record, "project"));
	scoped(strlist_finish) struct strlist changed = { 0 };
	struct store_box as_box = { .project = (char *)project,
				    .watermark_s = p->was.started_ms / 1000,
				    .watermark_ns = p->was.started_ms % 1000 * 1000000 };
	json_t *list = json_array(), *why;
	int r = box_stale(&as_box, &changed, e);

	for (size_t i = 0; i < changed.n && i < MAX_STALE; i++) {
		scoped(buf_finish) struct buf clean = { 0 };

		buf_add_utf8(&clean, changed.items[i], strlen(changed.items[i]));
		json_array_append_new(list, json_string(buf_str(&clean) ? clean.data : ""));
	}
	json_object_set_new(result, "project_changed", list);
	if (r == 0 && changed.n) {
		why = json_sprintf("%zu of the real project's files changed since the run; what it differs "
				   "in may come from that",
				   changed.n);
		note_not_compared(p->not_compared, "project", json_string_value(why));
		json_decref(why);
	}
	return r;
}

static bool has(const json_t *list, const char *what)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item) if (!strcmp(json_string_value(json_object_get(item, "what")),
						      what)) return true;
	return false;
}

/* Two replays in the same second agree in it. */
static bool is_time(const json_t *item)
{
	return !strcmp(json_string_value(json_object_get(item, "kind")), "time");
}

/* What differs from the record is chance if it differs between replays as well, or is a time; else something
 * has changed. */
static void sort_out(const struct replay *p, json_t *chance, json_t *changed)
{
	json_t *item;
	size_t i;

	json_array_extend(chance, p->n > 1 ? p->among : p->of_record);
	json_array_foreach(p->of_record, i,
			   item) if (!has(chance, json_string_value(json_object_get(item, "what"))))
		json_array_append(is_time(item) ? chance : changed, item);
}

/* FROM to TO, each thing once. */
static void join_lists(json_t *to, const json_t *from)
{
	json_t *item;
	size_t i;

	json_array_foreach(from, i, item)
	{
		const char *what = json_string_value(json_object_get(item, "what"));

		if (!has(to, what))
			json_array_append(to, item);
	}
}

/* Take I against the record, and against the first. The details are those of the first take that differs. */
static int compare(struct replay *p, size_t i, struct aisbx_error *e)
{
	json_t *list = json_array(), *other = json_array(), *detail = json_object();
	int r = takes_differ(&p->shelf, &p->was, &p->takes[i], list, i ? NULL : p->not_compared, detail, e);

	if (r == 0 && (i == 0 || (!json_array_size(p->of_record) && json_array_size(list))))
		json_object_update(p->detail, detail);
	join_lists(p->of_record, list);
	if (r == 0 && i > 0)
		r = takes_differ(&p->shelf, &p->takes[0], &p->takes[i], other, NULL, NULL, e);
	join_lists(p->among, other);
	json_decref(list);
	json_decref(other);
	json_decref(detail);
	return r;
}

static int play(struct replay *p, size_t times, struct aisbx_error *e)
{
	const struct take_stage stage = { .from = p->from[0] ? p->from : NULL, .of = &p->was };
	int r = 0;

	for (size_t i = 0; r == 0 && i < times; i++) {
		p->n = i + 1;
		r = take_again(p->ctx, &stage, &p->takes[i], e);
		if (r == 0)
			r = compare(p, i, e);
	}
	return r;
}

static json_t *both(const struct replay *p, const char *key)
{
	return json_pack("{s:O?, s:O?}", "was", json_object_get(p->was.result, key), "is",
			 json_object_get(p->takes[0].result, key));
}

static int report(struct replay *p, json_t **ret_result, struct aisbx_error *e)
{
	json_t *ids = json_array(), *boxes = json_array(), *changed = json_array(), *chance = json_array();
	bool same = !json_array_size(p->of_record);
	int r;

	for (size_t i = 0; i < p->n; i++) {
		json_array_append_new(ids, json_string(p->takes[i].id));
		if (p->keep && p->takes[i].box[0])
			json_array_append_new(boxes, json_string(p->takes[i].box));
	}
	sort_out(p, chance, changed);
	*ret_result =
		json_pack("{s:s, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:O}", "run", p->was.id, "replay",
			  ids, "boxes", boxes, "same", same, "exit_code", both(p, "exit_code"), "status",
			  both(p, "status"), "usage", both(p, "usage"), "not_deterministic", chance,
			  "changed", changed, "not_compared", p->not_compared);
	if (!*ret_result)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write the result");
	json_object_update(*ret_result, p->detail);
	r = note_stale(p, *ret_result, e);
	p->ctx->exit_status = same ? 0 : 1;
	return r;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(replay_finish) struct replay p = { .ctx = ctx,
						  .keep = json_is_true(json_object_get(args, "keep")) };
	uint64_t times = 1;
	int r;

	value_number(json_object_get(args, "times"), &times);
	if (times < 1 || times > MAX_TIMES)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "--times must be 1 to %d",
				    MAX_TIMES);
	p.not_compared = json_array();
	p.of_record = json_array();
	p.among = json_array();
	p.detail = json_object();
	r = find(&p, json_string_value(json_object_get(args, "run")), e);
	if (r < 0)
		return r;
	choose_stage(&p);
	note_lost(&p);
	r = play(&p, times, e);
	if (r == 0)
		r = report(&p, ret_result, e);
	if (r < 0)
		ctx->exit_status = 125;
	return r;
}

static const struct op_param params[] = {
	RUN_PARAM,
	{ "times", 'n', OP_NUMBER, OP_MODEL, "N", "replay it N times: tells chance from change; default 1" },
	{ "keep", 'k', OP_FLAG, 0, NULL, "do not remove the boxes of the replays" },
	{ .name = NULL },
};

#define DIFFERENCE_FIELDS(at)                                                                             \
	{ at "what", "string", "exit_code, signal, status, stdout, stderr or \"file PATH\"",              \
	  .model = true },                                                                                \
		{ at "kind", "string",                                                                    \
		  "time, number, address, temporary name, order, mixed (of these), attributes, bytes or " \
		  "content",                                                                              \
		  .model = true },                                                                        \
	{                                                                                                 \
		at "example", "object|null", "members was and is; of a text with its line"                \
	}

#define TEXT_FIELDS(at)                                                                             \
	{ at, "object|null", "null: not compared" }, { at ".same", "boolean", "to the last byte" }, \
		{ at ".kind", "string|null", "as below" },                                          \
	{                                                                                           \
		at ".lines", "array", "the first 20 that differ: line, was, is"                     \
	}

static const struct op_field result[] = {
	{ "run", "string", "id of the run that was replayed", .model = true },
	{ "replay", "array", "ids of the replays, runs like all others" },
	{ "boxes", "array", "with keep: ids of their boxes" },
	{ "same", "boolean", "nothing that was compared differs", .model = true },
	{ "exit_code", "object", "members was, and is: of the first replay", .model = true },
	{ "status", "object", "as exit_code" },
	{ "usage", "object", "as exit_code: what run tells as usage" },
	TEXT_FIELDS("stdout"),
	TEXT_FIELDS("stderr"),
	{ "changes", "object|null",
	  "what the replay left of the project, against what the run left; null: not compared" },
	{ "changes.same", "boolean", "no path differs" },
	{ "changes.count", "integer", "paths that differ" },
	{ "changes.paths", "array", "the first 100 of them" },
	PATH_FIELDS("changes.paths[].", "below the project"),
	{ "changes.paths[].how", "string", "as the kinds of diff" },
	{ "changes.paths[].kind", "string", "as below" },
	{ "not_deterministic", "array", "what differs; with several replays: between them", .model = true },
	DIFFERENCE_FIELDS("not_deterministic[]."),
	{ "changed", "array",
	  "with several replays: what they agree in and differ from the run in, so that it was not chance",
	  .model = true },
	DIFFERENCE_FIELDS("changed[]."),
	{ "not_compared", "array", "what nobody can tell, and why", .model = true },
	{ "not_compared[].what", "string",
	  "start, stdin, stdout, stderr, changes, project, terminal or \"variable NAME\"", .model = true },
	{ "not_compared[].why", "string", "for a person", .model = true },
	{ "project_changed", "array", "files of the real project that changed since the run, the first 20" },
	{ NULL, NULL, NULL },
};

const struct op op_replay = {
	.name = "replay",
	.group = GROUP_LOOK,
	.view = VIEW_REPLAY,
	.method = "run.replay",
	.summary = "Run a run again and tell what is not the same",
	.about = "Runs the command of RUN again with the same options, in a fork of its box as that was "
		 "before the run, and\n"
		 "compares: how it ended, what it wrote, what it left of the project. Tells what differs and "
		 "what that looks\n"
		 "like: a time, a number, an address, the name of a temporary file, another order, or other "
		 "content.\n"
		 "Several replays (--times) are compared with each other, too: what differs between them is "
		 "chance, what they\n"
		 "agree in against the run has changed since.\n\n"
		 "A run is replayed in full when it was recorded ('aisbx run --record', 'aisbx create "
		 "--record'); of others\n"
		 "as much as is known, and not_compared says what is not. Exits with 0 if nothing differs, 1 "
		 "if something does.",
	.example = "aisbx run --box try1 --record -- make test\naisbx replay r-1f2e\naisbx replay --times 3 "
		   "--json r-1f2e",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
