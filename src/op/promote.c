/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `promote`: writes a box's changes into the real project. */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "flow/promote_join.h"
#include "promote/commit_identity.h"
#include "op/drift.h"
#include "op/merge_json.h"
#include "op/promotion.h"
#include "op/review.h"
#include "op/system_json.h"

static const char *const resolutions[] = {
#define X(id, name) name,
	MERGE_RESOLUTIONS(X)
#undef X
		NULL
};

struct join {
	struct op_context *ctx;
	bool rebase;
};

static int join(void *given, const char *box, const char *project, const char *id, struct box_scratch *ret,
		struct aisbx_error *e)
{
	const struct join *j = given;
	scoped(git_identity_finish) struct git_identity who = { 0 };
	int r = commit_identity_find(&j->ctx->by, NULL, &who, e);
	const struct join_request req = { .box = box,
					  .project = project,
					  .commit = id,
					  .rebase = j->rebase,
					  .name = who.name,
					  .email = who.email };

	return r < 0 ? r : promote_join(&j->ctx->by, &req, ret, e);
}

static int check_join(const json_t *args, struct promote_request *req, struct aisbx_error *e)
{
	bool merge = op_flag(args, "merge"), rebase = op_flag(args, "rebase");

	if (!merge && !rebase)
		return 0;
	if (merge && rebase)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "give --merge or --rebase, not both");
	if (req->paths->n || req->artifact || req->to)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--%s applies to a whole box and its own project only",
				    merge ? "merge" : "rebase");
	req->join = join;
	return 0;
}

/* A review is of what is there: what would be made on the way to it would be another thing at the next call.
 */
static int check_review(const json_t *args, struct promote_request *req, struct promote_selection *chosen,
			struct aisbx_error *e)
{
	int r = op_selection(args, chosen, e);

	if (r < 0)
		return r;
	req->review = op_flag(args, "review");
	req->selection = chosen->digest[0] ? chosen : NULL;
	if ((req->review || req->selection) && (req->join || req->artifact))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--review cannot be combined with --merge, --rebase or --artifact");
	if (req->review && req->selection)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "give --review, or --reviewed with what it showed, not both");
	return 0;
}

/* Instead of files: the packages, and the commands that bring them. */
static int list_packages(const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_system_finish) struct box_system changes = { 0 };
	int r;

	if (!op_flag(args, "system"))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--packages goes with --system: 'aisbx promote --system --packages %s'",
				    op_text(args, "box"));
	r = promote_system_changes(op_text(args, "box"), &changes, e);
	if (r < 0)
		return r;
	*ret_result = json_pack("{s:n, s:s, s:s, s:b}", "promotion", "box", op_text(args, "box"), "target",
				"/", "applied", false);
	op_add_system(&changes, false, *ret_result);
	op_add_commands(&changes, *ret_result);
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist paths = { 0 }, secrets = { 0 };
	scoped(promote_report_finish) struct promote_report report = { 0 };
	scoped(promote_selection_finish) struct promote_selection chosen = { 0 };
	struct join how = { .ctx = ctx, .rebase = op_flag(args, "rebase") };
	struct promote_request req = { .box = op_text(args, "box"),
				       .paths = &paths,
				       .to = op_text(args, "to"),
				       .artifact = op_text(args, "artifact"),
				       .allow_secrets = &secrets,
				       .resolution = op_resolution(args),
				       .dry_run = op_flag(args, "dry-run"),
				       .yes = op_flag(args, "yes"),
				       .ignored = op_flag(args, "ignored"),
				       .refs = op_flag(args, "refs"),
				       .system = op_flag(args, "system"),
				       .join_ctx = &how };
	int r = op_drift_options(args, &req.drift, e);

	if (r == 0 && op_flag(args, "packages"))
		return list_packages(args, ret_result, e);
	value_list(json_object_get(args, "paths"), &paths);
	value_list(json_object_get(args, "allow-secret"), &secrets);
	if (r == 0 && (paths.failed || secrets.failed))
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "promote '%s'", req.box);
	if (r == 0)
		r = check_join(args, &req, e);
	if (r == 0)
		r = check_review(args, &req, &chosen, e);
	if (r == 0)
		r = promote_apply(&ctx->by, &req, &report, e);
	if (r < 0)
		return r;
	ctx->exit_status = report.stopped ? 1 : 0;
	*ret_result = op_promotion_json(&report, &req);
	if (*ret_result && req.review)
		op_add_review(&report.promotion, ctx->by.out_fds[0] >= 0, *ret_result);
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
}

