/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A directory that belongs to this user alone; root is treated like any user. If others can change nothing on
 * the path to it, and nothing in it, they cannot replace it either: so what was found to be ours stays ours,
 * and paths below it can be used.
 */
#ifndef BASE_PRIVATE_DIR_H
#define BASE_PRIVATE_DIR_H

#include <stdbool.h>
#include <sys/types.h>

#include "aisbx/error.h"

/* UID is this user or root, who can do as he likes anyway. */
bool private_dir_trusts(uid_t uid);

/*
 * Refused, with the owner and what to do, are: a directory of somebody else, one that others can write to, a
 * link or anything else in its place, and a path through directories that others could replace. A group that
 * may write to a parent is trusted: it could change the person's startup files as well. Opens PATH, absolute,
 * and checks every directory on the path. The person's own links, on the path and at its end, are followed.
 * REMEDY: what to do about a refusal, for a person. Returns a descriptor; -ENOENT leaves E unchanged.
 */
int private_dir_open(const char *path, const char *remedy, struct aisbx_error *e);

/*
 * NAME in directory AT, which is PATH and ours; not a link. Made with MODE if it does not exist and MODE is
 * not 0. As above.
 */
int private_dir_open_at(int at, const char *path, const char *name, mode_t mode, struct aisbx_error *e);

/*
 * PATH may be a directory in which others make files, too, such as /tmp: nobody can replace what we make in
 * it.
 */
int private_dir_check_shared(const char *path, const char *remedy, struct aisbx_error *e);

/*
 * Everything in directory AT, which is PATH and ours, belongs to us or root, is no link, and others cannot
 * write to it.
 */
int private_dir_check_entries(int at, const char *path, struct aisbx_error *e);

#endif
