/* SPDX-License-Identifier: Apache-2.0 */
/* The three-way decision for every path that a box changed. */
#include "layer/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/meter.h"
#include "base/path.h"
#include "base/scope.h"
#include "layer/blob.h"
#include "layer/gitdir.h"
#include "layer/merge_plan.h"

enum action {
	IMPOSSIBLE, /* one side says the base had it, the other that it had not */
	NOTHING,
	APPLY,
	ASPECTS, /* content, permissions and attributes each for itself */
	CONFLICT,
};

/* Rows: the box's change; columns: the target's. Where both made the same of it, nothing is to be done,
 * whatever it says here. */
static const enum action table[CHANGE_KIND_COUNT][CHANGE_KIND_COUNT] = {
/* clang-format off */
#define ROW(none, create, modify, delete, replace, mode, xattr, touch)                                  \
	{ [CHANGE_NONE] = none, [CHANGE_CREATE] = create, [CHANGE_MODIFY] = modify,                     \
	  [CHANGE_DELETE] = delete, [CHANGE_REPLACE] = replace, [CHANGE_MODE] = mode,                   \
	  [CHANGE_XATTR] = xattr, [CHANGE_TOUCH] = touch }
	/*                      none      create    modify    delete    replace   mode      xattr     touch */
	[CHANGE_NONE] = ROW(   NOTHING,  NOTHING,  NOTHING,  NOTHING,  NOTHING,  NOTHING,  NOTHING,  NOTHING),
	[CHANGE_CREATE] = ROW( APPLY,    CONFLICT, 0,        0,        0,        0,        0,        0),
	[CHANGE_MODIFY] = ROW( APPLY,    0,        ASPECTS,  CONFLICT, CONFLICT, ASPECTS,  ASPECTS,  APPLY),
	[CHANGE_DELETE] = ROW( APPLY,    0,        CONFLICT, NOTHING,  CONFLICT, CONFLICT, CONFLICT, APPLY),
	[CHANGE_REPLACE] = ROW(APPLY,    0,        CONFLICT, CONFLICT, CONFLICT, CONFLICT, CONFLICT, APPLY),
	[CHANGE_MODE] = ROW(   APPLY,    0,        ASPECTS,  CONFLICT, CONFLICT, ASPECTS,  ASPECTS,  APPLY),
	[CHANGE_XATTR] = ROW(  APPLY,    0,        ASPECTS,  CONFLICT, CONFLICT, ASPECTS,  ASPECTS,  APPLY),
	[CHANGE_TOUCH] = ROW(  APPLY,    0,        NOTHING,  NOTHING,  NOTHING,  NOTHING,  NOTHING,  APPLY),
/* clang-format on */
#undef ROW
};

static const char has_special[] = "the box has a pipe, socket or device there, which stays in the box";

const char *merge_action_name(enum change_kind box, enum change_kind host)
{
	static const char *const names[] = { NULL, "nothing", "apply", "merge", "conflict" };

	return names[table[box][host]];
}

/* The third side of one path. */
struct origin {
	enum base_state state;
	struct thing thing;
	bool whole;
	bool is_target;   /* the target's file is still the very same */
	bool is_timeless; /* nobody ever had it like this, it was merged of others */
	char *file;       /* owned; kept content */
};

static void origin_finish(struct origin *o)
{
	free(o->file);
}

