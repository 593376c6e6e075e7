/* SPDX-License-Identifier: Apache-2.0 */
/* Walks to a directory name by name, by descriptors, and checks the owner and mode of each. */
#include "base/private_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"

/* As many links as the kernel itself follows. */
#define MAX_LINKS 40
/* Who has no number in this user namespace. */
#define NOBODY 65534u
/* The kernel numbers the user namespace it boots with by hand: PROC_USER_INIT_INO. */
#define FIRST_USERNS_INODE 0xEFFFFFFDu
#define OTHERS             (S_IWGRP | S_IWOTH)

#define LOOK (O_PATH | O_NOFOLLOW | O_CLOEXEC)

struct walk {
	const char *path;   /* borrowed; where it leads */
	const char *remedy; /* borrowed */
	bool shared;        /* its end may be others' as well */
	unsigned int links;
};

/* "user 1003 (eve)"; /etc/passwd itself and not getpwuid, which a static program cannot use without the
 * shared libc. */
static const char *who(uid_t uid, char *room, size_t cap)
{
	scoped(drop_file) FILE *f = fopen("/etc/passwd", "re");
	const struct passwd *p;

	snprintf(room, cap, "user %u", (unsigned int)uid);
	while (f && (p = fgetpwent(f)))
		if (p->pw_uid == uid) {
			snprintf(room, cap, "user %u (%.32s)", (unsigned int)uid, p->pw_name);
			break;
		}
	return room;
}

static const char *kind(mode_t mode)
{
	return S_ISLNK(mode)    ? "link"
	       : S_ISFIFO(mode) ? "FIFO"
	       : S_ISSOCK(mode) ? "socket"
	       : S_ISREG(mode)  ? "file"
				: "device";
}

/* Root can do as he likes anyway. In a user namespace without him what is his is nobody's, and cannot be told
 * from a stranger's. */
bool private_dir_trusts(uid_t uid)
{
	struct stat st;

	return uid == geteuid() || uid == 0 ||
	       (uid == NOBODY && stat("/proc/self/ns/user", &st) == 0 && st.st_ino != FIRST_USERNS_INODE);
}

static int refuse_owner(const char *path, const char *part, uid_t uid, const char *remedy,
			struct aisbx_error *e)
{
	char owner[64], me[64];

	return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_SYS, EPERM,
			    "'%s%s%s' belongs to %s, not to you, %s; %s", path_tail(path, PATH_TOLD),
			    part ? "/" : "", part ? part : "", who(uid, owner, sizeof(owner)),
			    who(geteuid(), me, sizeof(me)), remedy);
}

static int refuse_mode(const char *path, const char *part, mode_t mode, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_SYS, EPERM,
			    "others than you can write to '%s%s%s' (mode %04o), so its contents may not be "
			    "yours; check it, then run 'chmod go-w' on it",
			    path_tail(path, PATH_TOLD), part ? "/" : "", part ? part : "",
			    (unsigned int)(mode & 07777));
}

/* The path of what FD is, as the kernel sees it. */
static const char *path_of(int fd, char *room, size_t cap)
{
	char link[32];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, room, cap - 1);
	room[n > 0 ? n : 0] = '\0';
	return room;
}

/* Of what is on the way: who else could put something into the place of what follows. */
static int check_way(const struct walk *w, int fd, const struct stat *st, struct aisbx_error *e)
{
	char owner[64], here[PATH_MAX];

	if (!private_dir_trusts(st->st_uid))
		return aisbx_refuse(
			e, AISBX_KIND_DENIED, AISBX_AREA_SYS, EPERM,
			"'%s', on the path to '%s', belongs to %s, who could put anything there; %s",
			path_tail(path_of(fd, here, sizeof(here)), PATH_TOLD), path_tail(w->path, PATH_TOLD),
			who(st->st_uid, owner, sizeof(owner)), w->remedy);
	if ((st->st_mode & S_IWOTH) && !(st->st_mode & S_ISVTX) && !S_ISLNK(st->st_mode))
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_SYS, EPERM,
				    "everybody can write to '%s', on the path to '%s', and put anything "
				    "there; run 'chmod o-w' or 'chmod +t' on it, or %s",
				    path_tail(path_of(fd, here, sizeof(here)), PATH_TOLD),
				    path_tail(w->path, PATH_TOLD), w->remedy);
	return 0;
}

static int check_end(const struct walk *w, int fd, const struct stat *st, struct aisbx_error *e)
{
	if (w->shared)
		return check_way(w, fd, st, e);
	if (st->st_uid != geteuid())
		return refuse_owner(w->path, NULL, st->st_uid, w->remedy, e);
	return st->st_mode & OTHERS ? refuse_mode(w->path, NULL, st->st_mode, e) : 0;
}

/* NAME in AT, a directory or a link. Asked for as a directory first: only then what is mounted on demand is
 * mounted. */
static int look(int at, const char *name)
{
	int fd = openat(at, name, LOOK | O_DIRECTORY);

	return fd < 0 && (errno == ENOTDIR || errno == ELOOP) ? openat(at, name, LOOK) : fd;
}

/* What is left of the way with the link's text before it. */
static char *expand(int link, const char *rest)
{
	char target[PATH_MAX], *all = NULL;
	ssize_t n = readlinkat(link, "", target, sizeof(target) - 1);

	if (n < 0)
		return NULL;
	target[n] = '\0';
	return asprintf(&all, "%s/%s", target, rest) < 0 ? NULL : all;
}

static bool is_end(const char *rest)
{
	return rest[strspn(rest, "/")] == '\0';
}

