/* SPDX-License-Identifier: Apache-2.0 */
/* Promotion: compare, decide, show obstacles; then fill the journal, commit, apply, record. */
#include "promote/promote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/meter.h"
#include "base/path.h"
#include "base/scope.h"
#include "promote/journal.h"
#include "promote/judges.h"
#include "promote/named_paths.h"
#include "secret/fingerprints.h"
#include "box/owner.h"
#include "box/point.h"
#include "box/project_secrets.h"
#include "promote/system.h"
#include "box/system_point.h"
#include "promote/undone.h"
#include "box/moved.h"
#include "box/integrity.h"
#include "layer/gitdir.h"
#include "layer/host.h"
#include "layer/layer.h"
#include "layer/obstacle.h"
#include "layer/journal_fill.h"

void box_promotion_finish(struct box_promotion *p)
{
	box_traps_finish(p->traps);
	box_secret_leaks_finish(&p->secret_leaks);
	box_git_finish(&p->git);
	promote_review_finish(&p->review);
	free(p->target);
	merge_plan_finish(&p->plan);
	*p = (struct box_promotion){ 0 };
}

/* "" of a box that stands on an image and has none: no place on this machine is its own. */
static const char *project_of(const struct store_box *b)
{
	return b->project ? b->project : "";
}

/* Everything one promotion looks at. */
struct work {
	struct box_state *state;
	const struct store_box *box;
	const struct box_promote_request *req;
	struct box_journals journals;
	struct box_point point;
	struct box_system_point system; /* in its place, if the system is promoted */
	struct view target_view;
	struct strlist mounts;
	struct box_bases promotions;
	struct box_undone undone;
	struct base_map bases;
	struct open_view box_open_view, target_open_view;
	struct merge_sides sides;
	char *scratch_dir; /* owned */
	bool secrets;      /* boxes were given some, or the project has some */
	struct run_secrets project_secrets;
	struct box_secret_search search; /* borrows from here */
};

static void work_finish(struct work *w)
{
	free(w->scratch_dir);
	strlist_finish(&w->mounts);
	view_close(&w->box_open_view);
	view_close(&w->target_open_view);
	base_map_finish(&w->bases);
	box_undone_finish(&w->undone);
	box_bases_finish(&w->promotions);
	box_point_finish(&w->point);
	box_system_point_finish(&w->system);
	box_journals_close(&w->journals);
	box_secrets_finish(&w->project_secrets);
}

/*
 * What a promotion brought into the project is the base of what the box does next there. Of another directory
 * only if that was brought into it, too, since: else what it lacks would be taken for what it has.
 */
static bool counts_elsewhere(void *ctx, const struct base *b)
{
	struct work *w = ctx;
	const struct store_promotion *list;
	size_t n, at = 0;

	if (!box_bases_count(&w->promotions, b))
		return false;
	list = w->promotions.list;
	n = w->promotions.n;
	while (at < n && strcmp(list[at].id, b->promotion) != 0)
		at++;
	for (size_t i = at; i < n; i++)
		if (!strcmp(list[i].target, w->target_view.host) && !strcmp(list[i].state, "done") &&
		    (!strcmp(list[i].box, list[at].box) || !strcmp(list[i].box, w->box->id)))
			return true;
	return false;
}

static int read_project(struct work *w, const char *target, struct aisbx_error *e)
{
	const struct base_filter elsewhere = { counts_elsewhere, w };
	bool project = !strcmp(target, project_of(w->box));
	int r = box_point_read(w->state, w->box, w->req->snapshot, &w->point, e);

	return r < 0 ? r
		     : box_bases_map(&w->promotions, &w->point, project ? NULL : &elsewhere, &w->bases, e);
}

static int read_system(struct work *w, struct aisbx_error *e)
{
	const struct box_system_point *p = &w->system;
	int r = box_system_point_read(w->state, w->box, w->req->snapshot, &w->system, e);

	if (r == 0)
		r = base_map_read_below((const char *const *)p->trees.items,
					(const char *const *)p->prefixes.items, p->trees.n,
					&w->promotions.filter, &w->bases, e);
	if (r == 0 && !p->hosts.n) /* nothing: then the host is what it sees */
		w->system.view = w->target_view;
	if (r == 0 && w->promotions.error.code)
		*e = w->promotions.error;
	return r == 0 ? w->promotions.error.code : r;
}

