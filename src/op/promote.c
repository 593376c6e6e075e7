/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `promote`: a box's changes into the real project. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/owner.h"
#include "box/promote.h"
#include "op/drift.h"
#include "op/outcome.h"
#include "op/path.h"
#include "op/point.h"
#include "op/promote_join.h"
#include "op/still.h"

static const char *const resolutions[] = {
#define X(id, name) name,
	MERGE_RESOLUTIONS(X)
#undef X
		NULL
};

static json_t *summary_json(const struct box_promotion *p)
{
	json_int_t counts[CHANGE_KIND_COUNT] = { 0 }, merged = 0;
	json_t *summary = json_object();

	for (size_t i = 0; i < p->plan.n; i++) {
		const struct merge_step *s = &p->plan.steps[i];

		if (s->outcome != MERGE_CONFLICT && op_is_news(s))
			counts[s->box]++;
		merged += s->outcome == MERGE_BOTH && op_is_news(s);
	}
	for (enum change_kind k = CHANGE_NONE + 1; k < CHANGE_KIND_COUNT; k++)
		json_object_set_new(summary, change_kind_name(k), json_integer(counts[k]));
	json_object_set_new(summary, "merged", json_integer(merged));
	json_object_set_new(summary, "conflicts", json_integer((json_int_t)p->n_conflicts));
	json_object_set_new(summary, "traps", json_integer((json_int_t)p->n_traps));
	json_object_set_new(summary, "secrets", json_integer((json_int_t)p->spills.n_stopping));
	return summary;
}

static void add_traps(const struct box_promotion *p, json_t *result)
{
	struct op_list list = OP_LIST_INIT(OP_LIST_LONG);

	for (size_t i = 0; i < p->n_traps; i++) {
		json_t *j = op_list_add(&list, p->traps[i].path);

		if (!j)
			continue;
		json_object_set_new(j, "kind", json_string(p->traps[i].trap->kind));
		json_object_set_new(j, "why", json_string(p->traps[i].trap->why));
	}
	op_list_put(&list, "traps", result);
}

static void add_stale(const struct box_promotion *p, json_t *result)
{
	struct op_list list = OP_LIST_INIT(OP_LIST_SHORT);

	for (size_t i = 0; i < p->plan.n_stale; i++) {
		json_t *j = op_list_add(&list, p->plan.stale[i].path);

		if (j)
			json_object_set_new(j, "host", json_string(change_kind_name(p->plan.stale[i].host)));
	}
	op_list_put(&list, "stale", result);
}

static void add_secrets(const struct box_promotion *p, json_t *result)
{
	struct op_list list = OP_LIST_INIT(OP_LIST_SHORT);

	for (size_t i = 0; i < p->spills.n; i++) {
		const struct box_spill *s = &p->spills.list[i];
		json_t *j = op_list_add(&list, s->path);

		if (!j)
			continue;
		json_object_set_new(j, "name", json_string(s->name));
		json_object_set_new(j, "form", json_string(lens_name(s->form)));
		json_object_set_new(j, "allowed", json_boolean(s->allowed));
	}
	op_list_put(&list, "secrets", result);
}

static void add_lists(const struct box_promotion *p, enum merge_resolution resolution, json_t *result)
{
	add_secrets(p, result); /* first what stands against it: the last list gets what is left */
	add_traps(p, result);
	add_stale(p, result);
	op_add_outcomes(&p->plan, resolution, result);
}

static json_t *move_json(const struct git_change *c, const struct git_move *m)
{
	json_t *j =
		json_pack("{s:s, s:s, s:o, s:s, s:s, s:I}", "branch", m->ref, "from", m->from, "old",
			  m->old[0] ? json_string(m->old) : json_null(), "new", m->now, "how",
			  c->dir ? git_how_name(m->how) : "repository", "commits", (json_int_t)m->commits);

	op_set_name(j, "path", c->tree);
	return j;
}

/* What became of repositories. */
static void add_git(const struct box_git *g, json_t *result)
{
	json_t *moves = json_array(), *stays = json_array();

	for (size_t i = 0; i < g->n; i++) {
		for (size_t k = 0; k < g->changes[i].n; k++)
			json_array_append_new(moves, move_json(&g->changes[i], &g->changes[i].moves[k]));
		if (g->changes[i].head_now && !g->changes[i].n) {
			json_t *j = json_pack("{s:s, s:s, s:n, s:n, s:s, s:i}", "branch",
					      g->changes[i].head_now, "from", g->changes[i].head_now, "old",
					      "new", "how", "switched", "commits", 0);

			op_set_name(j, "path", g->changes[i].tree);
			json_array_append_new(moves, j);
		}
	}
	for (size_t i = 0; i < g->stays.n; i++) {
		scoped(buf_finish) struct buf clean = { 0 };

		buf_add_utf8(&clean, g->stays.items[i], strlen(g->stays.items[i]));
		json_array_append_new(stays, json_string(buf_str(&clean) ? clean.data : "?"));
	}
	json_object_set_new(result, "branches", moves);
	json_object_set_new(result, "stayed", stays);
	json_object_set_new(result, "switched", g->switched ? json_string(g->switched) : json_null());
}