static bool is_untouched(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static int origin_in_ancestor(struct merger *m, const char *rel, struct origin *ret)
{
	struct view_entry a = { 0 };
	int r = view_find(m->sides->ancestor, rel, &a);

	if (r < 0)
		return r;
	ret->state = a.thing.exists ? BASE_KNOWN : BASE_ABSENT;
	ret->thing = a.thing;
	ret->file = a.thing.exists && !view_entry_is_dir(&a) ? view_file(m->sides->ancestor, &a, rel) : NULL;
	ret->whole = !a.ref.host;
	return 0;
}

/* The content that BASE tells of: kept as a blob, in the directory of kept files, or only its sum. */
static int origin_content(struct merger *m, const char *rel, const struct base *base, struct origin *ret)
{
	struct stat st;
	int r;

	if (base->blob[0]) {
		r = blob_file(base->dir, base->blob, &ret->file);
		if (r < 0)
			return r;
		ret->thing.name = ret->file;
		return 0;
	}
	if (m->sides->kept && (S_ISREG(base->st.st_mode) || S_ISLNK(base->st.st_mode))) {
		ret->file = path_join(m->sides->kept, rel);
		if (!ret->file)
			return -ENOMEM;
		if (lstat(ret->file, &st) == 0 && is_untouched(&base->st, &st)) {
			ret->thing.name = ret->file;
			return 0;
		}
		free(take_mem(&ret->file)); /* the record is of something else: a promotion */
	}
	ret->thing.sum = base->sum;
	return 0;
}

static int origin_of(struct merger *m, const char *rel, const struct origin *parent,
		     const struct view_entry *h, struct origin *ret)
{
	const struct base *base;

	*ret = (struct origin){ .state = BASE_UNKNOWN };
	if (m->sides->ancestor && view_knows(m->sides->ancestor, rel))
		return origin_in_ancestor(m, rel, ret);
	base = base_find(m->sides->bases, rel);
	if (!base) {
		if (parent && (parent->state == BASE_ABSENT || parent->whole))
			ret->state = BASE_ABSENT;
		return 0;
	}
	ret->state = base->state;
	ret->whole = base->whole;
	if (base->state != BASE_KNOWN)
		return 0;
	ret->thing = (struct thing){
		.exists = true, .st = base->st, .has_sum = true, .xattrs = base->xattrs, .at = AT_FDCWD
	};
	ret->is_timeless = !base->st.st_ino && !base->st.st_mtim.tv_sec && !base->st.st_mtim.tv_nsec;
	if (!h->thing.exists || !h->from_host || !is_untouched(&base->st, &h->thing.st))
		return origin_content(m, rel, base, ret);
	ret->thing = h->thing;
	ret->is_target = true;
	return 0;
}

/* 1 when anything in the directory REL, as EYE sees it, is not as the base says; 0 when nothing; negative
 * errno. */
static int is_dir_changed(struct merger *m, struct open_view *open_view, const char *rel, struct ref dir,
			  const struct origin *o)
{
	scoped(strlist_finish) struct strlist names = { 0 };
	size_t seen = 0;
	int r = view_names(open_view, dir, rel, true, &names);

	names_sort(&names);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		scoped(drop_mem) char *child = path_join(rel, names.items[i]);
		scoped(origin_finish) struct origin below = { 0 };
		unsigned int bits;
		struct view_entry h;

		r = child ? view_look(open_view, dir, child, &h) : -ENOMEM;
		if (r < 0 || !h.thing.exists)
			continue;
		seen++;
		r = origin_of(m, child, o, &h, &below);
		if (r < 0)
			return r;
		if (below.state != BASE_KNOWN)
			return 1;
		r = change_compare(&below.thing, &h.thing, &bits);
		if (r >= 0)
			r = r != CHANGE_NONE && r != CHANGE_TOUCH ? 1 : 0;
		if (r == 0 && view_entry_is_dir(&h))
			r = is_dir_changed(m, open_view, child, h.ref, &below);
	}
	if (r != 0 || m->sides->ancestor)
		return r;
	return base_count_in(m->sides->bases, rel) != seen; /* something that was there is gone */
}

/* One path as its three sides have it, and what the box and the target did to it since the base. */
struct triple {
	const char *rel;                /* borrowed */
	const struct view_entry *b, *h; /* borrowed; the box's and the target's */
	struct origin *o;               /* borrowed; the base's */
	enum change_kind kb, kh;
	unsigned int bits_b, bits_h;
};

