/* SPDX-License-Identifier: Apache-2.0 */
/* The operations that look at or rename boxes: `ls`, `show`, `rename`, `rm`, `gc`. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/value.h"
#include "box/diff.h"
#include "box/lifecycle.h"
#include "box/owner.h"
#include "box/pin.h"
#include "box/sessions.h"
#include "box/where.h"
#include "box/whole.h"
#include "op/context.h"
#include "op/drift.h"
#include "op/path.h"
#include "op/point.h"
#include "box/live_run.h"
#include "op/try.h"

static const char *key_of(const json_t *args)
{
	return json_string_value(json_object_get(args, "box"));
}

#define BOX_PARAM                                                                                \
	{                                                                                        \
		"box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "BOX", "name or id of the box" \
	}

/* Whether its project is where it was. Of many boxes nothing is looked for: HERE NULL. */
static void add_where(const struct store_box *b, const char *here, json_t *result)
{
	scoped(drop_mem) char *now = NULL;
	struct store_box short_look = *b;
	enum box_where w;

	if (!here && b->project && access(b->project, F_OK) < 0)
		short_look.place.ino = 0; /* it is missing, and that is all */
	w = box_where(&short_look, here, &now);
	json_object_set_new(result, "project_is", json_string(box_where_name(w)));
	json_object_set_new(result, "project_now", now ? json_string(now) : json_null());
}

static int run_ls(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	struct store_box *boxes = NULL;
	json_t *list;
	size_t n = 0;
	int r = box_shelf_open(&shelf, e);

	(void)ctx;
	(void)args;
	if (r == 0)
		r = box_list(&shelf, &boxes, &n, e);
	if (r < 0)
		return r;
	list = json_array();
	for (size_t i = 0; i < n; i++) {
		json_t *j = box_json(&boxes[i]);

		add_where(&boxes[i], NULL, j);
		json_array_append_new(list, j);
		store_box_finish(&boxes[i]);
	}
	free(boxes);
	*ret_result = json_pack("{s:o}", "boxes", list);
	return 0;
}

static const struct op_param no_params[] = { { .name = NULL } };
#define WHERE_FIELDS(at)                                                                            \
	{ at "project_is", "string",                                                                \
	  "there, moved (found elsewhere), replaced (another directory has its name) or missing" }, \
	{                                                                                           \
		at "project_now", "string|null", "where a project that was moved is now"            \
	}
static const struct op_field ls_result[] = { { "boxes", "array", "oldest first" },
					     BOX_FIELDS("boxes[]."),
					     WHERE_FIELDS("boxes[]."),
					     { NULL, NULL, NULL } };

const struct op op_ls = {
	.name = "ls",
	.group = GROUP_BOXES,
	.view = VIEW_BOXES,
	.first = true,
	.method = "box.ls",
	.tool = "sandbox_list",
	.brief = "List the boxes there are, with their projects and how many snapshots each has.",
	.summary = "List boxes",
	.about = "Lists the boxes of this user, oldest first. A box that an agent's session made is named "
		 "OWNER/NAME; so it can be named in every\n"
		 "command, or by its id, or by NAME alone while nobody else has one of that name. What a "
		 "session left behind expires\n"
		 "a week after its end, as told there; 'aisbx renew' changes that.",
	.grant = GRANT_READ,
	.params = no_params,
	.result = ls_result,
	.run = run_ls,
};

static int add_stale(const struct store_box *b, json_t *result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist paths = { 0 };
	json_t *list = json_array();
	int r = box_stale(b, &paths, e);

	for (size_t i = 0; i < paths.n; i++) {
		json_t *j = json_object();

		op_set_name(j, "path", paths.items[i]);
		json_array_append_new(list, j);
	}
	json_object_set_new(result, "stale", list);
	return r;
}

