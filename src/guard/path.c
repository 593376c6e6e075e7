/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command would read, and which program it would start: by where the paths really lead. It uses the
 * current state of the file system, which may change before the command runs; whoever can change it does not
 * need this command.
 */
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "guard/syntax_tree.h"
#include "policy/secret.h"

#define MAX_MATCHES 512u
#define MAX_STARS   3u /* parts of a path with a pattern in them: more take long to look for */

/* Beside those of policy/secret.h; '*' is any one part of a path. */
static const char *const hidden[] = { "/etc/shadow",      "/etc/gshadow",     "/etc/shadow-",
				      "/etc/gshadow-",    "/run/secrets",     "/run/user",
				      "/run/credentials", "/var/run/secrets", NULL };
/* What is harmless where most is not. */
static const char *const open_proc[] = { "/proc/cpuinfo",
					 "/proc/meminfo",
					 "/proc/loadavg",
					 "/proc/uptime",
					 "/proc/version",
					 "/proc/stat",
					 "/proc/filesystems",
					 "/proc/swaps",
					 "/proc/partitions",
					 "/proc/vmstat",
					 "/proc/diskstats",
					 "/proc/sys/kernel/hostname",
					 "/proc/sys/kernel/osrelease",
					 "/proc/sys/vm/swappiness",
					 "/proc/sys/fs/file-max",
					 NULL };
static const char *const open_sys[] = { "/sys/class", "/sys/devices",   "/sys/block",
					"/sys/bus",   "/sys/fs/cgroup", NULL };

static bool within_any(const char *path, const char *const *list)
{
	for (; *list; list++)
		if (path_is_within(path, *list))
			return true;
	return false;
}

/* SECRET is PATH, or above it; or below it, when BELOW. */
static bool touches(const char *path, const char *secret, bool below)
{
	return path_is_within(path, secret) || (below && path_is_within(secret, path));
}

static bool touches_secret(const struct guard *g, const char *path, bool below)
{
	char full[PATH_MAX];

	for (size_t i = 0; secret_system_paths[i]; i++)
		if (touches(path, secret_system_paths[i], below))
			return true;
	for (size_t i = 0; hidden[i]; i++)
		if (touches(path, hidden[i], below))
			return true;
	for (size_t i = 0; g->home && secret_home_paths[i]; i++)
		if (snprintf(full, sizeof(full), "%s/%s", strcmp(g->home, "/") ? g->home : "",
			     secret_home_paths[i]) < (int)sizeof(full) &&
		    touches(path, full, below))
			return true;
	return false;
}

/* Homes of others: what is secret there is not ours to list, so all that is hidden is. */
static bool is_others_hidden(const struct guard *g, const char *path)
{
	const char *rest = path_below(path, "/root");

	if (!rest && (rest = path_below(path, "/home")) != NULL)
		rest = strchr(rest, '/') ? strchr(rest, '/') + 1 : "";
	if (!rest || (g->home && path_is_within(path, g->home)))
		return false;
	return rest[0] == '.';
}

/* Why PATH, clean and absolute, is not to be read; NULL: it may be. */
static const char *why_not(const struct guard *g, const char *path, enum guard_look look)
{
	static const struct {
		const char *dir;
		const char *const *open;
		const char *why;
	} closed[] = {
		{ "/proc", open_proc, "it shows private data of processes" },
		{ "/sys", open_sys, "reading there may have side effects" },
	};

	for (size_t i = 0; i < sizeof(closed) / sizeof(*closed); i++)
		if (path_is_within(path, closed[i].dir) && strcmp(path, closed[i].dir) != 0 &&
		    !within_any(path, closed[i].open))
			return closed[i].why;
	if (path_is_within(path, "/dev") && !str_is_one_of(path, "/dev|/dev/null"))
		return "it is a device";
	if (look == LOOK_BELOW && str_is_one_of(path, "/|/proc|/dev|/sys"))
		return "there are devices and processes below it";
	if (touches_secret(g, path, look == LOOK_BELOW) || is_others_hidden(g, path))
		return look == LOOK_BELOW ? "it contains secrets"
					  : "it is hidden from boxes because it may be a secret";
	return NULL;
}

