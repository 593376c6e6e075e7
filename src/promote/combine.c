/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Combines boxes: a fork of the first box, and in its top layer the changes of the second. Until it is
 * complete it has no name and expires in an hour, so that gc removes one that was interrupted.
 */
#include "promote/combine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/meter.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/point.h"
#include "box/lookup.h"
#include "box/integrity.h"
#include "layer/ancestry.h"
#include "layer/merge_layer.h"
#include "layer/layer.h"
#include "layer/journal_fill.h"

void box_combination_finish(struct box_combination *c)
{
	store_box_finish(&c->box);
	merge_plan_finish(&c->plan);
}

struct work {
	struct box_point first, second;
	struct view common; /* what both stand on; borrows from first */
	struct box_bases promotions;
	struct ancestry ancestry;
	char *scratch_dir; /* owned; a directory */
	struct open_view open_views[3];
	struct merge_sides sides;
};

static void work_finish(struct work *w)
{
	ancestry_finish(&w->ancestry);
	free(w->scratch_dir);
	for (int i = 0; i < 3; i++)
		view_close(&w->open_views[i]);
	box_bases_finish(&w->promotions);
	box_point_finish(&w->first);
	box_point_finish(&w->second);
}

static int work_open(struct work *w, struct box_state *s, const struct store_box *first,
		     const struct store_box *second, enum merge_resolution resolution, struct aisbx_error *e)
{
	size_t n = 0;
	int r = box_point_read(s, first, "", &w->first, e);

	if (r == 0)
		r = box_point_read(s, second, "", &w->second, e);
	if (r < 0)
		return r;
	if (strcmp(w->first.host, w->second.host) != 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "'%s' and '%s' are not based on the same project: one is pinned, or both "
				    "are, at different times",
				    first->name, second->name);
	while (n < w->first.trees.n && n < w->second.trees.n &&
	       !strcmp(w->first.trees.items[n], w->second.trees.items[n]))
		n++;
	w->common = w->first.view;
	w->common.n_ups = n;
	r = view_open(&w->second.view, &w->open_views[0], e);
	if (r == 0)
		r = view_open(&w->first.view, &w->open_views[1], e);
	if (r == 0 && n)
		r = view_open(&w->common, &w->open_views[2], e);
	box_bases_open(&w->promotions, s);
	w->ancestry = (struct ancestry){ .open_views = { &w->open_views[1], &w->open_views[0] },
					 .common = n ? &w->open_views[2] : NULL,
					 .filter = &w->promotions.filter };
	w->sides = (struct merge_sides){ .box = &w->open_views[0],
					 .target = &w->open_views[1],
					 .ancestor = n ? &w->open_views[2] : NULL,
					 .bases = &w->ancestry.origins,
					 .resolution = resolution,
					 .box_name = second->name,
					 .combines = true };
	return r;
}

/* Decides. STAGE is a directory for what has to be merged for that. */
static int compare(struct work *w, const char *stage, struct merge_plan *ret, struct aisbx_error *e)
{
	const struct strlist *const dirs[] = { &w->first.trees, &w->second.trees };
	scoped(drop_mem) char *blobs = path_join(stage, "desk/blobs");
	int r;

	w->scratch_dir = path_join(stage, "desk");
	if (!w->scratch_dir || !blobs || mkdir(w->scratch_dir, 0700) < 0 || mkdir(blobs, 0700) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, w->scratch_dir && blobs ? errno : ENOMEM, "make '%s'",
				  stage);
	w->ancestry.scratch_dir.dir = w->scratch_dir;
	r = ancestry_read(&w->ancestry, dirs, e);
	if (r == 0 && w->promotions.error.code) {
		*e = w->promotions.error;
		r = e->code;
	}
	return r == 0 ? merge_read(&w->sides, ret, e) : r;
}

/* What the new box is based on. */
static int write_bases(struct box_state *s, struct work *w, const struct box_combination *c,
		       struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = NULL;

	if (asprintf(&dir, "%s/%s/project", s->layers, c->box.top) < 0) {
		dir = NULL;
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "combine boxes");
	}
	return ancestry_write(&w->ancestry, &c->plan, w->sides.resolution, dir, e);
}

/* Merges, and fills the layer of the new box. STAGE is a directory for both. */
static int fill(struct box_state *s, struct work *w, const char *stage, struct box_combination *c,
		struct aisbx_error *e)
{
	scoped(drop_mem) char *texts = path_join(stage, "texts");
	scoped(buf_finish) struct buf paths = { 0 };
	scoped(drop_mem) char *up = NULL;
	struct store_layer *chain = NULL;
	const char **ids = NULL;
	char tree[32];
	size_t n = 0;
	int r;

