/* SPDX-License-Identifier: Apache-2.0 */
/* Records of base versions: writing those of a run and of a promotion. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/time.h"
#include "layer/base_disk.h"
#include "layer/blob.h"
#include "layer/copy.h"
#include "layer/record.h"
#include "layer/view.h"
#include "sys/owner.h"
#include "sys/sys.h"

#define MAX_PROMOTED  ((off_t)256 << 10)
#define MAX_PROMOTEDS 2000
#define PIECE         ((size_t)1 << 20)

static void to_disk(const struct stat *st, struct base_disk *d)
{
	d->mode = st->st_mode;
	d->uid = st->st_uid;
	d->gid = st->st_gid;
	d->dev = st->st_dev;
	d->ino = st->st_ino;
	d->size = (uint64_t)st->st_size;
	d->mtime_s = st->st_mtim.tv_sec;
	d->mtime_ns = (uint32_t)st->st_mtim.tv_nsec;
	d->ctime_s = st->st_ctim.tv_sec;
	d->ctime_ns = (uint32_t)st->st_ctim.tv_nsec;
}

/* Writing, be it of a run or of a promotion. */
struct base_writer {
	int dir; /* owned; the tree in its layer */
	struct blob_files blobs;
	unsigned int n; /* contents that were kept */
	struct buf out;
	struct timespec since; /* of a run: what changed later has no base */
	uint8_t who;
	const char *promotion; /* borrowed; unless it is of a run */
	struct base_map known;
	struct tree_root *host;
	struct tree_root *copy; /* NULL, or the host as it was, as far as the layer changed it */
	int failed;      /* a directory could not be read, or a record not be written: negative errno */
	int doubts;      /* directories above that may be others than when the run began */
	uint64_t budget; /* for sums */
};

#define WRITER_INIT                                                       \
	{                                                                 \
		.dir = -1, .blobs = BLOBS_INIT, .budget = CHECKSUM_BUDGET \
	}

/* Keeps the content of AT/NAME, if it is still the file ST tells of; FD is it, if that is a regular one. No
 * content is no error. */
static void keep_content(struct base_writer *w, int at, const char *name, int fd, const struct stat *st,
			 struct base_disk *d)
{
	char blob[sizeof(d->blob)] = "";
	struct stat now;
	int r;

	if (w->who != BASE_OF_RUN && (w->n >= MAX_PROMOTEDS || st->st_size > MAX_PROMOTED))
		return;
	if (S_ISLNK(st->st_mode))
		r = blobs_keep_link(&w->blobs, at, name, blob);
	else
		r = fd < 0 || fstat(fd, &now) < 0 || now.st_ino != st->st_ino
			    ? -ESTALE
			    : blobs_keep_file(&w->blobs, fd, st, blob);
	if (r < 0)
		return;
	memcpy(d->blob, blob, sizeof(blob));
	w->n++;
}

static void write_sum(const char *sum, struct base_disk *d)
{
	if (sum[0])
		snprintf(d->blob, sizeof(d->blob), "%c%.30s", BASE_SUM, sum);
}

/* A content that is not kept shall be known again: size and time are anybody's to set. */
static void keep_sum(struct base_writer *w, int at, const char *name, const struct stat *st,
		     struct base_disk *d)
{
	char sum[CHECKSUM_MAX];

	checksum_within(at, name, st, &w->budget, sum);
	write_sum(sum, d);
}

static bool is_before(struct timespec a, struct timespec b)
{
	return time_compare(a, b) < 0;
}

/* What is left of them, behind the contents they name. Negative errno, also of what went wrong before. */
static int put_rest(struct base_writer *w)
{
	if (w->failed == 0)
		w->failed = blobs_write(&w->blobs);
	if (w->failed == 0 && w->out.len)
		w->failed = record_write(w->dir, "bases", &w->out, false);
	w->out.len = 0;
	return w->failed;
}

/* One more record; they are written a piece at a time. */
static void put(struct base_writer *w, const struct base_disk *d, const char *path)
{
	record_add(&w->out, d, sizeof(*d), path);
	if (w->out.len >= PIECE)
		put_rest(w);
}

static void name_promotion(const struct base_writer *w, struct base_disk *d)
{
	if (w->promotion)
		snprintf(d->promotion, sizeof(d->promotion), "%s", w->promotion);
}

/* What is in the host's file AT/NAME. */
static void fill_record(struct base_writer *w, int at, const char *name, const struct stat *st, bool content,
			struct base_disk *d)
{
	const bool is_file = S_ISREG(st->st_mode), opens = is_file || S_ISDIR(st->st_mode);
	scoped(drop_fd) int fd = opens ? copy_open(at, name) : -1;