static int work_open(struct work *w, const char *target, struct aisbx_error *e)
{
	int r = box_journals_open(w->state, &w->journals, e);

	if (r == 0 && !w->req->snapshot[0])
		r = box_check_integrity(w->state, w->box, e);
	if (r == 0)
		r = box_settle(w->state, w->box, e);
	box_bases_open(&w->promotions, w->state);
	w->target_view.host = target;
	w->undone = (struct box_undone){ .promotions = &w->promotions, .project = project_of(w->box) };
	if (r == 0)
		r = w->req->system ? read_system(w, e) : read_project(w, target, e);
	if (r == 0)
		r = view_open(w->req->system ? &w->system.view : &w->point.view, &w->box_open_view, e);
	if (r == 0)
		r = view_open(&w->target_view, &w->target_open_view, e);
	if (r == 0)
		r = host_mounts_below(target, &w->mounts, e);
	w->sides = (struct merge_sides){ .box = &w->box_open_view,
					 .target = &w->target_open_view,
					 .bases = &w->bases,
					 .mounts = &w->mounts,
					 .only = w->req->only,
					 .kept = w->point.pinned ? w->point.host : NULL,
					 .resolution = w->req->resolution,
					 .box_name = w->box->name,
					 .was_undone = w->req->system ? NULL : box_undone_has,
					 .undone = &w->undone };
	return r;
}

/* A directory of our own for what is made on the way. */
static int open_scratch_dir(struct work *w, const char *id, struct aisbx_error *e)
{
	if (asprintf(&w->scratch_dir, "%s/t-%s", w->journals.dir, id) < 0) {
		w->scratch_dir = NULL;
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make a directory for a promotion");
	}
	return mkdir(w->scratch_dir, 0700) < 0
		       ? aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s'", w->scratch_dir)
		       : 0;
}

static int merge_texts(struct work *w, struct merge_plan *plan, struct aisbx_error *e)
{
	bool any = false;
	int r;

	for (size_t i = 0; i < plan->n && !any; i++)
		any = plan->steps[i].text;
	if (!any)
		return 0;
	r = journal_fill_texts(plan, &w->sides, w->scratch_dir, e);
	merge_drop_idle(plan);
	return r;
}

/*
 * What becomes of repositories. Commits are of the whole project, so who asks for single paths, or for
 * another directory, gets none.
 */
static void leave_trees(struct merge_plan *plan, const struct strlist *trees)
{
	for (size_t k = 0; k < trees->n; k++) {
		size_t n = strlen(trees->items[k]);

		for (size_t i = 0; i < plan->n; i++)
			plan->steps[i].idle |= !strncmp(plan->steps[i].path, trees->items[k], n) &&
					       (!plan->steps[i].path[n] || plan->steps[i].path[n] == '/');
	}
	if (trees->n)
		merge_drop_idle(plan);
}

static int leave_commits(struct box_promotion *p, struct aisbx_error *e)
{
	for (size_t i = 0; i < p->plan.gits.n; i++)
		strlist_addf(&p->git.stays,
			     "'%s' stayed in the box: commits are promoted only with the whole box, into its "
			     "own project",
			     p->plan.gits.items[i]);
	return p->git.stays.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "inspect repositories") : 0;
}

static int plan_git(struct work *w, struct box_promotion *p, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist own = { 0 };
	const struct box_promote_request *req = w->req;
	scoped(drop_fingerprints) struct fingerprints *fingerprints = NULL;
	struct box_git_ask ask = { .state = w->state,
				   .box = w->box,
				   .snapshot = req->snapshot,
				   .target = p->target,
				   .plan = &p->plan,
				   .gits = &p->plan.gits,
				   .open_view = &w->box_open_view,
				   .bases = &w->bases,
				   .scratch_dir = w->scratch_dir,
				   .branch = req->branch,
				   .refs = req->refs };

	if (fingerprints_load(w->state->dir, &fingerprints, e) < 0)
		return e->code;
	ask.contents = w->secrets = fingerprints || w->project_secrets.n;
	if (req->branch) {
		strlist_add(&own, ".git");
		ask.gits = &own;
		return box_git_plan(&ask, &p->git, e);
	}
	if (!req->artifact && !req->only && !strcmp(p->target, project_of(w->box))) {
		int r = box_git_plan(&ask, &p->git, e);

		leave_trees(&p->plan, &p->git.trees);
		if (r == 0 && req->resolution == RESOLVE_STOP)
			r = box_git_settle_resolved(&ask, &p->git, &p->plan, e);
		return r;
	}
	return leave_commits(p, e);
}

