/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads rules and index of a repository that a box may have written: by descriptors, through directories
 * only, up to a size limit. Larger files contain no rules, as git itself has a limit. Nothing here follows a
 * link or obeys a configuration.
 */
#include "layer/ignore_repo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "layer/copy.h"
#include "layer/ignore_rules.h"
#include "sys/sys.h"

#define MAX_RULES     ((size_t)1 << 20)  /* of one file */
#define MAX_ALL_RULES ((size_t)64 << 20) /* of one repository */
#define MAX_INDEX     ((off_t)256 << 20)
#define MAX_POINTER   ((size_t)8192) /* a file that only names a directory */

void ignore_repo_finish(struct ignore_repo *r)
{
	free(r->dir);
	free(r->prefix);
	free(r->copy);
	tree_root_close(&r->above);
	close_fd(&r->fd);
}

/* A regular file of at most MAX bytes, opened; -1 when there is no such one. */
static int open_file(int at, const char *name, off_t max, off_t *ret_size)
{
	scoped(drop_fd) int fd = copy_open(at, name);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > max)
		return -1;
	*ret_size = st.st_size;
	return take_fd(&fd);
}

/* Adds all of it to B, or nothing. */
static void read_file(int fd, size_t max, struct buf *b)
{
	size_t before = b->len;

	if (io_read_all(fd, before + max, b) < 0 || b->len - before > max)
		b->len = before;
}

/* Opens a file of the project as the box has it; -1 when there is no such one. */
static int open_seen(struct open_view *open_view, const char *rel, off_t max, off_t *ret_size)
{
	struct view_entry seen = { 0 };

	if (view_find(open_view, rel, &seen) < 0 || !seen.thing.exists || !S_ISREG(seen.thing.st.st_mode))
		return -1;
	return open_file(seen.thing.at, seen.thing.name, max, ret_size);
}

static int open_above(struct tree_root *p, const char *rel, off_t max, off_t *ret_size)
{
	const char *name;
	int at = tree_root_parent(p, rel, &name);

	return at < 0 ? -1 : open_file(at, name, max, ret_size);
}

/* The one line of a file that names a directory, behind what it begins with; heap, or NULL. */
static char *read_pointer(struct open_view *open_view, const char *rel, const char *begin)
{
	scoped(buf_finish) struct buf b = { 0 };
	off_t size;
	scoped(drop_fd) int fd = open_seen(open_view, rel, (off_t)MAX_POINTER, &size);
	char *text;

	read_file(fd, MAX_POINTER, &b);
	text = buf_str(&b);
	if (!text || strncmp(text, begin, strlen(begin)) != 0 || !text[strlen(begin)])
		return NULL;
	text[strcspn(text, "\r\n")] = '\0';
	return strdup(text + strlen(begin));
}

/* Where NAMED leads from DIR of the project, below the project; heap, or NULL when it is not in there. */
static char *follow(const struct open_view *open_view, const char *dir, const char *named)
{
	scoped(drop_mem) char *from = path_join(open_view->view->host, dir);
	scoped(drop_mem) char *to = from ? path_resolve(from, named) : NULL;
	const char *rel = to ? path_below(to, open_view->view->host) : NULL;

	return rel ? strdup(rel) : NULL;
}

/* 1 when DIR has a thing called NAME whose type is one of TYPES. Negative errno. */
static int has(struct open_view *open_view, const char *dir, const char *name, mode_t a, mode_t b)
{
	scoped(drop_mem) char *rel = path_child(dir, name);
	struct view_entry seen = { 0 };
	int r = rel ? view_find(open_view, rel, &seen) : -ENOMEM;

	return r < 0 ? r
		     : seen.thing.exists && ((seen.thing.st.st_mode & S_IFMT) == a ||
					     (seen.thing.st.st_mode & S_IFMT) == b);
}

int ignore_repo_is(struct open_view *open_view, const char *dir)
{
	scoped(drop_mem) char *git = path_child(dir, ".git");
	scoped(drop_mem) char *pointer = NULL;
	int r = git ? has(open_view, dir, ".git", S_IFDIR, S_IFREG) : -ENOMEM;

	if (r <= 0)
		return r;
	pointer = read_pointer(open_view, git, "gitdir: ");
	if (pointer)
		return 1;
	r = has(open_view, git, "HEAD", S_IFREG, S_IFLNK);
	if (r > 0)
		r = has(open_view, git, "objects", S_IFDIR, S_IFDIR);
	if (r > 0)
		r = has(open_view, git, "refs", S_IFDIR, S_IFDIR);
	return r;
}

bool ignore_repo_is_joined(struct open_view *open_view, const char *dir)
{
	scoped(drop_mem) char *git = path_child(dir, ".git");
	scoped(drop_mem) char *pointer = git ? read_pointer(open_view, git, "gitdir: ") : NULL;
	scoped(drop_mem) char *place = pointer ? follow(open_view, dir, pointer) : NULL;

	return place != NULL;
}