static int conflict(struct merger *m, const struct triple *t, const char *why)
{
	return merge_add_conflict(m, t->rel, t->b, t->h, t->kb, t->kh, why);
}

static const char *what_happened(enum change_kind box, enum change_kind host)
{
	if (box == CHANGE_CREATE)
		return "both sides created it, with different content";
	if (box == CHANGE_DELETE)
		return "one side deleted it, the other changed it";
	if (host == CHANGE_DELETE)
		return "one side changed it, the other deleted it";
	if (box == CHANGE_REPLACE || host == CHANGE_REPLACE)
		return "one side changed its file type, the other changed it, too";
	return "both sides changed it in different ways";
}

/* Content, permissions and extended attributes each from the side that changed them. */
static int merge_aspects(struct merger *m, const struct triple *t)
{
	unsigned int differ, both, take;
	struct merge_step *step;
	int kind = change_compare(&t->h->thing, &t->b->thing, &differ);

	if (kind < 0)
		return kind;
	both = t->bits_b & t->bits_h & differ;
	if (both & DIFF_MODE)
		return conflict(m, t, "both sides changed its permissions in different ways");
	if (both & DIFF_XATTR)
		return conflict(m, t, "both sides changed its extended attributes in different ways");
	if ((both & DIFF_CONTENT) && (!S_ISREG(t->b->thing.st.st_mode) || !t->o->file))
		return conflict(m, t,
				t->o->file ? "both sides changed the target of the link"
					   : "both sides changed it, and its base version was not stored");
	take = differ & t->bits_b & ~t->bits_h;
	if (!(both & DIFF_CONTENT) && !(take & ~(unsigned int)DIFF_TIME))
		return 0; /* what the box did is there already */
	step = merge_add_step(m, MERGE_REPLACE, t->rel, t->b, t->h);
	if (!step)
		return -ENOMEM;
	step->outcome = MERGE_BOTH;
	step->box = t->kb;
	step->host = t->kh;
	step->take = take;
	step->text = both & DIFF_CONTENT;
	if (step->text)
		step->base = take_mem(&t->o->file);
	return 0;
}

static int apply(struct merger *m, const struct triple *t)
{
	const struct thing *b = &t->b->thing, *h = &t->h->thing;
	struct merge_step *step;
	int r;

	if (!b->exists && !h->exists)
		return 0;
	/* In place, unless the file has other names, perhaps outside: those shall not change. */
	if ((t->kb == CHANGE_MODE || t->kb == CHANGE_XATTR || t->kb == CHANGE_TOUCH) &&
	    !S_ISLNK(b->st.st_mode) && (S_ISDIR(h->st.st_mode) || h->st.st_nlink == 1)) {
		step = merge_add_step(m, MERGE_ATTRS, t->rel, t->b, t->h);
		r = step ? merge_add_twin(m, t->rel, &b->st) : -ENOMEM;
		if (step) /* a time set outside does not matter: afterwards both sides are the same */
			step->take = t->bits_b | (t->kh == CHANGE_TOUCH ? (unsigned int)DIFF_TIME : 0);
	} else {
		r = merge_add_version(m, t->rel, t->rel, t->b, t->h, &step);
	}
	if (r < 0)
		return r;
	step->outcome = MERGE_APPLY;
	step->box = t->kb;
	step->host = t->kh;
	return 0;
}

static int walk(struct merger *m, const char *rel, struct ref b, struct ref h, const struct origin *o);

/* Which attributes of a directory that both sides have differ, and which side changed them. */
static int dir_bits(const struct view_entry *b, const struct view_entry *h, const struct origin *o,
		    unsigned int *ret_differ, unsigned int *ret_b, unsigned int *ret_h)
{
	int r = change_compare(&h->thing, &b->thing, ret_differ);

	if (r >= 0 && o->state == BASE_KNOWN && S_ISDIR(o->thing.st.st_mode)) {
		r = change_compare(&o->thing, &b->thing, ret_b);
		return r < 0 ? r : change_compare(&o->thing, &h->thing, ret_h);
	}
	*ret_b = *ret_h = *ret_differ & (unsigned int)(DIFF_MODE | DIFF_XATTR);
	return r;
}