/* What of the system stays in the box; and whether boxes were given secrets. */
static int plan_system(struct work *w, struct box_promotion *p, struct aisbx_error *e)
{
	const char *torn;
	int r = box_system_leave(&p->plan, project_of(w->box), w->state->dir, &p->git.stays, e);

	torn = r == 0 && w->req->resolution != RESOLVE_STOP && !w->req->dry_run
		       ? box_system_torn_packages(&p->plan)
		       : NULL;
	if (torn)
		return aisbx_refuse(
			e, AISBX_KIND_CONFLICT, AISBX_AREA_BOX, EEXIST,
			"packages were changed in the box and on this machine ('/%s'); files without "
			"these notes would be half of them, so nothing was promoted; 'aisbx promote "
			"--system --packages' prints the commands that install them",
			torn);
	return r;
}

/* Secrets in what commits bring: files that are gone again, messages, names. */
static int search_commits(struct work *w, struct box_promotion *p, struct aisbx_error *e)
{
	for (size_t i = 0; i < p->git.n; i++) {
		const struct git_change *c = &p->git.changes[i];
		scoped(drop_mem) char *file = NULL;
		scoped(drop_mem) char *path = NULL;
		int r;

		if (asprintf(&file, "%s/git-%u/contents", w->scratch_dir, c->number) < 0)
			file = NULL;
		if (asprintf(&path, "%s%s.git", c->tree, *c->tree ? "/" : "") < 0)
			path = NULL;
		if (!file || !path)
			return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "search commits for secrets");
		r = box_secret_leaks_find_in(&w->search, file, path, &p->secret_leaks, e);
		unlink(file);
		if (r < 0)
			return r;
	}
	return 0;
}

static void drop_texts(struct work *w, const char *id)
{
	scoped(drop_mem) char *name = NULL;
	struct aisbx_error ignored;

	if (asprintf(&name, "t-%s", id) < 0)
		name = NULL;
	else
		layer_remove(w->journals.dir, name, &ignored); /* if not now, then by gc */
}

static int check_room(const char *dir, uint64_t bytes, struct aisbx_error *e)
{
	struct statvfs fs;
	uint64_t room;
	char need[32], have[32];

	if (bytes < 64 << 20 || statvfs(dir, &fs) < 0)
		return 0;
	room = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (room > bytes)
		return 0;
	return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, ENOSPC,
			    "the promotion needs %s of disk space, and %s are free; nothing was changed",
			    str_size(bytes, need, sizeof(need)), str_size(room, have, sizeof(have)));
}

/* What was promoted is, or was once, on the way to what the box is now: then it is the base of what the box
 * does next. */
static int is_on_the_way(struct work *w, bool *ret, struct aisbx_error *e)
{
	scoped(box_point_finish) struct box_point now = { 0 };
	size_t n = w->point.trees.n;
	int r;

	*ret = false;
	if (w->req->system) {
		*ret = !w->req->of && !w->req->snapshot[0];
		return 0;
	}
	if (w->req->artifact || w->req->of || !n || strcmp(w->target_view.host, project_of(w->box)) != 0)
		return 0;
	r = box_point_read(w->state, w->box, "", &now, e);
	*ret = r == 0 && strlist_has(&now.trees, w->point.trees.items[n - 1]);
	return r;
}

static void note_artifact(struct work *w, struct box_promotion *p)
{
	scoped(drop_mem) char *path = NULL;
	struct stat st;

	if (!w->req->artifact || !p->plan.n || !(path = path_join(p->target, p->plan.steps[0].path)) ||
	    lstat(path, &st) < 0)
		return;
	store_promoted_file_put(w->state->store,
				&(struct store_promoted_file){ .path = path,
							       .source = w->req->artifact,
							       .promotion = p->id,
							       .dev = (int64_t)st.st_dev,
							       .ino = (int64_t)st.st_ino,
							       .size = st.st_size,
							       .mtime_s = st.st_mtim.tv_sec,
							       .mtime_ns = st.st_mtim.tv_nsec },
				&p->after);
}

