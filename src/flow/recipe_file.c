/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and reads recipes and locks; writes a lock. */
#include "flow/recipe_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"

#ifndef AISBX_LIBEXECDIR
#define AISBX_LIBEXECDIR "/usr/libexec/aisbx"
#endif
/* Where the build installs them. */
#define SHIPPED_DIR AISBX_LIBEXECDIR "/../../share/aisbx/recipes"
#define SYSTEM_DIR  "/etc/aisbx/recipes"
#define MAX_RECIPE  65536u

void recipe_file_finish(struct recipe_file *f)
{
	recipe_finish(&f->recipe);
	free(f->path);
	free(f->lock_path);
	buf_finish(&f->text);
	buf_finish(&f->lock);
	*f = (struct recipe_file){ 0 };
}

/* The directory of the person's own; heap, or NULL: there is none. */
static char *own_dir(void)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char *dir = NULL;

	if (config && *config == '/')
		return path_join(config, "aisbx/recipes");
	if (home && *home == '/' &&
	    asprintf(&dir, "%s/.config/aisbx/recipes", strcmp(home, "/") ? home : "") < 0)
		dir = NULL;
	return dir;
}

/* Beside the running program: below the prefix that it was moved to, or in a build. Heap, or NULL. */
static char *moved_dir(const char *below)
{
	char here[PATH_MAX], *slash;
	scoped(drop_mem) char *up = NULL;
	ssize_t n = readlink("/proc/self/exe", here, sizeof(here) - 1);

	here[n > 0 ? n : 0] = '\0';
	slash = strrchr(here, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	up = path_join("..", below);
	return up ? path_resolve(here, up) : NULL;
}

/* All of PATH, at most MOST bytes. -ENOENT leaves E as it is. */
static int read_all(const char *path, size_t most, struct buf *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char chunk[16384];
	struct stat st;
	ssize_t n = 0;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return -ENOENT;
	if (fd < 0 || fstat(fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "read '%s'", path);
	if (!S_ISREG(st.st_mode))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "'%s' is not a regular file", path);
	while (ret->len <= most && (n = read(fd, chunk, sizeof(chunk))) > 0)
		buf_add(ret, chunk, (size_t)n);
	if (n < 0 || ret->failed || !buf_str(ret))
		return aisbx_fail(e, AISBX_AREA_POLICY, n < 0 ? errno : ENOMEM, "read '%s'", path);
	return ret->len > most ? aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_POLICY, EFBIG,
					      "'%s' has more than %zu bytes", path, most)
			       : 0;
}

static bool is_file(const char *ref)
{
	size_t n = strlen(ref);

	return strchr(ref, '/') || (n > 5 && !strcmp(ref + n - 5, ".yaml"));
}

/* In the first directory that has it. Takes DIR, which may be NULL. */
static int try_dir(char *dir, const char *name, struct recipe_file *f, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = NULL;
	int r = dir && asprintf(&path, "%s/%s.yaml", dir, name) < 0 ? -ENOMEM : 0;

	free(dir);
	if (r < 0) {
		path = NULL;
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "find recipe '%s'", name);
	}
	r = path ? read_all(path, MAX_RECIPE, &f->text, e) : -ENOENT;
	if (r == 0)
		f->path = take_mem(&path);
	return r;
}

static int find_name(const char *name, struct recipe_file *f, bool *ret_own, struct aisbx_error *e)
{
	int r;

	if (!*name ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") !=
		    strlen(name) ||
	    name[0] == '.')
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"'%.100s' is not the name of a recipe; a file has a '/' or ends with .yaml", name);
	r = try_dir(own_dir(), name, f, e);
	*ret_own = r == 0;
	if (r == -ENOENT && !e->code)
		r = try_dir(strdup(SYSTEM_DIR), name, f, e);
	if (r == -ENOENT && !e->code)
		r = try_dir(moved_dir("share/aisbx/recipes"), name, f, e);
	if (r == -ENOENT && !e->code)
		r = try_dir(moved_dir("share/recipes"), name, f, e);
	if (r == -ENOENT && !e->code)
		r = try_dir(strdup(SHIPPED_DIR), name, f, e);
	if (r == -ENOENT && !e->code)
		r = aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_POLICY, ENOENT,
				 "there is no recipe '%s'; write c, go, java, node, python-data or rust, "
				 "and a file of your own is given by its path",
				 name);
	return r;
}

