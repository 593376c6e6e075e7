/* SPDX-License-Identifier: Apache-2.0 */
/* Journaled changes: each step can be repeated, forwards and backwards, from wherever it was interrupted. */
#include "layer/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/meter.h"
#include "base/private_dir.h"
#include "base/path.h"
#include "base/scope.h"
#include "layer/copy.h"
#include "layer/layer.h"
#include "layer/obstacle.h"
#include "layer/record.h"
#include "layer/step.h"
#include "layer/checksum.h"
#include "sys/owner.h"
#include "layer/times.h"
#include "sys/sys.h"

#define VERSION 2 /* 1 had no times of directories */
#define HIDDEN  ".aisbx"
#define SMALL   64
#define PIECE   ((size_t)1 << 20)

size_t journal_steps(const struct journal *j)
{
	size_t n = j->n;

	while (n && j->items[n - 1].op == JOURNAL_TIMES)
		n--;
	return n;
}

bool journal_is_small(size_t n)
{
	return n <= SMALL;
}

void journal_free(struct journal *j)
{
	if (!j)
		return;
	for (size_t i = 0; j->parents && i < j->n; i++)
		close_fd(&j->parents[i]);
	free(j->parents);
	free(j->paths);
	pool_finish(&j->own);
	free(j->items);
	free(j->skip);
	strlist_finish(&j->others);
	tree_root_close(&j->tree);
	tree_root_close(&j->slots);
	close_fd(&j->fd);
	free(j->target);
	free(j->base);
	free(j->id);
	free(j);
}

static struct journal *journal_new(const char *base, const char *id, const char *target)
{
	static const struct tree_root closed = TREE_ROOT_INIT;
	struct journal *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->fd = -1;
	j->tree = closed;
	j->slots = closed;
	j->base = strdup(base);
	j->id = strdup(id);
	j->target = strdup(target);
	if (j->base && j->id && j->target)
		return j;
	journal_free(j);
	return NULL;
}

static int fsync_fd(int fd)
{
	return fsync(fd) < 0 ? -errno : 0;
}

/* A directory by its O_PATH descriptor or its name. */
static int fsync_dir(int at, const char *name)
{
	scoped(drop_fd) int fd = sys_own_openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? fd : fsync_fd(fd);
}

static int syncfs_at(int at)
{
	scoped(drop_fd) int fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : syncfs(fd) < 0 ? -errno : 0;
}

static bool same_mount(int a, int b)
{
	struct statx one, two;

	return statx(a, "", AT_EMPTY_PATH, STATX_MNT_ID, &one) == 0 &&
	       statx(b, "", AT_EMPTY_PATH, STATX_MNT_ID, &two) == 0 && one.stx_mnt_id == two.stx_mnt_id &&
	       one.stx_dev_major == two.stx_dev_major && one.stx_dev_minor == two.stx_dev_minor;
}

/* Renames do not cross mounts: then the slots are in the target, where git and people are told
 * to look away. */
