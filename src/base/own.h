/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A directory that is this user's alone, root's as anybody's. Where others can change nothing on the way to
 * it, and nothing in it, they cannot put something else into its place either: so what was found ours stays
 * ours, and paths below it can be used.
 */
#ifndef BASE_OWN_H
#define BASE_OWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "aisbx/error.h"

/*
 * Refused are, with whose it is and what to do: a directory of somebody else, one that others can write to, a
 * link or anything else in its place, and a way through what others could swap. A group that may write to a
 * parent is trusted: it could change the person's start files as well.
 *
 * Opens PATH, absolute, and what it is reached by is looked at, too. The person's own links on the way, and
 * at its end, are followed. REMEDY: what to do about a refusal, for a person. A descriptor; -ENOENT leaves E
 * as it was.
 */
int own_open(const char *path, const char *remedy, struct aisbx_error *e);

/* NAME in directory AT, which is PATH and ours: no link. Made with MODE if it is not there and MODE is not 0.
 * As above. */
int own_open_at(int at, const char *path, const char *name, mode_t mode, struct aisbx_error *e);

/* PATH may be where others put things as well, as /tmp: nobody can swap what we make in it. */
int own_check_shared(const char *path, const char *remedy, struct aisbx_error *e);

/* Everything in directory AT, which is PATH and ours, is ours or root's, no link, and not for others to write
 * to. */
int own_check_entries(int at, const char *path, struct aisbx_error *e);

#endif
