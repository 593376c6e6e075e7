/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which places the glass shows. Landlock knows only what is allowed, so reading is allowed everywhere except
 * along the paths that lead to a secret, which are split: each entry of such a directory gets a rule of its
 * own, except the secret. Names in directories can be listed everywhere: a right to list "/" would apply to
 * everything below it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/env.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "look/look.h"
#include "policy/secret.h"
#include "sys/sys.h"

#define READ  (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE)
#define WRITE (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE)
#define IOCTL (1ULL << 15) /* later headers than Debian 12's name it */

/* Of directories where most is not to be read: devices are disks and terminals of others, sysfs does things
 * when read, homes are of others. */
static const char *const shut[] = { "/dev", "/sys", "/home", "/run/user", "/run/secrets", "/run/credentials",
				    NULL };
static const struct {
	const char *path;
	uint64_t access;
} open_again[] = {
	{ "/dev/null", WRITE | IOCTL }, { "/dev/zero", WRITE | IOCTL }, { "/dev/full", WRITE | IOCTL },
	{ "/dev/tty", WRITE | IOCTL },  { "/dev/random", READ },        { "/dev/urandom", READ },
	{ "/sys/class", READ },         { "/sys/devices", READ },       { "/sys/block", READ },
	{ "/sys/bus", READ },           { "/sys/fs/cgroup", READ },     { "/sys/kernel/mm", READ },
};

/* PATH as it really is, when it is there and we could read it, or look for something in it. Most are not
 * there. */
static void hide(struct strlist *hidden, const char *path)
{
	const struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
	scoped(drop_fd) int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	char real[PATH_MAX];

	if (fd < 0 &&
	    (errno == ENOENT || errno == ENOTDIR)) /* anything else, such as no openat2, hides more */
		return;
	if (access(path, R_OK) < 0 && access(path, X_OK) < 0)
		return;
	if (fd < 0 && !realpath(path, real))
		return;
	if (!strlist_has(hidden, fd < 0 ? real : path))
		strlist_add(hidden, fd < 0 ? real : path);
}

/* The first part of PATH is NAME. */
static bool begins_with(const char *path, const char *name)
{
	size_t n = strlen(name);

	return path[1] == name[1] && !strncmp(path, name, n) && (!path[n] || path[n] == '/');
}

/* One look at the names in the home instead of one for each secret there could be. */
static void hide_in_home(struct strlist *hidden, const char *home)
{
	scoped(drop_dir) DIR *dir = opendir(home);
	const struct dirent *d;
	char path[PATH_MAX];

	while (dir && (d = readdir(dir)) != NULL)
		for (const char *const *p = secret_home_paths; *p; p++)
			if (begins_with(*p, d->d_name) &&
			    snprintf(path, sizeof(path), "%s/%s", strcmp(home, "/") ? home : "", *p) <
				    (int)sizeof(path))
				hide(hidden, path);
}

static void add_real(struct strlist *list, const char *path)
{
	char real[PATH_MAX];

	if (path && realpath(path, real) && !strlist_has(list, real))
		strlist_add(list, real);
}

/* A variable can be set to anything: what the system says counts beside it. */
static void add_home_of_user(struct strlist *homes)
{
	scoped(drop_file) FILE *f = fopen("/etc/passwd", "re");
	const struct passwd *p;

	while (f && (p = fgetpwent(f)) != NULL)
		if (p->pw_uid == getuid()) {
			add_real(homes, p->pw_dir);
			break;
		}
}

/* Somebody else's home we are in counts as ours, or there would be nothing to see. */
static void add_home_of_place(struct strlist *homes, const char *cwd)
{
	const char *below = path_below(cwd, "/home");
	char path[PATH_MAX];

	if (below && *below &&
	    snprintf(path, sizeof(path), "/home/%.*s", (int)strcspn(below, "/"), below) < (int)sizeof(path))
		add_real(homes, path);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void look_places_finish(struct look_places *p)
{
	strlist_finish(&p->hidden);
	strlist_finish(&p->homes);
}

static void hide_all(struct look_places *p, const char *const *env)
{
	const char *state = env_dir(env, "XDG_STATE_HOME");
	char path[PATH_MAX];

	for (size_t i = 0; i < p->homes.n; i++)
		hide_in_home(&p->hidden, p->homes.items[i]);
	for (const char *const *s = secret_system_paths; *s; s++)
		hide(&p->hidden, *s);
	for (const char *const *s = secret_login_names; *s; s++)
		if (snprintf(path, sizeof(path), "/etc/%s", *s) < (int)sizeof(path))
			hide(&p->hidden, path);
	if (state && snprintf(path, sizeof(path), "%s/aisbx", state) < (int)sizeof(path))
		hide(&p->hidden, path);
	for (const char *const *s = shut; *s; s++)
		hide(&p->hidden, *s);
}

int look_places_read(const char *const *env, struct look_places *ret, struct aisbx_error *e)
{
	struct look_places p = { 0 };
	char cwd[PATH_MAX];

	add_home_of_user(&p.homes);
	add_real(&p.homes, env_dir(env, "HOME"));
	if (getcwd(cwd, sizeof(cwd)))
		add_home_of_place(&p.homes, cwd);
	hide_all(&p, env);
	if (p.hidden.failed || p.homes.failed) {
		look_places_finish(&p);
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "list the secret files");
	}
	if (p.hidden.n)
		qsort(p.hidden.items, p.hidden.n, sizeof(*p.hidden.items), by_text);
	*ret = p;
	return 0;
}