static int make_hidden(struct journal *j, const char *target, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	scoped(drop_fd) int ignore = -1;
	struct stat st;

	if (fstat(j->tree.root, &st) < 0)
		return -errno;
	fd = private_dir_open_at(j->tree.root, target, HIDDEN, 0700, e); /* others may write to the project */
	times_put(j->tree.root, &st.st_mtim);
	if (fd < 0)
		return fd;
	ignore = openat(fd, ".gitignore", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (ignore >= 0 && write(ignore, "*\n", 2) != 2)
		return -EIO;
	return mkdirat(fd, j->id, 0700) < 0 ? -errno : 0;
}

/* Of what lies in the target both must be ours: somebody else who may write there could have put another into
 * its place. */
static int open_slots(struct journal *j)
{
	struct aisbx_error why = AISBX_ERROR_INIT;
	scoped(drop_fd) int hidden = -1;
	scoped(drop_fd) int slots = -1;

	if (!j->head.in_target) {
		j->slots.root = openat(j->fd, "slots", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		return j->slots.root < 0 ? -errno : 0;
	}
	hidden = private_dir_open_at(j->tree.root, ".", HIDDEN, 0, &why);
	if (hidden < 0)
		return hidden;
	slots = private_dir_open_at(hidden, HIDDEN, j->id, 0, &why);
	if (slots < 0)
		return slots;
	j->slots.root = take_fd(&slots);
	return 0;
}

static int open_dir(struct journal *j, struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = path_join(j->base, j->id);

	j->fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	return j->fd < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, dir ? errno : ENOMEM, "open promotion '%s'", j->id)
			 : 0;
}

int journal_begin(const char *base, const char *id, const struct journal_head *head, const char *target,
		  struct journal **ret, struct aisbx_error *e)
{
	scoped(drop_journal) struct journal *j = journal_new(base, id, target);
	scoped(drop_mem) char *dir = path_join(base, id);
	scoped(buf_finish) struct buf where = { 0 };
	int r;

	if (!j || !dir)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "begin a promotion");
	j->head = *head;
	j->head.version = VERSION;
	if (mkdir(dir, 0700) < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "make '%s'", dir);
	r = open_dir(j, e);
	if (r == 0)
		r = tree_root_open(target, &j->tree, e);
	if (r < 0)
		return r;
	j->head.in_target = !same_mount(j->fd, j->tree.root);
	record_add(&where, &j->head, sizeof(j->head),
		   target); /* so that the slots are found if there never is a plan */
	r = record_write(j->fd, "where", &where, false);
	if (r == 0)
		r = j->head.in_target                   ? make_hidden(j, target, e)
		    : mkdirat(j->fd, "slots", 0700) < 0 ? -errno
							: 0;
	if (r == 0)
		r = open_slots(j);
	if (r < 0 && e->code)
		return aisbx_context(e, "make a directory for a promotion");
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "make a directory for a promotion beside '%s'",
				  target);
	*ret = take_mem(&j);
	return 0;
}

static int grow_items(struct journal *j)
{
	size_t cap = j->n ? j->n * 2 : 1;
	void *items, *paths;

	if (j->n & (j->n - 1))
		return 0;
	items = realloc(j->items, cap * sizeof(*j->items));
	if (items)
		j->items = items;
	paths = realloc(j->paths, cap * sizeof(*j->paths));
	if (paths)
		j->paths = paths;
	return items && paths ? 0 : -ENOMEM;
}

static void describe(const struct stat *st, struct journal_file *f)
{
	*f = (struct journal_file){ 0 };
	if (!st)
		return;
	*f = (struct journal_file){ .dev = st->st_dev,
				    .ino = st->st_ino,
				    .size = (uint64_t)st->st_size,
				    .mode = st->st_mode,
				    .nlink = (uint32_t)st->st_nlink,
				    .mtime_s = st->st_mtim.tv_sec,
				    .ctime_s = st->st_ctim.tv_sec,
				    .mtime_ns = (uint32_t)st->st_mtim.tv_nsec,
				    .ctime_ns = (uint32_t)st->st_ctim.tv_nsec };
}

int journal_add(struct journal *j, const struct journal_item *what, const char *path, const struct stat *old,
		const struct stat *now)
{
	struct journal_item *item;
	int r = grow_items(j);

	if (r < 0)
		return r;
	item = &j->items[j->n];
	*item = *what;
	if (old)
		describe(old, &item->old);
	if (now)
		describe(now, &item->now);
	j->paths[j->n++] = path;
	return 0;
}

/* Which of the signs are there. What cannot be seen is an error, not a sign that is missing. */
static int read_state(struct journal *j)
{
	static const struct {
		const char *file;
		enum journal_state state;
	} signs[] = { { "undone", JOURNAL_UNDONE },
		      { "undo", JOURNAL_UNDOING },
		      { "done", JOURNAL_DONE },
		      { "commit", JOURNAL_COMMITTED } };

	j->state = JOURNAL_STAGED;
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
		if (faccessat(j->fd, signs[i].file, F_OK, 0) == 0) {
			j->state = signs[i].state;
			return 0;
		}
		if (errno != ENOENT)
			return -errno;
	}
	return 0;
}