/* Branches follow the files, or those go back. */
static int move_branches(struct work *w, struct box_promotion *p, struct journal *j, struct aisbx_error *e)
{
	struct aisbx_error back = AISBX_ERROR_INIT;
	bool mixed;
	int r = box_git_forward(w->state, j, &mixed, &p->after, e);

	if (r < 0 && mixed)
		aisbx_hint(e, "'aisbx recover' completes it");
	else if (r < 0 && journal_go_back(j, &back) == 0)
		aisbx_hint(e, "nothing was changed; try again");
	else if (r < 0)
		aisbx_hint(e, "and then: %s", back.text);
	return r;
}

/* Before the commit nothing happened; after it everything was taken back, or must be by recover. */
static void clear_failed(struct work *w, struct journal *j, const char *id, bool committed)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	if (committed && j->state == JOURNAL_UNDONE && j->left) {
		/* so that gc leaves it alone for a while */
		if (box_journals_record(w->state, j, "undone", &ignored) == 0)
			box_journals_unmark(&w->journals);
	} else if (!committed || j->state == JOURNAL_UNDONE) {
		journal_remove(w->journals.dir, id, &ignored);
		box_journals_unmark(&w->journals);
	}
}

static int apply(struct work *w, struct box_promotion *p, const char *id, struct aisbx_error *e)
{
	const struct store_box *of = w->req->of ? w->req->of : w->box;
	struct journal_head head = { .created_ms = box_now_ms() };
	scoped(drop_journal) struct journal *j = NULL;
	scoped_meter bool meter = meter_begin("promoting", p->plan.n);
	bool committed = false, notes = false;
	int r = check_room(w->journals.dir, journal_fill_bytes(&p->plan), e);

	if (r == 0)
		r = is_on_the_way(w, &notes, e);
	if (r < 0)
		return r;
	head.notes = !notes ? 0 : w->req->system ? JOURNAL_NOTES_SYSTEM : 1;
	snprintf(head.box, sizeof(head.box), "%s", of->id);
	snprintf(head.box_name, sizeof(head.box_name), "%s", of->name);
	r = box_journals_mark(&w->journals, id, e);
	if (r < 0)
		return r;
	r = journal_begin(w->journals.dir, id, &head, p->target, &j, e);
	if (r == 0)
		r = journal_fill_all(j, &p->plan, &w->sides, driver_id_shift() != 0, 0, e);
	if (r == 0)
		r = box_git_record(&p->git, w->scratch_dir, j, e);
	if (r == 0)
		r = journal_commit(j, e);
	committed = r == 0;
	if (r == 0)
		r = journal_apply(j, e);
	if (r == 0)
		r = move_branches(w, p, j, e);
	if (r < 0) {
		clear_failed(w, j, id, committed);
		return r;
	}
	memcpy(p->id, id, sizeof(p->id));
	if (box_journals_note(w->state, j, &p->after) == 0 &&
	    box_journals_record(w->state, j, "done", &p->after) == 0)
		box_journals_unmark(&w->journals); /* else the next command does it */
	note_artifact(w, p);
	return 0;
}

static int find_target(const struct store_box *b, const struct box_promote_request *req, char **ret,
		       struct aisbx_error *e)
{
	const char *wanted = req->to ? req->to : project_of(b);
	struct stat st;
	int r;

	if (req->system) {
		*ret = strdup("/");
		return *ret ? box_system_allowed(b, e)
			    : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "promote to the system");
	}
	if (!b->project)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL, "box '%s' has no project%s", b->name,
			b->image[0] ? "; of one that stands on an image, '--artifact PATH --to DIR' promotes "
				      "a file or a directory"
				    : "");
	if (!req->to && (r = box_moved_require(b, req->here, e)) < 0)
		return r;
	*ret = realpath(wanted, NULL);
	if (!*ret)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "promote to '%s'", wanted);
	if (stat(*ret, &st) < 0 || !S_ISDIR(st.st_mode))
		return aisbx_fail(e, AISBX_AREA_BOX, ENOTDIR, "promote to '%s'", wanted);
	return 0;
}

