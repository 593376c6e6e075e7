/* SPDX-License-Identifier: Apache-2.0 */
/* Promotions one at a time; recovery of an interrupted one; removal of old ones. */
#include "promote/journal.h"
#include "promote/system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "promote/git.h"
#include "box/owner.h"
#include "box/pin.h"
#include "box/point.h"
#include "promote/promote.h"
#include "layer/base.h"
#include "layer/layer.h"

#define ACTIVE  "active"
#define KEEP_MS ((int64_t)30 * 24 * 3600 * 1000)

void box_journals_close(struct box_journals *j)
{
	free(j->dir);
	j->dir = NULL;
	close_fd(&j->lock);
}

/* WAIT false: -EWOULDBLOCK when somebody else is at it. */
static int open_locked(const struct box_state *s, bool wait, struct box_journals *ret)
{
	scoped(box_journals_close) struct box_journals j = { .dir = path_join(s->dir, "promotions"),
							     .lock = -1 };
	scoped(drop_mem) char *lock = j.dir ? path_join(j.dir, "lock") : NULL;

	if (!lock)
		return -ENOMEM;
	if (mkdir(j.dir, 0700) < 0 && errno != EEXIST)
		return -errno;
	j.lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (j.lock < 0)
		return -errno;
	while (flock(j.lock, LOCK_EX | (wait ? 0 : LOCK_NB)) < 0)
		if (errno != EINTR)
			return -errno;
	*ret = j;
	j = (struct box_journals)BOX_JOURNALS_INIT;
	return 0;
}

int box_journals_mark(const struct box_journals *j, const char *id, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(j->dir, ACTIVE);

	if (!path)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "begin a promotion");
	if (symlink(id, path) < 0) /* a name in one piece */
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "start a promotion in '%s'", j->dir);
	return 0;
}

void box_journals_unmark(const struct box_journals *j)
{
	scoped(drop_mem) char *path = path_join(j->dir, ACTIVE);

	if (path)
		unlink(path);
}

/* Who may take it back: whose the box is. Of a shared box, or one that is gone, who does it now. */
static void set_owner(struct box_state *s, struct store_promotion *p)
{
	scoped(store_box_finish) struct store_box b = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	const bool there = store_box_find(s->store, p->box, &b, &ignored) == 0;
	const char *now = box_acting_for();

	snprintf(p->owner, sizeof(p->owner), "%s", there && (!b.shared || !now) ? b.owner : now ? now : "");
}

int box_journals_record(struct box_state *s, const struct journal *j, const char *state,
			struct aisbx_error *e)
{
	struct store_promotion p = { .target = j->target, .created_ms = j->head.created_ms };
	int r;

	snprintf(p.id, sizeof(p.id), "%s", j->id);
	snprintf(p.box, sizeof(p.box), "%s", j->head.box);
	snprintf(p.box_name, sizeof(p.box_name), "%.*s", STORE_NAME_MAX, j->head.box_name);
	snprintf(p.state, sizeof(p.state), "%s", state);
	p.changes = (int64_t)journal_steps(j);
	set_owner(s, &p);
	r = store_sync(s->store, e);
	if (r == 0)
		r = store_begin(s->store, e);
	if (r < 0)
		return r;
	r = store_promotion_put(s->store, &p, e);
	if (r == 0)
		r = store_event_add(s->store,
				    !strcmp(state, "done") ? "promotion.applied" : "promotion.undone", p.box,
				    NULL, e, "{\"promotion\":\"%s\"}", p.id);
	if (r == 0)
		r = store_commit(s->store, e);
	store_rollback(s->store);
	return r;
}

/* Where records of its box go; 0 without one when there is nothing to record, or nowhere. */
static int find_box(struct box_state *s, const struct journal *j, struct store_box *ret_box,
		    struct box_point *ret_point, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf paths = { 0 };
	scoped(drop_mem) struct store_layer *chain = NULL;
	scoped(drop_mem) const char **ids = NULL;
	scoped(drop_mem) char *host = NULL;
	char tree[32];
	size_t n = 0;
	int r = j->head.notes == 1 ? store_box_find(s->store, j->head.box, ret_box, e) : -ENOENT;

	if (r == -ENOENT) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		return 0;
	}
	/* Into the layer that is the box's alone, which may have to be made: forks stand on the others. */
	if (r == 0)
		r = store_layer_chain(s->store, ret_box->top, &chain, &n, e);
	ids = r == 0 ? calloc(n, sizeof(*ids)) : NULL;
	for (size_t i = 0; ids && i < n; i++)
		ids[i] = chain[i].id;
	if (r == 0 && !ids)
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "layers of '%s'", ret_box->name);
	if (r == 0)
		r = box_pin_host(s, chain, n, ret_box->project ? ret_box->project : "", &host, NULL, e);
	layer_tree_name(ret_box->project ? ret_box->project : "", ret_box->project, tree, sizeof(tree));
	if (r == 0)
		r = layer_paths(s->layers, ids, n, tree, host, driver_id_shift(), &paths, e);
	return r < 0 ? r : box_point_read(s, ret_box, "", ret_point, e);
}