static int run_show(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(point_finish) struct point p = POINT_INIT;
	struct store_snapshot *snaps = NULL;
	json_t *list = json_array();
	scoped(drift_report_finish) struct drift_report drift = { 0 };
	struct drift_wish wish;
	int64_t pinned_ms = 0;
	size_t n = 0;
	int r = op_drift_wish(args, &wish, e);

	(void)ctx;
	if (r == 0)
		r = point_open_box(key_of(args), false, &p, e);
	if (r == 0)
		r = store_snapshot_list(p.shelf.store, p.box.id, &snaps, &n, e);
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, snapshot_json(&snaps[i]));
	free(snaps);
	if (r == 0)
		r = box_pinned_ms(&p.shelf, &p.box, &pinned_ms, e);
	if (r < 0) {
		json_decref(list);
		return r;
	}
	*ret_result = box_json(&p.box);
	json_object_set_new(*ret_result, "pinned_ms", pinned_ms ? json_integer(pinned_ms) : json_null());
	add_where(&p.box, ctx->by.cwd ? ctx->by.cwd : "/", *ret_result);
	json_object_set_new(*ret_result, "snapshot_list", list);
	json_object_set_new(*ret_result, "torn", json_boolean(box_is_torn(&p.shelf, &p.box)));
	drift_report_make(&wish, &p.shelf, &p.box, "", &drift);
	op_add_drift(&drift, *ret_result);
	return json_is_true(json_object_get(args, "stale")) ? add_stale(&p.box, *ret_result, e) : 0;
}

static const struct op_param show_params[] = {
	BOX_PARAM,
	{ "stale", 0, OP_FLAG, OP_MODEL, NULL,
	  "list what was changed in the real project since the box was made" },
	DRIFT_PARAM,
	{ .name = NULL },
};
static const struct op_field show_result[] = {
	BOX_FIELDS(""),
	WHERE_FIELDS(""),
	{ "pinned_ms", "integer|null",
	  "since when it has a copy of the project; null: it sees the real one" },
	{ "snapshot_list", "array", "its snapshots, oldest first" },
	{ "snapshot_list[].id", "string", "of the snapshot" },
	{ "snapshot_list[].name", "string", "of the snapshot" },
	{ "snapshot_list[].box", "string", "id of the box" },
	{ "snapshot_list[].created_ms", "integer", "milliseconds since 1970" },
	{ "snapshot_list[].automatic", "boolean", "taken by aisbx itself" },
	{ "torn", "boolean",
	  "it was at work when the machine stopped: what it has since its last snapshot may be incomplete" },
	{ "stale", "array", "with --stale: what was changed outside since the box was made" },
	PATH_FIELDS("stale[].", "below the project"),
	DRIFT_FIELDS,
	{ NULL, NULL, NULL }
};

const struct op op_show = {
	.name = "show",
	.group = GROUP_BOXES,
	.method = "box.show",
	.summary = "Show one box and its snapshots",
	.about = "Shows what is known of a box. With --stale it also looks through the real project for what "
		 "was changed there since\n"
		 "the box was made (a directory is listed when something in it was made or removed); that "
		 "takes by the size of\n"
		 "the project. 'aisbx promote --dry-run' names those of them that the box changed, too.",
	.example = "aisbx show try1 --stale",
	.grant = GRANT_READ,
	.params = show_params,
	.result = show_result,
	.run = run_show,
};

/* The project of P, which is locked, is DIR. */
static int move_project(const struct op_context *ctx, struct point *p, const char *dir, struct aisbx_error *e)
{
	scoped(drop_mem) char *given = path_resolve(ctx->by.cwd ? ctx->by.cwd : "/", dir);
	scoped(drop_mem) char *path = given ? realpath(given, NULL) : NULL;
	struct store_place place;
	json_t *text;
	int r;

	if (!path)
		return aisbx_fail(e, AISBX_AREA_USAGE, given ? errno : ENOMEM, "project '%s'", dir);
	text = json_string(path);
	if (!text)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
				    "the path of the project is not UTF-8");
	json_decref(text);
	if (!p->box.project)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL, "box '%s' has no project",
				    p->box.name);
	r = box_check_place(p->shelf.dir, path, e);
	if (r == 0)
		r = box_where_read(path, &place, e);
	if (r == 0)
		r = store_box_move(p->shelf.store, p->box.id, path, &place, e);
	if (r < 0)
		return r;
	free(p->box.project);
	p->box.project = take_mem(&path);
	return 0;
}