/* "bin/": into that directory; else the name it gets. */
static int artifact_target(const struct box_promote_request *req, const struct store_box *b,
			   char **ret_target, char **ret_path, struct aisbx_error *e)
{
	scoped(drop_mem) char *to =
		req->to ? strdup(req->to) : path_join(b->project ? b->project : "", req->artifact);
	const char *base = strrchr(req->artifact, '/');
	size_t n = to ? strlen(to) : 0;
	struct stat st;
	char *slash;
	int r;

	if (!b->project && (!b->image[0] || !req->to))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "box '%s' has no project; --to says where '%s' goes", b->name,
				    req->artifact);
	if (!req->to && (r = box_moved_require(b, req->here, e)) < 0)
		return r;
	if (!to)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "promote '%s'", req->artifact);
	if (req->to && (to[n - 1] == '/' || (stat(to, &st) == 0 && S_ISDIR(st.st_mode)))) {
		*ret_path = strdup(base ? base + 1 : req->artifact);
	} else {
		slash = strrchr(to, '/');
		*ret_path = strdup(slash + 1);
		*(slash == to ? slash + 1 : slash) = '\0';
	}
	*ret_target = realpath(to, NULL);
	if (!*ret_target)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "promote to directory '%s'", to);
	return *ret_path ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "promote '%s'", req->artifact);
}

/* What is there was put there by a promotion of the same artifact, and nobody changed it since. */
static int is_own_artifact(struct work *w, const char *path, bool *ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *full = path_join(w->target_view.host, path);
	scoped(strlist_finish) struct strlist changed = { 0 };
	scoped(drop_journal) struct journal *j = NULL;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	char promotion[STORE_ID_MAX] = "";
	struct stat st;
	int r;

	*ret = false;
	if (!full || lstat(full, &st) < 0)
		return 0;
	r = store_promoted_file_find(w->state->store,
				     &(struct store_promoted_file){ .path = full,
								    .source = w->req->artifact,
								    .dev = (int64_t)st.st_dev,
								    .ino = (int64_t)st.st_ino,
								    .size = st.st_size,
								    .mtime_s = st.st_mtim.tv_sec,
								    .mtime_ns = st.st_mtim.tv_nsec,
								    .is_dir = S_ISDIR(st.st_mode) },
				     promotion, e);
	if (r < 0 || !promotion[0])
		return r;
	/* A directory is only as it was if everything in it is, a file if its content is; the
	 * journal knows. */
	*ret = journal_load(w->journals.dir, promotion, &j, &ignored) == 0 && j->state == JOURNAL_DONE &&
	       journal_changed(j, &changed, &ignored) == 0 && changed.n == 0;
	return 0;
}

static void count(struct box_promotion *p)
{
	p->n_conflicts = p->n_changes = 0;
	for (size_t i = 0; i < p->plan.n; i++) {
		p->n_conflicts += p->plan.steps[i].outcome == MERGE_CONFLICT;
		p->n_changes += p->plan.steps[i].op != MERGE_NOTHING;
	}
}

bool box_promotion_is_stopped(const struct box_promotion *p, const struct box_promote_request *req)
{
	return ((p->n_conflicts || p->git.switched) && req->resolution == RESOLVE_STOP) ||
	       ((p->n_traps || (req->system && p->n_changes)) && !req->yes) || p->secret_leaks.n_stopping;
}

/* Git would take orders from there. */
static int check_target(const char *target, const char *name, const struct box_promote_request *req,
			struct aisbx_error *e)
{
	if (gitdir_holds(target) || (name && gitdir_is_name(name)))
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
				    "'%s%s%s' is a git directory, or in one; nothing is promoted there",
				    target, name ? "/" : "", name ? name : "");
	if (req->artifact && gitdir_has_name(req->artifact))
		return aisbx_refuse(
			e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
			"'%s' belongs to git, and stays in the box; 'aisbx promote BOX' promotes commits",
			req->artifact);
	return 0;
}

/* What the promotion would do, before anybody looked at it. ARTIFACT: the name it gets, or NULL. */
static int read_plan(struct work *w, const char *artifact, struct box_promotion *p, struct aisbx_error *e)
{
	bool own = false;
	int r = check_target(p->target, artifact, w->req, e);

	if (r == 0)
		r = work_open(w, p->target, e);
	if (r == 0 && artifact)
		r = is_own_artifact(w, artifact, &own, e);
	if (r == 0 && !artifact)
		r = named_paths_check(&w->box_open_view, &w->target_open_view, w->req->only, e);
	if (r < 0)
		return r;
	return artifact ? merge_one_path(&w->sides, w->req->artifact, artifact, own, &p->plan, e)
			: merge_read(&w->sides, &p->plan, e);
}