int box_journals_note(struct box_state *s, struct journal *j, struct aisbx_error *e)
{
	scoped(store_box_finish) struct store_box b = { 0 };
	scoped(box_point_finish) struct box_point point = { 0 };
	scoped(drop_mem) const char **paths = calloc(j->n + 1, sizeof(*paths));
	scoped(drop_mem) const char **merged = calloc(j->n + 1, sizeof(*merged));
	scoped(drop_mem) bool *whole = calloc(j->n + 1, sizeof(*whole));
	scoped(view_close) struct open_view open_view = OPEN_VIEW_INIT;
	size_t n = 0, m = 0;
	int r;

	if (j->head.notes == JOURNAL_NOTES_SYSTEM)
		return box_system_note(s, j, e);
	r = find_box(s, j, &b, &point, e);

	if (r < 0 || !point.trees.n)
		return r;
	if (!paths || !merged || !whole)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "record what was promoted");
	for (size_t i = 0; i < j->n; i++) {
		const struct journal_item *item = &j->items[i];

		if (item->note == JOURNAL_BASE_BOX)
			merged[m++] = j->paths[i];
		if (item->note != JOURNAL_BASE_TARGET)
			continue;
		whole[n] = item->op != MERGE_ATTRS && S_ISDIR(item->now.mode);
		paths[n++] = j->paths[i];
	}
	tree_root_forget(&j->tree);
	r = base_note_promotion(point.trees.items[point.trees.n - 1], j->id, &j->tree, paths, whole, n, e);
	if (r == 0 && m)
		r = view_open(&point.view, &open_view, e);
	return r < 0 || !m ? r
			   : base_note_merge(point.trees.items[point.trees.n - 1], j->id, &open_view, merged,
					     m, e);
}

void box_journals_keep(struct box_state *s, struct journal *j)
{
	scoped(store_box_finish) struct store_box b = { 0 };
	scoped(box_point_finish) struct box_point point = { 0 };
	scoped(drop_mem) const char **paths = calloc(j->n ? j->n : 1, sizeof(*paths));
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	bool kept = false;
	size_t n = 0;

	for (size_t i = 0; paths && i < journal_steps(j); i++) {
		if (j->items[i].op != MERGE_INSIDE)
			kept = journal_was_left(j, i);
		if (kept)
			paths[n++] = j->paths[i];
	}
	if (n && find_box(s, j, &b, &point, &ignored) == 0 && point.trees.n)
		base_keep(point.trees.items[point.trees.n - 1], (const char *const *)point.trees.items,
			  point.trees.n, j->id, paths, n, &ignored);
}

/* Its files are there: branches follow, or, where somebody moved those since or git cannot, the files go
 * back. */
static int finish_git(struct box_state *s, struct journal *j, struct aisbx_error *e)
{
	struct aisbx_error after = AISBX_ERROR_INIT, back = AISBX_ERROR_INIT;
	bool mixed;
	int r = box_git_forward(s, j, &mixed, &after, e);

	if ((r == -ESTALE || r == -EIO) && !mixed && journal_go_back(j, &back) < 0)
		*e = back;
	return r;
}

/* What was committed is finished, as far as it still can be; HAD_ROW: it was recorded as done. *RET_BACK when
 * somebody changed the tree since, or git cannot: then it is the old one. */
static int finish_journal(struct box_state *s, struct journal *j, bool had_row, bool *ret_back,
			  struct aisbx_error *e)
{
	bool done = j->state == JOURNAL_DONE;
	int r = done ? 0 : journal_apply(j, e);

	/* An undo may have been cut off behind the branches, before the files: then it was none. */
	if (r == 0)
		r = done && had_row ? box_git_again(s, j, e) : finish_git(s, j, e);
	*ret_back = r < 0 && j->state == JOURNAL_UNDONE;
	if (*ret_back) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		return 0;
	}
	if (r == 0)
		r = box_journals_note(s, j, e); /* twice does no harm */
	return r < 0 || (done && had_row) ? r : box_journals_record(s, j, "done", e);
}

