/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a plan: steps with everything below them, and resolutions of conflicts. */
#include "layer/merge_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/meter.h"
#include "base/path.h"
#include "base/scope.h"
#include "layer/fullest_dir.h"
#include "layer/gitdir.h"

const char *merge_outcome_name(enum merge_outcome o)
{
	static const char *const names[] = { "apply", "merge", "conflict" };

	return names[o];
}

const char *merge_resolution_name(enum merge_resolution r)
{
	static const char *const names[] = {
#define X(id, name) name,
		MERGE_RESOLUTIONS(X)
#undef X
	};

	return names[r];
}

enum merge_resolution merge_resolution_by_name(const char *name)
{
	static const enum merge_resolution all[] = {
#define X(id, name) RESOLVE_##id,
		MERGE_RESOLUTIONS(X)
#undef X
	};

	for (size_t i = 0; name && i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(merge_resolution_name(all[i]), name))
			return all[i];
	return RESOLVE_STOP;
}

static void step_finish(struct merge_step *s)
{
	free(s->path);
	free(s->source);
	free(s->reason);
	free(s->base);
	free(s->merged);
}

void merge_plan_finish(struct merge_plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		step_finish(&p->steps[i]);
	for (size_t i = 0; i < p->n_stale; i++)
		free(p->stale[i].path);
	for (size_t i = 0; i < p->n_twins; i++)
		free(p->twins[i].path);
	free(p->steps);
	free(p->stale);
	for (size_t i = 0; i < p->n_left; i++)
		free(p->left[i].path);
	free(p->twins);
	free(p->left);
	strlist_finish(&p->gits);
	*p = (struct merge_plan){ 0 };
}

void merge_refuse(struct merge_step *s, const char *why)
{
	free(s->reason);
	s->reason = strdup(why);
	s->op = MERGE_NOTHING;
	s->outcome = MERGE_CONFLICT;
	s->refused = true;
	s->text = false;
}

void merge_drop_idle(struct merge_plan *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (p->steps[i].idle)
			step_finish(&p->steps[i]);
		else
			p->steps[kept++] = p->steps[i];
	}
	p->n = kept;
}

struct merge_file merge_file_of(const struct stat *st)
{
	return (struct merge_file){ .st_dev = st->st_dev,
				    .st_ino = st->st_ino,
				    .st_size = st->st_size,
				    .st_blocks = st->st_blocks,
				    .st_mode = st->st_mode,
				    .st_uid = st->st_uid,
				    .st_gid = st->st_gid,
				    .st_nlink =
					    st->st_nlink > UINT32_MAX ? UINT32_MAX : (uint32_t)st->st_nlink };
}

/* Room for one more in a list that doubles at powers of two; NULL also when there are too many, which
 * merge_fail tells apart. */
static void *grow(void *list, size_t n, size_t size)
{
	if (memory_check() < 0)
		return NULL;
	if (n & (n - 1))
		return list;
	return realloc(list, (n ? n * 2 : 1) * size);
}

int merge_fail(const struct merge_sides *sides, int r, struct aisbx_error *e)
{
	const struct view *v = sides->box->view;

	if (r != -ENOBUFS && !(r == -ENOMEM && memory_ran_out()))
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "compare the box with '%s'",
				  sides->target->view->host);
	fullest_dir_refuse(v->ups, v->n_ups, e);
	return aisbx_hint(e, "or promote single paths, one after the other");
}

struct merge_step *merge_add_step(struct merger *m, enum merge_op op, const char *path,
				  const struct view_entry *b, const struct view_entry *h)
{
	struct merge_step *s, *grown = grow(m->plan.steps, m->plan.n, sizeof(*grown));

	if (!grown)
		return NULL;
	m->plan.steps = grown;
	s = &grown[m->plan.n];
	*s = (struct merge_step){ .op = op, .path = strdup(path), .take = ~0U };
	if (!s->path)
		return NULL;
	if (b && b->thing.exists)
		s->now = merge_file_of(&b->thing.st);
	if (h && h->thing.exists) {
		s->old = merge_file_of(&h->thing.st);
		s->old_mtim = h->thing.st.st_mtim;
		s->old_ctim = h->thing.st.st_ctim;
	}
	m->plan.n++;
	meter_step(0);
	return s;
}