/* What must not go home: secrets that boxes were given, and those in files of the project. */
static int list_secrets(struct work *w, const char *target, struct aisbx_error *e)
{
	const char *project = w->box->project;
	int r = project ? project_secrets_of_box(w->box, &w->project_secrets, e) : 0;

	w->search = (struct box_secret_search){ .dir = w->state->dir,
						.project = &w->project_secrets,
						.into_project = project && !strcmp(target, project),
						.allowed = w->req->allow_secrets };
	return r;
}

/* Lists what a person can accept; or leaves in the plan what they accepted, if it still is what they saw. */
static int review(struct work *w, struct box_promotion *p, struct aisbx_error *e)
{
	const struct promote_selection *s = w->req->selection;
	int r;

	if (!s && !w->req->review)
		return 0;
	r = promote_review_make(&p->plan, &w->sides, &p->git, w->scratch_dir, &p->review, e);
	if (r < 0 || !s)
		return r;
	if (strcmp(s->digest, p->review.digest) != 0)
		return aisbx_refuse(e, AISBX_KIND_STALE, AISBX_AREA_BOX, ESTALE,
				    "the box or the project changed since you saw the changes; nothing was "
				    "promoted, review them again");
	if (s->all)
		return 0;
	box_git_finish(&p->git);
	p->git = (struct box_git){ 0 };
	r = leave_commits(p, e);
	return r < 0 ? r : promote_select(&p->plan, &p->review, s, w->scratch_dir, e);
}

/* The rest of the plan: texts, obstacles and commits; and what of it must not go home, or not without a word:
 * traps, judges, secrets. */
static int complete_plan(struct work *w, struct box_promotion *p, struct aisbx_error *e)
{
	const char *project = w->box->project;
	const struct box_traps_look look = { &w->box_open_view, &w->target_open_view, p->target, project,
					     w->req->system };
	int r = merge_texts(w, &p->plan, e);

	if (r == 0)
		r = list_secrets(w, p->target, e);
	if (r == 0 && obstacle_find(&p->plan, &w->target_open_view.host) < 0)
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "search for obstacles");
	if (r == 0)
		r = w->req->system ? plan_system(w, p, e) : plan_git(w, p, e);
	if (r == 0)
		r = review(w, p, e);
	if (r == 0)
		r = box_traps_find(&p->plan, &look, &p->traps, &p->n_traps, e);
	if (r == 0 && !w->req->system && project)
		r = box_judges_find(&p->plan, project, &p->traps, &p->n_traps, e);
	if (r == 0)
		r = box_secret_leaks_find(&w->search, &w->box_open_view, &p->plan, &p->secret_leaks, e);
	return r == 0 && w->secrets ? search_commits(w, p, e) : r;
}

int box_promote(struct box_state *s, const struct store_box *b, const struct box_promote_request *req,
		struct box_promotion *ret, struct aisbx_error *e)
{
	scoped(work_finish) struct work w = { .state = s,
					      .box = b,
					      .req = req,
					      .journals = BOX_JOURNALS_INIT,
					      .box_open_view = OPEN_VIEW_INIT,
					      .target_open_view = OPEN_VIEW_INIT };
	scoped(drop_mem) char *artifact = NULL;
	char id[STORE_ID_MAX];
	int r = req->artifact ? artifact_target(req, b, &ret->target, &artifact, e)
			      : find_target(b, req, &ret->target, e);

	if (r == 0)
		r = read_plan(&w, artifact, ret, e);
	if (r < 0)
		return r;
	box_new_id("p-", id);
	if (req->id)
		snprintf(id, sizeof(id), "%s", req->id);
	r = open_scratch_dir(&w, id, e);
	if (r == 0 && !req->ignored && !artifact && !req->system)
		r = box_ignored_in_plan(&w.box_open_view, &ret->plan, req->only, &ret->ignored, e);
	if (r == 0)
		r = complete_plan(&w, ret, e);
	count(ret);
	if (r == 0 && !req->dry_run && !req->review && (ret->n_changes || ret->git.n_moves) &&
	    !box_promotion_is_stopped(ret, req))
		r = apply(&w, ret, id, e);
	drop_texts(&w, id);
	return r;
}
