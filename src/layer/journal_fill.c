/* SPDX-License-Identifier: Apache-2.0 */
/* New files, made where nobody sees them: contents, attributes, hard links among them. */
#include "layer/journal_fill.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/meter.h"
#include "base/path.h"
#include "base/scope.h"
#include "layer/copy.h"
#include "layer/text.h"
#include "sys/owner.h"

/* A file of the box with several names, and where the first of them was put. */
struct linked {
	dev_t dev;
	ino_t ino;
	char *path; /* owned; in the slots, or, of a file that stays, in the target */
	bool in_target;
};

struct journal_filler {
	struct journal *j;
	const struct merge_sides *sides;
	bool owners;
	int64_t id_delta;
	gid_t group;  /* 0, or what new files get where they go: that directory's group is set to be theirs */
	bool careful; /* sync each file by itself */
	void *links;  /* a tree of struct linked */
};

static int by_file(const void *a, const void *b)
{
	const struct linked *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static void free_link(void *l)
{
	free(((struct linked *)l)->path);
	free(l);
}

static int add_link(struct journal_filler *s, dev_t dev, ino_t ino, const char *path, bool in_target)
{
	struct linked *l = calloc(1, sizeof(*l)), **found;

	if (!l || !(l->path = strdup(path))) {
		free(l);
		return -ENOMEM;
	}
	l->dev = dev;
	l->ino = ino;
	l->in_target = in_target;
	found = tsearch(l, &s->links, by_file);
	if (!found || *found != l)
		free_link(l);
	return found ? 0 : -ENOMEM;
}

/* 1 when SLOT is now another name of a file that was put there before, or that stays. */
static int make_link(struct journal_filler *s, const struct merge_step *step, const char *slot)
{
	struct linked key = { .dev = step->now.st_dev, .ino = step->now.st_ino }, **found;
	const char *from, *to;
	int at, from_at;

	if (step->now.st_nlink < 2 || step->text || step->take != ~0U)
		return 0;
	found = tfind(&key, &s->links, by_file);
	if (!found)
		return 0;
	/* The two may be of one place, which remembers one directory: so the first is opened by its own. */
	scoped(tree_root_close) struct tree_root other = TREE_ROOT_INIT;

	other.root = fcntl((*found)->in_target ? s->j->tree.root : s->j->slots.root, F_DUPFD_CLOEXEC, 3);
	if (other.root < 0)
		return -errno;
	from_at = tree_root_parent(&other, (*found)->path, &from);
	at = tree_root_parent(&s->j->slots, slot, &to);
	if (from_at < 0 || at < 0)
		return from_at < 0 ? from_at : at;
	if (linkat(from_at, from, at, to, 0) < 0)
		return errno == EMLINK || errno == EPERM ? 0 : -errno; /* then a copy */
	return 1;
}

static int finish_file(const struct journal_filler *s, int fd)
{
	return s->careful && fsync(fd) < 0 ? -errno : 0;
}

static struct copy_how how_of(const struct journal_filler *s, const struct view_entry *seen)
{
	return (struct copy_how){ .owners = s->owners,
				  .id_delta = seen->thing.id_delta + s->id_delta,
				  .group = seen->from_host || seen->thing.st.st_gid != getegid() ? 0
												 : s->group };
}

/* What the box, or with HOST the target, has for STEP, open for reading; and how to copy its attributes. */
static int open_side(struct journal_filler *s, const struct merge_step *step, bool host,
		     struct copy_how *ret_how)
{
	struct open_view *open_view = host ? s->sides->target : s->sides->box;
	const struct merge_file *expected = host ? &step->old : &step->now;
	struct view_entry seen;
	struct stat st;
	int fd, r = view_find(open_view, host || !step->source ? step->path : step->source, &seen);

	if (r < 0)
		return r;
	if (!strcmp(step->path, ".")) { /* the tree itself */
		seen.thing = (struct thing){ .exists = true, .at = open_view->host.root, .name = "." };
		if (open_view->view->n_ups)
			seen.thing = (struct thing){ .exists = true,
						     .at = AT_FDCWD,
						     .name = open_view->view->ups[open_view->view->n_ups - 1],
						     .id_delta = open_view->view->id_delta };
	}
	if (!seen.thing.exists)
		return -ESTALE;
	fd = copy_open(seen.thing.at, seen.thing.name);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0 || st.st_ino != expected->st_ino || st.st_dev != expected->st_dev) {
		close(fd);
		return -ESTALE;
	}
	*ret_how = how_of(s, &seen);
	return fd;
}

