/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `ls` and `show`: the boxes there are, and one of them. */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "box/current.h"
#include "box/show.h"
#include "box/take.h"
#include "op/args.h"
#include "op/drift.h"
#include "op/path_json.h"
#include "op/policy_json.h"
#include "op/box_json.h"

static void add_where(const struct box_info *i, json_t *result)
{
	json_object_set_new(result, "project_is", json_string(box_moved_name(i->where)));
	json_object_set_new(result, "project_now", i->now ? json_string(i->now) : json_null());
}

static void mark_current(const char *project, json_t *boxes)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct box_current now;
	json_t *box;
	size_t i;

	if (box_current_find(project, &now, &ignored) < 0)
		return;
	json_array_foreach(boxes, i, box) if (!strcmp(op_text(box, "id"), now.id))
		json_object_set_new(box, "current", json_true());
}

static json_t *left_json(const struct store_box *b)
{
	return json_pack("{s:s, s:s, s:s?, s:I, s:I, s:o, s:s}", "id", b->id, "name", b->name, "project",
			 b->project, "snapshots", (json_int_t)b->snapshots, "created_ms",
			 (json_int_t)b->created_ms, "expires_ms",
			 b->expires_ms ? json_integer(b->expires_ms) : json_null(), "owner", b->owner);
}

/* What an earlier session of the same token left; the person sees all boxes anyway. */
static int add_left(json_t *result, struct aisbx_error *e)
{
	struct store_box *boxes;
	json_t *list;
	size_t n;
	int r = box_left(&boxes, &n, e);

	if (r < 0 || !n)
		return r;
	list = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, left_json(&boxes[i]));
	json_object_set_new(result, "left", list);
	box_left_finish(boxes, n);
	return 0;
}

static int run_ls(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_infos_finish) struct box_infos boxes = { 0 };
	scoped(strlist_finish) struct strlist metadata = { 0 };
	json_t *list;
	int r;

	value_list(json_object_get(args, "metadata"), &metadata);
	r = metadata.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "list the boxes")
			    : box_ls(ctx->by.project, &metadata, &boxes, e);
	if (r < 0)
		return r;
	list = json_array();
	for (size_t i = 0; i < boxes.n; i++) {
		json_t *j = box_json(&boxes.items[i].box);

		box_json_note(j, boxes.items[i].metadata);
		add_where(&boxes.items[i], j);
		json_array_append_new(list, j);
	}
	*ret_result = json_pack("{s:o}", "boxes", list);
	if (ctx->by.project) {
		mark_current(ctx->by.project, list);
		json_object_set_new(*ret_result, "others", json_integer((json_int_t)boxes.others));
	}
	return add_left(*ret_result, e);
}

static const struct op_param ls_params[] = {
	METADATA_PARAM("only boxes of which this was noted; several: all of it"),
	ALL_PARAM("boxes"),
	OF_PROJECT_PARAM,
	HERE_PARAM,
	{ .name = NULL }
};
#define WHERE_FIELDS(at)                                                                            \
	{ at "project_is", "string",                                                                \
	  "there, moved (found elsewhere), replaced (another directory has its name) or missing" }, \
	{                                                                                           \
		at "project_now", "string|null", "where the project is now, if it was moved"        \
	}
static const struct op_field ls_result[] = {
	{ "boxes", "array", "oldest first" },
	{ "left", "array",
	  "only if there are any: boxes of ended sessions of the same "
	  "token, which box.take takes over" },
	{ "left[].id", "string", "box id", .told = true },
	{ "left[].name", "string", "its name there", .told = true },
	{ "left[].project", "string|null", "as of a box", .told = true },
	{ "left[].snapshots", "integer", "number of snapshots", .told = true },
	{ "left[].created_ms", "integer", "milliseconds since 1970" },
	{ "left[].expires_ms", "integer|null", "when gc removes it" },
	{ "left[].owner", "string", "the session that made it" },
	OTHERS_FIELD("boxes"),
	BOX_FIELDS("boxes[]."),
	METADATA_FIELD("boxes[]."),
	WHERE_FIELDS("boxes[]."),
	{ "boxes[].current", "boolean", "only on the command line: it is the current box" },
	{ NULL, NULL, NULL }
};

