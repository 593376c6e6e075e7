/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `ls` and `show`: the boxes there are, and one of them. */
#include "base/scope.h"
#include "box/show.h"
#include "op/drift.h"
#include "op/path.h"
#include "op/point.h"

static void add_where(const struct box_info *i, json_t *result)
{
	json_object_set_new(result, "project_is", json_string(box_where_name(i->where)));
	json_object_set_new(result, "project_now", i->now ? json_string(i->now) : json_null());
}

static int run_ls(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_infos_finish) struct box_infos boxes = { 0 };
	json_t *list;
	int r = box_ls(&boxes, e);

	(void)ctx;
	(void)args;
	if (r < 0)
		return r;
	list = json_array();
	for (size_t i = 0; i < boxes.n; i++) {
		json_t *j = box_json(&boxes.items[i].box);

		add_where(&boxes.items[i], j);
		json_array_append_new(list, j);
	}
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
	int r = op_drift_wish(args, &req.drift, e);

	if (r == 0)
		r = box_show(&req, &shown, e);
	if (r < 0)
		return r;
	list = json_array();
	for (size_t i = 0; i < shown.n_snapshots; i++)
		json_array_append_new(list, snapshot_json(&shown.snapshots[i]));
	*ret_result = box_json(&shown.info.box);
	json_object_set_new(*ret_result, "pinned_ms",
			    shown.pinned_ms ? json_integer(shown.pinned_ms) : json_null());
	add_where(&shown.info, *ret_result);
	json_object_set_new(*ret_result, "snapshot_list", list);
	json_object_set_new(*ret_result, "torn", json_boolean(shown.torn));
	op_add_drift(&shown.drift, *ret_result);
	if (req.stale)
		json_object_set_new(*ret_result, "stale", names_json(&shown.stale));
	return 0;
}

static const struct op_param show_params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "BOX", "name or id of the box" },
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
