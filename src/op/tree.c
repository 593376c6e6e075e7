/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `tree`: which box and snapshot stands on which. */
#include "base/scope.h"
#include "box/show.h"
#include "op/args.h"
#include "op/box_json.h"

static void set_id(json_t *object, const char *key, const char *id)
{
	json_object_set_new(object, key, *id ? json_string(id) : json_null());
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_tree_finish) struct box_tree tree = { 0 };
	json_t *boxes, *snapshots;
	int r = box_tree(ctx->by.project, &tree, e);

	(void)args;
	if (r < 0)
		return r;
	boxes = json_array();
	snapshots = json_array();
	for (size_t i = 0; i < tree.n_snapshots; i++) {
		json_t *j = snapshot_json(&tree.snapshots[i].snapshot);

		set_id(j, "parent", tree.snapshots[i].parent);
		json_array_append_new(snapshots, j);
	}
	for (size_t i = 0; i < tree.n_boxes; i++) {
		json_t *j = box_json(&tree.boxes[i].box);

		set_id(j, "on", tree.boxes[i].on);
		json_array_append_new(boxes, j);
	}
	*ret_result = json_pack("{s:o, s:o}", "boxes", boxes, "snapshots", snapshots);
	if (ctx->by.project)
		json_object_set_new(*ret_result, "others", json_integer((json_int_t)tree.others));
	return 0;
}

static const struct op_param tree_params[] = {
	ALL_PARAM("boxes"), OF_PROJECT_PARAM, HERE_PARAM, { .name = NULL }
};
static const struct op_field tree_result[] = {
	{ "boxes", "array", "every box" },
	OTHERS_FIELD("boxes"),
	BOX_FIELDS("boxes[]."),
	{ "boxes[].on", "string|null", "id of its parent snapshot; null: the machine as it is" },
	{ "snapshots", "array", "every snapshot" },
	SNAPSHOT_FIELDS("snapshots[]."),
	{ "snapshots[].parent", "string|null", "id of its parent snapshot; null: the machine as it is" },
	{ NULL, NULL, NULL },
};

const struct op op_tree = {
	.name = "tree",
	.group = GROUP_BOXES,
	.view = VIEW_TREE,
	.method = "box.tree",
	.summary = "Show boxes and snapshots as a tree",
	.about = "Draws every snapshot below its parent, and every box below the snapshot that it started "
		 "from:\nthose of the project you are in; with --all, of all.",
	.grant = GRANT_READ,
	.params = tree_params,
	.result = tree_result,
	.run = run,
};
