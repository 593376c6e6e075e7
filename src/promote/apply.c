/* SPDX-License-Identifier: Apache-2.0 */
/* Locks the box, resolves the given paths, merges commits of both sides if requested, promotes. */
#include "promote/apply.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/owner.h"
#include "box/hold.h"
#include "promote/system.h"

void promote_report_finish(struct promote_report *r)
{
	box_promotion_finish(&r->promotion);
	drift_report_finish(&r->drift);
}

/* A path as a person writes it, below the project. */
static int add_path(const struct caller *by, const char *project, const char *given, struct strlist *ret,
		    struct aisbx_error *e)
{
	const char *from = by->cwd && path_is_within(by->cwd, project) ? by->cwd : project;
	scoped(drop_mem) char *path = path_resolve(from, given);
	const char *below = path ? path_below(path, project) : NULL;

	if (!path)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "promote '%s'", given);
	if (!below)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"'%s' is not in the box's project '%s'; 'aisbx diff BOX' lists what can be promoted",
			given, project);
	strlist_add(ret, *below ? below : ".");
	return ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "promote '%s'", given) : 0;
}

/* What of a request has to be made first. */
struct places {
	struct strlist only, artifact;
	char *to; /* owned */
};

static void places_finish(struct places *w)
{
	strlist_finish(&w->only);
	strlist_finish(&w->artifact);
	free(w->to);
}

/* TO, as the caller sees it, made absolute. Heap or NULL. */
static char *clean_target(const struct caller *by, const char *to)
{
	scoped(drop_mem) char *clean = path_resolve(by->cwd ? by->cwd : "/", to);
	const size_t n = strlen(to);

	/* A slash at the end says that it is a directory. */
	return !clean ? NULL : n && to[n - 1] == '/' ? path_join(clean, "") : take_mem(&clean);
}

static int find_places(const struct caller *by, const struct promote_request *req, const struct store_box *b,
		       struct places *w, struct box_promote_request *ret, struct aisbx_error *e)
{
	/* Of a box without a project that stands on an image only what is named, and to where, is promoted.
	 */
	const bool is_root = !b->project && b->image[0] && req->artifact && req->to;
	const char *top = req->system || is_root ? "/" : b->project;
	struct caller at_root = *by;
	int r = 0;

	at_root.cwd = "/";
	if (!top)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL, "box '%s' has no project to promote%s",
			b->name,
			b->image[0] ? "; '--artifact PATH --to DIR' promotes a file or a directory of it"
				    : "");
	for (size_t i = 0; r == 0 && req->paths && i < req->paths->n; i++)
		r = add_path(by, top, req->paths->items[i], &w->only, e);
	if (r == 0 && req->artifact)
		r = add_path(is_root ? &at_root : by, top, req->artifact, &w->artifact, e);
	if (r < 0)
		return r;
	if (req->system && (req->artifact || req->to || req->join || req->refs))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"--system promotes into the system of this machine; omit --artifact, --to, "
			"--merge, --rebase and --refs");
	if (req->artifact && w->only.n)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--artifact promotes one file or directory; omit the other paths");
	if (req->to && !(w->to = clean_target(by, req->to)))
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "promote to '%s'", req->to);
	ret->only = w->only.n ? &w->only : NULL;
	ret->artifact = w->artifact.n ? w->artifact.items[0] : NULL;
	ret->to = w->to;
	return 0;
}

/*
 * Both sides have commits of their own, and the two are to be joined. AT, which is open, becomes the fork in
 * which they are. Where they did not go apart nothing happens.
 */
static int join_first(const struct promote_request *req, const struct box_promote_request *how,
		      struct lookup *at, struct box_scratch *join, struct aisbx_error *e)
{
	scoped(box_promotion_finish) struct box_promotion look = { 0 };
	struct box_promote_request only_look = *how;
	scoped(drop_mem) char *project = NULL;
	int r;

	only_look.dry_run = true;
	r = box_promote(&at->state, &at->box, &only_look, &look, e);
	if (r < 0 || !look.git.apart || look.git.switched)
		return r;
	project = strdup(at->box.project);
	if (!project)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "join commits");
	lookup_finish(at);
	*at = (struct lookup)LOOKUP_INIT;
	r = req->join(req->join_ctx, req->box, project, look.git.apart, join, e);
	return r < 0 ? r : lookup_open(join->name, true, at, e);
}

int promote_apply(const struct caller *by, const struct promote_request *req, struct promote_report *ret,
		  struct aisbx_error *e)
{
	struct box_promote_request how = { .dry_run = req->dry_run,
					   .review = req->review,
					   .selection = req->selection,
					   .yes = req->yes,
					   .ignored = req->ignored,
					   .refs = req->refs,
					   .system = req->system,
					   .allow_secrets = req->allow_secrets,
					   .resolution = req->resolution,
					   .here = by->cwd };
	scoped(promote_report_finish) struct promote_report made = { 0 };
	scoped(places_finish) struct places places = { 0 };
	scoped(box_scratch_drop) struct box_scratch join = { 0 };
	scoped(hold_finish) struct hold hold = { 0 };
	scoped(lookup_finish) struct lookup at = LOOKUP_INIT;
	int r = hold_open(req->box, &hold, &at, e);

	if (r == 0)
		r = find_places(by, req, &at.box, &places, &how, e);
	how.snapshot = at.snapshot;
	how.of = hold.fork.name[0] ? &hold.of : NULL;
	if (r == 0) {
		box_told_as(how.of ? how.of : &at.box, made.box);
		memcpy(made.box_id, (how.of ? how.of : &at.box)->id, sizeof(made.box_id));
	}
	if (r == 0 && !how.to && !how.artifact && !how.system)
		drift_report_make(&req->drift, &at.state, &at.box, at.snapshot, &made.drift);
	if (r == 0 && req->join)
		r = join_first(req, &how, &at, &join, e);
	if (r == 0)
		r = box_promote(&at.state, &at.box, &how, &made.promotion, e);
	if (r < 0)
		return r;
	made.stopped = box_promotion_is_stopped(&made.promotion, &how);
	*ret = made;
	made = (struct promote_report){ 0 };
	return 0;
}

int promote_system_changes(const char *box, struct box_system *ret, struct aisbx_error *e)
{
	scoped(lookup_finish) struct lookup at = LOOKUP_INIT;
	int r = lookup_open(box, false, &at, e);

	if (r == 0)
		r = box_system_allowed(&at.box, e);
	return r < 0 ? r : box_system_compare(&at.state, &at.box, at.snapshot, ret, e);
}