/* Git directory of the repository in DIR, below the project; heap. NULL when it is not in there: then rules
 * alone decide. */
static char *find_git_dir(struct open_view *open_view, const char *dir)
{
	scoped(drop_mem) char *git = path_child(dir, ".git");
	scoped(drop_mem) char *pointer = git ? read_pointer(open_view, git, "gitdir: ") : NULL;

	return pointer ? follow(open_view, dir, pointer) : take_mem(&git);
}

/* A linked worktree has its index for itself, and the rest in the directory it names. */
static char *find_common_dir(struct open_view *open_view, const char *git)
{
	scoped(drop_mem) char *file = path_child(git, "commondir");
	scoped(drop_mem) char *pointer = file ? read_pointer(open_view, file, "") : NULL;

	return pointer ? follow(open_view, git, pointer) : strdup(git);
}

static bool is_dir(const char *at, const char *name)
{
	scoped(drop_mem) char *path = path_join(at, name);
	struct stat st;

	return path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Whether a directory of the host is one, as git sees it. Somebody else's is not obeyed, nor by git. */
static bool is_repo_of(const char *dir, uid_t owner)
{
	scoped(drop_mem) char *git = path_join(dir, ".git");
	struct stat st;

	if (!git || lstat(git, &st) < 0 || (st.st_uid != owner && st.st_uid != geteuid()))
		return false;
	return S_ISREG(st.st_mode) || (S_ISDIR(st.st_mode) && is_dir(git, "objects") && is_dir(git, "refs"));
}

int ignore_repo_find_above(struct open_view *open_view, struct ignore_repo *ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = strdup(open_view->view->host);
	struct stat project, st;
	char *slash;
	int r;

	if (!dir)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "search for a repository above '%s'",
				  open_view->view->host);
	if (stat(dir, &project) < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "inspect '%s'", dir);
	/* Not the file system's root, and not onto another file system, where git does not look either. */
	while ((slash = strrchr(dir, '/')) && slash > dir) {
		*slash = '\0';
		if (stat(dir, &st) < 0 || st.st_dev != project.st_dev)
			return 0;
		if (!is_repo_of(dir, project.st_uid))
			continue;
		r = tree_root_open(dir, &ret->above, e);
		if (r == 0 && (!(ret->dir = strdup("")) ||
			       asprintf(&ret->prefix, "%s/", open_view->view->host + strlen(dir) + 1) < 0))
			r = aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "read the rules in '%s'", dir);
		return r < 0 ? r : 1;
	}
	return 0;
}

static int make_dirs(int at, const char *path)
{
	scoped(drop_mem) char *part = strdup(path);

	for (char *slash = part; part && (slash = strchr(slash, '/')); slash++) {
		int r;

		*slash = '\0';
		r = sys_mkdir(at, part, 0700);
		if (r < 0 && r != -EEXIST)
			return r;
		*slash = '/';
	}
	return part ? 0 : -ENOMEM;
}

static int write_new(int at, const char *path, const struct buf *b)
{
	scoped(drop_fd) int fd = -1;
	int r = b->failed ? -ENOMEM : make_dirs(at, path);

	if (r < 0)
		return r;
	fd = sys_open(at, path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0600);
	return fd < 0 ? fd : sys_write_all(fd, b->data, b->len);
}

/* Adds the rules of an open file, or -1. */
static void add_rules(struct ignore_repo *r, int fd, struct buf *ret)
{
	scoped(buf_finish) struct buf text = { 0 };
	size_t max = MAX_RULES < r->left ? MAX_RULES : r->left;

	read_file(fd, max, &text);
	r->left -= text.len;
	ret->failed |= text.failed;
	if (text.len && !text.failed)
		ignore_rules_add(ret, text.data, text.len);
}

static int open_persons(void)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	scoped(drop_mem) char *path = NULL;
	scoped(drop_fd) int fd = -1;
	struct stat st;

	if (config && *config)
		path = path_join(config, "git/ignore");
	else if (home && *home)
		path = path_join(home, ".config/git/ignore");
	fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
		  : -1; /* a link of the person's own is followed */
	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? take_fd(&fd) : -1;
}

static int copy_index(struct ignore_repo *r, int from, off_t size)
{
	scoped(drop_mem) char *path = NULL;
	scoped(drop_fd) int to = -1;
	int rc;

	if (from < 0)
		return 0;
	if (asprintf(&path, "%s.index", r->copy) < 0)
		return -ENOMEM;
	to = sys_open(AT_FDCWD, path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0600);
	rc = to < 0 ? to : copy_data(from, to, size);
	r->has_index = rc == 0;
	return rc;
}

