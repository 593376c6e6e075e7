/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds over both trees, by descriptors: the first copies everything, each next one what changed since the
 * previous one started.
 */
#include "layer/pin.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/meter.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/time.h"
#include "layer/copy.h"
#include "layer/layer.h"
#include "sys/sys.h"

#define ROUNDS    8   /* who writes faster than we look writes all the time */
#define MAX_DEPTH 400 /* of open directories, two for each level */
#define TELL_MS   250
#define LINKS     ".links" /* in the copy while it is made: one name for each file that has several */

/* Which directory of the copy is like which. */
struct pair {
	ino_t from, to;
};

struct pinning {
	const struct pin_how *how;
	struct copy_how copy;
	struct pin_count count;
	struct timespec since; /* what changed then or later is to be copied again */
	bool first;            /* round */
	unsigned int round;
	size_t again; /* entries that this round copied */
	size_t looked;
	struct pair *dirs; /* owned */
	size_t n_dirs, dirs_cap;
	dev_t dev;
	int links;
	uint64_t told_ms;
	char at[256]; /* where it failed, or what changed last */
};

static bool is_late(const struct pinning *p, const struct stat *st)
{
	return time_compare(st->st_ctim, p->since) >= 0;
}

static void tell(struct pinning *p)
{
	if (!p->how->tell || time_ms() - p->told_ms < TELL_MS)
		return;
	p->told_ms = time_ms();
	p->how->tell(p->how->ctx, &p->count);
}

/* Only root has them, and loses them with each write. */
static void copy_capability(int from, int to)
{
	char value[64];
	ssize_t n = fgetxattr(from, "security.capability", value, sizeof(value));

	if (n > 0)
		(void)!fsetxattr(to, "security.capability", value, (size_t)n, 0);
}

static int share_or_copy(struct pinning *p, int from, int to, off_t size)
{
	if (size && p->count.shared && ioctl(to, FICLONE, from) == 0)
		return 0;
	p->count.shared &= !size;
	return copy_data(from, to, size);
}

/* What we may not read, a box may not either. */
static int close_off(struct pinning *p, int at, const char *name, const struct stat *st)
{
	scoped(drop_fd) int fd = openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0);

	p->count.unreadable++;
	if (fd < 0 || ftruncate(fd, st->st_size) < 0 ||
	    futimens(fd, (struct timespec[]){ st->st_atim, st->st_mtim }) < 0)
		return -errno;
	return 0;
}

static int copy_file(struct pinning *p, int from, int to, const char *name, const struct stat *st)
{
	scoped(drop_fd) int in = copy_open(from, name);
	scoped(drop_fd) int out = -1;
	struct stat now;
	int r;

	if (in == -EACCES)
		return close_off(p, to, name, st);
	if (in < 0)
		return in;
	out = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (out < 0 || fstat(in, &now) < 0)
		return -errno;
	r = share_or_copy(p, in, out, now.st_size);
	if (r == 0)
		r = copy_attrs(in, out, &p->copy);
	if (r == 0 && p->how->owners)
		copy_capability(in, out);
	p->count.bytes += (uint64_t)now.st_size;
	return r == -EBUSY ? 0 : r; /* it became shorter: so its ctime is late, and the next round finds it */
}

