/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uses layer/drift.h, and removes irrelevant changes: those made by promotions of this box, and files that
 * git ignores. The names that the project had are in STATE/names/BOX.
 */
#include "box/drift.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/log.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/pin.h"
#include "box/point.h"
#include "layer/blob.h"
#include "layer/ignore.h"
#include "layer/layer.h"

#define NOTE_US 1000 /* what making a box may cost for this */

void box_drift_finish(struct box_drift *d)
{
	drift_finish(&d->drift);
}

static char *note_of(const char *dir, const char *id)
{
	char *path;

	return asprintf(&path, "%s/names/%s", dir, id) < 0 ? NULL : path;
}

void box_drift_note(const struct box_state *s, const struct store_box *b)
{
	scoped(name_list_finish) struct name_list names = { 0 };
	scoped(drop_mem) char *dir = path_join(s->dir, "names");
	scoped(drop_mem) char *file = note_of(s->dir, b->id);
	struct aisbx_error why = AISBX_ERROR_INIT;

	if (!b->project || !dir || !file)
		return;
	if (name_list_read_tree(b->project, NOTE_US, true, &names, &why) < 0 ||
	    (mkdir(dir, 0700) < 0 && errno != EEXIST) || name_list_save(&names, file, &why) < 0)
		log_debug("files that '%s' loses will not be listed by name: %s", b->project, why.text);
}

void box_drift_inherit(const struct box_state *s, const struct store_box *from, const struct store_box *to)
{
	scoped(drop_mem) char *old = note_of(s->dir, from->id);
	scoped(drop_mem) char *new = note_of(s->dir, to->id);

	if (old && new &&link(old, new) < 0)
		log_debug("the names of the project are not recorded for '%s': %s", to->name,
			  strerror(errno));
}

void box_drift_forget(const char *dir, const char *id)
{
	scoped(drop_mem) char *file = note_of(dir, id);

	if (!file)
		return;
	unlink(file);
	*strrchr(file, '/') = '\0';
	rmdir(file); /* with the last one */
}

void box_drift_sweep(const struct box_state *s)
{
	scoped(drop_mem) char *dir = path_join(s->dir, "names");
	scoped(drop_dir) DIR *d = dir ? opendir(dir) : NULL;
	struct dirent *entry;
	int r = 0;

	while (d && (entry = dir_next(d, &r))) {
		scoped(store_box_finish) struct store_box box = { 0 };
		struct aisbx_error ignored = AISBX_ERROR_INIT;

		if (store_box_find(s->store, entry->d_name, &box, &ignored) == -ENOENT)
			box_drift_forget(s->dir, entry->d_name);
	}
}

/* What a look needs to know of the box. */
struct known {
	struct box_point point;
	struct box_bases promotions;
	struct base_map bases;
	struct open_view open_view;
};

static void known_finish(struct known *k)
{
	view_close(&k->open_view);
	base_map_finish(&k->bases);
	box_bases_finish(&k->promotions);
	box_point_finish(&k->point);
}

static int known_open(struct box_state *s, const struct store_box *b, const char *snapshot, struct known *k,
		      struct aisbx_error *e)
{
	int r = box_point_read(s, b, snapshot, &k->point, e);

	box_bases_open(&k->promotions, s);
	if (r == 0)
		r = box_bases_map(&k->promotions, &k->point, NULL, &k->bases, e);
	return r < 0 ? r : view_open(&k->point.view, &k->open_view, e);
}

static bool is_own(void *ctx, const char *path, const struct stat *st)
{
	const struct known *k = ctx;
	const struct base *b = base_find(&k->bases, path);

	if (!b || b->who != BASE_PROMOTED)
		return false;
	if (!st)
		return b->state == BASE_ABSENT;
	return b->state == BASE_KNOWN && b->st.st_dev == st->st_dev && b->st.st_ino == st->st_ino &&
	       b->st.st_ctim.tv_sec == st->st_ctim.tv_sec && b->st.st_ctim.tv_nsec == st->st_ctim.tv_nsec;
}