	if (!texts || mkdir(texts, 0700) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, texts ? errno : ENOMEM, "make '%s'", stage);
	r = journal_fill_texts(&c->plan, &w->sides, texts, e);
	merge_drop_idle(&c->plan);
	for (size_t i = 0; i < c->plan.n; i++)
		c->n_conflicts += c->plan.steps[i].outcome == MERGE_CONFLICT;
	if (r < 0 || (c->n_conflicts && w->sides.resolution == RESOLVE_STOP))
		return r;
	r = store_layer_chain(s->store, c->box.top, &chain, &n, e);
	ids = calloc(n ? n : 1, sizeof(*ids));
	for (size_t i = 0; ids && i < n; i++)
		ids[i] = chain[i].id;
	layer_tree_name(c->box.project, c->box.project, tree, sizeof(tree));
	if (r == 0)
		r = ids ? layer_paths(s->layers, ids, n, tree, w->first.host, driver_id_shift(), &paths, e)
			: aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "combine boxes");
	if (r == 0 && asprintf(&up, "%s/%s/%s/up", s->layers, c->box.top, tree) < 0)
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "combine boxes");
	if (r == 0)
		r = merge_layer_write(&c->plan, &w->sides, stage, up, driver_id_shift(), e);
	if (r == 0)
		r = write_bases(s, w, c, e);
	free(ids);
	free(chain);
	return r;
}

static int check_pair(const struct store_box *first, const struct store_box *second, struct aisbx_error *e)
{
	if (!strcmp(first->id, second->id))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%s' cannot be combined with itself; give two boxes", first->name);
	if (!first->project || !second->project || strcmp(first->project, second->project) != 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "'%s' and '%s' have different projects", first->name, second->name);
	if (strcmp(first->profile, second->profile) != 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "'%s' and '%s' have different profiles", first->name, second->name);
	return 0;
}

/* Both boxes can be combined, and are at rest. */
static int prepare(struct box_state *s, const struct store_box *first, const struct store_box *second,
		   const char *name, struct aisbx_error *e)
{
	int r = check_pair(first, second, e);

	if (r == 0)
		r = name ? box_check_name(name, e) : 0;
	if (r == 0)
		r = box_check_integrity(s, first, e);
	if (r == 0)
		r = box_check_integrity(s, second, e);
	if (r == 0)
		r = box_settle(s, first, e);
	return r == 0 ? box_settle(s, second, e) : r;
}

/* The layer of the new box, by way of a directory in it that goes again. */
static int make_layer(struct box_state *s, struct work *w, struct box_combination *c, struct aisbx_error *e)
{
	scoped(drop_mem) char *stage = NULL;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	int r;

	if (asprintf(&stage, "%s/%s/stage", s->layers, c->box.top) < 0) {
		stage = NULL;
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "combine boxes");
	}
	if (mkdir(stage, 0700) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s'", stage);
	r = box_fill_begin(s, &c->box, e);
	if (r == 0)
		r = compare(w, stage, &c->plan, e);
	if (r == 0)
		r = fill(s, w, stage, c, e);
	*strrchr(stage, '/') = '\0';
	layer_remove(stage, "stage", &ignored);
	return r;
}

int box_combine(struct box_state *s, const struct store_box *first, const struct store_box *second,
		const char *name, enum merge_resolution resolution, struct box_combination *ret,
		struct aisbx_error *e)
{
	struct box_new how = { .profile = first->profile,
			       .project = first->project,
			       .ttl_ms = 3600 * 1000,
			       .autosnap = first->autosnap };
	scoped(work_finish) struct work w = { .open_views = { OPEN_VIEW_INIT, OPEN_VIEW_INIT,
							      OPEN_VIEW_INIT } };
	scoped_meter bool meter = meter_begin("combining", 0);
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	int r = prepare(s, first, second, name, e);

	if (r == 0)
		r = work_open(&w, s, first, second, resolution, e);
	if (r == 0)
		r = box_chain_fork(s, first, NULL, &how, 1, &ret->box, e);
	if (r < 0)
		return r;
	r = make_layer(s, &w, ret, e);
	if (r == 0 && !(ret->n_conflicts && resolution == RESOLVE_STOP)) {
		r = box_sync_top(s, &ret->box, e);
		if (r == 0)
			r = store_box_settle(s->store, ret->box.id, name ? name : ret->box.id, e);
		if (r == 0) {
			snprintf(ret->box.name, sizeof(ret->box.name), "%s", name ? name : ret->box.id);
			ret->box.expires_ms = 0;
			return 0;
		}
	}
	box_chain_remove(s, &ret->box, &ignored);
	box_collect(s, NULL, &ignored);
	ret->box.id[0] = '\0';
	return r;
}

int promote_combine(const struct promote_combine_request *req, struct box_combination *ret,
		    struct aisbx_error *e)
{
	scoped(lookup_finish) struct lookup first = LOOKUP_INIT;
	scoped(lookup_finish) struct lookup second = LOOKUP_INIT;
	int r = lookup_open_box(req->box, true, &first, e);

	if (r == 0) /* the same box would be waited for in vain */
		r = lookup_open_box(req->other, false, &second, e);
	if (r == 0 && strcmp(first.box.id, second.box.id) != 0) {
		lookup_finish(&second);
		second = (struct lookup)LOOKUP_INIT;
		r = lookup_open_box(req->other, true, &second, e);
	}
	return r < 0 ? r
		     : box_combine(&first.state, &first.box, &second.box, req->name, req->resolution, ret, e);
}
