/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes that run code on the person's machine later, without being asked: shown before anything leaves a
 * box. The table is policy/traps.def; docs/traps.md says by which principle it is drawn up.
 */
#ifndef POLICY_TRAP_H
#define POLICY_TRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct trap {
	const char *kind; /* "git-hook", "editor", ... */
	const char *why;  /* for a person */
};

/*
 * By its name, of what is no directory. PATH is relative to the project, or absolute where it lies elsewhere.
 * NULL: none. Case, characters that are not seen, and dots and spaces at the end of a name do not matter: to
 * some file systems they do not either.
 */
const struct trap *trap_of_name(const char *path);
/* The same of what is taken away: where that opens something. */
const struct trap *trap_of_removal(const char *path);
/* Whether PATH lies in a git directory, or is one, by the names on it. */
const struct trap *trap_in_git(const char *path);
/* By its mode, where the old one (0: none) was harmless. */
const struct trap *trap_of_mode(mode_t old_mode, mode_t mode);
/* A symbolic link at PATH with this TARGET that leaves the tree at ROOT (clean, absolute), or leads to where
 * a trap would be. */
const struct trap *trap_of_link(const char *root, const char *path, const char *target);
/* Of such a file the content decides. */
bool trap_is_read(const char *path);
/* What it says, where that is new or differs. TEXT NULL: it cannot be read, or is too large to look at. */
const struct trap *trap_of_text(const char *path, const char *old_text, const char *text);

extern const struct trap trap_capability, trap_by_link;

#endif