static bool is_own_dir(void *ctx, const char *path)
{
	const struct known *k = ctx;
	size_t n = strlen(path);

	for (size_t i = 0; i < k->bases.n; i++) {
		const char *of = k->bases.items[i].path, *slash = strrchr(of, '/');

		if (k->bases.items[i].who == BASE_PROMOTED && (slash ? (size_t)(slash - of) : 0) == n &&
		    !strncmp(of, path, n))
			return true;
	}
	return false;
}

/* How PATH differs from what it was when the box took it, or was pinned; CHANGE_MODIFY when nobody knows. */
static enum change_kind compare(const struct known *k, const char *project, const char *path)
{
	const struct base *b = k->point.pinned ? NULL : base_find(&k->bases, path);
	scoped(drop_mem) char *real = path_join(project, path);
	scoped(drop_mem) char *old = NULL;
	struct thing then = { 0 }, now = { .exists = true, .at = AT_FDCWD, .name = real };
	unsigned int bits = 0;
	int r;

	if (!real || lstat(real, &now.st) < 0 ||
	    (!k->point.pinned && (!b || b->state != BASE_KNOWN || !b->blob[0])))
		return CHANGE_MODIFY;
	if (b)
		r = blob_file(b->dir, b->blob, &old);
	else
		r = (old = path_join(k->point.host, path)) ? 0 : -ENOMEM;
	if (r < 0)
		return CHANGE_MODIFY;
	then = (struct thing){ .exists = true, .at = AT_FDCWD, .name = old };
	if (b) {
		then.st = b->st;
		then.has_sum = true;
		then.xattrs = b->xattrs;
	} else if (lstat(old, &then.st) < 0) {
		return CHANGE_MODIFY;
	}
	r = change_compare(&then, &now, &bits);
	return r < 0 || bits & DIFF_CONTENT ? CHANGE_MODIFY : (enum change_kind)r;
}

/* By its content, where that was kept. */
static void judge_content(const struct known *k, const char *project, struct drift_file *f)
{
	enum change_kind kind = f->kind == DRIFT_CHANGED || f->kind == DRIFT_TOUCHED
					? compare(k, project, f->path)
					: CHANGE_MODIFY;

	if (kind == CHANGE_MODE || kind == CHANGE_XATTR || kind == CHANGE_TOUCH || kind == CHANGE_NONE)
		f->kind = DRIFT_TOUCHED;
	f->drop = f->drop || (k->point.pinned &&
			      (kind == CHANGE_NONE || kind == CHANGE_TOUCH)); /* the box's own is the same */
	if (k->point.pinned && f->kind == DRIFT_TOUCHED && kind == CHANGE_MODIFY && !f->is_dir)
		f->kind = DRIFT_CHANGED;
}

static void judge_known(const struct known *k, const char *project, struct drift *d)
{
	for (size_t i = 0; i < d->n; i++) {
		struct drift_file *f = &d->files[i];

		f->both = f->kind != DRIFT_LOST &&
			  view_knows(&k->open_view,
				     f->path); /* of a directory it mostly knows something else */
		if (f->both || k->point.pinned)
			judge_content(k, project, f);
	}
}

/* What git ignores is made by machines. */
static int drop_ignored(const char *project, struct box_drift *d, struct aisbx_error *e)
{
	scoped(drop_mem) struct ignore_item *items = calloc(d->drift.n + 1, sizeof(*items));
	scoped(view_close) struct open_view open_view = OPEN_VIEW_INIT;
	const struct view host = { .host = project };
	char scratch[] = "/tmp/aisbx-drift-XXXXXX";
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	int r;

	if (!d->drift.n)
		return 0;
	if (!items || !mkdtemp(scratch))
		return aisbx_fail(e, AISBX_AREA_BOX, items ? errno : ENOMEM,
				  "find out what git ignores in '%s'", project);
	for (size_t i = 0; i < d->drift.n; i++)
		items[i] = (struct ignore_item){ .path = d->drift.files[i].path,
						 .is_dir = d->drift.files[i].is_dir };
	r = view_open(&host, &open_view, e);
	if (r == 0)
		r = ignore_find(&open_view, items, d->drift.n, scratch, e);
	layer_remove("/tmp", scratch + strlen("/tmp/"), &ignored);
	for (size_t i = 0; r == 0 && i < d->drift.n; i++) {
		d->drift.files[i].drop = items[i].ignored;
		d->ignored += items[i].ignored;
	}
	return r;
}