static int run_rename(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *name = json_string_value(json_object_get(args, "name")),
		   *dir = json_string_value(json_object_get(args, "project"));
	scoped(point_finish) struct point p = POINT_INIT;
	int r = name ? box_check_name(name, e) : 0;

	if (!name && !dir)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "say its new name, or with --project where its project is now");
	if (r == 0)
		r = point_open_box(key_of(args), dir != NULL, &p, e);
	if (r == 0 &&
	    !box_owns(
		    p.box.owner)) /* which names its owner has is not told to others, not even by a refusal */
		r = aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
				 "box '%s' is shared with you, and its owner names it", p.box.name);
	if (r == 0 && dir)
		r = move_project(ctx, &p, dir, e);
	if (r == 0 && name)
		r = store_box_rename(p.shelf.store, p.box.id, name, e);
	if (r == 0)
		*ret_result = json_pack("{s:s, s:s, s:s?}", "id", p.box.id, "name", name ? name : p.box.name,
					"project", p.box.project);
	return r;
}

static const struct op_param rename_params[] = {
	BOX_PARAM,
	{ "name", 0, OP_STRING, OP_POSITIONAL | OP_MODEL, "NAME", "its new name" },
	{ "project", 0, OP_STRING, 0, "DIR", "where its project is now, which was moved or renamed" },
	{ .name = NULL }
};
static const struct op_field rename_result[] = { { "id", "string", "of the box" },
						 { "name", "string", "its name from now on" },
						 { "project", "string|null",
						   "directory of its project from now on" },
						 { NULL, NULL, NULL } };

const struct op op_rename = {
	.name = "rename",
	.group = GROUP_BOXES,
	.view = VIEW_NAMES,
	.method = "box.rename",
	.summary = "Give a box another name, or tell it where its project went",
	.about = "The id of a box stays; its name can be changed. A box belongs to one directory, whatever "
		 "that is called: after the\n"
		 "project was renamed or moved, 'aisbx show' says where it is, and diff and promote refuse "
		 "until --project takes the box\n"
		 "there. They also refuse when another directory has the old name.",
	.example = "aisbx rename try1 fixed\naisbx rename try1 --project ~/src/shop2",
	.grant = GRANT_RUN,
	.params = rename_params,
	.result = rename_result,
	.run = run_rename,
};

/* That it can go: it is free, or nothing but interpreters is in it, which nobody waits for; those are added
 * to RET_RUNS. */
static int check_doomed(struct box_shelf *shelf, const char *key, struct strlist *ret_runs,
			struct aisbx_error *e)
{
	scoped(store_box_finish) struct store_box box = { 0 };
	struct aisbx_error late = AISBX_ERROR_INIT;
	scoped(drop_fd) int lock = -1;
	size_t before = ret_runs->n;
	int r = box_find_free(shelf, key, &lock, &box, e);

	if (r != -EBUSY || op_contexts_idle(box.id, ret_runs, &late) < 0 || ret_runs->n == before)
		return r;
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	return 0;
}

/* All are found, and free, before the first goes: a typo removes nothing. A lock at a time: there may be
 * thousands. */
static int clear_the_way(const struct strlist *keys, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	scoped(strlist_finish) struct strlist interpreters = { 0 };
	int r = box_shelf_open(&shelf, e);

	for (size_t i = 0; r == 0 && i < keys->n; i++)
		r = check_doomed(&shelf, keys->items[i], &interpreters, e);
	return r == 0 ? op_contexts_stop(&interpreters, e) : r;
}