/* A socket is nothing without the process behind it; devices are for root to make. */
static int copy_node(struct pinning *p, int to, const char *name, const struct stat *st)
{
	if (S_ISSOCK(st->st_mode) || (!S_ISFIFO(st->st_mode) && !p->how->owners))
		return 0;
	if (mknodat(to, name, st->st_mode, st->st_rdev) < 0 || fchmodat(to, name, st->st_mode & 07777, 0) < 0)
		return -errno;
	if (p->how->owners && fchownat(to, name, st->st_uid, st->st_gid, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	return utimensat(to, name, (struct timespec[]){ st->st_atim, st->st_mtim }, AT_SYMLINK_NOFOLLOW) < 0
		       ? -errno
		       : 0;
}

static int copy_entry(struct pinning *p, int from, int to, const char *name, const struct stat *st)
{
	bool several = st->st_nlink > 1;
	char key[64];
	int r;

	/* By round: a file that changed is another one in the copy. */
	snprintf(key, sizeof(key), "%llx-%u", (unsigned long long)st->st_ino, p->round);
	if (several && linkat(p->links, key, to, name, 0) == 0)
		return 0;
	if (S_ISREG(st->st_mode))
		r = copy_file(p, from, to, name, st);
	else if (S_ISLNK(st->st_mode))
		r = copy_link(from, name, to, name, &p->copy);
	else
		r = copy_node(p, to, name, st);
	if (r == 0 && several)
		(void)!linkat(to, name, p->links, key, 0); /* else two files of one: better than none */
	return r == -ENOENT ? 0 : r;                       /* gone meanwhile: then its directory is late */
}

static int sync_dir(struct pinning *p, int from, int to, int depth);

static int add_pair(struct pinning *p, ino_t from, ino_t to)
{
	if (p->n_dirs == p->dirs_cap) {
		void *grown = reallocarray(p->dirs, p->dirs_cap ? p->dirs_cap * 2 : 64, sizeof(*p->dirs));

		if (!grown)
			return -ENOMEM;
		p->dirs = grown;
		p->dirs_cap = p->dirs_cap ? p->dirs_cap * 2 : 64;
	}
	p->dirs[p->n_dirs++] = (struct pair){ from, to };
	return 0;
}

/* Another directory has the name now, by a rename: what is in it has its old times. */
static bool is_swapped(const struct pinning *p, const struct stat *from, const struct stat *to)
{
	for (size_t i = p->n_dirs; i-- > 0;) /* the newest: a number may be used again */
		if (p->dirs[i].to == to->st_ino)
			return p->dirs[i].from != from->st_ino;
	return false;
}

/* The directory of the copy for that of the tree. */
static int open_twin(struct pinning *p, const struct stat *from, int at, const char *name, int *ret)
{
	bool fresh = mkdirat(at, name, 0700) == 0;
	struct stat st;
	int r;

	if (!fresh && errno != EEXIST)
		return -errno;
	if (!fresh && is_late(p, from) && fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    is_swapped(p, from, &st)) {
		p->again++;
		r = layer_remove_at(at, name);
		if (r < 0 || mkdirat(at, name, 0700) < 0)
			return r < 0 ? r : -errno;
		fresh = true;
	}
	*ret = copy_open(at, name);
	if (*ret < 0)
		return *ret;
	return !fresh ? 0 : fstat(*ret, &st) < 0 ? -errno : add_pair(p, from->st_ino, st.st_ino);
}

static int sync_below(struct pinning *p, int from, int to, const char *name, const struct stat *st, int depth)
{
	scoped(drop_fd) int in = copy_open(from, name);
	scoped(drop_fd) int out = -1;
	struct stat now;
	int r;

	if ((in < 0 || st->st_dev != p->dev) && mkdirat(to, name, 0700) < 0 && errno != EEXIST)
		return -errno;
	if (in == -EACCES) {
		p->count.unreadable++;
		return fchmodat(to, name, 0, 0) < 0 ? -errno : 0;
	}
	if (in < 0)
		return copy_is_gone(in) ? 0 : in;
	if (st->st_dev !=
	    p->dev) /* another file system: the overlay shows what is below it, and that is nothing */
		return 0;
	if (fstat(in, &now) < 0 || !S_ISDIR(now.st_mode))
		return 0; /* replaced meanwhile */
	r = open_twin(p, &now, to, name, &out);
	if (r < 0)
		return r;
	if (depth >= MAX_DEPTH)
		return -ENAMETOOLONG;
	return sync_dir(p, in, out, depth + 1);
}

/* Something of another kind, or a file that changed. */
static int clear_away(int at, const char *name)
{
	if (unlinkat(at, name, 0) == 0 || errno == ENOENT)
		return 0;
	return errno == EISDIR || errno == EPERM ? layer_remove_at(at, name) : -errno;
}

static int sync_entry(struct pinning *p, int from, int to, const char *name, int depth)
{
	struct stat st, have;
	bool there;
	int r = 0;

	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	there = !p->first && fstatat(to, name, &have, AT_SYMLINK_NOFOLLOW) == 0;
	if (there && (have.st_mode & S_IFMT) != (st.st_mode & S_IFMT)) {
		r = clear_away(to, name);
		there = false;
	}
	p->count.files += p->first;
	if (p->first)
		meter_step(S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0);
	if (r == 0 && S_ISDIR(st.st_mode))
		return sync_below(p, from, to, name, &st, depth);
	if (r < 0 || (there && !is_late(p, &st)))
		return r;
	if (S_ISSOCK(st.st_mode) && !p->first)
		return 0;
	p->again++;
	if (there)
		r = clear_away(to, name);
	return r < 0 ? r : copy_entry(p, from, to, name, &st);
}

/* What the copy has, and the tree has no more. */
static int drop_gone(struct pinning *p, int from, int to)
{
	int r = 0;
	scoped(drop_dir) DIR *d = dir_take(copy_open(to, "."), &r);
	struct dirent *entry;
	struct stat st;

	if (!d)
		return r;
	while (r == 0 && (entry = dir_next(d, &r))) {
		if (!strcmp(entry->d_name, LINKS) ||
		    fstatat(from, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
			continue;
		p->again++;
		r = clear_away(to, entry->d_name);
	}
	return r;
}

/* One entry, and what of it is told: where something failed, or what changed last. */
static int sync_noted(struct pinning *p, int from, int to, const char *name, int depth)
{
	size_t had = p->again;
	int r = depth == 0 && !strcmp(name, LINKS) ? -EEXIST : sync_entry(p, from, to, name, depth);

	if ((r < 0 && !*p->at) || (r == 0 && !p->first && p->again > had))
		snprintf(p->at, sizeof(p->at), "%s", name);
	if (r == 0 && ++p->looked % 32 == 0 && p->how->stops && p->how->stops())
		r = -EINTR;
	tell(p);
	return r;
}

static int sync_dir(struct pinning *p, int from, int to, int depth)
{
	int r = 0;
	scoped(drop_dir) DIR *d = dir_take(copy_open(from, "."), &r);
	struct dirent *entry;
	struct stat st;
	size_t before = p->again;

	if (!d || fstat(from, &st) < 0)
		return d ? -errno : r;
	if (!p->first && is_late(p, &st)) {
		p->again++;
		r = drop_gone(p, from, to);
	}
	while (r == 0 && (entry = dir_next(d, &r)))
		r = sync_noted(p, from, to, entry->d_name, depth);
	if (r < 0 || (!p->first && p->again == before))
		return r;
	return copy_attrs(from, to, &p->copy); /* last: its times changed with what came in, and its mode may
						  forbid it */
}

/* Blocks of all there is; a file with several names counts once. */
static int measure(int fd, dev_t dev, int depth, uint64_t *ret, uint64_t *ret_files)
{
	scoped(drop_dir) DIR *d = fdopendir(fd);
	struct dirent *entry;
	int r = 0;

	if (!d)
		close_fd(&fd);
	while (d && r == 0 && (entry = dir_next(d, &r))) {
		struct stat st;
		int below;

		if (fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		++*ret_files;
		*ret += (uint64_t)st.st_blocks * 512 /
			(S_ISDIR(st.st_mode) || !st.st_nlink ? 1 : st.st_nlink);
		if (!S_ISDIR(st.st_mode) || st.st_dev != dev || depth >= MAX_DEPTH)
			continue;
		below = copy_open(dirfd(d), entry->d_name);
		if (below >= 0)
			r = measure(below, dev, depth + 1, ret, ret_files);
	}
	return r;
}

/* What is SHARED takes nothing. */
static int check_room(int from, int to, dev_t dev, bool shared, struct aisbx_error *e)
{
	struct statvfs fs;
	uint64_t need = 0, have, files = 0;
	char texts[2][32];
	int all = copy_open(from, ".");

	if (all < 0 || measure(all, dev, 0, &need, &files) < 0 || fstatvfs(to, &fs) < 0)
		return 0; /* then the copy says it */
	meter_more(files);
	if (shared)
		return 0;
	have = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (need < have)
		return 0;
	return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_LAYER, ENOSPC,
			    "a copy of the project needs %s of disk space, and %s are free",
			    str_size(need, texts[0], sizeof(texts[0])),
			    str_size(have, texts[1], sizeof(texts[1])));
}

/* Whether contents can be shared between the two. Tried on our side alone: the project is not written to. */
static bool can_share(int from, int to)
{
	scoped(drop_fd) int old = openat(to, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	scoped(drop_fd) int new = openat(to, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	struct stat a, b;

	return fstat(from, &a) == 0 && fstat(to, &b) == 0 && a.st_dev == b.st_dev && old >= 0 && new >= 0 &&
	       pwrite(old, "x", 1, 4095) == 1 && ioctl(new, FICLONE, old) == 0;
}

/* The moment a round begins, by the clock files are stamped with; in the same tick as the one before, all
 * would be late again. */
static struct timespec begin_round(const struct timespec *before)
{
	struct timespec now;

	for (int i = 0; i < 100; i++) { /* a clock that was set back is not waited for */
		clock_gettime(CLOCK_REALTIME_COARSE, &now);
		if (now.tv_sec != before->tv_sec || now.tv_nsec != before->tv_nsec)
			break;
		nanosleep(&(struct timespec){ .tv_nsec = 500000 }, NULL);
	}
	return now;
}

static int run_rounds(struct pinning *p, int from, int to)
{
	int r = 0;

	for (p->round = 0; r == 0 && p->round < ROUNDS; p->round++) {
		struct timespec began = begin_round(&p->since);

		p->first = p->round == 0;
		p->again = 0;
		r = sync_dir(p, from, to, 0);
		p->since = began;
		if (r == 0 && !p->first && !p->again) {
			p->count.since = began;
			return 0;
		}
	}
	return r < 0 ? r : -EAGAIN;
}

int pin_copy(const char *from, const char *to, const struct pin_how *how, struct pin_count *ret,
	     struct aisbx_error *e)
{
	scoped(drop_fd) int in = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scoped(drop_fd) int out = open(to, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct pinning p = {
		.how = how, .copy = { .owners = how->owners }, .links = -1, .told_ms = time_ms()
	};
	scoped_meter bool meter = meter_begin("copying the project", 0);
	struct stat st;
	int r;

	if (in < 0 || out < 0 || fstat(in, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "copy '%s'", from);
	p.dev = st.st_dev;
	p.count.shared = can_share(in, out);
	r = p.count.shared && !meter_is_heard() ? 0 : check_room(in, out, p.dev, p.count.shared, e);
	if (r < 0)
		return r;
	if (mkdirat(out, LINKS, 0700) == 0)
		p.links = openat(out, LINKS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = p.links < 0 ? -errno : run_rounds(&p, in, out);
	close_fd(&p.links);
	free(p.dirs);
	if (r == 0)
		r = layer_remove_at(out, LINKS);
	if (r == 0)
		r = copy_attrs(in, out, &p.copy); /* the last name that went changed its times */
	if (r == 0 && syncfs(out) < 0)
		r = -errno;
	if (r == -EAGAIN)
		return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_LAYER, EAGAIN,
				    "'%s' changes repeatedly while it is copied, most recently '%s'; stop "
				    "what writes there, and try again",
				    from, p.at);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "copy '%s'%s%s%s", from, *p.at ? ", at '" : "",
				  p.at, *p.at ? "'" : "");
	*ret = p.count;
	return 0;
}