	if (opens && fd != -EACCES &&
	    (fd < 0 ||
	     copy_xattr_sum(fd, 0, &d->xattrs) < 0)) /* what we may not read, the box may not either */
		d->state = BASE_UNKNOWN;
	if (content && (is_file || S_ISLNK(st->st_mode)))
		keep_content(w, at, name, fd, st, d);
	if (!d->blob[0])
		keep_sum(w, at, name, st, d);
}

/* What FROM, the host or the copy of it, has at PATH. */
static mode_t add_record_of(struct base_writer *w, struct tree_root *from, const char *path, bool content,
			    bool whole)
{
	const bool lives = from == w->host; /* and can have been changed while the box was at work */
	struct base_disk d = { .who = w->who, .whole = whole };
	struct stat st = { 0 }, again = { 0 };
	int found = tree_root_stat(from, path, &st);
	const char *name;
	int at;

	d.state = found == 0 ? BASE_ABSENT : found < 0 ? BASE_UNKNOWN : BASE_KNOWN;
	name_promotion(w, &d);
	if (found > 0) {
		at = tree_root_parent(from, path, &name);
		if (lives && (w->doubts || (w->who == BASE_OF_RUN && !S_ISDIR(st.st_mode) &&
					    !is_before(st.st_ctim, w->since)))) {
			d.state = BASE_UNKNOWN;
		} else {
			to_disk(&st, &d);
			fill_record(w, at, name, &st, content, &d);
			/* Changed while we looked: then what we have is no base. */
			if (sys_own_lstatat(at, name, &again) < 0 || again.st_ino != st.st_ino ||
			    (is_before(st.st_ctim, again.st_ctim) && !S_ISDIR(st.st_mode)))
				d.state = BASE_UNKNOWN;
		}
	}
	put(w, &d, path);
	return found > 0 ? st.st_mode : 0;
}

/* The host's own file has owners and times that its copy has not. */
static bool is_as_copied(struct base_writer *w, const char *path)
{
	struct stat st;

	return !w->doubts && tree_root_stat(w->host, path, &st) > 0 && is_before(st.st_ctim, w->since);
}

/* What the host has at PATH. CONTENT: keep that, too. Returns its mode, 0 for none. */
static mode_t add_record(struct base_writer *w, const char *path, bool content, bool whole)
{
	return add_record_of(w, w->copy && !is_as_copied(w, path) ? w->copy : w->host, path, content, whole);
}

/* Where the directories of the base are read. */
static struct tree_root *shape_of(const struct base_writer *w)
{
	return w->copy ? w->copy : w->host;
}

/* During the run it got a new ctime and no new entries: it was renamed, perhaps to here, and what is in it
 * came along. */
static bool is_doubtful(const struct base_writer *w, const struct stat *st)
{
	return w->who == BASE_OF_RUN && !is_before(st->st_ctim, w->since) && is_before(st->st_mtim, w->since);
}

static DIR *open_dir(int at, const char *name)
{
	int r;
	DIR *d = dir_take(copy_open(at, name), &r);

	if (!d)
		errno = -r;
	return d;
}

/* The host's directory PATH and all below it; contents of what UP, the box's own of it (-1: none), has as
 * well. */
static void add_whole(struct base_writer *w, const char *path, int up)
{
	scoped(drop_dir) DIR *d = NULL;
	struct dirent *entry;
	const char *name;
	int at;

	if (!S_ISDIR(add_record(w, path, false, true)))
		return;
	at = tree_root_parent(shape_of(w), path, &name);
	d = at < 0 ? NULL : open_dir(at, name);
	if (!d && at != -EXDEV) /* another file system is mounted there: nothing of it is the box's */
		w->failed = -EIO;
	while (d && (entry = dir_next(d, &w->failed))) {
		scoped(drop_mem) char *child = path_join(path, entry->d_name);
		scoped(drop_fd) int below = -1;
		struct stat st, own = { 0 };

		if (!child || sys_own_lstatat(dirfd(d), entry->d_name, &st) < 0)
			continue;
		if (up >= 0 && sys_own_lstatat(up, entry->d_name, &own) < 0)
			own.st_mode = 0;
		if (S_ISDIR(st.st_mode)) {
			below = S_ISDIR(own.st_mode) ? copy_open(up, entry->d_name) : -1;
			w->doubts += is_doubtful(w, &st);
			add_whole(w, child, below);
			w->doubts -= is_doubtful(w, &st);
		} else {
			add_record(w, child, S_ISREG(own.st_mode) || S_ISLNK(own.st_mode), false);
		}
	}
}

