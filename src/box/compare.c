/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two points that somebody named. */
#include "box/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/image.h"
#include "box/lookup.h"
#include "box/pin.h"
#include "box/point.h"
#include "box/moved.h"
#include "secret/fingerprints.h"

void box_comparison_finish(struct box_comparison *c)
{
	free(c->project);
	change_list_finish(&c->changes);
	free(c->lines);
	buf_finish(&c->patch);
	drift_report_finish(&c->drift);
	box_system_finish(&c->system);
}

/* Of those that boxes were given. */
static int hide_secrets(const char *dir, struct buf *patch, struct aisbx_error *e)
{
	scoped(drop_fingerprints) struct fingerprints *fingerprints = NULL;
	scoped(drop_fingerprint_scan) struct fingerprint_scan *scan = NULL;
	struct buf clean = { 0 };
	int r = fingerprints_load(dir, &fingerprints, e);

	if (r < 0 || !fingerprints || !patch->len)
		return r;
	scan = fingerprint_scan_create(fingerprints);
	if (!scan || !fingerprints_scrub_patch(scan, patch->data, patch->len, &clean)) {
		buf_finish(&clean);
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "search the patch for secrets");
	}
	buf_finish(patch);
	*patch = clean;
	return 0;
}

static int count_lines(const char *dir, const struct box_compare_request *req, struct box_comparison *c,
		       struct aisbx_error *e)
{
	int r;

	c->lines = calloc(c->changes.n + 1, sizeof(*c->lines));
	if (!c->lines)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "count the lines");
	r = box_diff_lines(&c->changes, req->patch ? &c->patch : NULL, c->lines, e);
	return r == 0 && req->patch ? hide_secrets(dir, &c->patch, e) : r;
}

/* Without another one BOX is compared with its project, which must be there. */
static int require_project(struct lookup *p, const char *cwd, struct aisbx_error *e)
{
	int64_t pinned = 0;
	int r = box_pinned_ms(&p->state, &p->box, &pinned, e);

	return r < 0 || pinned ? r : box_moved_require(&p->box, cwd, e); /* a copy is where it was */
}

/* What one key names: a box or snapshot, or an image. */
struct side {
	struct lookup at;         /* of an image: its state only */
	struct store_image image; /* owned; id "": it is a box */
	struct box_point point;
};

#define SIDE_INIT                 \
	{                         \
		.at = LOOKUP_INIT \
	}

static void side_finish(struct side *s)
{
	box_point_finish(&s->point);
	store_image_finish(&s->image);
	lookup_finish(&s->at);
}

/* As an image if it is no box; the error is about the box. */
static int side_open(const char *key, struct side *ret, struct aisbx_error *e)
{
	const bool is_image = !strncmp(key, "image:", 6);
	struct aisbx_error why = AISBX_ERROR_INIT;
	int r = is_image ? -ENOENT : lookup_open(key, false, &ret->at, e), found;

	if (r == 0 || (r != -ENOENT && e->kind != AISBX_KIND_USAGE))
		return r;
	if (!ret->at.state.store && box_state_open(&ret->at.state, &why) < 0) {
		*e = is_image ? why : *e;
		return e->code;
	}
	found = box_image_resolve(&ret->at.state, key, &ret->image, &why);
	if (found == 0 || is_image)
		*e = why;
	return found == 0 ? 0 : e->code;
}

/* Its root: both are compared as systems. */
static int side_read_root(struct side *s, struct aisbx_error *e)
{
	return s->image.id[0] ? box_point_read_image(&s->at.state, &s->image, &s->point, e)
			      : box_point_read_root(&s->at.state, &s->at.box, s->at.snapshot, &s->point, e);
}

/* If S is the image that the box OTHER stands on, it is as the box has it: for the same ids. */
static int side_follow(struct side *s, const struct side *other, struct aisbx_error *e)
{
	struct store_image image = { 0 };
	int r = s->image.id[0] && other->at.box.image[0]
			? store_image_find(s->at.state.store, other->at.box.image, &image, e)
			: -ENOENT;

	if (r < 0)
		return r == -ENOENT ? 0 : r; /* who reads the box says that */
	if (strcmp(image.digest, s->image.digest) != 0) {
		store_image_finish(&image);
		return 0;
	}
	store_image_finish(&s->image);
	s->image = image;
	return 0;
}

static int compare_roots(struct side *a, struct side *b, const struct box_compare_request *req,
			 struct box_comparison *ret, struct aisbx_error *e)
{
	int r = side_follow(a, b, e);

	if (r == 0)
		r = side_follow(b, a, e);
	if (r == 0)
		r = side_read_root(a, e);
	if (r == 0)
		r = side_read_root(b, e);
	return r < 0 ? r
		     : box_diff_points(&a->point, &b->point, &ret->changes, req->ignored ? NULL : &ret->left,
				       e);
}

/* Of a box without a project, files are listed as its changes already. */
static int compare_image(struct lookup *p, struct box_comparison *ret, struct aisbx_error *e)
{
	scoped(box_system_finish) struct box_system found = { 0 };
	int r = box_system_compare_image(&p->state, &p->box, p->snapshot, &found, e);

	if (r < 0)
		return r;
	if (p->box.project) {
		ret->system = found;
		found = (struct box_system){ 0 };
		return 0;
	}
	ret->system = (struct box_system){ .packages = found.packages, .users = found.users };
	found.packages = (struct package_changes){ 0 };
	found.users = (struct strlist){ 0 };
	return 0;
}

static int compare_boxes(struct lookup *p, struct lookup *q, const struct box_compare_request *req,
			 struct box_comparison *ret, struct aisbx_error *e)
{
	int r = req->other ? 0 : require_project(p, req->cwd, e);

	if (r == 0)
		r = box_diff(&p->state, &p->box, p->snapshot, req->other ? &q->box : NULL, q->snapshot,
			     &ret->changes, req->ignored ? NULL : &ret->left, e);
	if (r == 0 && !req->other && p->box.image[0])
		r = compare_image(p, ret, e);
	else if (r == 0 && !req->other && geteuid() == 0)
		r = box_system_compare(&p->state, &p->box, p->snapshot, &ret->system, e);
	return r;
}

int box_compare(const struct box_compare_request *req, struct box_comparison *ret, struct aisbx_error *e)
{
	scoped(side_finish) struct side p = SIDE_INIT, q = SIDE_INIT;
	bool roots;
	int r = side_open(req->box, &p, e);

	if (r == 0 && req->other)
		r = side_open(req->other, &q, e);
	if (r == -ENOENT && req->other && p.at.box.id[0] && !q.at.box.id[0])
		aisbx_hint(e, "two boxes or snapshots are compared; one path of a box: 'aisbx promote BOX "
			      "PATH --dry-run', "
			      "its content: 'aisbx file read BOX PATH'");
	if (r == 0 && p.image.id[0] && !req->other)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "an image is compared with a box or with another image; give two");
	roots = p.image.id[0] || q.image.id[0];
	if (r == 0)
		r = roots ? compare_roots(&p, &q, req, ret, e) : compare_boxes(&p.at, &q.at, req, ret, e);
	if (r == 0 && (req->patch || req->stat))
		r = count_lines(p.at.state.dir, req, ret, e);
	if (r < 0)
		return r;
	if (!req->other)
		drift_report_make(&req->drift, &p.at.state, &p.at.box, p.at.snapshot, &ret->drift);
	ret->project = roots ? NULL : p.at.box.project;
	if (!roots)
		p.at.box.project = NULL;
	return 0;
}
