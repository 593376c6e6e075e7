/* SPDX-License-Identifier: Apache-2.0 */
/* Listing, showing, renaming and renewing boxes. */
#include "box/show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/diff.h"
#include "box/lookup.h"
#include "box/owner.h"
#include "box/pin.h"
#include "box/integrity.h"
#include "box/variables.h"

void box_info_finish(struct box_info *i)
{
	store_box_finish(&i->box);
	free(i->now);
	json_decref(i->metadata);
}

void box_infos_finish(struct box_infos *l)
{
	for (size_t i = 0; i < l->n; i++)
		box_info_finish(&l->items[i]);
	free(l->items);
}

/* Whether its project is where it was. Of many boxes nothing is looked for: HERE NULL. */
static void look_where(struct box_info *i, const char *here)
{
	struct store_box short_look = i->box;

	if (!here && i->box.project && access(i->box.project, F_OK) < 0)
		short_look.place.ino = 0; /* it is missing, and that is all */
	i->where = box_moved(&short_look, here, &i->now);
}

int box_ls(const char *project, const struct strlist *metadata, struct box_infos *ret, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(box_metadata_finish) struct box_metadata_all notes = { 0 };
	struct store_box *boxes = NULL;
	size_t n = 0;
	int r = box_metadata_check(metadata, e);

	if (r == 0)
		r = box_state_open(&state, e);
	if (r == 0)
		r = box_metadata_read(&state, &notes, e);
	if (r == 0)
		r = box_list(&state, &boxes, &n, e);
	if (r < 0)
		return r;
	ret->others = n;
	n = box_moved_keep(project, boxes, n);
	ret->others -= n;
	ret->items = calloc(n + 1, sizeof(*ret->items));
	for (size_t i = 0; boxes && i < n; i++) {
		json_t *has = box_metadata_in(&notes, boxes[i].id);

		if (!ret->items || !box_metadata_has(has, metadata)) {
			store_box_finish(&boxes[i]);
			json_decref(has);
			continue;
		}
		ret->items[ret->n] = (struct box_info){ .box = boxes[i], .metadata = has };
		look_where(&ret->items[ret->n++], NULL);
	}
	free(boxes);
	return ret->items ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "list the boxes");
}

void box_shown_finish(struct box_shown *s)
{
	box_info_finish(&s->info);
	free(s->snapshots);
	drift_report_finish(&s->drift);
	strlist_finish(&s->stale);
	strlist_finish(&s->variables);
	image_told_finish(&s->policy);
}

int box_show(const struct box_show_request *req, struct box_shown *ret, struct aisbx_error *e)
{
	scoped(lookup_finish) struct lookup p = LOOKUP_INIT;
	int r = lookup_open_box(req->box, false, &p, e);

	if (r == 0)
		r = store_snapshot_list(p.state.store, p.box.id, &ret->snapshots, &ret->n_snapshots, e);
	if (r == 0)
		r = box_pinned_ms(&p.state, &p.box, &ret->pinned_ms, e);
	if (r == 0)
		r = image_told_of(&p.state, p.box.image, &ret->policy, e);
	if (r == 0)
		r = box_metadata_of(&p.state, p.box.id, &ret->info.metadata, e);
	if (r == 0)
		r = box_variables_names(p.state.dir, p.box.id, &ret->variables, e);
	if (r < 0)
		return r;
	ret->torn = box_is_torn(&p.state, &p.box);
	drift_report_make(&req->drift, &p.state, &p.box, "", &ret->drift);
	if (req->stale)
		r = box_stale(&p.box, &ret->stale, e);
	ret->info.box = p.box;
	p.box = (struct store_box){ 0 };
	look_where(&ret->info, req->cwd ? req->cwd : "/");
	return r;
}

/* The project of P, which is locked, is DIR. */
static int move_project(const char *cwd, struct lookup *p, const char *dir, struct aisbx_error *e)
{
	scoped(drop_mem) char *given = path_resolve(cwd ? cwd : "/", dir);
	scoped(drop_mem) char *path = given ? realpath(given, NULL) : NULL;
	struct store_place place;
	int r;

	if (!path)
		return aisbx_fail(e, AISBX_AREA_USAGE, given ? errno : ENOMEM, "project '%s'", dir);
	if (!buf_is_utf8(path))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
				    "the path of the project is not UTF-8");
	if (!p->box.project)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL, "box '%s' has no project",
				    p->box.name);
	r = box_check_place(p->state.dir, path, e);
	if (r == 0)
		r = box_moved_read(path, &place, e);
	if (r == 0)
		r = store_box_move(p->state.store, p->box.id, path, &place, e);
	if (r < 0)
		return r;
	free(p->box.project);
	p->box.project = take_mem(&path);
	return 0;
}

int box_rename(const struct box_rename_request *req, struct box_info *ret, struct aisbx_error *e)
{
	scoped(lookup_finish) struct lookup p = LOOKUP_INIT;
	int r = req->name ? box_check_name(req->name, e) : 0;

	if (!req->name && !req->project)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "give a new name, or with --project the new directory of the project");
	if (r == 0)
		r = lookup_open_box(req->box, req->project != NULL, &p, e);
	if (r == 0 &&
	    !box_owns(
		    p.box.owner)) /* which names its owner has is not told to others, not even by a refusal */
		r = aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
				 "box '%s' is shared with you; only its owner can rename it", p.box.name);
	if (r == 0 && req->project)
		r = move_project(req->cwd, &p, req->project, e);
	if (r == 0 && req->name)
		r = store_box_rename(p.state.store, p.box.id, req->name, e);
	if (r < 0)
		return r;
	if (req->name)
		snprintf(p.box.name, sizeof(p.box.name), "%s", req->name);
	ret->box = p.box;
	p.box = (struct store_box){ 0 };
	return 0;
}

/* Without the lock: a box is given more time above all while something runs in it. */
int box_renew(const char *box, uint64_t ttl_ms, struct box_info *ret, struct aisbx_error *e)
{
	scoped(lookup_finish) struct lookup p = LOOKUP_INIT;
	int r = lookup_open_box(box, false, &p, e);

	p.box.expires_ms = ttl_ms ? box_now_ms() + (int64_t)ttl_ms : 0;
	if (r == 0)
		r = store_box_set_expiry(p.state.store, p.box.id, p.box.expires_ms, e);
	if (r < 0)
		return r;
	ret->box = p.box;
	p.box = (struct store_box){ 0 };
	return 0;
}