static bool is_opaque(int fd)
{
	char value;

	return sys_own_fgetxattr(fd, "user.overlay.opaque", &value, 1) == 1 && value == 'y';
}

static void walk(struct base_writer *w, DIR *up, const char *rel);

/*
 * The box did something in the directory PATH. If that is a repository: the branch the host was on then. The
 * box sees the host's HEAD until it writes one itself, so its own layers do not tell.
 */
static void note_branch(struct base_writer *w, int up, const char *path)
{
	scoped(drop_mem) char *head = path_join(path, "HEAD");
	scoped(drop_mem) char *refs = path_join(path, "refs");
	struct stat st;

	if (w->copy && head && !is_as_copied(w, head)) /* the copy need not have it */
		return;
	if (head && refs && !base_find(&w->known, head) &&
	    faccessat(up, "HEAD", F_OK, AT_SYMLINK_NOFOLLOW) < 0 && tree_root_stat(w->host, refs, &st) > 0)
		add_record(w, head, true, false);
}

/* The box has the directory D at PATH, and what is below it in the host, or was, shows through. */
static void look_below(struct base_writer *w, DIR *d, const char *path, bool is_known, bool doubt)
{
	if (!is_known)
		add_record(w, path, false, false);
	note_branch(w, dirfd(d), path);
	w->doubts += doubt;
	walk(w, d, path);
	w->doubts -= doubt;
}

static void look_at(struct base_writer *w, int up, const char *name, const char *path, bool is_new)
{
	const struct base *known = base_find(&w->known, path);
	scoped(drop_dir) DIR *d = NULL;
	struct stat own, host = { 0 };
	bool over_dir, is_dir, was_dir = known && known->state == BASE_KNOWN && S_ISDIR(known->st.st_mode),
			       doubt;

	if (sys_own_lstatat(up, name, &own) < 0)
		return;
	is_dir = S_ISDIR(own.st_mode);
	if (!is_dir && !is_new)
		return;
	if (known && known->state == BASE_ABSENT && is_dir)
		return; /* the box made it: so everything in it is the box's, whatever the host made there
			   since */
	over_dir = tree_root_stat(w->host, path, &host) > 0 && S_ISDIR(host.st_mode);
	doubt = over_dir && is_doubtful(w, &host);
	if (w->copy)
		over_dir = tree_root_stat(w->copy, path, &host) > 0 && S_ISDIR(host.st_mode);
	d = is_dir ? open_dir(up, name) : NULL;
	if (is_dir && !d)
		return;
	if (d && (over_dir || was_dir) && !is_opaque(dirfd(d))) {
		look_below(w, d, path, known,
			   doubt); /* was: what the box makes in it is still to be recorded */
		return;
	}
	if (!is_new)
		return;
	if (over_dir && (!known || !known->whole)) { /* all of it is hidden now */
		w->doubts += doubt;
		add_whole(w, path, d ? dirfd(d) : -1);
		w->doubts -= doubt;
	} else if (!known) {
		add_record(w, path, S_ISREG(own.st_mode) || S_ISLNK(own.st_mode), is_dir);
	}
}

/* Entries come into a directory only by changing its ctime, which a box cannot set. */
static void walk(struct base_writer *w, DIR *up, const char *rel)
{
	struct dirent *entry;
	struct stat st;
	bool is_new = w->copy || (fstat(dirfd(up), &st) == 0 && !is_before(st.st_ctim, w->since));

	while ((entry = dir_next(up, &w->failed))) {
		scoped(drop_mem) char *path = NULL;

		if ((!is_new && entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN) ||
		    !(path = path_child(rel, entry->d_name)))
			continue;
		look_at(w, dirfd(up), entry->d_name, path, is_new);
	}
}

int base_take(int from_tree, int to_tree)
{
	int r = record_take(from_tree, to_tree, "bases");

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	return blobs_take(from_tree, to_tree);
}