/* Directories on both sides: attributes here, then what is below. */
static int merge_dirs(struct merger *m, const char *rel, const struct view_entry *b,
		      const struct view_entry *h, const struct origin *o)
{
	static const char why[] =
		"both sides changed the directory's permissions or attributes in different ways";
	unsigned int bits_b = 0, bits_h = 0, differ = 0, take, against;
	struct merge_step *step;
	int r = dir_bits(b, h, o, &differ, &bits_b, &bits_h);

	if (r < 0)
		return r;
	take = merge_asks(m, rel) == 2 ? differ & bits_b : 0; /* else it is only on the way */
	against = take & bits_h & (DIFF_MODE | DIFF_XATTR);
	take &= ~(bits_h & (unsigned int)DIFF_TIME);
	r = 0;
	if (against && m->sides->resolution == RESOLVE_OVERWRITE) {
		/* the directory stays, what is in it is decided by itself */
		r = merge_add_refusal(m, rel, b, h, CHANGE_MODE, CHANGE_MODE, why);
		if (r == 0) {
			step = &m->plan.steps[m->plan.n - 1];
			step->op = MERGE_ATTRS;
			step->take = take;
			step->refused = false;
		}
		take = 0;
	} else if (against) {
		r = merge_add_conflict(m, rel, b, h, CHANGE_MODE, CHANGE_MODE, why);
		take &= ~bits_h;
	}
	if (r < 0)
		return r;
	if (take) {
		step = merge_add_step(m, MERGE_ATTRS, rel, b, h);
		if (!step)
			return -ENOMEM;
		step->box = take & DIFF_MODE ? CHANGE_MODE : take & DIFF_XATTR ? CHANGE_XATTR : CHANGE_TOUCH;
		step->outcome = bits_h & (DIFF_MODE | DIFF_XATTR) ? MERGE_BOTH : MERGE_APPLY;
		step->take = take;
	}
	return walk(m, rel, b->ref, h->ref, o);
}

/* What the target did to REL; a directory counts with everything in it. */
static int target_change(struct merger *m, const char *rel, const struct view_entry *h,
			 const struct origin *o, unsigned int *bits)
{
	int kh = change_compare(&o->thing, &h->thing, bits), r;

	if (kh < 0 || !view_entry_is_dir(h) || !S_ISDIR(o->thing.st.st_mode) || !o->thing.exists ||
	    kh == CHANGE_MODE)
		return kh;
	if (!o->whole && !m->sides->ancestor)
		return CHANGE_MODIFY; /* not known, so it counts as changed */
	r = is_dir_changed(m, m->sides->target, rel, h->ref, o);
	return r < 0 ? r : r ? CHANGE_MODIFY : kh;
}

/* 1 when the directory O, which the box worked in, went with an undo, and the box made all it has in there;
 * 0; negative errno. */
static int is_undone(struct merger *m, const char *rel, const struct view_entry *b, const struct origin *o)
{
	const struct merge_sides *sides = m->sides;
	scoped(strlist_finish) struct strlist names = { 0 };
	int r;

	if (o->state != BASE_KNOWN || !S_ISDIR(o->thing.st.st_mode) || !view_entry_is_dir(b) ||
	    !sides->was_undone || !sides->was_undone(sides->undone, rel, &o->thing.st))
		return 0;
	r = view_names(sides->box, b->ref, rel, false, &names);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		scoped(drop_mem) char *child = path_join(rel, names.items[i]);
		scoped(origin_finish) struct origin below = { 0 };
		struct view_entry seen;

		r = child ? view_look(sides->box, b->ref, child, &seen) : -ENOMEM;
		if (r < 0 || !seen.thing.exists)
			continue;
		r = origin_of(m, child, o, &(struct view_entry){ 0 }, &below);
		if (r == 0 && below.state != BASE_ABSENT)
			r = is_undone(m, child, &seen, &below) > 0 ? 0 : 1;
	}
	return r < 0 ? r : !r;
}

