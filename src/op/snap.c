/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `snap` and `rollback`: points in a box's life. */
#include "base/scope.h"
#include "box/lifecycle.h"
#include "op/drift.h"
#include "op/pin.h"
#include "op/box_json.h"

static int run_snap(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_snapped_finish) struct box_snapped made = { 0 };
	const struct box_snap_request req = { .box = op_text(args, "box"),
					      .name = op_text(args, "name"),
					      .as_is = op_flag(args, "as-is"),
					      .pin = op_flag(args, "pin"),
					      .tell = op_pin_how(ctx) };
	int r = box_snap(&req, &made, e);

	if (r < 0)
		return r;
	*ret_result = snapshot_json(&made.snapshot);
	op_add_drift(&made.drift, *ret_result);
	if (req.pin)
		op_add_pin(&made.pin, *ret_result);
	return 0;
}

static const struct op_param snap_params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED | OP_CURRENT, "BOX", "box" },
	{ "name", 0, OP_STRING, OP_POSITIONAL | OP_MODEL, "NAME", "name; default: its id" },
	{ "pin", 0, OP_FLAG, 0, NULL,
	  "also give the box a copy of the real project as it is now; it uses the copy from here on" },
	{ "as-is", 0, OP_FLAG, 0, NULL,
	  "even if the box was in use when the machine stopped: its files may be incomplete" },
	{ .name = NULL },
};

static const struct op_field snap_result[] = {
	SNAPSHOT_FIELDS(""), PIN_FIELDS, DRIFT_FIELDS, { NULL, NULL, NULL }
};

const struct op op_snap = {
	.name = "snap",
	.group = GROUP_BOXES,
	.view = VIEW_NAMES,
	.method = "box.snap",
	.tool = "sandbox_snapshot",
	.brief = "Save the state of a box before something risky: for sandbox_rollback and sandbox_fork.",
	.summary = "Take a snapshot of a box",
	.about = "Saves the current state of the box. You can roll back to it or fork it at any time.\n"
		 "Takes the same few milliseconds for ten changed files and for a hundred thousand; about\n"
		 "one in sixty takes longer, because it merges the box's layers into one. If commands run\n"
		 "in the box, they are paused while its changes are copied, which takes as long as these\n"
		 "are large. The snapshot is on disk when this returns.\n\n"
		 "Where the box changed nothing, the real project is visible as it is now, not as it was\n"
		 "at the snapshot. With --pin a copy of it as it is now is used instead, from this\n"
		 "snapshot on, as with 'aisbx create --pin'.\n\n"
		 "What a box wrote since its last snapshot may be incomplete if the machine loses power\n"
		 "while commands run in it. aisbx reports that and refuses to use the box until you\n"
		 "decide: 'aisbx rollback' restores its last snapshot, --as-is accepts the files as they\n"
		 "are.",
	.example = "aisbx snap try1 before\naisbx rollback try1 before\naisbx snap --pin try1 release",
	.grant = GRANT_RUN,
	.params = snap_params,
	.result = snap_result,
	.run = run_snap,
};

static int run_rollback(struct op_context *ctx, const json_t *args, json_t **ret_result,
			struct aisbx_error *e)
{
	const char *snapshot = op_text(args, "snapshot");
	scoped(box_rolled_back_finish) struct box_rolled_back done = { 0 };
	struct drift_options options;
	int r = op_drift_options(args, &options, e);

	(void)ctx;
	if (r == 0)
		r = box_rollback(op_text(args, "box"), snapshot, &options, &done, e);
	if (r < 0)
		return r;
	*ret_result = json_pack("{s:s, s:s}", "box", done.box, "snapshot", snapshot);
	op_add_drift(&done.drift, *ret_result);
	return 0;
}

static const struct op_param rollback_params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "BOX", "box" },
	{ "snapshot", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "SNAPSHOT", "name or id" },
	DRIFT_PARAM,
	{ .name = NULL },
};

static const struct op_field rollback_result[] = { { "box", "string", "its name" },
						   { "snapshot", "string", "snapshot that was restored" },
						   DRIFT_FIELDS,
						   { NULL, NULL, NULL } };

const struct op op_rollback = {
	.name = "rollback",
	.group = GROUP_BOXES,
	.view = VIEW_NOTHING,
	.method = "box.rollback",
	.tool = "sandbox_rollback",
	.brief = "Restore a snapshot of a box. Changes since then are lost.",
	.destroys = true,
	.summary = "Restore a snapshot of a box",
	.about = "Changes that the box made since the snapshot are lost; take a snapshot first if you may\n"
		 "need them. All snapshots stay, including later ones. The real project is not rolled\n"
		 "back: changes there since then are reported, and visible in the box, unless it is\n"
		 "pinned.",
	.grant = GRANT_RUN,
	.params = rollback_params,
	.result = rollback_result,
	.run = run_rollback,
};
