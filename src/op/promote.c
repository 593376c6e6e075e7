/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `promote`: a box's changes into the real project. */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "flow/promote_join.h"
#include "promote/commit_identity.h"
#include "op/drift.h"
#include "op/outcome.h"
#include "op/promotion.h"

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
	scoped(commit_identity_finish) struct commit_identity who = { 0 };
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
				    "--merge or --rebase, not both");
	if (req->paths->n || req->artifact || req->to)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--%s is for the whole box, into its own project",
				    merge ? "merge" : "rebase");
	req->join = join;
	return 0;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist paths = { 0 }, secrets = { 0 };
	scoped(promote_report_finish) struct promote_report report = { 0 };
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
				       .join_ctx = &how };
	int r = op_drift_wish(args, &req.drift, e);

	value_list(json_object_get(args, "paths"), &paths);
	value_list(json_object_get(args, "allow-secret"), &secrets);
	if (r == 0 && (paths.failed || secrets.failed))
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "promote '%s'", req.box);
	if (r == 0)
		r = check_join(args, &req, e);
	if (r == 0)
		r = promote_apply(&ctx->by, &req, &report, e);
	if (r < 0)
		return r;
	ctx->exit_status = report.stopped ? 1 : 0;
	*ret_result = op_promotion_json(&report, &req);
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
}

static const struct op_param params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "BOX[@SNAPSHOT]", "whose changes" },
	{ "paths", 0, OP_LIST, OP_POSITIONAL | OP_MODEL, "PATH", "only these, with all below them" },
	{ "to", 0, OP_STRING, 0, "DIR", "another directory than the project" },
	{ "artifact", 0, OP_STRING, 0, "PATH",
	  "one file or directory of the box, changed or not; --to says where" },
	{ "ignored", 0, OP_FLAG, 0, NULL, "what git ignores, too: build products, caches, secrets in .env" },
	{ "refs", 0, OP_FLAG, 0, NULL, "branches and tags of its repositories that the box is not on, too" },
	{ "merge", 0, OP_FLAG, OP_MODEL, NULL,
	  "join commits of both sides in a fork of the box, judge that by the gates, bring it home" },
	{ "rebase", 0, OP_FLAG, 0, NULL, "as --merge, with the box's commits put on top of the real ones" },
	{ "dry-run", 'n', OP_FLAG, OP_MODEL, NULL, "only show what would happen" },
	{ "yes", 'y', OP_FLAG, 0, NULL, "go on in spite of the traps that are shown" },
	{ "allow-secret", 0, OP_LIST, 0, "NAME",
	  "go on though this secret, given to the box by --secret, is in it" },
	{ "conflict", 0, OP_CHOICE, OP_MODEL, "HOW",
	  "of conflicts: stop (default: nothing is changed), keep the real file, overwrite it, put the box's "
	  "version beside "
	  "it (both), mark the lines in it (mark)",
	  resolutions },
	DRIFT_PARAM,
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "promotion", "string|null", "its id, for undo; null when nothing was changed", .model = true },
	{ "box", "string", "name of the box", .model = true },
	{ "box_id", "string", "its id" },
	{ "target", "string", "directory the paths are below", .model = true },
	{ "applied", "boolean", "the target was changed", .model = true },
	{ "dry_run", "boolean", "it was only asked", .model = true },
	{ "summary", "object", "how many of each kind", .model = true },
	{ "summary.created", "integer", "files and directories" },
	{ "summary.modified", "integer", "other content" },
	{ "summary.deleted", "integer", "a directory counts once" },
	{ "summary.replaced", "integer", "another type of file" },
	{ "summary.mode", "integer", "other permissions or owner, same content" },
	{ "summary.xattr", "integer", "other extended attributes, the rest the same" },
	{ "summary.touched", "integer", "another time, the rest the same" },
	{ "summary.merged", "integer", "of these: changed on both sides, and both went in" },
	{ "summary.conflicts", "integer", "changed on both sides, and only one can be" },
	{ "summary.traps", "integer", "changes that would run code later" },
	{ "summary.secrets", "integer", "places where a secret is that was not allowed" },
	OUTCOME_FIELDS,
	{ "traps", "array", "changes that would run code later, or lead out of the tree", .model = true },
	PATH_FIELDS("traps[].", "below the target"),
	{ "traps[].kind", "string",
	  "git-hook, git-config, editor, agent, tool, lifecycle, startup, ci, gate, setuid, symlink or "
	  "capability" },
	{ "traps[].why", "string", "for a person", .model = true },
	{ "secrets", "array",
	  "secrets of the box, in names, contents, links or attributes; nothing is changed while one is not "
	  "allowed",
	  .model = true },
	PATH_FIELDS("secrets[].", "below the target"),
	{ "secrets[].name", "string", "as --secret named it", .model = true },
	{ "secrets[].form", "string", "plain, base64, hex, url-encoded or escaped" },
	{ "secrets[].allowed", "boolean", "it is named by allow-secret" },
	{ "stale", "array", "what was changed outside since the box took it, of what the box changed" },
	PATH_FIELDS("stale[].", "below the target"),
	{ "stale[].host", "string", "what was done to it" },
	IGNORED_FIELDS,
	{ "branches", "array", "of git: what moved, or would", .model = true },
	PATH_FIELDS("branches[].", "of the work tree, below the target; \"\" is the target"),
	{ "branches[].branch", "string", "as the real repository has it: refs/heads/main" },
	{ "branches[].from", "string", "as the box has it" },
	{ "branches[].old", "string|null", "the commit it stood at; null: there was none" },
	{ "branches[].new", "string|null", "the commit it stands at" },
	{ "branches[].how", "string",
	  "forward, created, aside (the real one went another way), repository (a new one) or switched" },
	{ "branches[].commits", "integer", "that are new to the real repository" },
	{ "stayed", "array", "of git: what stayed in the box", .model = true },
	{ "left", "array", "pipes, sockets and devices that the box made: they stay there" },
	PATH_FIELDS("left[].", "below the target"),
	{ "left[].type", "string", "fifo, socket or device" },
	{ "switched", "string|null",
	  "a sentence: the real project is on another branch than when the box began; stops as a conflict "
	  "does" },
	{ "error", "string", "what failed after the target was changed; the change itself is whole" },
	DRIFT_FIELDS,
	{ NULL, NULL, NULL },
};