/* The box has a pipe, socket or device there: it stays in the box. */
static int leave_special(struct merger *m, const struct triple *t)
{
	unsigned int bits;
	int kb =
		t->o->state == BASE_KNOWN ? change_compare(&t->o->thing, &t->b->thing, &bits) : CHANGE_CREATE;

	return kb < 0 ? kb : kb == CHANGE_NONE ? 0 : merge_add_left(m, t->rel, &t->b->thing.st);
}

/* What the box did to it, where SAME is how the box and the target differ, by the bits DIFFER. */
static int box_change(struct merger *m, struct triple *t, int same, unsigned int differ)
{
	int kb = same, r;

	t->bits_b = differ;
	if (!t->o->is_target) /* else contents would be compared twice */
		kb = change_compare(&t->o->thing, &t->b->thing, &t->bits_b);
	if (kb < 0 || !view_entry_is_dir(t->b) || kb == CHANGE_CREATE || kb == CHANGE_REPLACE)
		return kb;
	r = is_dir_changed(m, m->sides->box, t->rel, t->b->ref,
			   t->o); /* it is in a layer for what is in it */
	return r < 0 ? r : r ? CHANGE_MODIFY : kb;
}

/* What both sides did since the base. */
static int find_changes(struct merger *m, struct triple *t, int same, unsigned int differ)
{
	int r = t->h->thing.exists ? 0 : is_undone(m, t->rel, t->b, t->o), kh;

	if (r < 0)
		return r;
	if (r > 0) /* it never was the target's own */
		*t->o = (struct origin){ .state = BASE_ABSENT };
	r = box_change(m, t, same, differ);
	if (r < 0)
		return r;
	kh = target_change(m, t->rel, t->h, t->o, &t->bits_h);
	if (kh < 0)
		return kh;
	t->kb = (enum change_kind)r;
	t->kh = (enum change_kind)kh;
	return 0;
}

/* 1 when the box took away a directory of the target with a git repository in it; 0; negative errno. */
static int takes_git(struct merger *m, const struct triple *t)
{
	return (t->kb == CHANGE_DELETE || t->kb == CHANGE_REPLACE) && view_entry_is_dir(t->h) &&
			       !m->sides->combines
		       ? gitdir_is_within(m->sides->target, t->h->ref, t->rel)
		       : 0;
}

/* The box did something to it: what comes of that. */
static int settle(struct merger *m, const struct triple *t, int same)
{
	bool outside = t->kh != CHANGE_NONE && t->kh != CHANGE_TOUCH;
	int r = outside ? merge_add_stale(m, t->rel, t->kh) : 0;

	if (r < 0)
		return r;
	if (same == CHANGE_TOUCH && outside)
		return 0; /* both made the same of it */
	if (view_entry_is_special(t->b))
		return conflict(m, t, has_special);
	r = takes_git(m, t);
	if (r != 0)
		return r < 0 ? r
			     : merge_add_refusal(m, t->rel, t->b, t->h, t->kb, t->kh,
						 "the box removed it, and it contains a git repository; only "
						 "you can remove that");
	switch (table[t->kb][t->kh]) {
	case APPLY:
		return apply(m, t);
	case ASPECTS:
		return merge_aspects(m, t);
	case NOTHING:
		return 0;
	case IMPOSSIBLE:
	case CONFLICT:
		break;
	}
	return conflict(m, t, what_happened(t->kb, t->kh));
}

static int decide(struct merger *m, const char *rel, const struct view_entry *b, const struct view_entry *h,
		  struct origin *o)
{
	struct triple t = { .rel = rel, .b = b, .h = h, .o = o };
	unsigned int differ = 0;
	int same, r;