bool journal_is_kept(const struct journal *j)
{
	return faccessat(j->fd, "kept", F_OK, 0) == 0 || errno != ENOENT;
}

/* The steps of a plan, or only the head, of which nothing else may be there. */
static int read_plan(struct journal *j, struct record_reader *plan, struct aisbx_error *e)
{
	const char *text = record_step(plan, &j->head, sizeof(j->head));
	struct journal_item item;
	int r = plan->failed;

	if (text && (j->head.version < 1 || j->head.version > VERSION))
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_LAYER, EOPNOTSUPP,
				    "promotion '%s' was made by a newer aisbx; use that version", j->id);
	if (text) {
		free(j->target);
		j->target = strdup(text);
		r = j->target ? 0 : -ENOMEM;
	}
	while (text && r == 0 && (text = record_step(plan, &item, sizeof(item)))) {
		text = pool_add(&j->own, text);
		r = text ? journal_add(j, &item, text, NULL, NULL) : -ENOMEM;
	}
	r = r < 0 ? r : plan->failed;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "read promotion '%s'", j->id) : 0;
}

/* Reads the state, and opens what is to be done; 1: nothing was written yet of that. */
static int open_plan(struct journal *j, struct record_reader *ret)
{
	int r = read_state(j);

	if (r == 0)
		r = record_open(j->fd, "plan", ret);
	if (r != -ENOENT || j->state != JOURNAL_STAGED)
		return r;
	r = record_open(j->fd, "where", ret);
	return r == -ENOENT ? 1 : r;
}

int journal_load(const char *base, const char *id, struct journal **ret, struct aisbx_error *e)
{
	scoped(drop_journal) struct journal *j = journal_new(base, id, "");
	scoped(record_close) struct record_reader plan = RECORD_READER_INIT;
	int r;

	if (!j)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "read promotion '%s'", id);
	r = open_dir(j, e);
	if (r < 0)
		return r;
	r = open_plan(j, &plan);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, r == -ENOENT ? EUCLEAN : -r, "read promotion '%s'",
				  id);
	r = r > 0 ? 0 : read_plan(j, &plan, e);
	if (r < 0)
		return r;
	if (j->state != JOURNAL_STAGED && j->state != JOURNAL_UNDONE) {
		if (!record_is_whole(&plan))
			return aisbx_refuse(
				e, AISBX_KIND_INTERNAL, AISBX_AREA_LAYER, EUCLEAN,
				"the plan of promotion '%s' in '%s' is damaged; nothing was changed", id,
				base);
		r = tree_root_open(j->target, &j->tree, e);
		if (r == 0)
			r = open_slots(j);
		if (r < 0 && !e->code)
			return aisbx_fail(e, AISBX_AREA_LAYER, -r,
					  "open the files that promotion '%s' replaced", id);
		if (r < 0)
			return r;
	}
	*ret = take_mem(&j);
	return 0;
}

/* NAME appears with all of its content on the disk, or not at all. */
static int put_file(struct journal *j, const char *name, const struct buf *content)
{
	int r;

	unlinkat(j->fd, "new", 0); /* of somebody who was cut off */
	r = record_write(j->fd, "new", content, true);
	if (r == 0 && renameat(j->fd, "new", j->fd, name) < 0)
		r = -errno;
	return r == 0 ? fsync_fd(j->fd) : r;
}

/* The same with the steps, a piece at a time. */
static int put_plan(struct journal *j)
{
	scoped(buf_finish) struct buf piece = { 0 };
	int r = 0;

	unlinkat(j->fd, "new", 0);
	record_add(&piece, &j->head, sizeof(j->head), j->target);
	for (size_t i = 0; r == 0 && i < j->n; i++) {
		record_add(&piece, &j->items[i], sizeof(j->items[i]), j->paths[i]);
		if (piece.len < PIECE)
			continue;
		r = record_write(j->fd, "new", &piece, false);
		piece.len = 0;
	}
	if (r == 0)
		r = record_write(j->fd, "new", &piece, true);
	if (r == 0 && renameat(j->fd, "new", j->fd, "plan") < 0)
		r = -errno;
	return r == 0 ? fsync_fd(j->fd) : r;
}

