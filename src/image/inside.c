/* SPDX-License-Identifier: Apache-2.0 */
/* Looks names up in layers, newest first: whiteouts and opaque directories end the search. */
#include "image/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/path.h"
#include "base/scope.h"
#include "sys/sys.h"

#define INSIDE    (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV)
#define MAX_LINKS 4
#define VAR       "/var/"

/* What one layer says about a path. */
enum says { SAYS_NOTHING, SAYS_THIS, SAYS_NONE };

void image_found_finish(struct image_found *f)
{
	close_fd(&f->dir);
	close_fd(&f->fd);
}

static bool is_opaque(int fd)
{
	char value;

	return fgetxattr(fd, "user.overlay.opaque", &value, 1) == 1 && value == 'y';
}

/* Directory NAME of DIR; *RET_SAYS: what it means that there is none, or that what is below it does not
 * count.
 */
static int enter(int dir, const char *name, enum says *ret_says, bool *ret_opaque)
{
	int fd = sys_openat2(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0, INSIDE);

	if (fd >= 0)
		*ret_opaque |= is_opaque(fd);
	else
		*ret_says = fd == -ENOENT ? (*ret_opaque ? SAYS_NONE : SAYS_NOTHING) : SAYS_NONE;
	return fd;
}

static enum says look(const char *up, const char *rel, struct image_found *ret)
{
	scoped(drop_fd) int dir = open(up, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	scoped(drop_fd) int fd = -1;
	enum says says = SAYS_NOTHING;
	bool opaque = false;
	char name[256];

	if (dir < 0)
		return errno == ENOENT ? SAYS_NOTHING : SAYS_NONE;
	for (size_t n; (n = strcspn(rel, "/")), rel[n]; rel += n + 1) {
		int next;

		if (n >= sizeof(name))
			return SAYS_NONE;
		memcpy(name, rel, n);
		name[n] = '\0';
		next = enter(dir, name, &says, &opaque);
		if (next < 0)
			return says;
		close(dir);
		dir = next;
	}
	/* Without waiting for who is not there: it may be a pipe. */
	fd = sys_openat2(dir, rel, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0, INSIDE & ~RESOLVE_NO_SYMLINKS);
	if (fd < 0)
		return fd == -ENOENT && !opaque ? SAYS_NOTHING : SAYS_NONE;
	if (fstat(fd, &ret->st) < 0 || (S_ISCHR(ret->st.st_mode) && ret->st.st_rdev == 0))
		return SAYS_NONE;
	ret->dir = take_fd(&dir);
	ret->fd = take_fd(&fd);
	ret->name = rel;
	return SAYS_THIS;
}

int image_find(const char *const *ups, size_t n_ups, const char *rel, struct image_found *ret)
{
	enum says says = SAYS_NOTHING;

	for (size_t i = 0; says == SAYS_NOTHING && i < n_ups; i++)
		says = look(ups[i], rel, ret);
	return says == SAYS_THIS ? 0 : -ENOENT;
}

/* Where the link at AT leads, as seen from the root of the image. Heap, or NULL. */
static char *target_of(const struct image_found *link, const char *at)
{
	char text[PATH_MAX];
	ssize_t n = readlinkat(link->fd, "", text, sizeof(text) - 1);
	scoped(drop_mem) char *dir = strdup(at);

	if (n <= 0 || n == sizeof(text) - 1 || !dir)
		return NULL;
	text[n] = '\0';
	*(strrchr(dir, '/') + (strrchr(dir, '/') == dir)) = '\0';
	return path_resolve(dir, text); /* ".." ends at the root */
}

void image_place(const char *const *ups, size_t n_ups, const char *name, char ret[PATH_MAX])
{
	scoped(drop_mem) char *at = NULL;

	ret[0] = '\0';
	if (asprintf(&at, "/%s", name) < 0)
		at = NULL;
	for (int i = 0; at && i <= MAX_LINKS; i++) {
		scoped(image_found_finish) struct image_found found = IMAGE_FOUND_INIT;
		char *next;

		if (image_find(ups, n_ups, at + 1, &found) < 0)
			return;
		if (S_ISDIR(found.st.st_mode) && i && strlen(at) < PATH_MAX)
			snprintf(ret, PATH_MAX, "%s", at);
		if (!S_ISLNK(found.st.st_mode))
			return;
		next = target_of(&found, at);
		free(at);
		at = next;
		if (!at || strncmp(at, VAR, strlen(VAR)) != 0 || !path_is_clean(at))
			return;
	}
}