	if (view_entry_is_dir(b) && view_entry_is_dir(h))
		return merge_dirs(m, rel, b, h, o);
	same = change_compare(&h->thing, &b->thing, &differ);
	if (same < 0)
		return same;
	if (same == CHANGE_NONE)
		return b->thing.exists ? merge_add_twin(m, rel, &b->thing.st) : 0;
	if (view_entry_is_special(b) && !m->sides->combines)
		return leave_special(m, &t);
	if (o->state == BASE_UNKNOWN) {
		t.kb = h->thing.exists ? CHANGE_MODIFY : CHANGE_CREATE;
		t.kh = CHANGE_MODIFY;
		return same == CHANGE_TOUCH ? 0
					    : conflict(m, &t,
						       "it was changed outside at the same time as in the "
						       "box, so its base version is not known");
	}
	r = find_changes(m, &t, same, differ);
	if (r < 0 || t.kb == CHANGE_NONE || (t.kb == CHANGE_TOUCH && o->is_timeless))
		return r;
	return settle(m, &t, same);
}

/*
 * Something of which the target's layers say nothing: as the box has it. A directory through which the host
 * shows stays one, so that each thing in it is taken for itself.
 */
static int take_as_is(struct merger *m, const char *rel, const struct view_entry *b,
		      const struct view_entry *h, const struct origin *o)
{
	struct merge_step *step;
	unsigned int bits = 0;
	int kind = o->state == BASE_UNKNOWN ? CHANGE_MODIFY : change_compare(&o->thing, &b->thing, &bits),
	    r = 0;

	if (kind < 0)
		return kind;
	if (view_entry_is_special(b))
		return merge_add_conflict(m, rel, b, h, (enum change_kind)kind, CHANGE_NONE, has_special);
	if (!view_entry_is_dir(b) || !b->ref.host) {
		if (kind == CHANGE_NONE && !b->thing.exists)
			return 0;
		r = merge_add_version(m, rel, rel, b, h, &step);
		if (r == 0)
			step->box = kind == CHANGE_NONE ? CHANGE_TOUCH : (enum change_kind)kind;
		return r;
	}
	if (kind != CHANGE_NONE) {
		step = merge_add_step(m, MERGE_CREATE, rel, b, h);
		if (!step)
			return -ENOMEM;
		step->box = (enum change_kind)kind;
	}
	return walk(m, rel, b->ref, (struct ref){ NULL, true }, o);
}

/*
 * Whether the box did something where another file system is mounted in the target: at REL itself or below,
 * or by taking away the directory REL that it is mounted in. Its overlay shows nothing of such a file system,
 * so it says nothing of it.
 */
static int refuse_mounted(struct merger *m, const char *rel, const struct view_entry *b,
			  const struct view_entry *h)
{
	const struct strlist *mounts = m->sides->mounts;
	size_t n = strlen(rel);

	for (size_t i = 0; mounts && i < mounts->n; i++) {
		const char *at = mounts->items[i];
		int r;

		if (strncmp(at, rel, n) != 0 || (at[n] && at[n] != '/') ||
		    (at[n] == '/' && view_entry_is_dir(b)))
			continue;
		r = merge_add_refusal(m, rel, b, h, b->thing.exists ? CHANGE_MODIFY : CHANGE_DELETE,
				      CHANGE_NONE,
				      at[n] ? "another file system is mounted in it, and a promotion does "
					      "not change that; unmount it first"
					    : "another file system is mounted there, and a promotion does "
					      "not change that; unmount it first");
		return r < 0 ? r : 1;
	}
	return 0;
}

/* Seen in a layer that both sides stand on: the box did nothing to it, nor to anything in it. */
static bool is_common(const struct merger *m, const struct view_entry *b)
{
	return m->sides->ancestor && b->thing.exists && !b->from_host &&
	       b->layer < m->sides->ancestor->view->n_ups;
}

/* How both sides have REL: *RET_DONE when nothing more is to be said of it. */
static int look_at_both(struct merger *m, const char *rel, struct ref b, struct ref h, struct view_entry *box,
			struct view_entry *target, bool *ret_done)
{
	int r = view_look(m->sides->box, b, rel, box);