/* One name further: *AT and *REST go on. */
static int step(struct walk *w, int *at, char **rest, struct aisbx_error *e)
{
	scoped(drop_mem) char *old = *rest;
	char *name = old + strspn(old, "/"), *after = name + strcspn(name, "/");
	scoped(drop_fd) int fd = -1;
	struct stat st;
	int r;

	*rest = strdup(*after ? after + 1 : "");
	*after = '\0';
	fd = *rest ? look(*at, name) : -1;
	if (fd < 0 || fstat(fd, &st) < 0)
		return errno == ENOENT ? -ENOENT
				       : aisbx_fail(e, AISBX_AREA_SYS, errno, "open '%s' on the path to '%s'",
						    name, w->path);
	if (S_ISLNK(st.st_mode)) {
		char *all = ++w->links > MAX_LINKS ? (errno = ELOOP, NULL) : expand(fd, *rest);

		free(*rest);
		*rest = all;
		if (!all)
			return aisbx_fail(e, AISBX_AREA_SYS, errno, "follow '%s' on the path to '%s'", name,
					  w->path);
		if (*all == '/') {
			close_fd(at);
			*at = open("/", LOOK | O_DIRECTORY);
		}
		return check_way(w, fd, &st, e);
	}
	if (!S_ISDIR(st.st_mode))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_SYS, ENOTDIR,
				    "'%s' on the path to '%s' is a %s, not a directory; %s", name, w->path,
				    kind(st.st_mode), w->remedy);
	r = is_end(*rest) ? check_end(w, fd, &st, e) : check_way(w, fd, &st, e);
	close_fd(at);
	*at = take_fd(&fd);
	return r;
}

static int walk(struct walk *w, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_mem) char *rest = strdup(w->path);
	scoped(drop_fd) int at = open("/", LOOK | O_DIRECTORY);
	int r = 0;

	if (!rest || at < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, rest ? errno : ENOMEM, "open '%s'", w->path);
	while (r == 0 && !is_end(rest))
		r = step(w, &at, &rest, e);
	if (r == 0)
		*ret_fd = take_fd(&at);
	return r;
}

/* What was only looked at, to be read and locked. */
static int reopen(int at, const char *path, struct aisbx_error *e)
{
	int fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? aisbx_fail(e, AISBX_AREA_SYS, errno, "open '%s'", path) : fd;
}

int private_dir_open(const char *path, const char *remedy, struct aisbx_error *e)
{
	struct walk w = { .path = path, .remedy = remedy };
	scoped(drop_fd) int at = -1;
	int r = walk(&w, &at, e);

	return r < 0 ? r : reopen(at, path, e);
}

int private_dir_check_shared(const char *path, const char *remedy, struct aisbx_error *e)
{
	struct walk w = { .path = path, .remedy = remedy, .shared = true };
	scoped(drop_fd) int at = -1;
	int r = walk(&w, &at, e);

	return r == -ENOENT ? aisbx_fail(e, AISBX_AREA_SYS, ENOENT, "open '%s'", path) : r;
}

/* ST of NAME in PATH, ours: no link. ROOT: what is root's will do. */
static int check_entry(const struct stat *st, const char *path, const char *name, bool root,
		       struct aisbx_error *e)
{
	if (S_ISLNK(st->st_mode))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_SYS, ELOOP,
				    "'%s/%s' is a symbolic link, which aisbx does not follow for its own "
				    "files; remove it, or move '%s' itself elsewhere and link that",
				    path_tail(path, PATH_TOLD), name, path_tail(path, PATH_TOLD));
	if (st->st_uid != geteuid() && !(root && private_dir_trusts(st->st_uid)))
		return refuse_owner(path, name, st->st_uid, "remove it, or move it away", e);
	if ((st->st_mode & OTHERS) && !S_ISSOCK(st->st_mode))
		return refuse_mode(path, name, st->st_mode, e);
	return 0;
}

int private_dir_open_at(int at, const char *path, const char *name, mode_t mode, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	struct stat st;
	int r;

	if (mode && mkdirat(at, name, mode) < 0 && errno != EEXIST)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "make '%s/%s'", path, name);
	fd = openat(at, name, LOOK);
	if (fd < 0 || fstat(fd, &st) < 0)
		return errno == ENOENT ? -ENOENT
				       : aisbx_fail(e, AISBX_AREA_SYS, errno, "open '%s/%s'", path, name);
	r = check_entry(&st, path, name, false, e);
	if (r == 0 && !S_ISDIR(st.st_mode))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_SYS, ENOTDIR,
				 "'%s/%s' is a %s, not a directory; remove it", path, name, kind(st.st_mode));
	return r < 0 ? r : reopen(fd, name, e);
}

int private_dir_check_entries(int at, const char *path, struct aisbx_error *e)
{
	int again = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	scoped(drop_dir) DIR *d = again < 0 ? NULL : fdopendir(again);
	const struct dirent *entry;
	struct stat st;

	if (!d) {
		r = aisbx_fail(e, AISBX_AREA_SYS, errno, "read '%s'", path);
		drop_fd(&again);
		return r;
	}
	while ((entry = dir_next(d, &r))) {
		if (fstatat(at, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
			if (errno == ENOENT) /* just gone */
				continue;
			return aisbx_fail(e, AISBX_AREA_SYS, errno, "look at '%s/%s'", path, entry->d_name);
		}
		r = check_entry(&st, path, entry->d_name, true, e);
		if (r < 0)
			return r;
	}
	return r < 0 ? aisbx_fail(e, AISBX_AREA_SYS, -r, "read '%s'", path) : 0;
}