bool guard_is_above_secrets(struct guard *g, const char *path)
{
	for (size_t i = 0; i < g->n_cwds; i++) {
		scoped(drop_mem) char *full = path_resolve(g->cwds[i], path);
		scoped(drop_mem) char *real = full ? realpath(full, NULL) : NULL;

		if (!full || touches_secret(g, full, true) || (real && touches_secret(g, real, true)))
			return true;
	}
	return false;
}

/* Where the longest part of PATH that is there really leads, with the rest behind it. Heap or NULL. */
static char *lead(const char *path)
{
	scoped(drop_mem) char *head = strdup(path);
	char *real = NULL, *slash, *full;

	if (!head)
		return NULL;
	real = realpath(head, NULL);
	while (!real && (errno == ENOENT || errno == ENOTDIR) && (slash = strrchr(head, '/')) != NULL &&
	       slash > head) {
		*slash = '\0';
		real = realpath(head, NULL);
	}
	if (!real)
		return NULL;
	full = path[strlen(head)] ? path_resolve(real, path + strlen(head) + 1) : strdup(real);
	free(real);
	return full;
}

/* Why PATH, which really is REAL (NULL: it cannot be told), is not to be read; NULL: it may be. */
static const char *why_not_real(const struct guard *g, const char *path, const char *real,
				enum guard_look look, const struct stat *st)
{
	const char *why = why_not(g, path, look);

	if (why)
		return why;
	if (!real)
		return "its target is not known";
	if (strcmp(path, real) != 0 && (why = why_not(g, real, look)) != NULL)
		return why;
	if (look != LOOK_NAMES && st && !S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode) &&
	    strcmp(real, "/dev/null") != 0)
		return "it is not a file: another process may be at the other end";
	return NULL;
}

static bool check_one(struct guard *g, const struct guard_word *at, const char *cwd, const char *path,
		      enum guard_look look)
{
	scoped(drop_mem) char *full = path_resolve(cwd, path);
	scoped(drop_mem) char *real = full ? lead(full) : NULL;
	const char *why;
	struct stat st;
	bool is_there;

	if (!full) {
		g->verdict->failed = true;
		return false;
	}
	is_there = real && stat(real, &st) == 0;
	why = why_not_real(g, full, real, look, is_there ? &st : NULL);
	if (!why)
		return true;
	if ((is_there && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))) || touches_secret(g, full, false) ||
	    (real && touches_secret(g, real, false)))
		return guard_say_box(g, "path", at, "'%.200s': %s", path, why);
	return guard_say_word(g, "path", at, "'%.200s': %s", path, why);
}

bool guard_path_text(struct guard *g, const struct guard_word *at, const char *path, enum guard_look look)
{
	for (size_t i = 0; i < g->n_cwds; i++)
		if (!check_one(g, at, g->cwds[i], path, look))
			return false;
	return true;
}

static unsigned int count_stars(const char *pattern)
{
	unsigned int n = 0;

	for (const char *at = pattern; *at; at += strcspn(at, "/"), at += *at == '/') {
		size_t part = strcspn(at, "/");

		n += memchr(at, '*', part) || memchr(at, '?', part) || memchr(at, '[', part);
	}
	return n;
}

/* A shell puts names there; each must be harmless, also as a word. */
static bool check_matches(struct guard *g, const struct guard_word *w, const char *cwd, enum guard_look look)
{
	scoped(drop_mem) char *pattern = NULL;
	size_t skip = w->pattern[0] == '/' ? 0 : strlen(cwd) + 1;
	bool is_fine = true;
	glob_t found = { 0 };

	if (strpbrk(cwd, "*?[\\") ||
	    asprintf(&pattern, "%s%s%s", skip ? cwd : "", skip ? "/" : "", w->pattern) < 0) {
		pattern = NULL;
		return guard_say_word(g, "path", w, "what this matches is not known");
	}
	if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
		is_fine = found.gl_pathc <= MAX_MATCHES;
		if (!is_fine)
			guard_say_word(g, "path", w, "it matches too many names to check them all");
		for (size_t i = 0; is_fine && i < found.gl_pathc; i++) {
			const char *name = found.gl_pathv[i] + skip;

			is_fine = name[0] != '-' && name[0] != '+';
			if (!is_fine)
				guard_say_word(g, "option", w,
					       "it matches the name '%.200s', which is read as an option",
					       name);
			is_fine = is_fine && check_one(g, w, cwd, found.gl_pathv[i], look);
		}
		globfree(&found);
	}
	return is_fine;
}