const struct op op_ls = {
	.name = "ls",
	.group = GROUP_BOXES,
	.view = VIEW_BOXES,
	.first = true,
	.method = "box.ls",
	.tool = "sandbox_list",
	.brief = "List boxes, also those of ended sessions.",
	.summary = "List boxes",
	.about = "Lists the boxes of the project you are in, oldest first; with --all, all boxes of this\n"
		 "user. A box made in an agent's session is called\n"
		 "OWNER/NAME. Every command accepts that, its id, or NAME alone if no other box has that\n"
		 "name. Boxes of a session expire a week after the session ended; 'aisbx renew' changes\n"
		 "that.",
	.grant = GRANT_READ,
	.params = ls_params,
	.result = ls_result,
	.run = run_ls,
};

static json_t *names_json(const struct strlist *paths)
{
	json_t *list = json_array();

	for (size_t i = 0; i < paths->n; i++) {
		json_t *j = json_object();

		op_set_name(j, "path", paths->items[i]);
		json_array_append_new(list, j);
	}
	return list;
}

static int run_show(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct box_show_request req = { .box = op_text(args, "box"),
					.cwd = ctx->by.cwd,
					.stale = op_flag(args, "stale") };
	scoped(box_shown_finish) struct box_shown shown = { 0 };
	json_t *list;
	int r = op_drift_options(args, &req.drift, e);

	if (r == 0)
		r = box_show(&req, &shown, e);
	if (r < 0)
		return r;
	list = json_array();
	for (size_t i = 0; i < shown.n_snapshots; i++)
		json_array_append_new(list, snapshot_json(&shown.snapshots[i]));
	*ret_result = box_json(&shown.info.box);
	box_json_note(*ret_result, shown.info.metadata);
	json_object_set_new(*ret_result, "variables", value_list_json(&shown.variables));
	json_object_set_new(*ret_result, "pinned_ms",
			    shown.pinned_ms ? json_integer(shown.pinned_ms) : json_null());
	add_where(&shown.info, *ret_result);
	json_object_set_new(*ret_result, "snapshot_list", list);
	json_object_set_new(*ret_result, "torn", json_boolean(shown.torn));
	json_object_set_new(*ret_result, "policy", op_policy_json(&shown.policy));
	op_add_drift(&shown.drift, *ret_result);
	if (req.stale)
		json_object_set_new(*ret_result, "stale", names_json(&shown.stale));
	return 0;
}

static const struct op_param show_params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED | OP_CURRENT, "BOX", "name or id of the box" },
	{ "stale", 0, OP_FLAG, OP_MODEL, NULL,
	  "list what changed in the real project since the box was made" },
	DRIFT_PARAM,
	{ .name = NULL },
};
static const struct op_field show_result[] = {
	BOX_FIELDS(""),
	METADATA_FIELD(""),
	{ "variables", "array", "names of the variables that its commands get; values are not shown" },
	WHERE_FIELDS(""),
	{ "pinned_ms", "integer|null",
	  "when its copy of the project was made; null: it sees the real project" },
	{ "snapshot_list", "array", "snapshots of the box, oldest first" },
	{ "snapshot_list[].id", "string", "snapshot id" },
	{ "snapshot_list[].name", "string", "snapshot id" },
	{ "snapshot_list[].box", "string", "id of the box" },
	{ "snapshot_list[].created_ms", "integer", "milliseconds since 1970" },
	{ "snapshot_list[].automatic", "boolean", "aisbx took it automatically" },
	{ "torn", "boolean",
	  "it was in use when the machine stopped: its changes since the last snapshot may be incomplete" },
	POLICY_FIELDS,
	{ "stale", "array", "with --stale: what changed outside of boxes since the box was made" },
	PATH_FIELDS("stale[].", "relative to the project"),
	DRIFT_FIELDS,
	{ NULL, NULL, NULL }
};

const struct op op_show = {
	.name = "show",
	.group = GROUP_BOXES,
	.view = VIEW_BOX,
	.method = "box.show",
	.summary = "Show one box and its snapshots",
	.about = "Shows a box and its snapshots. With --stale it also searches the real project for\n"
		 "changes made since the box was made; the time depends on the size of the project. A\n"
		 "directory is listed if an entry was added or removed. 'aisbx promote --dry-run' shows\n"
		 "which of these files the box changed, too.",
	.example = "aisbx show try1 --stale",
	.grant = GRANT_READ,
	.params = show_params,
	.result = show_result,
	.run = run_show,
};