static const struct op_param params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED | OP_CURRENT, "BOX[@SNAPSHOT]",
	  "whose changes to promote" },
	{ "paths", 0, OP_LIST, OP_POSITIONAL | OP_MODEL, "PATH",
	  "only these paths, with everything in them" },
	{ "to", 0, OP_STRING, 0, "DIR", "target directory, instead of the project" },
	{ "artifact", 0, OP_STRING, 0, "PATH",
	  "one file or directory of the box, changed or not; --to gives the destination" },
	{ "ignored", 0, OP_FLAG, 0, NULL,
	  "include files that git ignores: build products, caches, secrets in .env" },
	{ "refs", 0, OP_FLAG, 0, NULL,
	  "include branches and tags of its repositories that the box does not have checked out" },
	{ "merge", 0, OP_FLAG, OP_MODEL, NULL,
	  "merge the commits of both sides in a fork of the box, check the result by the gates, and promote "
	  "it" },
	{ "rebase", 0, OP_FLAG, 0, NULL, "as --merge, but rebase the box's commits onto the real ones" },
	{ "system", 0, OP_FLAG, 0, NULL,
	  "promote what a box of root changed outside of its project into the system of this machine; only "
	  "for "
	  "root" },
	{ "packages", 0, OP_FLAG, 0, NULL,
	  "with --system: change nothing; print the commands that install the packages of the box here" },
	{ "dry-run", 'n', OP_FLAG, OP_MODEL, NULL, "only show what would be done" },
	REVIEW_PARAMS,
	{ "yes", 'y', OP_FLAG, 0, NULL, "continue despite the traps that are shown" },
	{ "allow-secret", 0, OP_LIST, 0, "NAME",
	  "continue although this secret, which was given to the box with --secret, is in it" },
	{ "conflict", 0, OP_CHOICE, OP_MODEL, "HOW",
	  "on conflicts: stop and change nothing (default), keep the real file, overwrite it, put the box's "
	  "version beside it (both), mark the lines in it (mark)",
	  resolutions },
	DRIFT_PARAM,
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "promotion", "string|null", "promotion id, for undo; null if nothing was changed", .model = true },
	{ "box", "string", "name of the box", .model = true },
	{ "box_id", "string", "its id" },
	{ "target", "string", "directory that the paths are relative to", .model = true },
	{ "applied", "boolean", "the target was changed", .model = true },
	{ "dry_run", "boolean", "it was a dry run", .model = true },
	{ "summary", "object", "number of changes of each kind", .model = true },
	{ "summary.created", "integer", "files and directories" },
	{ "summary.modified", "integer", "different content" },
	{ "summary.deleted", "integer", "deleted paths; a directory counts once" },
	{ "summary.replaced", "integer", "different file type" },
	{ "summary.mode", "integer", "different permissions or owner, same content" },
	{ "summary.xattr", "integer", "different extended attributes, otherwise the same" },
	{ "summary.touched", "integer", "different time, otherwise the same" },
	{ "summary.merged", "integer", "of these: changed on both sides, and merged" },
	{ "summary.conflicts", "integer", "changed on both sides, and cannot be merged" },
	{ "summary.traps", "integer", "changes that would run code later" },
	{ "summary.secrets", "integer", "places that contain a secret that was not allowed" },
	OUTCOME_FIELDS,
	{ "traps", "array", "changes that would run code later, or lead out of the tree", .model = true },
	PATH_FIELDS("traps[].", "relative to the target"),
	{ "traps[].kind", "string",
	  "git-hook, git-config, editor, agent, tool, lifecycle, startup, ci, gate, setuid, symlink, "
	  "capability or system" },
	{ "traps[].why", "string", "an explanation for people", .model = true },
	{ "secrets", "array",
	  "secrets of the box found in names, contents, links or attributes; nothing is changed unless all "
	  "are allowed",
	  .model = true },
	PATH_FIELDS("secrets[].", "relative to the target"),
	{ "secrets[].name", "string", "name given with --secret", .model = true },
	{ "secrets[].form", "string", "plain, base64, hex, url-encoded or escaped" },
	{ "secrets[].allowed", "boolean", "named by --allow-secret" },
	{ "stale", "array", "files changed outside since the box changed them" },
	PATH_FIELDS("stale[].", "relative to the target"),
	{ "stale[].host", "string", "what was done to it" },
	IGNORED_FIELDS,
	{ "branches", "array", "git: refs that moved, or would move", .model = true },
	PATH_FIELDS("branches[].", "work tree, relative to the target; \"\" is the target"),
	{ "branches[].branch", "string", "ref in the real repository: refs/heads/main" },
	{ "branches[].from", "string", "ref in the box" },
	{ "branches[].old", "string|null", "the commit before; null: none" },
	{ "branches[].new", "string|null", "the commit after" },
	{ "branches[].how", "string",
	  "forward, created, aside (the real branch has diverged), repository (a new one) or switched" },
	{ "branches[].commits", "integer", "commits new to the real repository" },
	{ "stayed", "array", "git: what stays in the box", .model = true },
	{ "left", "array", "pipes, sockets and devices made in the box: they stay there" },
	PATH_FIELDS("left[].", "relative to the target"),
	{ "left[].type", "string", "fifo, socket or device" },
	{ "switched", "string|null",
	  "warning: the real project is on another branch than when the box was made; stops like a "
	  "conflict" },
	{ "error", "string", "what failed after the target was changed; the change itself is complete" },
	REVIEW_FIELDS,
	SYSTEM_FIELDS,
	{ "commands", "array", "with packages: what installs and removes them here" },
	DRIFT_FIELDS,
	{ NULL, NULL, NULL },
};