int merge_add_stale(struct merger *m, const char *path, enum change_kind host)
{
	struct merge_stale *grown = grow(m->plan.stale, m->plan.n_stale, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	m->plan.stale = grown;
	grown[m->plan.n_stale] = (struct merge_stale){ strdup(path), host };
	return grown[m->plan.n_stale++].path ? 0 : -ENOMEM;
}

int merge_add_twin(struct merger *m, const char *path, const struct stat *st)
{
	struct merge_twin *grown;

	if ((!S_ISREG(st->st_mode) && !S_ISLNK(st->st_mode)) || st->st_nlink < 2)
		return 0;
	grown = grow(m->plan.twins, m->plan.n_twins, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	m->plan.twins = grown;
	grown[m->plan.n_twins] = (struct merge_twin){ st->st_dev, st->st_ino, strdup(path) };
	return grown[m->plan.n_twins++].path ? 0 : -ENOMEM;
}

int merge_add_left(struct merger *m, const char *path, const struct stat *st)
{
	struct merge_left *grown = grow(m->plan.left, m->plan.n_left, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	m->plan.left = grown;
	grown[m->plan.n_left] = (struct merge_left){ strdup(path), st->st_mode };
	return grown[m->plan.n_left++].path ? 0 : -ENOMEM;
}

int merge_asks(const struct merger *m, const char *rel)
{
	const struct strlist *only = m->sides->only;
	int best = only ? 0 : 2;

	for (size_t i = 0; only && i < only->n && best < 2; i++) {
		const char *want = only->items[i];
		size_t n = strlen(want), len = strlen(rel);

		if (!strcmp(want, ".") || (!strncmp(rel, want, n) && (rel[n] == '/' || !rel[n])))
			best = 2;
		else if (!strncmp(want, rel, len) && want[len] == '/')
			best = 1;
	}
	return best;
}

/* Boxes are all alike hostile: between two of them git's own goes like any other file. */
int merge_leaves_git(struct merger *m, const char *rel, const struct view_entry *b,
		     const struct view_entry *h)
{
	const char *slash = strrchr(rel, '/');
	int r = gitdir_is_name(slash ? slash + 1 : rel);

	if (m->sides->combines)
		return 0;
	if (r == 0 && view_entry_is_dir(b))
		r = gitdir_is_laid_out(m->sides->box, b->ref,
				       h && view_entry_is_dir(h) ? m->sides->target : NULL,
				       h ? h->ref : (struct ref){ 0 }, rel);
	else if (r == 0 && h && view_entry_is_dir(h))
		r = gitdir_is_laid_out(m->sides->target, h->ref, NULL, (struct ref){ 0 }, rel);
	if (r > 0)
		strlist_add(&m->plan.gits, rel);
	return r > 0 && m->plan.gits.failed ? -ENOMEM : r;
}

/* A pipe, socket or device of the box, B, where TO would be in the other box: it stays in the first. */
static int add_special(struct merger *m, const char *to, const struct view_entry *b)
{
	struct merge_step *step = merge_add_step(m, MERGE_NOTHING, to, b, NULL);

	if (!step)
		return -ENOMEM;
	step->outcome = MERGE_CONFLICT;
	step->box = CHANGE_CREATE;
	return asprintf(&step->reason, "the box has a %s there, which stays in the box",
			change_type_name(b->thing.st.st_mode)) < 0
		       ? -ENOMEM
		       : 0;
}

/* What the box has at REL; nothing, if that is git's own. */
static int look_inside(struct merger *m, struct ref dir, const char *rel, struct view_entry *ret)
{
	int r = view_look(m->sides->box, dir, rel, ret);

	if (r == 0 && ret->thing.exists)
		r = merge_leaves_git(m, rel, ret, NULL);
	if (r > 0)
		ret->thing.exists = false;
	return r < 0 ? r : 0;
}

/* Everything below REL in the box, as part of the directory DEST that is made as a whole. */
static int add_inside(struct merger *m, const char *rel, struct ref dir, const char *dest)
{
	scoped(strlist_finish) struct strlist names = { 0 };
	int r = view_names(m->sides->box, dir, rel, true, &names);

	names_sort(&names);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		scoped(drop_mem) char *child = path_join(rel, names.items[i]);
		scoped(drop_mem) char *to = path_join(dest, names.items[i]);
		struct merge_step *step;
		struct view_entry b;

		if (!child || !to)
			return -ENOMEM;
		if (!merge_asks(m, child))
			continue;
		r = look_inside(m, dir, child, &b);
		if (r < 0 || !b.thing.exists)
			continue;
		if (view_entry_is_special(&b)) {
			r = m->sides->combines ? add_special(m, to, &b) : merge_add_left(m, to, &b.thing.st);
			continue;
		}
		step = merge_add_step(m, MERGE_INSIDE, to, &b, NULL);
		if (!step || (strcmp(to, child) != 0 && !(step->source = strdup(child))))
			return -ENOMEM;
		step->box = CHANGE_CREATE;
		if (view_entry_is_dir(&b))
			r = add_inside(m, child, b.ref, to);
	}
	return r;
}

/* What goes with a directory of the target: only to be shown. */
static int add_gone(struct merger *m, const char *rel, struct ref dir)
{
	scoped(strlist_finish) struct strlist names = { 0 };
	int r = view_names(m->sides->target, dir, rel, true, &names);

	names_sort(&names);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		scoped(drop_mem) char *child = path_join(rel, names.items[i]);
		struct merge_step *step;
		struct view_entry h;

		r = child ? view_look(m->sides->target, dir, child, &h) : -ENOMEM;
		if (r < 0 || !h.thing.exists)
			continue;
		step = merge_add_step(m, MERGE_NOTHING, child, NULL, &h);
		if (!step)
			return -ENOMEM;
		step->box = CHANGE_DELETE;
		if (view_entry_is_dir(&h))
			r = add_gone(m, child, h.ref);
	}
	return r;
}

int merge_add_version(struct merger *m, const char *rel, const char *path, const struct view_entry *b,
		      const struct view_entry *h, struct merge_step **ret)
{
	bool beside = strcmp(rel, path) != 0;
	enum merge_op op = !b->thing.exists       ? MERGE_DELETE
			   : h && h->thing.exists ? MERGE_REPLACE
						  : MERGE_CREATE;
	size_t at = m->plan.n;
	int r = 0;

	*ret = merge_add_step(m, op, path, b, h);
	if (!*ret || (beside && !((*ret)->source = strdup(rel))))
		return -ENOMEM;
	if (view_entry_is_dir(b))
		r = add_inside(m, rel, b->ref, path);
	else if (h && view_entry_is_dir(h))
		r = add_gone(m, path, h->ref);
	*ret = &m->plan.steps[at];
	return r;
}

/* Beside the target's own, where nothing is yet: "a/name.BOX", "a/name.BOX.2". Heap or NULL. */
static char *side_path(struct open_view *target, const char *path, const char *box)
{
	for (int i = 1; i < 1000; i++) {
		scoped(drop_mem) char *side = NULL;
		struct view_entry h;
		int n = i == 1 ? asprintf(&side, "%s.%s", path, box)
			       : asprintf(&side, "%s.%s.%d", path, box, i);

		if (n < 0) {
			side = NULL;
			return NULL;
		}
		if (view_find(target, side, &h) < 0 || !h.thing.exists)
			return take_mem(&side);
	}
	return NULL;
}

static int resolve(struct merger *m, const char *rel, const struct view_entry *b, const struct view_entry *h,
		   size_t conflict)
{
	const struct merge_sides *sides = m->sides;
	struct merge_step *step = &m->plan.steps[conflict], *made;
	scoped(drop_mem) char *side = NULL;
	int r = 0;

	if (view_entry_is_special(b) || sides->resolution == RESOLVE_STOP ||
	    sides->resolution == RESOLVE_KEEP)
		return 0;
	if (sides->resolution == RESOLVE_OVERWRITE) {
		step->op = !b->thing.exists ? MERGE_DELETE : h->thing.exists ? MERGE_REPLACE : MERGE_CREATE;
		if (!b->thing.exists && !h->thing.exists)
			step->op = MERGE_NOTHING;
		return view_entry_is_dir(b) ? add_inside(m, rel, b->ref, rel) : 0;
	}
	if (!b->thing.exists)
		return 0;
	side = side_path(sides->target, rel, sides->box_name);
	if (!side)
		return -ENOMEM;
	r = merge_add_version(m, rel, side, b, NULL, &made);
	if (r == 0)
		made->box = CHANGE_CREATE;
	return r;
}

int merge_add_refusal(struct merger *m, const char *rel, const struct view_entry *b,
		      const struct view_entry *h, enum change_kind kb, enum change_kind kh, const char *why)
{
	struct merge_step *step = merge_add_step(m, MERGE_NOTHING, rel, b, h);

	if (!step)
		return -ENOMEM;
	merge_refuse(step, why);
	step->box = kb;
	step->host = kh;
	return step->reason ? 0 : -ENOMEM;
}

int merge_add_conflict(struct merger *m, const char *rel, const struct view_entry *b,
		       const struct view_entry *h, enum change_kind kb, enum change_kind kh, const char *why)
{
	int r = merge_add_refusal(m, rel, b, h, kb, kh, why);

	if (r < 0)
		return r;
	m->plan.steps[m->plan.n - 1].refused = false;
	return resolve(m, rel, b, h, m->plan.n - 1);
}

/* Somebody else's file is where the artifact would go. */
static int add_artifact_conflict(struct merger *m, const char *source, const char *path,
				 const struct view_entry *b, const struct view_entry *h)
{
	enum merge_resolution resolution = m->sides->resolution;
	struct merge_step *step = merge_add_step(m, MERGE_NOTHING, path, b, h);
	scoped(drop_mem) char *side = NULL;
	int r;

	if (!step || !(step->reason = strdup("it exists already, and no promotion of this artifact made it")))
		return -ENOMEM;
	step->outcome = MERGE_CONFLICT;
	step->box = step->host = CHANGE_CREATE;
	if (resolution == RESOLVE_STOP || resolution == RESOLVE_KEEP)
		return 0;
	if (resolution != RESOLVE_OVERWRITE) {
		side = side_path(m->sides->target, path, m->sides->box_name);
		if (!side)
			return -ENOMEM;
	}
	r = merge_add_version(m, source, side ? side : path, b, side ? NULL : h, &step);
	if (r == 0)
		step->box = side ? CHANGE_CREATE : CHANGE_MODIFY;
	return r;
}

int merge_one_path(const struct merge_sides *sides, const char *source, const char *path, bool may_replace,
		   struct merge_plan *ret, struct aisbx_error *e)
{
	struct merger m = { .sides = sides };
	struct merge_step *step = NULL;
	struct view_entry b = { 0 }, h = { 0 };
	unsigned int bits;
	int r = view_find(sides->box, source, &b);

	if (r == 0)
		r = view_find(sides->target, path, &h);
	if (r == 0 && (!b.thing.exists || view_entry_is_special(&b)))
		return aisbx_refuse(
			e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
			"the box has no file or directory '%s' to promote; 'aisbx file ls BOX' lists what "
			"is there",
			source);
	if (r == 0 && !view_entry_is_dir(&b) && h.thing.exists) {
		r = change_compare(&h.thing, &b.thing, &bits);
		if (r == CHANGE_NONE) {
			*ret = m.plan;
			return 0;
		}
	}
	if (r >= 0 && h.thing.exists && !may_replace)
		r = add_artifact_conflict(&m, source, path, &b, &h);
	else if (r >= 0)
		r = merge_add_version(&m, source, path, &b, &h, &step);
	if (r == 0 && step)
		step->box = h.thing.exists ? CHANGE_MODIFY : CHANGE_CREATE;
	if (r < 0) {
		merge_fail(sides, r, e);
		merge_plan_finish(&m.plan);
		return aisbx_context(e, "promote '%s' to '%s'", source, path);
	}
	*ret = m.plan;
	return 0;
}

int merge_text_failed(struct merge_plan *plan, size_t at, const struct merge_sides *sides, bool marked,
		      const char *why, struct aisbx_error *e)
{
	struct merger m = { .sides = sides, .plan = *plan };
	struct merge_step *step = &m.plan.steps[at];
	scoped(drop_mem) char *side = NULL;
	scoped(drop_mem) char *rel = strdup(step->path);
	struct view_entry b;
	int r = rel ? 0 : -ENOMEM;

	step->outcome = MERGE_CONFLICT;
	step->reason = strdup(why);
	step->op = MERGE_NOTHING;
	if (!step->reason)
		r = -ENOMEM;
	if (r == 0 && sides->resolution == RESOLVE_MARK && marked) {
		step->op = MERGE_REPLACE; /* with the marks */
		return 0;
	}
	step->text = false;
	step->take = ~0U;
	if (sides->resolution == RESOLVE_OVERWRITE)
		step->op = MERGE_REPLACE;
	if (r == 0 && (sides->resolution == RESOLVE_SIDE || sides->resolution == RESOLVE_MARK)) {
		side = side_path(sides->target, rel, sides->box_name);
		r = side ? view_find(sides->box, rel, &b) : -ENOMEM;
		if (r == 0)
			r = merge_add_version(&m, rel, side, &b, NULL, &step);
		if (r == 0)
			step->box = CHANGE_CREATE;
		*plan = m.plan;
	}
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "merge '%s'", rel ? rel : "") : 0;
}