static int run_rm(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist keys = { 0 }, removed = { 0 };
	json_t *list;
	int r;

	(void)ctx;
	value_list(json_object_get(args, "boxes"), &keys);
	r = keys.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "remove boxes") : clear_the_way(&keys, e);
	if (r == 0)
		r = box_remove(&keys, &removed, e);
	if (r < 0)
		return r;
	list = json_array();
	for (size_t i = 0; i < removed.n; i++)
		json_array_append_new(list, json_string(removed.items[i]));
	*ret_result = json_pack("{s:o}", "removed", list);
	return 0;
}

static const struct op_param rm_params[] = { { "boxes", 0, OP_LIST, OP_POSITIONAL | OP_REQUIRED, "BOX",
					       "names or ids of the boxes" },
					     { .name = NULL } };
static const struct op_field rm_result[] = { { "removed", "array", "names of the boxes that are gone" },
					     { NULL, NULL, NULL } };

const struct op op_rm = {
	.name = "rm",
	.group = GROUP_BOXES,
	.view = VIEW_NOTHING,
	.first = true,
	.method = "box.rm",
	.tool = "sandbox_remove",
	.brief = "Remove boxes with all their changes and snapshots. The real project is not touched.",
	.destroys = true,
	.summary = "Remove boxes with everything in them",
	.about = "Removes the boxes, their snapshots and the layers no other box stands on. The real machine "
		 "is not\n"
		 "touched. A box that a run is using is refused; an interpreter of 'run-code --context' ends "
		 "with its box.",
	.grant = GRANT_RUN,
	.params = rm_params,
	.result = rm_result,
	.run = run_rm,
};

static int run_gc(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	struct box_gc_report report;
	size_t logs = 0, left = 0;
	int r = box_shelf_open(&shelf, e);

	(void)ctx;
	(void)args;
	if (r == 0)
		r = box_sessions_settle(&left, e);
	if (r == 0)
		try_collect();
	if (r == 0)
		r = box_gc(&shelf, &report, e);
	if (r == 0) {
		live_run_settle_all();
		r = box_runs_collect(&logs, e);
	}
	if (r == 0)
		*ret_result =
			json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "aside", (json_int_t)report.aside,
				  "forgotten", (json_int_t)report.forgotten, "logs", (json_int_t)logs,
				  "expired", (json_int_t)report.expired, "layers", (json_int_t)report.layers,
				  "promotions", (json_int_t)report.promotions, "leftovers",
				  (json_int_t)report.leftovers);
	return r;
}

static const struct op_field gc_result[] = {
	{ "expired", "integer", "boxes removed because their time had come" },
	{ "layers", "integer", "layers removed because nothing stood on them" },
	{ "promotions", "integer", "promotions that cannot be taken back any more" },
	{ "leftovers", "integer", "directories a crash had left" },
	{ "aside", "integer",
	  "layers, promotions and artifacts that no record speaks of: moved to 'lost' in the state "
	  "directory" },
	{ "forgotten", "integer",
	  "times at which that was done more than 30 days ago: what was moved then was removed" },
	{ "logs", "integer", "logs of detached runs, older than a week or beyond 1 GiB" },
	{ NULL, NULL, NULL }
};

const struct op op_gc = {
	.name = "gc",
	.group = GROUP_BOXES,
	.method = "box.gc",
	.destroys = true,
	.summary = "Remove expired boxes and layers nobody needs",
	.about = "Removes boxes past their --ttl, what rollbacks left behind, what a crash left half made, "
		 "and\n"
		 "what promotions older than a month had replaced. Boxes of a session of 'aisbx mcp' or "
		 "'aisbx serve' that has ended\n"
		 "expire a week after that; 'aisbx renew' gives them another end. Logs of detached runs are "
		 "kept for a week after their end,\n"
		 "and of all together 1 GiB: the oldest go first. What the store knows nothing of is not "
		 "removed but moved to\n"
		 "'lost' in the state directory, for 30 days; 'aisbx recover --rebuild' brings it back.",
	.grant = GRANT_RUN,
	.params = no_params,
	.result = gc_result,
	.run = run_gc,
};