int journal_commit(struct journal *j, struct aisbx_error *e)
{
	static const struct buf nothing = { 0 };
	int r = times_add(j);

	if (r == 0 && !journal_is_small(journal_steps(j)))
		r = syncfs_at(j->slots.root);
	if (r == 0)
		r = fsync_dir(j->slots.root, ".");
	if (r == 0 && j->head.in_target) {
		r = fsync_dir(j->tree.root, HIDDEN);
		if (r == 0)
			r = fsync_dir(j->tree.root, ".");
	}
	if (r == 0)
		r = put_plan(j);
	if (r == 0)
		r = fsync_dir(AT_FDCWD, j->base);
	if (r == 0)
		r = put_file(j, "commit", &nothing);
	if (r == 0)
		j->state = JOURNAL_COMMITTED;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "record the promotion to '%s'", j->target) : 0;
}

/* What cannot be taken back does not keep the rest from it. */
static int back_item(struct journal *j, size_t i)
{
	int r = j->items[i].op != JOURNAL_TIMES ? step_back(j, i)
						: times_back(j, i, j->disturbed || j->skip[i] == STEP_KEEP);

	if (r == STEP_LEFT && j->left++ == 0)
		j->first_left = i;
	if (r < 0 && j->stuck++ == 0) {
		j->first_stuck = i;
		j->why_stuck = r;
	}
	return 0;
}

/* Renames first: they touch the directories whose times come after. */
static int pass_of(const struct journal_item *item)
{
	return item->op == JOURNAL_TIMES ? 2 : item->op == MERGE_ATTRS;
}

static int each_item(struct journal *j, int (*act)(struct journal *j, size_t i), size_t *ret_failed)
{
	int r = 0;

	for (int pass = 0; pass < 3; pass++)
		for (size_t i = 0; r == 0 && i < j->n; i++) {
			if (pass_of(&j->items[i]) != pass)
				continue;
			r = act(j, i);
			meter_step(0);
			if (r < 0)
				*ret_failed = i;
		}
	tree_root_forget(&j->tree);
	return r;
}

static int sync_target(struct journal *j)
{
	int r = 0;

	if (!journal_is_small(journal_steps(j)))
		return syncfs_at(j->tree.root);
	for (size_t i = 0; r == 0 && i < j->n; i++) {
		const char *name;
		int at = tree_root_parent(&j->tree, j->paths[i], &name);

		if (copy_is_gone(at)) /* gone with a directory above it */
			continue;
		r = at < 0 ? at : fsync_dir(at, ".");
		if (r == -EACCES)
			return syncfs_at(j->tree.root);
	}
	return r < 0 ? r : fsync_dir(j->slots.root, ".");
}

static int write_done(struct journal *j)
{
	scoped(buf_finish) struct buf done = { 0 };
	uint64_t budget = CHECKSUM_BUDGET;
	int r;

	for (size_t i = 0; i < j->n; i++) {
		struct journal_file f = { 0 };
		char sum[CHECKSUM_MAX] = "";
		const char *name;
		struct stat st;

		r = tree_root_stat(&j->tree, j->paths[i], &st);
		if (r < 0)
			return r;
		if (r > 0) {
			int at = tree_root_parent(&j->tree, j->paths[i], &name);

			describe(&st, &f);
			checksum_within(at, name, &st, &budget, sum);
		}
		record_add(&done, &f, sizeof(f), sum);
	}
	r = put_file(j, "done", &done);
	if (r == 0)
		j->state = JOURNAL_DONE;
	return r;
}

/* Which items an undo leaves alone or puts aside. */
static int read_skip(struct journal *j)
{
	scoped(buf_finish) struct buf skip = { 0 };
	size_t at = 0;
	uint8_t one;
	int r = record_read(j->fd, "undo", &skip);

	free(j->skip);
	j->skip = calloc(j->n ? j->n : 1, 1);
	if (!j->skip)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < j->n && record_next(&skip, &at, &one, 1); i++)
		j->skip[i] = one;
	return r;
}