const struct op op_promote = {
	.name = "promote",
	.group = GROUP_BRING_BACK,
	.view = VIEW_PROMOTE,
	.first = true,
	.asks = true,
	.method = "promote",
	.tool = "sandbox_promote",
	.brief = "Bring a box's changes into the person's real project; use dry_run first. A file that "
		 "changed on both sides, or would run code later (an editor's task), stops it; the answer "
		 "says why.",
	.summary = "Promote a box's changes into the real project",
	.about =
		"Compares three versions of every path that the box changed: the base (when the box first\n"
		"changed it), the box's, and the current one. Paths that only the box changed are\n"
		"promoted; paths that both sides changed are merged. If that is not possible there is a\n"
		"conflict, and nothing at all is changed, unless --conflict says what to do. Changes that\n"
		"would run code later (editor tasks, install scripts, startup files, set-user-id bits,\n"
		"links that lead out) are shown and need --yes. A secret that was given to the box, in\n"
		"any common encoding, stops the promotion unless --allow-secret names it. At a terminal you\n"
		"are asked about these. With --review you are asked about each file, and each part of a\n"
		"text; what you refuse stays in the box.\n\n"
		"Files inside a git directory are not copied. Commits of the branch that the box has\n"
		"checked out are transferred as verified objects, and the real branch is only\n"
		"fast-forwarded. If the branches have diverged, the commits are put on the branch\n"
		"aisbx/BOX, unless --merge or --rebase joins the two. Configuration and hooks stay in the\n"
		"box, and so do files that git ignores.\n\n"
		"A box in use by a run cannot be promoted, because it may still change; a snapshot of it,\n"
		"BOX@SNAPSHOT, can. A promotion is atomic: after a crash the tree is the old one or the\n"
		"new one. 'aisbx undo' reverts it.\n\n"
		"With --system it promotes what a box of root changed outside of its project (packages,\n"
		"/etc, /usr/local) into the system of this machine, by the same rules. That always needs\n"
		"the option --yes. For packages the better way is --system --packages: it prints the\n"
		"commands that install them, so that their scripts run here.",
	.example = "aisbx promote try1 --dry-run\naisbx promote try1\naisbx promote try1 --review\naisbx "
		   "promote try1 src docs/guide.md\n"
		   "aisbx promote try1 --artifact build/app --to bin/\naisbx promote try1 --conflict mark",
	.grant = GRANT_HOST,
	.params = params,
	.result = result,
	.run = run,
};
