/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One step of a journal, forwards and backwards: which inode is where tells whether it was done, so each can
 * be repeated.
 */
#include "layer/step.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "layer/copy.h"
#include "sys/owner.h"

static void slot_name(const struct journal_item *item, const char *suffix, char ret[32])
{
	snprintf(ret, 32, "%u%s", item->slot, suffix);
}

static int look(int at, const char *name, struct stat *ret)
{
	int r = sys_own_lstatat(at, name, ret);

	return r == 0 ? 1 : r == -ENOENT ? 0 : r;
}

bool step_is_file(const struct journal_file *f, const struct stat *st)
{
	if (f->dev != st->st_dev || f->ino != st->st_ino || ((f->mode ^ st->st_mode) & S_IFMT))
		return false;
	return S_ISDIR(st->st_mode) ||
	       (f->size == (uint64_t)st->st_size && f->mtime_s == st->st_mtim.tv_sec &&
		f->mtime_ns == st->st_mtim.tv_nsec);
}

bool step_is_exactly(const struct journal_file *f, const struct stat *st, bool ctime)
{
	if (!S_ISDIR(st->st_mode) && f->nlink > 1)
		ctime = false;
	return step_is_file(f, st) && f->mode == st->st_mode && f->mtime_s == st->st_mtim.tv_sec &&
	       f->mtime_ns == st->st_mtim.tv_nsec &&
	       (!ctime || (f->ctime_s == st->st_ctim.tv_sec && f->ctime_ns == st->st_ctim.tv_nsec));
}

static int do_create(struct journal *j, const struct journal_item *item, int at, const char *name,
		     const char *slot)
{
	struct stat st;
	int r;

	r = sys_own_renameat2(j->slots.root, slot, at, name, RENAME_NOREPLACE);
	if (r == -ENOENT || r == -EEXIST) /* done before we were cut off, or somebody else's */
		return look(at, name, &st) > 0 && step_is_file(&item->now, &st) ? 0
		       : r == -ENOENT                                           ? r
										: -ESTALE;
	return r;
}

static int do_replace(struct journal *j, const struct journal_item *item, int at, const char *name,
		      const char *slot)
{
	struct stat st;
	int r = look(at, name, &st);

	if (r <= 0)
		return r < 0 ? r : -ESTALE;
	if (step_is_file(&item->now, &st))
		return 0;
	if (!step_is_exactly(&item->old, &st, true))
		return -ESTALE;
	r = sys_own_renameat2(j->slots.root, slot, at, name, RENAME_EXCHANGE);
	if (r < 0)
		return r;
	if (look(j->slots.root, slot, &st) > 0 && step_is_file(&item->old, &st))
		return 0;
	r = sys_own_renameat2(j->slots.root, slot, at, name,
			      RENAME_EXCHANGE); /* swapped under our hands: give it back */
	return r < 0 ? r : -ESTALE;
}

static int do_delete(struct journal *j, const struct journal_item *item, int at, const char *name,
		     const char *slot)
{
	struct stat st;
	int r = look(at, name, &st);

	if (r == 0)
		return look(j->slots.root, slot, &st) > 0 && step_is_file(&item->old, &st) ? 0 : -ESTALE;
	if (r < 0 || !step_is_exactly(&item->old, &st, true))
		return r < 0 ? r : -ESTALE;
	r = sys_own_renameat2(at, name, j->slots.root, slot, RENAME_NOREPLACE);
	if (r < 0)
		return r;
	if (look(j->slots.root, slot, &st) > 0 && step_is_file(&item->old, &st))
		return 0;
	r = sys_own_renameat2(j->slots.root, slot, at, name, RENAME_NOREPLACE);
	return r < 0 ? r : -ESTALE;
}

/* Gives the file what its slot (with SUFFIX) has of attributes. */
static int do_attrs(struct journal *j, const struct journal_item *item, int at, const char *name,
		    const char *suffix)
{
	struct copy_how how = { .owners = geteuid() == 0 };
	scoped(drop_fd) int to = -1;
	scoped(drop_fd) int from = -1;
	struct stat st;
	char slot[32];

	slot_name(item, suffix, slot);
	to = copy_open(at, name);
	if (to < 0)
		return to == -ENOENT || to == -ELOOP ? -ESTALE : to;
	if (fstat(to, &st) < 0)
		return -errno;
	if (st.st_ino != item->old.ino || st.st_dev != item->old.dev)
		return -ESTALE;
	from = copy_open(j->slots.root, slot);
	return from < 0 ? from : copy_attrs(from, to, &how);
}