/* Where the lock is, or will be: BESIDE the recipe, or with the person's own. Heap, or NULL. */
static char *lock_place(const char *path, bool beside)
{
	size_t n = strlen(path), stem = n > 5 && !strcmp(path + n - 5, ".yaml") ? n - 5 : n;
	const char *slash = strrchr(path, '/');
	size_t dir = slash ? (size_t)(slash - path) + 1 : 0;
	scoped(drop_mem) char *own = beside ? NULL : own_dir();
	char *lock = NULL;

	if (own)
		return asprintf(&lock, "%s/%.*s.lock", own, (int)(stem - dir), path + dir) < 0 ? NULL : lock;
	return asprintf(&lock, "%.*s.lock", (int)stem, path) < 0 ? NULL : lock;
}

static int read_lock(struct recipe_file *f, bool own, bool lock, struct aisbx_error *e)
{
	int r;

	f->lock_path = lock_place(f->path, own);
	if (!f->lock_path)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "find the lock of '%s'", f->path);
	if (!lock)
		return 0;
	r = read_all(f->lock_path, RECIPE_LOCK_MAX, &f->lock, e);
	if (r == -ENOENT && !e->code && !own) { /* the one that came with it */
		scoped(drop_mem) char *beside = lock_place(f->path, true);

		r = beside ? read_all(beside, RECIPE_LOCK_MAX, &f->lock, e)
			   : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "find the lock of '%s'", f->path);
	}
	if (r == -ENOENT && !e->code)
		return 0;
	if (r == 0)
		r = recipe_lock_check(f->recipe.kind, f->lock.data, f->lock.len, f->lock_path, e);
	f->locked = r == 0;
	return r;
}

int recipe_file_read(const char *ref, const char *cwd, bool lock, struct recipe_file *ret,
		     struct aisbx_error *e)
{
	scoped(recipe_file_finish) struct recipe_file f = { 0 };
	bool own = true;
	int r;

	if (is_file(ref)) {
		f.path = path_resolve(cwd, ref);
		r = f.path ? read_all(f.path, MAX_RECIPE, &f.text, e)
			   : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read recipe '%s'", ref);
		if (r == -ENOENT && !e->code)
			r = aisbx_fail(e, AISBX_AREA_POLICY, ENOENT, "read recipe '%s'", f.path);
	} else {
		r = find_name(ref, &f, &own, e);
	}
	if (r == 0)
		r = recipe_parse(f.text.data, f.text.len, f.path, &f.recipe, e);
	if (r == 0 && f.recipe.lock_file)
		r = read_lock(&f, own, lock, e);
	if (r < 0)
		return r;
	*ret = f;
	f = (struct recipe_file){ 0 };
	return 0;
}

/* The directories of PATH, which is absolute. */
static int make_dirs(const char *path)
{
	char dir[PATH_MAX];

	for (const char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		if ((size_t)(at - path) >= sizeof(dir))
			return -ENAMETOOLONG;
		memcpy(dir, path, (size_t)(at - path));
		dir[at - path] = '\0';
		if (mkdir(dir, 0755) < 0 && errno != EEXIST)
			return -errno;
	}
	return 0;
}

static int write_file(const char *path, const struct buf *text)
{
	scoped(drop_mem) char *new = NULL;
	scoped(drop_fd) int fd = -1;
	size_t at = 0;

	if (asprintf(&new, "%s.new-XXXXXX", path) < 0) {
		new = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(new, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (at < text->len) {
		ssize_t n = write(fd, text->data + at, text->len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		at += (size_t)n;
	}
	if (at == text->len && fchmod(fd, 0644) == 0 && fsync(fd) == 0 && rename(new, path) == 0)
		return 0;
	at = (size_t)errno;
	unlink(new);
	return -(int)at;
}

int recipe_file_lock(struct recipe_file *f, const struct buf *text, struct aisbx_error *e)
{
	int r = recipe_lock_check(f->recipe.kind, text->data ? text->data : "", text->len, "the new lock", e);

	if (r < 0)
		return r;
	r = make_dirs(f->lock_path);
	if (r == 0)
		r = write_file(f->lock_path, text);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, -r, "write '%s'", f->lock_path);
	buf_finish(&f->lock);
	buf_add(&f->lock, text->data ? text->data : "", text->len);
	f->locked = buf_str(&f->lock) != NULL;
	return f->locked ? 0 : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read '%s'", f->lock_path);
}