	*ret_done = r < 0 || is_common(m, box);
	if (*ret_done)
		return r;
	r = view_look(m->sides->target, h, rel, target);
	if (r == 0)
		r = refuse_mounted(m, rel, box, target);
	if (r == 0)
		r = merge_leaves_git(m, rel, box, target);
	*ret_done = r != 0;
	if (r != 0 || (!view_entry_is_dir(box) && !view_entry_is_dir(target)))
		return r < 0 ? r : 0;
	r = view_look(m->sides->box, b, rel, box); /* others were looked at since */
	return r < 0 ? r : view_look(m->sides->target, h, rel, target);
}

static int walk(struct merger *m, const char *rel, struct ref b, struct ref h, const struct origin *o)
{
	scoped(strlist_finish) struct strlist names = { 0 };
	int r = view_names(m->sides->box, b, rel, false, &names);

	if (r == 0 && !b.host) /* the box hides what the host has: so it says something of each */
		r = view_names(m->sides->target, h, rel, true, &names);
	names_sort(&names);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		scoped(origin_finish) struct origin origin = { 0 };
		scoped(drop_mem) char *child = path_child(rel, names.items[i]);
		struct view_entry box, target;
		bool done;

		if (!child)
			return -ENOMEM;
		if (!merge_asks(m, child) ||
		    (!*rel && !strcmp(child, ".aisbx"))) /* the journal's own place */
			continue;
		r = look_at_both(m, child, b, h, &box, &target, &done);
		if (r < 0 || done)
			continue;
		r = origin_of(m, child, o, &target, &origin);
		if (r == 0)
			r = m->sides->combines && target.from_host && h.host
				    ? take_as_is(m, child, &box, &target, &origin)
				    : decide(m, child, &box, &target, &origin);
	}
	return r;
}

/* The project's own directory: its permissions. */
static int merge_top(struct merger *m)
{
	const struct view *v = m->sides->box->view;
	const struct base *base = base_find(m->sides->bases, ".");
	struct merge_step *step;
	struct stat box, host;
	int r;

	if (!v->n_ups || v->prefixes || !base || base->state != BASE_KNOWN || merge_asks(m, ".") < 2)
		return 0;
	if (lstat(v->ups[v->n_ups - 1], &box) < 0)
		return -errno;
	r = tree_root_stat(&m->sides->target->host, ".", &host);
	if (r <= 0)
		return r;
	if (box.st_mode == base->st.st_mode || box.st_mode == host.st_mode ||
	    host.st_mode != base->st.st_mode)
		return 0;
	step = merge_add_step(m, MERGE_ATTRS, ".", NULL, NULL);
	if (!step)
		return -ENOMEM;
	step->box = CHANGE_MODE;
	step->take = DIFF_MODE;
	step->now = merge_file_of(&box);
	step->old = merge_file_of(&host);
	step->old_mtim = host.st_mtim;
	step->old_ctim = host.st_ctim;
	return 0;
}

int merge_read(const struct merge_sides *sides, struct merge_plan *ret, struct aisbx_error *e)
{
	scoped_meter bool meter = meter_begin("comparing", 0);
	struct merger m = { .sides = sides };
	int r = sides->combines ? 0
				: gitdir_is_laid_out(sides->box, view_top(sides->box), sides->target,
						     view_top(sides->target), "");

	if (r > 0) { /* all of it is git's own */
		strlist_add(&m.plan.gits, ".");
		*ret = m.plan;
		return 0;
	}
	if (r == 0)
		r = merge_top(&m);
	if (r == 0)
		r = walk(&m, "", view_top(sides->box), view_top(sides->target), NULL);
	if (r < 0) {
		r = merge_fail(sides, r, e);
		merge_plan_finish(&m.plan);
		return r;
	}
	*ret = m.plan;
	return 0;
}