static int writer_open(int at, const char *tree, struct base_writer *ret)
{
	*ret = (struct base_writer)WRITER_INIT;
	ret->dir = openat(at, tree, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return ret->dir < 0 ? -errno : blobs_open(ret->dir, &ret->blobs);
}

static void writer_finish(struct base_writer *w)
{
	base_map_finish(&w->known);
	buf_finish(&w->out);
	blobs_finish(&w->blobs);
	close_fd(&w->dir);
}

static int record_all(struct base_writer *w)
{
	scoped(drop_dir) DIR *up = open_dir(w->dir, "up");

	if (!up)
		return errno == ENOENT ? 0 : -errno;
	if (!base_find(&w->known, "."))
		add_record(w, ".", false, false);
	walk(w, up, "");
	return put_rest(w);
}

int base_settle(const char *dir, const char *tree, const char *host, const char *const *dirs, size_t n,
		const struct base_filter *filter, struct aisbx_error *e)
{
	int r = base_settle_tree(dir, tree, host, dirs, n, filter, e);

	return r < 0 ? r : base_close_window(dir, e);
}

int base_settle_tree(const char *dir, const char *tree, const char *host, const char *const *dirs, size_t n,
		     const struct base_filter *filter, struct aisbx_error *e)
{
	scoped(drop_fd) int layer = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scoped(drop_fd) int window = layer < 0 ? -1 : openat(layer, "window", O_RDONLY | O_CLOEXEC);
	scoped(writer_finish) struct base_writer w = WRITER_INIT;
	scoped(tree_root_close) struct tree_root place = TREE_ROOT_INIT;
	int r;

	if (window < 0)
		return errno == ENOENT ? 0
				       : aisbx_fail(e, AISBX_AREA_LAYER, errno, "inspect layer '%s'", dir);
	r = writer_open(layer, tree, &w);
	if (r == 0 && read(window, &w.since, sizeof(w.since)) != sizeof(w.since))
		w.since = (struct timespec){ 0 }; /* torn: then nothing is certain */
	if (r == 0) {
		r = base_map_read(dirs, n, filter, &w.known, e);
		if (r == 0)
			r = tree_root_open(host, &place, e);
		if (r < 0)
			return r;
		w.host = &place;
		r = record_all(&w);
	}
	if (r == -ENOENT) /* the run never got to this tree */
		r = 0;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r,
				  "record the base versions in '%s' of the files that the box changed", host)
		     : 0;
}

int base_settle_copy(const char *dir, const char *tree, const struct base_copy *copy, struct aisbx_error *e)
{
	scoped(drop_fd) int layer = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scoped(writer_finish) struct base_writer w = WRITER_INIT;
	scoped(tree_root_close) struct tree_root place = TREE_ROOT_INIT;
	scoped(tree_root_close) struct tree_root sent = TREE_ROOT_INIT;
	int r = tree_root_open(copy->host, &place, e);

	if (r == 0)
		r = tree_root_open(copy->copy, &sent, e);
	if (r < 0)
		return r;
	r = layer < 0 ? -errno : writer_open(layer, tree, &w);
	w.since = copy->since;
	w.host = &place;
	w.copy = &sent;
	if (r == 0 && copy->n && base_map_read(copy->dirs, copy->n, copy->filter, &w.known, e) < 0)
		return e->code;
	if (r == 0)
		r = record_all(&w);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "record what '%s' was changed from", dir) : 0;
}

int base_note_promotion(const char *tree_dir, const char *id, struct tree_root *target,
			const char *const *paths, const bool *whole, size_t n, struct aisbx_error *e)
{
	scoped(writer_finish) struct base_writer w = WRITER_INIT;
	int r = writer_open(AT_FDCWD, tree_dir, &w);

	w.who = BASE_PROMOTED;
	w.promotion = id;
	w.host = target;
	for (size_t i = 0; r == 0 && i < n; i++)
		add_record(&w, paths[i], true, whole && whole[i]);
	if (r == 0)
		r = put_rest(&w);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "record what was promoted in '%s'", tree_dir) : 0;
}

/* What the box has at PATH. It is no file of the host's, so that it is known again by its content only. */
static int add_of_box(struct base_writer *w, struct open_view *box, const char *path)
{
	struct base_disk d = { .who = BASE_PROMOTED, .state = BASE_KNOWN };
	scoped(drop_fd) int fd = -1;
	struct view_entry seen;
	int r = view_find(box, path, &seen);

	if (r < 0 || !seen.thing.exists ||
	    (!S_ISREG(seen.thing.st.st_mode) && !S_ISLNK(seen.thing.st.st_mode)))
		return r;
	if (S_ISREG(seen.thing.st.st_mode)) {
		fd = copy_open(seen.thing.at, seen.thing.name);
		r = fd < 0 ? fd : copy_xattr_sum(fd, seen.thing.id_delta, &d.xattrs);
		if (r < 0)
			return r;
	}
	to_disk(&seen.thing.st, &d);
	name_promotion(w, &d);
	keep_content(w, seen.thing.at, seen.thing.name, fd, &seen.thing.st, &d);
	d.dev = d.ino = 0;
	if (!d.blob[0]) /* without its content it is no base */
		return 0;
	put(w, &d, path);
	return 0;
}

