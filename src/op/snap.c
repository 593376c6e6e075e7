/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `snap` and `rollback`: points in a box's life. */
#include "base/scope.h"
#include "box/lifecycle.h"
#include "op/drift.h"
#include "op/pin.h"
#include "op/point.h"

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
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "BOX", "of which box" },
	{ "name", 0, OP_STRING, OP_POSITIONAL | OP_MODEL, "NAME", "its name; default: its id" },
	{ "pin", 0, OP_FLAG, 0, NULL,
	  "keep the real project as it is now, too: from here on the box has a copy of it" },
	{ "as-is", 0, OP_FLAG, 0, NULL,
	  "also of a box that was at work when the machine stopped: its files may be incomplete" },
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
	.brief = "Remember what a box has now, in milliseconds; do it before something risky. "
		 "sandbox_rollback goes back to it, "
		 "sandbox_fork starts from it.",
	.summary = "Take a snapshot of a box",
	.about = "Freezes what the box has now. It can be rolled back to, and forked, at any time. Takes the "
		 "same few\n"
		 "milliseconds for ten changed files and for a hundred thousand; one in some sixty takes "
		 "longer, as it\n"
		 "folds the box's layers into one. A box in which commands run is stopped while its changes "
		 "are copied,\n"
		 "which takes as long as they are large. A snapshot is on the disk when this returns.\n\n"
		 "The real project shows where the box changed nothing, as it is, not as it was at the "
		 "snapshot. With --pin a copy\n"
		 "of it as it is now takes its place, from this snapshot on, as 'aisbx create --pin' makes "
		 "one.\n\n"
		 "What a box wrote since its last snapshot may be incomplete if the machine loses power "
		 "while commands run\n"
		 "in it. aisbx tells so, and does nothing more with the box until you have decided: 'aisbx "
		 "rollback' takes\n"
		 "it back to its last snapshot, --as-is takes what there is.",
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
	struct drift_wish wish;
	int r = op_drift_wish(args, &wish, e);

	(void)ctx;
	if (r == 0)
		r = box_rollback(op_text(args, "box"), snapshot, &wish, &done, e);
	if (r < 0)
		return r;
	*ret_result = json_pack("{s:s, s:s}", "box", done.box, "snapshot", snapshot);
	op_add_drift(&done.drift, *ret_result);
	return 0;
}

static const struct op_param rollback_params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "BOX", "which box" },
	{ "snapshot", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "SNAPSHOT", "name or id" },
	DRIFT_PARAM,
	{ .name = NULL },
};

static const struct op_field rollback_result[] = { { "box", "string", "its name" },
						   { "snapshot", "string", "what it is like again" },
						   DRIFT_FIELDS,
						   { NULL, NULL, NULL } };

const struct op op_rollback = {
	.name = "rollback",
	.group = GROUP_BOXES,
	.view = VIEW_NOTHING,
	.method = "box.rollback",
	.tool = "sandbox_rollback",
	.brief = "Take a box back to a snapshot. What it changed since then is gone; its snapshots stay.",
	.destroys = true,
	.summary = "Take a box back to a snapshot",
	.about = "What the box changed since then is gone; take a snapshot first if it may be wanted. "
		 "Snapshots, also\n"
		 "later ones, stay. The real project is not rolled back: what changed there since is told, "
		 "and shows in the box,\n"
		 "unless that is pinned.",
	.grant = GRANT_RUN,
	.params = rollback_params,
	.result = rollback_result,
	.run = run_rollback,
};