static int find_moment(struct box_state *s, const struct store_box *b, const char *snapshot,
		       struct timespec *ret, struct box_drift *d, struct aisbx_error *e)
{
	struct store_snapshot snap;
	int r;

	*ret = (struct timespec){ b->watermark_s, b->watermark_ns };
	d->since_ms = b->watermark_s * 1000 + b->watermark_ns / 1000000;
	if (!snapshot[0])
		return 0;
	r = store_snapshot_find(s->store, b->id, snapshot, &snap, e);
	if (r < 0)
		return r;
	d->of_snapshot = true;
	d->since_ms = snap.created_ms;
	*ret = (struct timespec){ snap.created_ms / 1000, snap.created_ms % 1000 * 1000000 };
	return 0;
}

/* What the project was like then: as it was noted, or as the pinned copy of it is. */
static int find_names(struct box_state *s, const struct store_box *b, const struct known *k,
		      struct drift_ask *ask, struct box_drift *d, struct aisbx_error *e)
{
	scoped(drop_mem) char *note = note_of(s->dir, b->id);
	int r;

	if (!k->point.pinned)
		return note ? name_list_load(note, ask->names, e)
			    : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "search for changes");
	r = box_pin_since(k->point.host, &ask->since, e);
	d->of_pin = ask->exact = true;
	d->of_snapshot = false;
	d->since_ms = ask->since.tv_sec * 1000 + ask->since.tv_nsec / 1000000;
	return r < 0 ? r : name_list_read_tree(k->point.host, ask->budget_us, false, ask->names, e);
}

int box_drift_look(struct box_state *s, const struct store_box *b, const char *snapshot, uint64_t budget_ms,
		   struct box_drift *ret, struct aisbx_error *e)
{
	scoped(known_finish) struct known k = { .open_view = OPEN_VIEW_INIT };
	scoped(name_list_finish) struct name_list names = { 0 };
	scoped(box_drift_finish) struct box_drift d = { 0 };
	struct drift_ask ask = { .root = b->project,
				 .budget_us = budget_ms * 1000,
				 .names = &names,
				 .is_own = is_own,
				 .is_own_dir = is_own_dir,
				 .ctx = &k };
	int r = find_moment(s, b, snapshot, &ask.since, &d, e);

	if (r == 0)
		r = known_open(s, b, snapshot, &k, e);
	if (r == 0)
		r = find_names(s, b, &k, &ask, &d, e);
	if (r == 0)
		r = drift_look(&ask, &d.drift, e);
	if (r == 0)
		r = drop_ignored(b->project, &d, e);
	if (r < 0)
		return r;
	judge_known(&k, b->project, &d.drift);
	drift_settle(&d.drift);
	*ret = d;
	d = (struct box_drift){ 0 };
	return 0;
}

void drift_report_make(const struct drift_options *options, struct box_state *s, const struct store_box *b,
		       const char *snapshot, struct drift_report *ret)
{
	*ret = (struct drift_report){ .told = !options->off && b->project, .why = AISBX_ERROR_INIT };
	if (ret->told)
		ret->failed = box_drift_look(s, b, snapshot, options->ms, &ret->found, &ret->why) < 0;
}

void drift_report_finish(struct drift_report *r)
{
	box_drift_finish(&r->found);
}