/* It is back: the record says so, and whether something must be kept. */
static int write_undone(struct journal *j)
{
	static const struct buf nothing = { 0 };
	bool keep = j->left > 0;
	int r = 0;

	for (size_t i = 0; i < j->n; i++)
		keep |= j->skip[i] == STEP_ASIDE;
	if (keep)
		r = put_file(j, "kept", &nothing);
	return r < 0 ? r : put_file(j, "undone", &nothing);
}

/* Everything else is back. */
static int fail_stuck(struct journal *j, struct aisbx_error *e)
{
	const char *path = j->paths[j->first_stuck],
		   *why = obstacle_at(&j->tree, path, (enum merge_op)j->items[j->first_stuck].op);
	int r = aisbx_fail(e, AISBX_AREA_LAYER, -j->why_stuck,
			   "undo '%s/%s'%s%s; all but %zu of %zu changes are undone, and 'aisbx recover' "
			   "continues with the rest",
			   j->target, path, why ? ": " : "", why ? why : "", j->stuck, journal_steps(j));

	return r;
}

int journal_go_back(struct journal *j, struct aisbx_error *e)
{
	static const struct buf nothing = { 0 };
	scoped_meter bool meter = meter_begin("undoing", j->n);
	size_t failed = 0;
	bool noted;
	int r = read_skip(j);

	if (r == -ENOENT)
		r = put_file(j, "undo", &nothing);
	if (r == -ENOMEM)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "undo the promotion to '%s'", j->target);
	/* Without a record (the disk is full) it goes back all the same; who is cut off now goes forward,
	 * which is whole, too. */
	noted = r == 0;
	j->state = JOURNAL_UNDOING;
	j->left = j->stuck = 0;
	r = each_item(j, back_item, &failed);
	if (r == 0)
		r = sync_target(j);
	if (j->stuck)
		return fail_stuck(j, e);
	if (r == 0 && noted)
		r = write_undone(j);
	if (r == 0)
		j->state = JOURNAL_UNDONE;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r,
				  "undo the promotion to '%s'; 'aisbx recover' completes it", j->target)
		     : 0;
}

bool journal_was_left(const struct journal *j, size_t i)
{
	return j->skip && j->skip[i] == STEP_KEEP;
}

int journal_give_up(struct journal *j, struct aisbx_error *e)
{
	static const struct buf nothing = { 0 };
	int r = put_file(j, "kept", &nothing);

	if (r == 0)
		r = put_file(j, "undone", &nothing);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "give up promotion '%s'", j->id) : 0;
}

int journal_apply(struct journal *j, struct aisbx_error *e)
{
	struct aisbx_error back = AISBX_ERROR_INIT;
	scoped_meter bool meter = meter_begin("promoting", j->n);
	size_t failed = 0;
	int r;

	if (journal_is_small(journal_steps(j)) && j->n) {
		j->parents = malloc(j->n * sizeof(*j->parents));
		for (size_t i = 0; j->parents && i < j->n; i++)
			j->parents[i] = -1;
	}
	r = each_item(j, step_do, &failed);
	if (r == -ESTALE)
		aisbx_refuse(e, AISBX_KIND_STALE, AISBX_AREA_LAYER, ESTALE,
			     "'%s/%s' changed during the promotion; the promotion was undone, try again",
			     j->target, j->paths[failed]);
	else if (r < 0)
		aisbx_fail(e, AISBX_AREA_LAYER, -r, "promote '%s/%s'", j->target, j->paths[failed]);
	if (r == 0) {
		r = sync_target(j);
		if (r == 0)
			r = write_done(j);
		if (r < 0)
			aisbx_fail(e, AISBX_AREA_LAYER, -r, "write the promotion to '%s' to the disk",
				   j->target);
	}
	j->disturbed = r == -ESTALE;
	if (r < 0 && journal_go_back(j, &back) < 0)
		aisbx_hint(e, "and then: %s", back.text);
	if (r < 0 && j->left)
		aisbx_hint(e,
			   "but %zu of %zu changes could not be, because they were changed again: '%s'; the "
			   "previous files are in '%s/%s'",
			   j->left, journal_steps(j), j->paths[j->first_left], j->base, j->id);
	return r;
}