bool guard_path(struct guard *g, const struct guard_word *w, enum guard_look look)
{
	if (w->unknown)
		return guard_say_word(g, "path", w, "the file is not known");
	if (!w->pattern || g->literal)
		return guard_path_text(g, w, w->text, look);
	if (count_stars(w->pattern) > MAX_STARS || strstr(w->pattern, "**"))
		return guard_say_word(g, "path", w, "finding what this matches takes too long");
	for (size_t i = 0; i < g->n_cwds; i++)
		if (!check_matches(g, w, g->cwds[i], look))
			return false;
	return true;
}

static bool is_among_cwds(const struct guard *g, const char *dir)
{
	for (size_t i = 0; i < g->n_cwds; i++)
		if (!strcmp(g->cwds[i], dir))
			return true;
	return false;
}

bool guard_cd(struct guard *g, const struct guard_word *w)
{
	size_t before = g->n_cwds;

	if (w->unknown || w->pattern || guard_env(g, "CDPATH") || !strcmp(w->text, "-") || !w->text[0])
		return guard_say_word(g, "path", w, "the directory is not known");
	if (strstr(w->text, "..") &&
	    (before > 1 || strcmp(guard_env(g, "PWD") ?: g->cwds[0], g->cwds[0]) != 0))
		/* not where ".." leads to */
		return guard_say_word(g, "path", w,
				      "a shell resolves this by its own path, perhaps through a link");
	for (size_t i = 0; i < before; i++) {
		scoped(drop_mem) char *full = path_resolve(g->cwds[i], w->text);
		scoped(drop_mem) char *real = full ? realpath(full, NULL) : NULL;

		if (!real || is_among_cwds(g, real))
			continue; /* it would stay where it is */
		if (g->n_cwds == GUARD_MAX_CWDS)
			return guard_say_word(g, "path", w, "there are too many directories it may be in");
		g->cwds[g->n_cwds++] = take_mem(&real);
	}
	return guard_path(g, w, LOOK_NAMES);
}

/* Programs in DIR are not of whoever works in the project. */
static bool is_own(struct guard *g, const char *dir)
{
	scoped(drop_mem) char *real = realpath(dir, NULL);
	static const char *const shared[] = { "/tmp", "/var/tmp", "/dev", "/proc", "/run", NULL };
	struct stat st;

	if (!real)
		return true; /* nothing is found there */
	if (within_any(real, shared) || stat(real, &st) < 0 || (st.st_mode & S_IWOTH))
		return false;
	for (size_t i = 0; i < g->n_cwds; i++)
		if (path_is_within(real, g->cwds[i]) && !path_is_within(real, "/usr") &&
		    !path_is_within(real, "/bin") && !path_is_within(real, "/opt"))
			return false;
	return true;
}

bool guard_program(struct guard *g, const struct guard_word *w, const char *name)
{
	static const char standard[] = "/usr/local/bin:/usr/bin:/bin";
	char full[PATH_MAX], key[160];

	snprintf(key, sizeof(key), "BASH_FUNC_%s%%%%", name);
	if (!g->literal && guard_env(g, key))
		return guard_say_word(g, "environment", w,
				      "the environment contains a function of that name");
	for (const char *at = g->path ? g->path : standard; *at;) {
		size_t n = strcspn(at, ":");

		if (snprintf(full, sizeof(full), "%.*s", (int)(n < PATH_MAX ? n : PATH_MAX - 1), at) >=
			    (int)sizeof(full) ||
		    full[0] != '/')
			return guard_say_word(g, "program", w, "PATH contains relative directories");
		if (n + strlen(name) + 2 < sizeof(full)) {
			full[n] = '/';
			memcpy(full + n + 1, name, strlen(name) + 1);
		}
		if (access(full, X_OK) == 0) {
			full[n] = '\0';
			if (is_own(g, full))
				return true;
			return guard_say_word(g, "program", w,
					      "'%s' could be a program that others put there: %s", name,
					      full);
		}
		at += n + (at[n] == ':');
	}
	return true;
}