static int allow(int ruleset, int dir, const char *name, uint64_t access, struct aisbx_error *e)
{
	int fd = sys_open(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
	int r = fd < 0 ? 0 : sys_landlock_allow(ruleset, fd, access);

	return r < 0 ? aisbx_fail(e, AISBX_AREA_RUN, -r, "Landlock rule for '%.200s'", name) : 0;
}

/* How NAME stands to those of the N at HIDDEN, which lie in a directory whose path has LEN bytes. */
enum standing { SHOWN, ABOVE, HIDDEN };

static enum standing stands(char *const *hidden, size_t n, size_t len, const char *name)
{
	size_t bytes = strlen(name);
	enum standing found = SHOWN;

	for (size_t i = 0; i < n; i++) {
		const char *below = hidden[i] + len + 1;

		if (below[0] != name[0] || strncmp(below, name, bytes) != 0)
			continue;
		if (!below[bytes])
			return HIDDEN;
		if (below[bytes] == '/')
			found = ABOVE;
	}
	return found;
}

/* The part of the sorted list *HIDDEN that lies below DIR, of LEN bytes. */
static size_t narrow(char *const **hidden, size_t n, const char *dir, size_t len)
{
	size_t first = 0, count = 0;

	while (first < n && (strncmp((*hidden)[first], dir, len) != 0 || (*hidden)[first][len] != '/'))
		first++;
	while (first + count < n && !strncmp((*hidden)[first + count], dir, len) &&
	       (*hidden)[first + count][len] == '/')
		count++;
	*hidden += first;
	return count;
}

/* PATH holds a directory of LEN bytes ("" for the root) that is above all N of HIDDEN, and has room for
 * PATH_MAX. */
static int show_parts(int ruleset, char *const *hidden, size_t n, char *path, size_t len,
		      struct aisbx_error *e)
{
	scoped(drop_dir) DIR *dir = opendir(len ? path : "/");
	const struct dirent *d;
	int r = 0;

	while (dir && r == 0 && (d = readdir(dir)) != NULL) {
		enum standing s;
		char *const *below = hidden;
		int bytes;

		if (str_is_one_of(d->d_name, ".|..") ||
		    (d->d_type != DT_REG && d->d_type != DT_DIR && d->d_type != DT_UNKNOWN))
			continue;
		s = stands(hidden, n, len, d->d_name);
		if (s == SHOWN)
			r = allow(ruleset, dirfd(dir), d->d_name, READ, e);
		if (s != ABOVE)
			continue;
		bytes = snprintf(path + len, PATH_MAX - len, "/%s", d->d_name);
		if (bytes > 0 && (size_t)bytes < PATH_MAX - len) {
			size_t count = narrow(&below, n, path, len + (size_t)bytes);

			r = show_parts(ruleset, below, count, path, len + (size_t)bytes, e);
		}
		path[len] = '\0';
	}
	return r;
}

/* The terminal it has already: it may be opened once more by its name. */
static int show_terminal(int ruleset, struct aisbx_error *e)
{
	char name[PATH_MAX];

	for (int fd = 0; fd < 3; fd++)
		if (isatty(fd) && ttyname_r(fd, name, sizeof(name)) == 0)
			return allow(ruleset, AT_FDCWD, name, WRITE | IOCTL, e);
	return 0;
}

/* A home, or where it lies: all of it but what is hidden. */
static int show_home(int ruleset, const struct strlist *hidden, const char *home, struct aisbx_error *e)
{
	char *const *below = hidden->items;
	size_t len = strlen(home), n = narrow(&below, hidden->n, home, len);
	char path[PATH_MAX];

	if (!path_is_within(home, "/home") || !path_below(home, "/home")[0] || len >= sizeof(path))
		return 0; /* it was come by already */
	memcpy(path, home, len + 1);
	return n ? show_parts(ruleset, below, n, path, len, e) : allow(ruleset, AT_FDCWD, home, READ, e);
}

int look_show(int ruleset, const struct look_places *p, struct aisbx_error *e)
{
	char path[PATH_MAX] = "";
	int r = show_parts(ruleset, p->hidden.items, p->hidden.n, path, 0, e);

	for (size_t i = 0; r == 0 && i < p->homes.n; i++)
		r = show_home(ruleset, &p->hidden, p->homes.items[i], e);
	for (size_t i = 0; r == 0 && i < sizeof(open_again) / sizeof(*open_again); i++)
		r = allow(ruleset, AT_FDCWD, open_again[i].path, open_again[i].access, e);
	return r == 0 ? show_terminal(ruleset, e) : r;
}

int look_show_all(int ruleset, const char *dir, unsigned long long access, struct aisbx_error *e)
{
	return allow(ruleset, AT_FDCWD, dir, access, e);
}