/* 1 when the store knows the promotion, 0 when not: not to know is not to have none. */
static int has_row(struct box_state *s, const char *id, struct aisbx_error *e)
{
	struct store_promotion known = { 0 };
	struct aisbx_error none = AISBX_ERROR_INIT;
	int r = store_promotion_find(s->store, id, &known, &none);

	store_promotion_finish(&known);
	if (r < 0 && r != -ENOENT)
		*e = none;
	return r == 0 ? 1 : r == -ENOENT ? 0 : r;
}

/* The old tree is there: so it is told, and the journal goes unless there is something of value in it. */
static int take_back(struct box_state *s, struct box_journals *js, struct journal *j, bool had_row,
		     struct aisbx_error *e)
{
	int r = 0;

	box_journals_keep(s, j);
	if (had_row || journal_is_kept(j))
		r = box_journals_record(s, j, "undone", e);
	return r < 0 || journal_is_kept(j) ? r : journal_remove(js->dir, j->id, e);
}

static int recover_one(struct box_state *s, struct box_journals *js, const char *id,
		       struct box_recovered *ret, struct aisbx_error *e)
{
	scoped(drop_journal) struct journal *j = NULL;
	bool goes_back;
	int r = journal_load(js->dir, id, &j, e), had_row;

	if (r == -ENOENT) { /* it never was more than a name */
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		ret->action = "discarded";
		return 0;
	}
	if (r < 0)
		return r;
	had_row = has_row(s, id, e);
	if (had_row < 0)
		return had_row;
	switch (j->state) {
	case JOURNAL_STAGED:
		ret->action = "discarded";
		return journal_remove(js->dir, id, e);
	case JOURNAL_COMMITTED:
	case JOURNAL_DONE:
		ret->action = "finished";
		r = finish_journal(s, j, had_row, &goes_back, e);
		if (!goes_back)
			return r;
		break;
	case JOURNAL_UNDOING:
		r = box_git_back(s, j, NULL, e);
		if (r == 0)
			r = journal_go_back(j, e);
		if (r < 0)
			return r;
		break;
	case JOURNAL_UNDONE:
		break;
	}
	ret->action = "taken back";
	return take_back(s, js, j, had_row, e);
}

static int recover_locked(struct box_state *s, struct box_journals *js, struct box_recovered *ret,
			  struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(js->dir, ACTIVE);
	ssize_t n = path ? readlink(path, ret->id, sizeof(ret->id) - 1) : -1;
	int r;

	if (!path)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "search for an interrupted promotion");
	if (n < 0)
		return errno == ENOENT
			       ? 0
			       : aisbx_fail(e, AISBX_AREA_BOX, errno, "search for an interrupted promotion");
	ret->id[n] = '\0';
	r = recover_one(s, js, ret->id, ret, e);
	if (r < 0)
		return aisbx_context(e, "recover promotion '%s'", ret->id);
	box_journals_unmark(js);
	return 0;
}

int box_journals_open(struct box_state *s, struct box_journals *ret, struct aisbx_error *e)
{
	struct box_recovered recovered = { 0 };
	int r = open_locked(s, true, ret);

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "open '%s/promotions'", s->dir);
	r = store_try_write(s->store, e);
	if (r == 0)
		r = recover_locked(s, ret, &recovered, e);
	if (r < 0)
		box_journals_close(ret);
	return r;
}

/* So that one promotion that cannot be finished does not stop all others for ever. It stays on the disk, out
 * of gc's sight. */
static int give_up(struct box_state *s, struct box_journals *js, struct box_recovered *ret,
		   struct aisbx_error *e)
{
	scoped(drop_journal) struct journal *j = NULL;
	scoped(drop_mem) char *from = path_join(js->dir, ret->id);
	scoped(drop_mem) char *to = NULL;
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	if (!from || asprintf(&to, "%s/broken-%s", js->dir, ret->id) < 0) {
		to = NULL;
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "give up promotion '%s'", ret->id);
	}
	if (journal_load(js->dir, ret->id, &j, &ignored) == 0 && journal_give_up(j, &ignored) == 0)
		box_journals_record(s, j, "undone", &ignored);
	if (rename(from, to) < 0 && errno != ENOENT)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "give up promotion '%s'", ret->id);
	box_journals_unmark(js);
	ret->action = "given up";
	return 0;
}

int box_recover(struct box_state *s, bool may_give_up, struct box_recovered *ret, struct aisbx_error *e)
{
	scoped(box_journals_close) struct box_journals j = BOX_JOURNALS_INIT;
	int r = open_locked(s, true, &j);

	*ret = (struct box_recovered){ 0 };
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "open '%s/promotions'", s->dir);
	r = recover_locked(s, &j, ret, e);
	if (r < 0 && ret->id[0] && !may_give_up)
		return aisbx_hint(
			e, "'aisbx recover --give-up' gives that promotion up, so that others can be made");
	if (r < 0 && ret->id[0]) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		r = give_up(s, &j, ret, e);
	}
	return r;
}

