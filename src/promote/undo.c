/* SPDX-License-Identifier: Apache-2.0 */
/* Undoing a promotion: which one, what prevents it, then the steps in reverse. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "promote/git.h"
#include "promote/journal.h"
#include "box/owner.h"
#include "promote/promote.h"

void box_undo_finish(struct box_undo *u)
{
	store_promotion_finish(&u->promotion);
	strlist_finish(&u->changed);
}

static int undo_journal(struct box_state *s, struct box_journals *js, const struct box_undo_request *req,
			struct box_undo *ret, struct aisbx_error *e)
{
	scoped(drop_journal) struct journal *j = NULL;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	const char *path, *why;
	int r = journal_load(js->dir, ret->promotion.id, &j, e);

	if (r == 0)
		r = box_git_paths(j, &j->others, e);
	if (r == 0)
		r = journal_changed(j, &ret->changed, e);
	if (r == 0)
		r = box_git_changed(s, j, &ret->changed, e);
	if (r < 0 || req->dry_run || (ret->changed.n && req->resolution == RESOLVE_STOP))
		return r;
	if (journal_blocked(j, req->resolution == RESOLVE_KEEP, &path, &why) < 0)
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
				    "'%s/%s' cannot be undone: %s; nothing was changed, and --conflict keep "
				    "undoes everything else",
				    j->target, path, why);
	r = box_journals_mark(js, ret->promotion.id, e);
	if (r == 0)
		r = box_git_back(s, j, &ret->after, e);
	if (r == 0)
		r = journal_undo(j, req->resolution == RESOLVE_KEEP, e);
	if (r < 0)
		return r;
	ret->done = true;
	box_journals_keep(s, j);
	r = box_journals_record(s, j, "undone", e);
	if (r < 0)
		return r;
	box_journals_unmark(js);
	if (!journal_is_kept(j))
		journal_remove(js->dir, ret->promotion.id, &ignored); /* if not now, then by gc */
	return 0;
}

/* What P belongs to, if HERE lies in it: the project of its box, wherever it went, or where it went. "":
 * neither. */
static int find_project(struct box_state *s, const struct store_promotion *p, const char *here, char **ret,
			struct aisbx_error *e)
{
	scoped(store_box_finish) struct store_box b = { 0 };
	struct aisbx_error none = AISBX_ERROR_INIT;
	int r = store_box_find(s->store, p->box, &b, &none);
	const char *project = "";

	if (r < 0 && r != -ENOENT) {
		*e = none;
		return r;
	}
	if (r == 0 && b.project && path_is_within(here, b.project))
		project = b.project;
	else if (path_is_within(here, p->target) &&
		 (p->target[1] || !here[1])) /* the system's is nobody's project */
		project = p->target;
	*ret = strdup(project);
	return *ret ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find a promotion");
}

static int find_none(const struct store_promotion *newest, const struct box_undo_request *req,
		     struct aisbx_error *e)
{
	if (!newest)
		return aisbx_refuse(
			e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
			"there is no promotion that can be undone; 'aisbx promote BOX' makes one");
	if (req->box)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
				    "there is no promotion of this box that can be undone");
	return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
			    "there is no promotion of '%s' that can be undone; the newest of all was into "
			    "'%s', from box '%s': 'aisbx undo %s' undoes that one",
			    req->here, newest->target, newest->box_name, newest->id);
}

/* Of the box, or of the project one is in; where projects lie in one another, of the inner one. */
static int find_newest(struct box_state *s, const struct box_undo_request *req, struct store_promotion *ret,
		       struct aisbx_error *e)
{
	struct store_promotion *list = NULL, *newest = NULL, *found = NULL;
	size_t n = 0, longest = 0;
	int r = store_promotion_list(s->store, &list, &n, e);

	for (size_t i = n; r == 0 && i-- > 0;) {
		scoped(drop_mem) char *project = NULL;

		if (strcmp(list[i].state, "done") != 0)
			continue;
		newest = newest ? newest : &list[i];
		if (req->box)
			project = strdup(strcmp(list[i].box, req->box) ? "" : "/");
		else
			r = find_project(s, &list[i], req->here, &project, e);
		if (r == 0 && project && strlen(project) > longest) {
			longest = strlen(project);
			found = &list[i];
		}
	}
	if (r == 0 && !found)
		r = find_none(newest, req, e);
	if (r == 0) {
		*ret = *found;
		found->target = NULL;
	}
	for (size_t i = 0; i < n; i++)
		store_promotion_finish(&list[i]);
	free(list);
	return r;
}

int box_undo(struct box_state *s, const struct box_undo_request *req, struct box_undo *ret,
	     struct aisbx_error *e)
{
	scoped(box_journals_close) struct box_journals js = BOX_JOURNALS_INIT;
	int r = box_journals_open(s, &js, e);

	if (r == 0)
		r = req->id ? store_promotion_find(s->store, req->id, &ret->promotion, e)
			    : find_newest(s, req, &ret->promotion, e);
	if (r == 0 &&
	    !box_owns(ret->promotion.owner)) /* in the same words: that there is one is not told either */
		r = store_promotion_missing(req->id ? req->id : ret->promotion.id, e);
	if (r < 0)
		return r;
	if (!strcmp(ret->promotion.state, "undone"))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EALREADY,
				    "promotion '%s' was undone already", ret->promotion.id);
	if (strcmp(ret->promotion.state, "done") != 0)
		return aisbx_refuse(
			e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
			"the files that promotion '%s' replaced were kept for a month and are gone",
			ret->promotion.id);
	return undo_journal(s, &js, req, ret, e);
}