/* How many of the items from I on lie directly in DIR, which is item I - 1. */
static size_t count_inside(const struct journal *j, const char *dir, size_t i)
{
	size_t n = strlen(dir), found = 0;

	for (; i < j->n && !strncmp(j->paths[i], dir, n) && j->paths[i][n] == '/'; i++)
		found += j->items[i].op != MERGE_NOTHING && !strchr(j->paths[i] + n + 1, '/');
	return found;
}

/* How many entries the target's directory has. */
static int count_entries(struct journal *j, const char *path, size_t *ret)
{
	const char *name;
	int at = tree_root_parent(&j->tree, path, &name), fd = at < 0 ? at : copy_open(at, name), r = 0;
	scoped(drop_dir) DIR *d = dir_take(fd, &r);

	if (!d)
		return r;
	for (*ret = 0; dir_next(d, &r); ++*ret)
		continue;
	return r;
}

/* How many of the others lie directly in DIR. */
static size_t count_others(struct journal *j, const char *dir)
{
	size_t n = strlen(dir), found = 0;
	struct stat st;

	for (size_t i = 0; i < j->others.n; i++) {
		const char *path = j->others.items[i];

		found += !strncmp(path, dir, n) && path[n] == '/' && !strchr(path + n + 1, '/') &&
			 tree_root_stat(&j->tree, path, &st) > 0;
	}
	return found;
}

/* Whether it is still the file F tells of, and has the content of SUM, unless its ctime says that nobody
 * touched it. */
static int is_same_file(struct journal *j, const char *path, const struct stat *st,
			const struct journal_file *f, const char *sum)
{
	char now[CHECKSUM_MAX];
	const char *name;
	int at, r;

	if (!step_is_exactly(f, st, false))
		return 0;
	if (f->ctime_s == st->st_ctim.tv_sec && f->ctime_ns == st->st_ctim.tv_nsec)
		return 1;
	if (!S_ISREG(st->st_mode) && !S_ISLNK(st->st_mode))
		return 1;
	if (!sum[0])
		return 0;
	at = tree_root_parent(&j->tree, path, &name);
	r = at < 0 ? at : checksum_of_file(at, name, st->st_mode, now);
	return r < 0 ? r : !strcmp(now, sum);
}

/* Whether item I is still as F and SUM say: 1, 0, or a negative errno. */
static int is_kept_as(struct journal *j, size_t i, const struct journal_file *f, const char *sum)
{
	struct stat st;
	size_t have = 0;
	int r;

	if (j->items[i].op == MERGE_NOTHING)
		return 1;
	r = tree_root_stat(&j->tree, j->paths[i], &st);
	if (r <= 0)
		return r < 0 ? r : f->mode == 0;
	if (j->items[i].op == JOURNAL_TIMES)
		return times_is_kept(f, &st);
	if (j->items[i].op == MERGE_ATTRS)
		return f->ino == st.st_ino && f->mode == st.st_mode;
	if (!S_ISDIR(st.st_mode))
		return is_same_file(j, j->paths[i], &st, f,
				    sum); /* later promotions, undone, may have moved it about */
	if (!step_is_file(f, &st) || f->mode != st.st_mode)
		return 0;
	r = count_entries(j, j->paths[i],
			  &have); /* its time changes with every file that comes and goes again */
	return r < 0 ? r : have == count_inside(j, j->paths[i], i + 1) + count_others(j, j->paths[i]);
}

