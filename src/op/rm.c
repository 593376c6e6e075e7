/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `rm` and `gc`: boxes that are not wanted any more, and what nobody needs. */
#include "base/scope.h"
#include "base/value.h"
#include "box/show.h"
#include "op/args.h"
#include "op/try.h"

static int run_rm(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist keys = { 0 }, removed = { 0 };
	int r;

	(void)ctx;
	value_list(json_object_get(args, "boxes"), &keys);
	r = box_rm(&keys, op_flag(args, "kill"), &removed, e);
	if (r < 0)
		return r;
	*ret_result = json_pack("{s:o}", "removed", value_list_json(&removed));
	return 0;
}

static const struct op_param rm_params[] = {
	{ "all", 'a', OP_FLAG, OP_LINE, NULL,
	  "remove all boxes of the project you are in, after a question" },
	{ "yes", 'y', OP_FLAG, OP_LINE, NULL, "with --all: do not ask" },
	{ "kill", 0, OP_FLAG, OP_MODEL, NULL, "end what runs in them" },
	OF_PROJECT_PARAM,
	HERE_PARAM,
	{ "boxes", 0, OP_LIST, OP_POSITIONAL | OP_REQUIRED, "BOX", "names or ids" },
	{ .name = NULL }
};
static const struct op_field rm_result[] = { { "removed", "array", "names of the removed boxes" },
					     { NULL, NULL, NULL } };

const struct op op_rm = {
	.name = "rm",
	.group = GROUP_BOXES,
	.view = VIEW_NOTHING,
	.first = true,
	.method = "box.rm",
	.tool = "sandbox_remove",
	.brief = "Remove boxes with their changes and snapshots.",
	.destroys = true,
	.summary = "Remove boxes with their changes and snapshots",
	.about = "Removes the boxes, their snapshots and the layers that no other box needs. The real\n"
		 "machine is not changed. A box in use by a run is not removed, unless --kill ends what\n"
		 "runs in it; an interpreter of 'run-code --context' ends with its box.\n\n"
		 "With --all it says how many boxes of the project there are and which have changes that\n"
		 "were not promoted, and asks. Where nobody can be asked it refuses, unless --yes is given.",
	.example = "aisbx rm try1\naisbx rm --kill try2\naisbx rm --all",
	.grant = GRANT_RUN,
	.params = rm_params,
	.result = rm_result,
	.run = run_rm,
};

static int run_gc(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct box_tidied done = { 0 };
	const struct box_gc_report *b = &done.boxes;
	int r;

	(void)ctx;
	try_collect();
	r = box_tidy(json_is_true(json_object_get(args, "share")), &done, e);
	if (r == 0)
		*ret_result =
			json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "aside",
				  (json_int_t)b->aside, "forgotten", (json_int_t)b->forgotten, "logs",
				  (json_int_t)done.logs, "expired", (json_int_t)b->expired, "layers",
				  (json_int_t)b->layers, "promotions", (json_int_t)b->promotions, "leftovers",
				  (json_int_t)b->leftovers, "blobs", (json_int_t)b->blobs, "unreadable",
				  (json_int_t)b->unreadable, "shared", (json_int_t)b->shared);
	return r;
}

static const struct op_param gc_params[] = {
	{ "share", 0, OP_FLAG, 0, NULL,
	  "also store equal files of different snapshots, images and templates once; boxes see such a file "
	  "with a higher link count" },
	{ .name = NULL },
};
static const struct op_field gc_result[] = {
	{ "expired", "integer", "expired boxes removed" },
	{ "layers", "integer", "layers removed because no box needed them" },
	{ "promotions", "integer", "promotions that can no longer be undone" },
	{ "shared", "integer", "with share: bytes freed, since equal files are stored once" },
	{ "leftovers", "integer", "directories left by a crash, removed" },
	{ "blobs", "integer", "blobs removed because no image needed them, and what was left of downloads" },
	{ "unreadable", "integer",
	  "images and blobs of which is not known what they need, because they are damaged: all blobs stay" },
	{ "aside", "integer",
	  "layers, promotions and artifacts that the store has no record of: moved to 'lost' in the state "
	  "directory" },
	{ "forgotten", "integer", "batches in 'lost' older than 30 days, removed" },
	{ "logs", "integer",
	  "logs of detached runs removed: older than a week, or beyond 1 GiB; and kept outputs of "
	  "projects that are gone, or beyond 1 GiB" },
	{ NULL, NULL, NULL }
};

const struct op op_gc = {
	.name = "gc",
	.group = GROUP_BOXES,
	.view = VIEW_GC,
	.method = "box.gc",
	.destroys = true,
	.summary = "Remove expired boxes and unused layers",
	.about = "Removes boxes past their --ttl, layers left by rollbacks, incomplete files left by\n"
		 "crashes, and files that promotions replaced more than a month ago. Boxes of a session\n"
		 "of 'aisbx mcp' or 'aisbx serve' expire a week after the session ended; 'aisbx renew'\n"
		 "changes that. Logs of detached runs are kept for a week after the run, at most 1 GiB in\n"
		 "all: the oldest are removed first. So is the kept output of all runs, beyond 1 GiB in all\n"
		 "or a week after its project is gone. Files that the store has no record of are not\n"
		 "removed, but moved to 'lost' in the state directory for 30 days; 'aisbx\n"
		 "recover --rebuild' restores them.",
	.grant = GRANT_RUN,
	.params = gc_params,
	.result = gc_result,
	.run = run_gc,
};
