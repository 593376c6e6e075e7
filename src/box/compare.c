/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two points that somebody named. */
#include "box/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/lookup.h"
#include "box/pin.h"
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

int box_compare(const struct box_compare_request *req, struct box_comparison *ret, struct aisbx_error *e)
{
	scoped(lookup_finish) struct lookup p = LOOKUP_INIT;
	scoped(lookup_finish) struct lookup q = LOOKUP_INIT;
	int r = lookup_open(req->box, false, &p, e);

	if (r == 0)
		r = req->other ? lookup_open(req->other, false, &q, e) : require_project(&p, req->cwd, e);
	if (r == -ENOENT && req->other && p.box.id[0] && !q.box.id[0])
		aisbx_hint(e, "two boxes or snapshots are compared; one path of a box: 'aisbx promote BOX "
			      "PATH --dry-run', "
			      "its content: 'aisbx file read BOX PATH'");
	if (r == 0)
		r = box_diff(&p.state, &p.box, p.snapshot, req->other ? &q.box : NULL, q.snapshot,
			     &ret->changes, req->ignored ? NULL : &ret->left, e);
	if (r == 0 && !req->other && geteuid() == 0)
		r = box_system_compare(&p.state, &p.box, p.snapshot, &ret->system, e);
	if (r == 0 && (req->patch || req->stat))
		r = count_lines(p.state.dir, req, ret, e);
	if (r < 0)
		return r;
	if (!req->other)
		drift_report_make(&req->drift, &p.state, &p.box, p.snapshot, &ret->drift);
	ret->project = p.box.project;
	p.box.project = NULL;
	return 0;
}