/* "2 left in the box: a FIFO ('p'), a socket ('run/s')". */
static void add_left(const struct merge_plan *plan, json_t *result)
{
	scoped(buf_finish) struct buf words = { 0 };
	json_t *left = json_array();

	for (size_t i = 0; i < plan->n_left; i++) {
		const struct merge_left *l = &plan->left[i];
		json_t *j = json_pack("{s:s}", "type", change_type_name(l->mode));

		op_set_name(j, "path", l->path);
		json_array_append_new(left, j);
		if (i == 0)
			buf_addf(&words, "%zu left in the box: ", plan->n_left);
		if (i < 5) {
			buf_addf(&words, "%sa %s ('", i ? ", " : "",
				 S_ISFIFO(l->mode) ? "FIFO" : change_type_name(l->mode));
			buf_add_utf8(&words, l->path, strlen(l->path));
			buf_addf(&words, "')");
		} else if (i == 5) {
			buf_addf(&words, " and others");
		}
	}
	json_object_set_new(result, "left", left);
	if (plan->n_left)
		json_array_append_new(json_object_get(result, "stayed"),
				      json_string(buf_str(&words) ? words.data : "?"));
}

/* A path as a person writes it, below the project. */
static int add_path(const struct op_context *ctx, const char *project, const char *given, struct strlist *ret,
		    struct aisbx_error *e)
{
	const char *from = ctx->cwd && path_is_within(ctx->cwd, project) ? ctx->cwd : project;
	scoped(drop_mem) char *path = path_resolve(from, given);
	const char *below = path ? path_below(path, project) : NULL;

	if (!path)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "promote '%s'", given);
	if (!below)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "'%s' is not in the box's project '%s'",
				    given, project);
	strlist_add(ret, *below ? below : ".");
	return ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "promote '%s'", given) : 0;
}

struct wishes {
	struct strlist only, artifact, secrets;
	char *to; /* owned */
};

static void wishes_finish(struct wishes *w)
{
	strlist_finish(&w->only);
	strlist_finish(&w->artifact);
	strlist_finish(&w->secrets);
	free(w->to);
}

static int read_wishes(const struct op_context *ctx, const json_t *args, const struct store_box *b,
		       struct wishes *w, struct box_promote_request *req, struct aisbx_error *e)
{
	const char *to = json_string_value(json_object_get(args, "to"));
	const char *artifact = json_string_value(json_object_get(args, "artifact"));
	const json_t *paths = json_object_get(args, "paths"), *path;
	size_t i;
	int r = 0;

	if (!b->project)
		return aisbx_refuse(e, AISBX_AREA_BOX, EINVAL, "box '%s' has no project to promote", b->name);
	json_array_foreach((json_t *)paths, i, path) if (r == 0) r =
		add_path(ctx, b->project, json_string_value(path), &w->only, e);
	if (r == 0 && artifact)
		r = add_path(ctx, b->project, artifact, &w->artifact, e);
	if (r < 0)
		return r;
	if (artifact && w->only.n)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
				    "--artifact promotes one file or directory; leave out the other paths");
	if (to) {
		scoped(drop_mem) char *clean = path_resolve(ctx->cwd ? ctx->cwd : "/", to);

		/* A slash at the end says that it is a directory. */
		if (!clean ||
		    asprintf(&w->to, "%s%s", clean, to[0] && to[strlen(to) - 1] == '/' ? "/" : "") < 0) {
			w->to = NULL;
			return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "promote to '%s'", to);
		}
	}
	json_array_foreach(json_object_get(args, "allow-secret"), i, path)
		strlist_add(&w->secrets, json_string_value(path));
	req->allow_secrets = &w->secrets;
	req->only = w->only.n ? &w->only : NULL;
	req->artifact = artifact ? w->artifact.items[0] : NULL;
	req->to = w->to;
	return 0;
}

/*
 * Both sides have commits of their own, and the two are to be joined. AT, which is open, becomes the fork in
 * which they are. Where they did not go apart nothing happens.
 */
static int join_first(struct op_context *ctx, const json_t *args, const struct box_promote_request *req,
		      struct point *at, struct promote_join *join, struct aisbx_error *e)
{
	scoped(box_promotion_finish) struct box_promotion look = { 0 };
	struct box_promote_request only_look = *req;
	bool merge = json_is_true(json_object_get(args, "merge")),
	     rebase = json_is_true(json_object_get(args, "rebase"));
	scoped(drop_mem) char *project = NULL;
	int r;

