/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches for what would stop a promotion halfway: files that chattr protects, directories that are not
 * writable.
 */
#include "layer/obstacle.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/scope.h"
#include "layer/copy.h"

#define PROTECTED (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)
#define MAX_DEPTH 512

/* One place's words for each of the two kinds of protection. */
struct words {
	const char *immutable, *append;
};

static const struct words itself = { "it is immutable (chattr +i); 'chattr -i' allows changes again",
				     "it is append-only (chattr +a); 'chattr -a' allows changes again" };
static const struct words parent = {
	"its directory is immutable (chattr +i); 'chattr -i' on that allows changes again",
	"its directory is append-only (chattr +a); 'chattr -a' on that allows changes again"
};
static const struct words inside = {
	"something in it is immutable (chattr +i); 'chattr -R -i' allows changes again",
	"something in it is append-only (chattr +a); 'chattr -R -a' allows changes again"
};

static const char *protection(int at, const char *name, const struct words *w)
{
	struct statx st;

	if (statx(at, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (*name ? 0 : AT_EMPTY_PATH), 0, &st) <
		    0 ||
	    !(st.stx_attributes & st.stx_attributes_mask & PROTECTED))
		return NULL;
	return st.stx_attributes & STATX_ATTR_IMMUTABLE ? w->immutable : w->append;
}

/* Below a directory that goes as a whole. What cannot be looked at is found out by who moves it. */
static const char *protection_below(int at, const char *name, int depth)
{
	int fd = depth < MAX_DEPTH ? copy_open(at, name) : -1, r = 0;
	scoped(drop_dir) DIR *d = dir_take(fd, &r);
	struct dirent *entry;
	const char *why = NULL;

	while (d && !why && (entry = dir_next(d, &r))) {
		why = protection(dirfd(d), entry->d_name, &inside);
		if (!why && entry->d_type == DT_DIR)
			why = protection_below(dirfd(d), entry->d_name, depth + 1);
	}
	return why;
}

/* Permissions, for who is not root. What is one's own, group and all, one can always change: see
 * sys/owner.h. */
static const char *permission(int at, const struct stat *st, enum merge_op op)
{
	struct stat dir;

	if (geteuid() == 0)
		return NULL;
	if (op == MERGE_ATTRS)
		return st->st_uid == geteuid() ? NULL
					       : "it belongs to somebody else; only its owner can change its "
						 "permissions, attributes and times";
	if (fstat(at, &dir) < 0)
		return NULL;
	if (faccessat(at, ".", W_OK | X_OK, AT_EACCESS) < 0 &&
	    !(dir.st_uid == geteuid() && dir.st_gid == getegid()))
		return "you may not write to its directory; 'chmod u+w' on that, by its owner, allows it";
	if (op != MERGE_CREATE && (dir.st_mode & S_ISVTX) && dir.st_uid != geteuid() &&
	    st->st_uid != geteuid())
		return "it belongs to somebody else, and in its directory only an owner can replace or "
		       "remove files (chmod +t)";
	return NULL;
}

const char *obstacle_at(struct tree_root *target, const char *path, enum merge_op op)
{
	struct stat st = { 0 };
	const char *name, *why = NULL;
	int at = tree_root_parent(target, path, &name), found;

	if (at < 0)
		return NULL; /* whoever does it finds out */
	found = tree_root_stat(target, path, &st);
	if (op != MERGE_ATTRS && strcmp(name, ".") != 0)
		why = protection(at, "", &parent);
	if (!why && found > 0)
		why = protection(at, name, &itself);
	if (!why && found > 0 && S_ISDIR(st.st_mode) && (op == MERGE_DELETE || op == MERGE_REPLACE))
		why = protection_below(at, name, 0);
	return why ? why : found < 0 ? NULL : permission(at, &st, op);
}

/* Whether step I is part of step TOP, which goes or comes as a whole. */
static bool is_part(const struct merge_plan *plan, size_t top, size_t i)
{
	const struct merge_step *s = &plan->steps[i];
	size_t n = strlen(plan->steps[top].path);

	return (s->op == MERGE_INSIDE || s->op == MERGE_NOTHING) &&
	       !strncmp(s->path, plan->steps[top].path, n) && s->path[n] == '/';
}

int obstacle_find(struct merge_plan *plan, struct tree_root *target)
{
	for (size_t i = 0; i < plan->n; i++) {
		struct merge_step *s = &plan->steps[i];
		const char *why;

		if (s->op == MERGE_NOTHING || s->op == MERGE_INSIDE)
			continue;
		why = obstacle_at(target, s->path, s->op);
		if (!why)
			continue;
		if (s->op == MERGE_ATTRS && s->box == CHANGE_TOUCH &&
		    S_ISDIR(s->old.st_mode)) { /* a time that nobody asked for */
			s->idle = true;
			continue;
		}
		if (s->op != MERGE_ATTRS)
			for (size_t k = i + 1; k < plan->n && is_part(plan, i, k); k++)
				plan->steps[k].idle = true;
		merge_refuse(s, why);
		if (!s->reason)
			return -ENOMEM;
	}
	merge_drop_idle(plan);
	return 0;
}