int base_note_merge(const char *tree_dir, const char *id, struct open_view *box, const char *const *paths,
		    size_t n, struct aisbx_error *e)
{
	scoped(writer_finish) struct base_writer w = WRITER_INIT;
	int r = writer_open(AT_FDCWD, tree_dir, &w);

	w.who = BASE_PROMOTED;
	w.promotion = id;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_of_box(&w, box, paths[i]);
	if (r == 0)
		r = put_rest(&w);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "record what was merged in '%s'", tree_dir) : 0;
}

static int keep_one(struct base_writer *w, const struct base *b)
{
	struct base_disk d = {
		.state = (uint8_t)b->state, .whole = b->whole, .who = BASE_PROMOTED, .xattrs = b->xattrs
	};
	int r;

	to_disk(&b->st, &d);
	if (b->blob[0]) {
		r = blobs_take_one(&w->blobs, b->dir, b->blob);
		if (r < 0)
			return r;
		snprintf(d.blob, sizeof(d.blob), "%s", b->blob);
	} else {
		write_sum(b->sum, &d);
	}
	put(w, &d, b->path);
	return 0;
}

int base_keep(const char *tree_dir, const char *const *dirs, size_t n_dirs, const char *id,
	      const char *const *paths, size_t n, struct aisbx_error *e)
{
	scoped(writer_finish) struct base_writer w = WRITER_INIT;
	scoped(base_map_finish) struct base_map map = { 0 };
	int r = base_map_read(dirs, n_dirs, NULL, &map, e);

	if (r < 0)
		return r;
	r = writer_open(AT_FDCWD, tree_dir, &w);
	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct base *b = base_find(&map, paths[i]);

		if (b && !strcmp(b->promotion, id)) /* else a later one rules */
			r = keep_one(&w, b);
	}
	if (r == 0)
		r = put_rest(&w);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "record what stays promoted in '%s'", tree_dir)
		     : 0;
}

/* The content of the note's file, be it a record's, which never changes, or any other. As ever, none is no
 * error. */
static void take_content(struct base_writer *w, const struct base_note *note, struct base_disk *d)
{
	scoped(drop_fd) int fd = -1;
	char blob[sizeof(d->blob)] = "";
	struct stat st;
	int r = note->is_blob ? blobs_keep_blob(&w->blobs, note->file, blob) : -ENOENT;

	if (r < 0 && S_ISLNK(note->st.st_mode)) {
		r = blobs_keep_link(&w->blobs, AT_FDCWD, note->file, blob);
	} else if (r < 0) {
		fd = copy_open(AT_FDCWD, note->file);
		r = fd < 0 ? fd : fstat(fd, &st) < 0 ? -errno : blobs_keep_file(&w->blobs, fd, &st, blob);
	}
	if (r == 0)
		memcpy(d->blob, blob, sizeof(blob));
}

static void add_note(struct base_writer *w, const struct base_note *note)
{
	struct base_disk d = { .state = (uint8_t)note->state,
			       .whole = note->whole,
			       .who = BASE_PROMOTED,
			       .xattrs = note->xattrs };

	for (size_t i = 0; i + 1 < note->n_needs; i++) {
		struct base_disk also = { .who = BASE_ALSO };

		snprintf(also.promotion, sizeof(also.promotion), "%s", note->needs[i]);
		put(w, &also, note->path);
	}
	if (note->n_needs)
		snprintf(d.promotion, sizeof(d.promotion), "%s", note->needs[note->n_needs - 1]);
	if (note->state == BASE_KNOWN)
		to_disk(&note->st, &d);
	if (note->state == BASE_KNOWN && note->file)
		take_content(w, note, &d);
	if (note->state == BASE_KNOWN && !d.blob[0])
		write_sum(note->sum, &d);
	put(w, &d, note->path);
}

int base_write(const char *tree_dir, const struct base_note *notes, size_t n, struct aisbx_error *e)
{
	scoped(writer_finish) struct base_writer w = WRITER_INIT;
	int r = writer_open(AT_FDCWD, tree_dir, &w);

	for (size_t i = 0; r == 0 && i < n; i++)
		add_note(&w, &notes[i]);
	if (r == 0)
		r = put_rest(&w);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "record what was combined in '%s'", tree_dir) : 0;
}