/* Attributes of both sides, as the step says. */
static int give_attrs(struct journal_filler *s, const struct merge_step *step, int to)
{
	scoped(drop_fd) int box = -1;
	scoped(drop_fd) int host = -1;
	struct copy_how how;
	int r;

	if (step->take != ~0U) {
		host = open_side(s, step, true, &how);
		r = host < 0 ? host : copy_attrs(host, to, &how);
		if (r < 0)
			return r;
	}
	box = open_side(s, step, false, &how);
	how.leave = ~step->take;
	return box < 0 ? box : copy_attrs(box, to, &how);
}

static int fill_file(struct journal_filler *s, const struct merge_step *step, int at, const char *name)
{
	scoped(drop_fd) int to = openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	scoped(drop_fd) int from = -1;
	struct copy_how how;
	struct stat st;
	int r;

	if (to < 0)
		return -errno;
	if (step->text && step->merged)
		from = open(step->merged, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	else
		from = open_side(s, step, step->take != ~0U && !(step->take & DIFF_CONTENT), &how);
	if (from < 0)
		return step->text && step->merged ? -errno : from;
	if (fstat(from, &st) < 0)
		return -errno;
	r = copy_data(from, to, st.st_size);
	if (r == 0 && step->take == ~0U && !step->text)
		r = copy_attrs(from, to, &how); /* all of it is the box's */
	else if (r == 0)
		r = give_attrs(s, step, to);
	if (r == 0 && step->text && futimens(to, NULL) < 0) /* new to both sides */
		r = -errno;
	return r == 0 ? finish_file(s, to) : r;
}

/* A file or directory that only carries attributes: the new ones, and in SLOT.old those of now. */
static int fill_attrs(struct journal_filler *s, const struct merge_step *step, const char *slot)
{
	for (int old = 0; old < 2; old++) {
		scoped(drop_fd) int fd = -1;
		scoped(drop_fd) int host = -1;
		struct copy_how how;
		char name[48];
		int r;

		snprintf(name, sizeof(name), "%s%s", slot, old ? ".old" : "");
		if (S_ISDIR(step->old.st_mode)) {
			if (mkdirat(s->j->slots.root, name, 0700) < 0)
				return -errno;
			fd = openat(s->j->slots.root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		} else {
			fd = openat(s->j->slots.root, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		}
		if (fd < 0)
			return -errno;
		host = old ? open_side(s, step, true, &how) : -1;
		r = !old ? give_attrs(s, step, fd) : host < 0 ? host : copy_attrs(host, fd, &how);
		if (r == 0)
			r = finish_file(s, fd);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Where it leads and whose it is, each from the side that the step says. */
static int fill_link(struct journal_filler *s, const struct merge_step *step, int at, const char *name)
{
	bool from_box = step->take & DIFF_CONTENT, owner_of_box = step->take & DIFF_MODE;
	struct open_view *open_view = from_box ? s->sides->box : s->sides->target;
	struct copy_how how;
	struct view_entry seen;
	int r = view_find(open_view, from_box && step->source ? step->source : step->path, &seen);

	if (r == 0 && !seen.thing.exists)
		r = -ESTALE;
	if (r < 0)
		return r;
	how = how_of(s, &seen);
	r = copy_link(seen.thing.at, seen.thing.name, at, name, &how);
	if (r < 0 || !s->owners || owner_of_box == from_box)
		return r;
	return fchownat(at, name, (uid_t)(owner_of_box ? step->now.st_uid + s->id_delta : step->old.st_uid),
			(gid_t)(owner_of_box ? step->now.st_gid + s->id_delta : step->old.st_gid),
			AT_SYMLINK_NOFOLLOW) < 0
		       ? -errno
		       : 0;
}

/* The box's version of one path to SLOT, which may be inside a directory that was put there before. */
static int fill_version(struct journal_filler *s, const struct merge_step *step, const char *slot)
{
	const char *name;
	int at, r;

	at = tree_root_parent(&s->j->slots, slot, &name);
	if (at < 0)
		return at;
	if (S_ISDIR(step->now.st_mode)) /* its attributes come when it is full */
		return mkdirat(at, name, 0700) < 0 ? -errno : 0;
	r = make_link(s, step, slot);
	if (r != 0)
		return r < 0 ? r : 0;
	at = tree_root_parent(&s->j->slots, slot, &name);
	r = at < 0                       ? at
	    : S_ISLNK(step->now.st_mode) ? fill_link(s, step, at, name)
					 : fill_file(s, step, at, name);
	if (r == 0 && step->now.st_nlink > 1)
		r = add_link(s, step->now.st_dev, step->now.st_ino, slot, false);
	return r;
}

static int finish_dir(struct journal_filler *s, const struct merge_step *step, const char *slot)
{
	const char *name;
	int at = tree_root_parent(&s->j->slots, slot, &name), r;
	scoped(drop_fd) int fd =
		at < 0 ? -1 : openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return at < 0 ? at : -errno;
	r = give_attrs(s, step, fd);
	return r == 0 ? finish_file(s, fd) : r;
}

/* "7" for a step of its own, "7/a/b" for what is inside step 7's directory. */
static char *slot_path(const struct merge_plan *plan, size_t root, size_t i)
{
	char *slot = NULL;
	int n = i == root ? asprintf(&slot, "%zu", root)
			  : asprintf(&slot, "%zu/%s", root,
				     plan->steps[i].path + strlen(plan->steps[root].path) + 1);

	return n < 0 ? NULL : slot;
}

static enum journal_note note_of(const struct journal_filler *s, const struct merge_step *step)
{
	bool given = !step->refused &&
		     (s->sides->resolution == RESOLVE_SIDE || s->sides->resolution == RESOLVE_MARK);

	/* The parts that were not accepted stay changes of the box. */
	if (step->chosen)
		return step->outcome == MERGE_APPLY ? JOURNAL_BASE_TARGET : JOURNAL_KEEP_BASE;
	if (step->outcome == MERGE_BOTH || (step->outcome == MERGE_CONFLICT && given))
		return S_ISREG(step->now.st_mode) || S_ISLNK(step->now.st_mode) ? JOURNAL_BASE_BOX
										: JOURNAL_KEEP_BASE;
	return step->source ? JOURNAL_KEEP_BASE : JOURNAL_BASE_TARGET;
}

/* As far as the journal asks. */
static struct stat old_of(const struct merge_step *step)
{
	return (struct stat){ .st_dev = step->old.st_dev,
			      .st_ino = step->old.st_ino,
			      .st_size = step->old.st_size,
			      .st_mode = step->old.st_mode,
			      .st_nlink = step->old.st_nlink,
			      .st_mtim = step->old_mtim,
			      .st_ctim = step->old_ctim };
}

static int note(struct journal_filler *s, const struct merge_step *step, size_t root, const char *slot)
{
	struct journal_item item = { .op = step->op, .slot = (uint32_t)root, .note = note_of(s, step) };
	const struct stat old = old_of(step);
	const char *name;
	struct stat st = { 0 };
	int at;

	if (step->op == MERGE_NOTHING)
		return item.note == JOURNAL_BASE_BOX ? journal_add(s->j, &item, step->path, NULL, NULL) : 0;
	if (step->op == MERGE_DELETE)
		return journal_add(s->j, &item, step->path, &old, NULL);
	at = tree_root_parent(&s->j->slots, slot, &name);
	if (at < 0)
		return at;
	at = sys_own_lstatat(at, name,
			     &st); /* the directory it is in may be finished, and closed to its owner */
	if (at < 0)
		return at;
	return journal_add(s->j, &item, step->path, step->old.st_mode ? &old : NULL, &st);
}

/*
 * What is made in a directory with a group of its own (chmod g+s) gets that, as it would if it were made
 * there. The box of an ordinary user may not know that group.
 */
static void find_group(struct journal_filler *s, const struct merge_step *root)
{
	scoped(drop_mem) char *dir = strdup(root->path);
	char *slash = dir ? strrchr(dir, '/') : NULL;
	struct stat st;

	s->group = 0;
	if (!dir || s->owners || !strcmp(dir, ".") || (root->op != MERGE_CREATE && root->op != MERGE_REPLACE))
		return;
	if (slash)
		*slash = '\0';
	if (tree_root_stat(&s->sides->target->host, slash ? dir : ".", &st) <= 0 || !(st.st_mode & S_ISGID) ||
	    st.st_gid == getegid())
		return;
	if (root->op == MERGE_CREATE || root->old.st_gid == st.st_gid)
		s->group = st.st_gid;
}

static int fill_step(struct journal_filler *s, const struct merge_plan *plan, size_t root, size_t i)
{
	const struct merge_step *step = &plan->steps[i];
	scoped(drop_mem) char *slot = NULL;

	if (step->op == MERGE_NOTHING || step->op == MERGE_DELETE)
		return 0;
	slot = slot_path(plan, root, i);
	if (!slot)
		return -ENOMEM;
	switch (step->op) {
	case MERGE_ATTRS:
		return fill_attrs(s, step, slot);
	case MERGE_CREATE:
	case MERGE_REPLACE:
	case MERGE_INSIDE:
		return fill_version(s, step, slot);
	case MERGE_NOTHING:
	case MERGE_DELETE:
		break;
	}
	return 0;
}

/* Directories from the inside out, then every step's note for the journal. */
static int finish_all(struct journal_filler *s, const struct merge_plan *plan, const size_t *roots,
		      size_t *ret_failed)
{
	int r = 0;

	for (size_t i = plan->n; r == 0 && i-- > 0;) {
		const struct merge_step *step = &plan->steps[i];
		scoped(drop_mem) char *slot = NULL;

		*ret_failed = i;
		if (!S_ISDIR(step->now.st_mode) ||
		    (step->op != MERGE_CREATE && step->op != MERGE_REPLACE && step->op != MERGE_INSIDE))
			continue;
		find_group(s, &plan->steps[roots[i]]);
		slot = slot_path(plan, roots[i], i);
		r = slot ? finish_dir(s, step, slot) : -ENOMEM;
	}
	for (size_t i = 0; r == 0 && i < plan->n; i++) {
		scoped(drop_mem) char *slot = NULL;

		*ret_failed = i;
		slot = plan->steps[i].op == MERGE_NOTHING ? strdup("") : slot_path(plan, roots[i], i);
		r = slot ? note(s, &plan->steps[i], roots[i], slot) : -ENOMEM;
	}
	return r;
}

int journal_fill_all(struct journal *j, const struct merge_plan *plan, const struct merge_sides *sides,
		     bool owners, int64_t id_delta, struct aisbx_error *e)
{
	struct journal_filler s = { .j = j,
				    .sides = sides,
				    .careful = journal_is_small(plan->n),
				    .owners = owners,
				    .id_delta = id_delta };
	scoped(drop_mem) size_t *roots = calloc(plan->n ? plan->n : 1, sizeof(*roots));
	size_t root = 0, failed = 0;
	size_t notes = plan->n * (sizeof(*j->items) + sizeof(*j->paths) +
				  sizeof(*roots)); /* what the journal will take */
	scoped_meter bool meter = meter_begin("preparing", plan->n);
	int r = roots ? 0 : -ENOMEM;

	if (notes > MEMORY_ANSWER || memory_is_over(MEMORY_ANSWER - notes))
		return memory_refuse(e, AISBX_AREA_LAYER);
	for (size_t i = 0; r == 0 && i < plan->n_twins; i++)
		r = add_link(&s, plan->twins[i].dev, plan->twins[i].ino, plan->twins[i].path, true);
	for (size_t i = 0; r == 0 && i < plan->n; i++) {
		if (plan->steps[i].op != MERGE_INSIDE && plan->steps[i].op != MERGE_NOTHING)
			root = i;
		roots[i] = root;
		failed = i;
		find_group(&s, &plan->steps[root]);
		r = fill_step(&s, plan, root, i);
		meter_step((uint64_t)plan->steps[i].now.st_size);
	}
	if (r == 0)
		r = finish_all(&s, plan, roots, &failed);
	tdestroy(s.links, free_link);
	tree_root_forget(&j->slots);
	if (r == -ESTALE)
		return aisbx_refuse(e, AISBX_KIND_STALE, AISBX_AREA_LAYER, ESTALE,
				    "'%s' changed while it was copied; nothing was promoted, try again",
				    plan->steps[failed].path);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "prepare '%s'",
				  plan->n ? plan->steps[failed].path : "");
	return 0;
}

uint64_t journal_fill_bytes(const struct merge_plan *plan)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < plan->n; i++)
		if (plan->steps[i].op == MERGE_CREATE || plan->steps[i].op == MERGE_REPLACE ||
		    plan->steps[i].op == MERGE_INSIDE)
			sum += (uint64_t)plan->steps[i].now.st_blocks * 512;
	return sum;
}

/* The target's side is copied first, so that nobody changes it while it is read. */
static int prepare_text(struct journal_filler *s, struct merge_step *step, const char *dir, size_t i,
			struct text_merge *m)
{
	scoped(drop_fd) int from = -1;
	scoped(drop_fd) int to = -1;
	struct copy_how how;
	struct view_entry seen;
	struct stat st;
	char *ours = NULL;
	int r;

	if (asprintf(&ours, "%s/%zu.ours", dir, i) < 0)
		return -ENOMEM;
	m->ours = ours;
	if (asprintf(&step->merged, "%s/%zu.out", dir, i) < 0) {
		step->merged = NULL;
		return -ENOMEM;
	}
	m->out = step->merged;
	m->base = step->base;
	r = view_find(s->sides->box, step->path, &seen);
	m->theirs = r == 0 ? view_file(s->sides->box, &seen, step->path) : NULL;
	if (!m->theirs)
		return r < 0 ? r : -ENOMEM;
	from = open_side(s, step, true, &how);
	if (from < 0 || fstat(from, &st) < 0)
		return from < 0 ? from : -errno;
	if (st.st_size >
	    ((off_t)64 << 20)) /* then it is not text to the helper, and need not be copied to be told so */
		st.st_size = ((off_t)64 << 20) + 1;
	to = open(m->ours, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return to < 0 ? -errno : copy_data(from, to, st.st_size);
}

static bool same_files(const char *a, const char *b)
{
	struct thing one = { .exists = true, .at = AT_FDCWD, .name = a },
		     two = { .exists = true, .at = AT_FDCWD, .name = b };
	unsigned int bits;

	return lstat(a, &one.st) == 0 && lstat(b, &two.st) == 0 && change_compare(&one, &two, &bits) >= 0 &&
	       !(bits & DIFF_CONTENT);
}

static int judge_text(struct merge_plan *plan, size_t at, const struct merge_sides *sides,
		      const struct text_merge *m, struct aisbx_error *e)
{
	struct merge_step *step = &plan->steps[at];
	static const char *const whys[] = { [TEXT_CONFLICT] = "both sides changed the same lines",
					    [TEXT_BINARY] = "both sides changed it, and it is not text",
					    [TEXT_FAILED] =
						    "both sides changed it, and it is too large to merge" };

	if (m->status == TEXT_CLEAN) {
		/* What the box did is in the target already: an earlier promotion merged it. */
		step->idle = same_files(m->ours, m->out) && !(step->take & (DIFF_MODE | DIFF_XATTR));
		return 0;
	}
	return merge_text_failed(plan, at, sides, m->status == TEXT_CONFLICT, whys[m->status], e);
}

int journal_fill_texts(struct merge_plan *plan, const struct merge_sides *sides, const char *dir,
		       struct aisbx_error *e)
{
	struct journal_filler s = { .sides = sides };
	struct text_merge *list = NULL;
	size_t *steps = NULL, n = 0, at = 0;
	int r = 0;

	for (size_t i = 0; i < plan->n; i++)
		n += plan->steps[i].text;
	if (n == 0)
		return 0;
	list = calloc(n, sizeof(*list));
	steps = calloc(n, sizeof(*steps));
	if (!list || !steps)
		r = aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "merge %zu files", n);
	for (size_t i = 0; r == 0 && i < plan->n; i++) {
		if (!plan->steps[i].text)
			continue;
		steps[at] = i;
		r = prepare_text(&s, &plan->steps[i], dir, i, &list[at++]);
		if (r < 0)
			aisbx_fail(e, AISBX_AREA_LAYER, -r, "merge '%s'", plan->steps[i].path);
	}
	if (r == 0)
		r = text_merge_all(list, n, "here", sides->box_name, e);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = judge_text(plan, steps[i], sides, &list[i], e);
	for (size_t i = 0; list && i < at; i++) {
		free((char *)list[i].ours);
		free((char *)list[i].theirs);
	}
	free(list);
	free(steps);
	return r;
}