	if (!merge && !rebase)
		return 0;
	if (merge && rebase)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "--merge or --rebase, not both");
	if (req->only || req->artifact || req->to)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
				    "--%s is for the whole box, into its own project",
				    merge ? "merge" : "rebase");
	only_look.dry_run = true;
	r = box_promote(&at->shelf, &at->box, &only_look, &look, e);
	if (r < 0 || !look.git.apart || look.git.switched)
		return r;
	project = strdup(at->box.project);
	if (!project)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "join commits");
	point_finish(at);
	*at = (struct point)POINT_INIT;
	r = promote_join(ctx, json_string_value(json_object_get(args, "box")), project, look.git.apart,
			 rebase, join, e);
	return r < 0 ? r : point_open(join->name, true, at, e);
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct box_promote_request req = { .dry_run = json_is_true(json_object_get(args, "dry-run")),
					   .yes = json_is_true(json_object_get(args, "yes")),
					   .ignored = json_is_true(json_object_get(args, "ignored")),
					   .refs = json_is_true(json_object_get(args, "refs")),
					   .resolution = op_resolution(args) };
	scoped(box_promotion_finish) struct box_promotion p = { 0 };
	scoped(wishes_finish) struct wishes w = { 0 };
	scoped(promote_join_finish) struct promote_join join = { 0 };
	scoped(still_finish) struct still still = { 0 };
	scoped(point_finish) struct point at = POINT_INIT;
	char name[BOX_KEY_MAX + 1] = "", id[STORE_ID_MAX] = "";
	struct op_drift_wish wish;
	json_t *before = NULL;
	int r = op_drift_wish(args, &wish, e);

	if (r == 0)
		r = still_open(ctx, json_string_value(json_object_get(args, "box")), &still, &at, e);

	if (r == 0)
		r = read_wishes(ctx, args, &at.box, &w, &req, e);
	req.snapshot = at.snapshot;
	req.here = ctx->cwd;
	req.of = still.fork[0] ? &still.of : NULL;
	if (r == 0) {
		box_told_as(req.of ? req.of : &at.box, name);
		memcpy(id, (req.of ? req.of : &at.box)->id, sizeof(id));
	}
	if (r == 0 && !req.to && !req.artifact) { /* before it: what it does itself is no news */
		before = json_object();
		op_add_drift(&wish, &at.shelf, &at.box, at.snapshot, before);
	}
	if (r == 0)
		r = join_first(ctx, args, &req, &at, &join, e);
	if (r == 0)
		r = box_promote(&at.shelf, &at.box, &req, &p, e);
	if (r < 0) {
		json_decref(before);
		return r;
	}
	ctx->exit_status = box_promotion_is_stopped(&p, &req) ? 1 : 0;
	*ret_result = json_pack("{s:o, s:s, s:s, s:s, s:b, s:b, s:o}", "promotion",
				p.id[0] ? json_string(p.id) : json_null(), "box", name, "box_id", id,
				"target", p.target, "applied", p.id[0] != 0, "dry_run", req.dry_run,
				"summary", summary_json(&p));
	if (before && *ret_result)
		json_object_update(*ret_result, before);
	json_decref(before);
	if (!*ret_result)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
	add_lists(&p, req.resolution, *ret_result);
	add_git(&p.git, *ret_result);
	add_left(&p.plan, *ret_result);
	op_add_ignored(&p.ignored, *ret_result);
	if (p.after.code)
		json_object_set_new(*ret_result, "error", json_string(p.after.text));
	return 0;
}

static const struct op_param params[] = {
	{ .name = "box",
	  .type = OP_STRING,
	  .positional = true,
	  .required = true,
	  .value = "BOX[@SNAPSHOT]",
	  .help = "whose changes" },
	{ .name = "paths",
	  .type = OP_LIST,
	  .positional = true,
	  .value = "PATH",
	  .help = "only these, with all below them",
	  .model = true },
	{ .name = "to", .type = OP_STRING, .value = "DIR", .help = "another directory than the project" },
	{ .name = "artifact",
	  .type = OP_STRING,
	  .value = "PATH",
	  .help = "one file or directory of the box, changed or not; --to says where" },
	{ .name = "ignored",
	  .type = OP_FLAG,
	  .help = "what git ignores, too: build products, caches, secrets in .env" },
	{ .name = "refs",
	  .type = OP_FLAG,
	  .help = "branches and tags of its repositories that the box is not on, too" },
	{ .name = "merge",
	  .type = OP_FLAG,
	  .model = true,
	  .help = "join commits of both sides in a fork of the box, judge that by the gates, bring it home" },
	{ .name = "rebase",
	  .type = OP_FLAG,
	  .help = "as --merge, with the box's commits put on top of the real ones" },
	{ .name = "dry-run",
	  .letter = 'n',
	  .type = OP_FLAG,
	  .help = "only show what would happen",
	  .model = true },
	{ .name = "yes",
	  .letter = 'y',
	  .type = OP_FLAG,
	  .help = "go on in spite of the traps that are shown" },
	{ .name = "allow-secret",
	  .type = OP_LIST,
	  .value = "NAME",
	  .help = "go on though this secret, given to the box by --secret, is in it" },
	{ .name = "conflict",
	  .type = OP_CHOICE,
	  .value = "HOW",
	  .choices = resolutions,
	  .help = "of conflicts: stop (default: nothing is changed), keep the real file, overwrite it, put "
		  "the box's version beside "
		  "it (both), mark the lines in it (mark)",
	  .model = true },
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