int step_do(struct journal *j, size_t i)
{
	const struct journal_item *item = &j->items[i];
	const char *name;
	char slot[32];
	int at;

	if (item->op == MERGE_INSIDE || item->op == MERGE_NOTHING || item->op == JOURNAL_TIMES)
		return 0;
	at = tree_root_parent(&j->tree, j->paths[i], &name);
	if (at < 0)
		return copy_is_gone(at) ? -ESTALE : at;
	if (j->parents)
		j->parents[i] = fcntl(at, F_DUPFD_CLOEXEC, 3);
	slot_name(item, "", slot);
	switch (item->op) {
	case MERGE_CREATE:
		return do_create(j, item, at, name, slot);
	case MERGE_REPLACE:
		return do_replace(j, item, at, name, slot);
	case MERGE_DELETE:
		return do_delete(j, item, at, name, slot);
	case MERGE_ATTRS:
		return do_attrs(j, item, at, name, "");
	default:
		return -EUCLEAN;
	}
}

/* Taking back. What is not ours any more is left as it is; then 1. */

static int back_create(struct journal *j, const struct journal_item *item, int at, const char *name,
		       const char *slot)
{
	struct stat st;
	int r;

	if (look(j->slots.root, slot, &st) > 0)
		return 0;
	r = look(at, name, &st);
	if (r <= 0 || st.st_ino != item->now.ino || st.st_dev != item->now.dev)
		return r < 0 ? r : STEP_LEFT;
	return sys_own_renameat2(at, name, j->slots.root, slot, RENAME_NOREPLACE);
}

static int back_replace(struct journal *j, const struct journal_item *item, int at, const char *name,
			const char *slot)
{
	struct stat st;
	int r;

	r = look(j->slots.root, slot, &st);
	if (r <= 0 || !step_is_file(&item->old, &st)) /* never exchanged, or taken back already */
		return r < 0 ? r : 0;
	r = look(at, name, &st);
	if (r < 0)
		return r;
	if (r == 0)
		return sys_own_renameat2(j->slots.root, slot, at, name, RENAME_NOREPLACE);
	if (st.st_ino != item->now.ino || st.st_dev != item->now.dev)
		return STEP_LEFT;
	return sys_own_renameat2(j->slots.root, slot, at, name, RENAME_EXCHANGE);
}

static int back_delete(struct journal *j, int at, const char *name, const char *slot)
{
	struct stat st;
	int r;

	r = look(j->slots.root, slot, &st);
	if (r <= 0)
		return r;
	r = sys_own_renameat2(j->slots.root, slot, at, name, RENAME_NOREPLACE);
	return r == -EEXIST ? STEP_LEFT : r;
}

/* Whether it was done, and is not taken back yet: the slot tells. */
static bool is_done(struct journal *j, const struct journal_item *item)
{
	struct stat st;
	char slot[32];
	bool full;

	slot_name(item, "", slot);
	full = look(j->slots.root, slot, &st) > 0;
	return item->op == MERGE_CREATE    ? !full
	       : item->op == MERGE_REPLACE ? full && step_is_file(&item->old, &st)
	       : item->op == MERGE_DELETE  ? full
					   : false;
}

/* Somebody's own changes since: out of the way, but kept. */
static int put_aside(struct journal *j, const struct journal_item *item, int at, const char *name)
{
	struct stat st;
	char lost[32];
	int r;

	slot_name(item, ".lost", lost);
	r = look(j->slots.root, lost, &st);
	if (r != 0)
		return r < 0 ? r : 0;
	r = sys_own_renameat2(at, name, j->slots.root, lost, RENAME_NOREPLACE);
	return r == -ENOENT ? 0 : r;
}

/* The directory of path I, as it was held or as it is now, and the name in it; a negative errno. */
static int parent_of(struct journal *j, size_t i, const char **ret_name)
{
	const char *slash = strrchr(j->paths[i], '/');

	*ret_name = slash ? slash + 1 : j->paths[i];
	return j->parents && j->parents[i] >= 0 ? j->parents[i]
						: tree_root_parent(&j->tree, j->paths[i], ret_name);
}

int step_back(struct journal *j, size_t i)
{
	const struct journal_item *item = &j->items[i];
	int what = j->skip ? j->skip[i] : STEP_GO, at, r = 0;
	const char *name;
	char slot[32];

	if (item->op == MERGE_INSIDE || item->op == MERGE_NOTHING || what == STEP_KEEP)
		return 0;
	at = parent_of(j, i, &name);
	if (copy_is_gone(at))
		return is_done(j, item) ? STEP_LEFT : 0;
	if (at < 0)
		return at;
	if (what == STEP_ASIDE && item->op != MERGE_ATTRS && (r = put_aside(j, item, at, name)) < 0)
		return r;
	slot_name(item, "", slot);
	switch (item->op) {
	case MERGE_CREATE:
		return back_create(j, item, at, name, slot);
	case MERGE_REPLACE:
		return back_replace(j, item, at, name, slot);
	case MERGE_DELETE:
		return back_delete(j, at, name, slot);
	case MERGE_ATTRS:
		r = do_attrs(j, item, at, name, ".old");
		return r == -ESTALE ? 0 : r;
	default:
		return -EUCLEAN;
	}
}