int journal_changed(struct journal *j, struct strlist *ret, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf done = { 0 };
	int r = record_read(j->fd, "done", &done);
	size_t at = 0, top = 0;

	free(j->skip);
	j->skip = calloc(j->n ? j->n : 1, 1);
	if (r == 0 && !j->skip)
		r = -ENOMEM;
	for (size_t i = 0; r >= 0 && i < j->n; i++) {
		struct journal_file f;
		const char *sum;

		if (j->items[i].op != MERGE_INSIDE)
			top = i;
		sum = record_next(&done, &at, &f, sizeof(f));
		if (!sum)
			return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_LAYER, EUCLEAN,
					    "the record of promotion '%s' is damaged", j->id);
		r = is_kept_as(j, i, &f, sum);
		if (r == 0 &&
		    j->items[i].op ==
			    JOURNAL_TIMES) { /* what came since is not in the way; the time is its */
			j->skip[i] = STEP_KEEP;
		} else if (r == 0) {
			j->skip[top] = STEP_ASIDE;
			strlist_add(ret, j->paths[i]);
		}
	}
	if (r < 0 || ret->failed)
		return aisbx_fail(e, AISBX_AREA_LAYER, r < 0 ? -r : ENOMEM,
				  "check the state of promotion '%s'", j->id);
	return 0;
}

int journal_blocked(struct journal *j, bool keep, const char **ret_path, const char **ret_why)
{
	*ret_path = NULL;
	for (size_t i = 0; i < j->n; i++) {
		enum merge_op op = (enum merge_op)j->items[i].op;
		const char *why;

		if (op == MERGE_NOTHING || op == MERGE_INSIDE || j->skip[i] == STEP_KEEP)
			continue;
		op = op == MERGE_CREATE ? MERGE_DELETE : op == MERGE_DELETE ? MERGE_CREATE : op;
		why = obstacle_at(&j->tree, j->paths[i], op);
		if (why && keep)
			j->skip[i] = STEP_KEEP;
		if (why && !*ret_path) {
			*ret_path = j->paths[i];
			*ret_why = why;
		}
	}
	return *ret_path && !keep ? -EPERM : 0;
}

int journal_undo(struct journal *j, bool keep, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf skip = { 0 };
	int r;

	for (size_t i = 0; i < j->n; i++) {
		if (keep && j->skip[i] == STEP_ASIDE)
			j->skip[i] = STEP_KEEP;
		record_add(&skip, &j->skip[i], 1, "");
	}
	r = put_file(j, "undo", &skip);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "start to undo promotion '%s'", j->id)
		     : journal_go_back(j, e);
}

/* Our part of what lies in the target, by descriptors: others may write there. */
static int remove_hidden(const struct journal *j, struct aisbx_error *e)
{
	scoped(drop_fd) int target = open(j->target, O_PATH | O_DIRECTORY | O_CLOEXEC);
	scoped(drop_fd) int hidden =
		target < 0 ? -ENOENT : private_dir_open_at(target, j->target, HIDDEN, 0, e);
	char path[32];
	int r;

	if (hidden < 0)
		return hidden == -ENOENT ? 0 : hidden;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", hidden);
	r = layer_remove(path, j->id, e);
	if (r == 0 && unlinkat(hidden, ".gitignore", 0) == 0 &&
	    unlinkat(target, HIDDEN, AT_REMOVEDIR) < 0) { /* others still need it */
		scoped(drop_fd) int fd = openat(hidden, ".gitignore",
						O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

		if (fd >= 0 && write(fd, "*\n", 2) != 2)
			r = aisbx_fail(e, AISBX_AREA_LAYER, errno, "write '%s/" HIDDEN "/.gitignore'",
				       j->target);
	}
	return r;
}

int journal_remove(const char *base, const char *id, struct aisbx_error *e)
{
	struct aisbx_error ignored;
	struct journal *j = NULL;
	struct stat st;
	int r = 0;

	if (!strncmp(id, "p-", 2) && journal_load(base, id, &j, &ignored) == 0 && j->head.in_target &&
	    j->target[0]) {
		if (stat(j->target, &st) < 0)
			st.st_mtim.tv_nsec = UTIME_OMIT;
		r = remove_hidden(j, e);
		utimensat(AT_FDCWD, j->target, (struct timespec[]){ { .tv_nsec = UTIME_OMIT }, st.st_mtim },
			  AT_SYMLINK_NOFOLLOW);
	}
	journal_free(j);
	return r < 0 ? r : layer_remove(base, id, e);
}