/* If a promotion was cut off: goes on with it. Every opening of the state directory does. */
static void recover_quietly(struct box_state *s)
{
	scoped(drop_mem) char *mark = NULL;
	scoped(box_journals_close) struct box_journals j = BOX_JOURNALS_INIT;
	struct aisbx_error ignored = AISBX_ERROR_INIT; /* 'aisbx recover' tells it */
	struct stat st;

	if (asprintf(&mark, "%s/promotions/" ACTIVE, s->dir) < 0) {
		mark = NULL;
		return;
	}
	if (lstat(mark, &st) == 0 &&
	    open_locked(s, false, &j) == 0) /* else it is not broken, but under way */
		recover_locked(s, &j, &s->recovered, &ignored);
}

/* What becomes of a directory of promotions. */
enum fate { STAYS, GOES, GOES_ASIDE };

static enum fate fate_of(const struct box_journals *js, const struct store_promotion *list, size_t n,
			 const char *id)
{
	scoped(drop_journal) struct journal *j = NULL;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	const struct store_promotion *row = NULL;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].id, id))
			row = &list[i];
	if (row && !strcmp(row->state, "done"))
		return STAYS;
	if (journal_load(js->dir, id, &j, &ignored) < 0) {
		if (row)
			return STAYS;
		return ignored.code == -ENOENT ? GOES : GOES_ASIDE;
	}
	if (journal_is_kept(j))
		return row ? STAYS : GOES_ASIDE;
	/* Prepared and never more, or taken back, it has nothing to give back; what happened without a row is
	 * somebody's undo. */
	return row || j->state == JOURNAL_STAGED || j->state == JOURNAL_UNDONE ? GOES : GOES_ASIDE;
}

static int collect_strays(const struct box_journals *j, const struct store_promotion *list, size_t n,
			  struct box_orphans *lost, size_t *ret_n, struct aisbx_error *e)
{
	scoped(drop_dir) DIR *d = opendir(j->dir);
	struct dirent *entry;
	int r = 0;

	while (d && r == 0 && (entry = dir_next(d, &r))) {
		bool ours = !strncmp(entry->d_name, "p-", 2) || !strncmp(entry->d_name, "t-", 2);
		enum fate fate = ours ? fate_of(j, list, n, entry->d_name) : STAYS;

		if (fate == GOES)
			r = journal_remove(j->dir, entry->d_name, e);
		else if (fate == GOES_ASIDE)
			r = box_orphans_put(lost, "promotions", entry->d_name, e);
		*ret_n += fate == GOES && r == 0;
	}
	return r < 0 && !e->code ? aisbx_fail(e, AISBX_AREA_BOX, -r, "list '%s'", j->dir) : r;
}

/* Pre-images older than a month, and what was cut off long ago. */
static int collect_promotions(struct box_state *s, struct box_orphans *lost, struct box_gc_report *ret,
			      struct aisbx_error *e)
{
	scoped(box_journals_close) struct box_journals j = BOX_JOURNALS_INIT;
	scoped(drop_mem) char *dir = path_join(s->dir, "promotions");
	struct store_promotion *list = NULL;
	size_t n = 0;
	int r;

	if (dir && access(dir, F_OK) < 0) /* there never was one */
		return 0;
	r = box_journals_open(s, &j, e);
	if (r == 0)
		r = store_promotion_list(s->store, &list, &n, e);
	if (r == 0)
		r = collect_strays(&j, list, n, lost, &ret->promotions, e);
	for (size_t i = 0; i < n; i++) {
		if (r == 0 && strcmp(list[i].state, "dropped") != 0 &&
		    list[i].created_ms + KEEP_MS < box_now_ms()) {
			r = journal_remove(j.dir, list[i].id, e);
			if (!strcmp(list[i].state, "done"))
				snprintf(list[i].state, sizeof(list[i].state), "dropped");
			if (r == 0)
				r = store_promotion_put(s->store, &list[i], e);
			ret->promotions += r == 0;
		}
		store_promotion_finish(&list[i]);
	}
	free(list);
	return r < 0 ? r : layer_sweep(j.dir, &n, e);
}

__attribute__((constructor)) static void attend(void)
{
	static struct box_attendant self = { .opened = recover_quietly, .collect = collect_promotions };

	box_attend(&self);
}