const struct op op_promote = {
	.name = "promote",
	.group = GROUP_BRING_BACK,
	.view = VIEW_PROMOTE,
	.first = true,
	.method = "promote",
	.tool = "sandbox_promote",
	.brief = "Bring the changes of a box into the person's real project, in one step; look with dry_run "
		 "first. If a file was "
		 "changed on both sides, or would run code later (an editor's task and the like), nothing is "
		 "changed and the answer says "
		 "why. sandbox_undo takes it back.",
	.summary = "Bring a box's changes into the real project",
	.about = "Compares three sides of every path the box changed: what it was when the box took it, what "
		 "the box made of\n"
		 "it, and what it is now. What only the box changed goes in; what both changed is merged, or "
		 "is a conflict, and\n"
		 "then nothing at all is changed, unless --conflict says what to do. Changes that would run "
		 "code later\n"
		 "(editor tasks, install scripts, startup files, set-user-id bits, links that lead out) are "
		 "shown and wait for --yes.\n"
		 "A secret that was given to the box, in any common spelling, stops it until --allow-secret "
		 "names it.\n"
		 "Git stays git: nothing inside a git directory goes as a file. Commits of the branch the "
		 "box is on go as checked objects,\n"
		 "and the real branch moves only forward; if it went another way meanwhile, they get the "
		 "branch aisbx/BOX, unless the\n"
		 "two are joined by --merge or --rebase. Configuration and hooks stay in the box, and so "
		 "does what git ignores.\n"
		 "A box that a run uses is refused, for it changes; a snapshot of it, BOX@SNAPSHOT, can be "
		 "promoted meanwhile.\n"
		 "The promotion is one step: after a crash the tree is the old one or the new one. 'aisbx "
		 "undo' takes it back.",
	.example = "aisbx promote try1 --dry-run\naisbx promote try1\naisbx promote try1 src docs/guide.md\n"
		   "aisbx promote try1 --artifact build/app --to bin/\naisbx promote try1 --conflict mark",
	.grant = GRANT_HOST,
	.params = params,
	.result = result,
	.run = run,
};