/* Index and info/exclude; the person's own rules are weaker than the latter, so they come first in the same
 * file. */
static int copy_git_dir(struct open_view *open_view, struct ignore_repo *r, struct buf *exclude)
{
	bool is_above = r->above.root >= 0;
	scoped(drop_mem) char *git = is_above ? strdup(".git") : find_git_dir(open_view, r->dir);
	scoped(drop_mem) char *common = git && !is_above ? find_common_dir(open_view, git) : NULL;
	scoped(drop_mem) char *index = git ? path_child(git, "index") : NULL;
	scoped(drop_mem) char *rules = is_above ? strdup(".git/info/exclude")
				       : common ? path_child(common, "info/exclude")
						: NULL;
	scoped(drop_fd) int index_fd = -1;
	scoped(drop_fd) int rules_fd = -1;
	off_t size = 0, unused;
	int rc;

	if (index)
		index_fd = is_above ? open_above(&r->above, index, MAX_INDEX, &size)
				    : open_seen(open_view, index, MAX_INDEX, &size);
	rc = copy_index(r, index_fd, size);
	if (rules && rc == 0) {
		rules_fd = is_above ? open_above(&r->above, rules, (off_t)MAX_RULES, &unused)
				    : open_seen(open_view, rules, (off_t)MAX_RULES, &unused);
		add_rules(r, rules_fd, exclude);
	}
	return rc;
}

/* The .gitignore files from a repository above down to the project, without the project's. */
static int copy_above(struct ignore_repo *r)
{
	scoped(drop_mem) char *file = NULL;
	int rc = 0;

	for (const char *slash = r->prefix; rc == 0 && slash;
	     slash = strchr(slash, '/') ? strchr(slash, '/') + 1 : NULL) {
		scoped(buf_finish) struct buf b = { 0 };
		scoped(drop_fd) int fd = -1;
		off_t unused;

		free(file);
		file = NULL;
		if (!*slash) /* the project itself: as the box sees it */
			break;
		if (asprintf(&file, "%.*s.gitignore", (int)(slash - r->prefix), r->prefix) < 0)
			return -ENOMEM;
		fd = open_above(&r->above, file, (off_t)MAX_RULES, &unused);
		add_rules(r, fd, &b);
		rc = b.len || b.failed ? write_new(r->fd, file, &b) : 0;
	}
	return rc;
}

int ignore_repo_lay_out(struct open_view *open_view, struct ignore_repo *r, const char *path,
			struct aisbx_error *e)
{
	static const char head[] = "ref: refs/heads/main\n";
	scoped(buf_finish) struct buf exclude = { 0 };
	scoped(drop_fd) int persons = open_persons();
	int rc;

	r->left = MAX_ALL_RULES;
	r->copy = strdup(path);
	rc = r->copy ? sys_mkdir(AT_FDCWD, path, 0700) : -ENOMEM;
	if (rc == 0)
		rc = r->fd = sys_open(AT_FDCWD, path, O_DIRECTORY | O_PATH, 0);
	if (rc >= 0)
		rc = make_dirs(r->fd, ".git/objects/");
	if (rc == 0)
		rc = make_dirs(r->fd, ".git/refs/");
	if (rc == 0)
		rc = write_new(r->fd, ".git/HEAD",
			       &(struct buf){ .data = (char *)head, .len = strlen(head) });
	add_rules(r, persons, &exclude);
	if (rc == 0)
		rc = copy_git_dir(open_view, r, &exclude);
	if (rc == 0)
		rc = write_new(r->fd, ".git/info/exclude", &exclude);
	if (rc == 0 && r->above.root >= 0)
		rc = copy_above(r);
	return rc < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -rc, "copy what '%s' ignores to '%s'",
				   *r->dir ? r->dir : open_view->view->host, path)
		      : 0;
}

int ignore_repo_add(struct open_view *open_view, struct ignore_repo *r, const char *dir,
		    struct aisbx_error *e)
{
	scoped(drop_mem) char *from = path_child(dir, ".gitignore");
	scoped(drop_mem) char *to = NULL;
	scoped(buf_finish) struct buf b = { 0 };
	scoped(drop_fd) int fd = -1;
	off_t unused;
	int rc = 0;

	if (from)
		fd = open_seen(open_view, from, (off_t)MAX_RULES, &unused);
	if (from && fd < 0)
		return 0;
	add_rules(r, fd, &b);
	if (!from || asprintf(&to, "%s%s", r->prefix, from + (*r->dir ? strlen(r->dir) + 1 : 0)) < 0)
		rc = -ENOMEM;
	else if (b.len || b.failed)
		rc = write_new(r->fd, to, &b);
	return rc < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -rc, "copy the rules '%s'",
				   path_tail(from ? from : dir, PATH_TOLD))
		      : 0;
}
