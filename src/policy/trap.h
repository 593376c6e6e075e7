/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traps: changes that run code on the person's machine later, without being asked. They are shown before
 * anything leaves a box. The table is policy/traps.def; docs/traps.md explains by which principle it is made.
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
 * By name, for what is not a directory. PATH is relative to the project, or absolute if it is elsewhere.
 * NULL: no trap. Case, invisible characters, and dots and spaces at the end of a name are ignored: some file
 * systems ignore them, too.
 */
const struct trap *trap_of_name(const char *path);
/* The same for a removal, if that enables something. */
const struct trap *trap_of_removal(const char *path);
/* Whether PATH is a git directory or in one, judged by names. */
const struct trap *trap_in_git(const char *path);
/* By its mode, if the old one (0: none) was harmless. */
const struct trap *trap_of_mode(mode_t old_mode, mode_t mode);
/*
 * A symbolic link at PATH with this TARGET that leaves the tree at ROOT (clean, absolute), or leads to the
 * place of a trap.
 */
const struct trap *trap_of_link(const char *root, const char *path, const char *target);
/* The content of such a file decides. */
bool trap_is_read(const char *path);
/* By its content, if that is new or different. TEXT NULL: it cannot be read, or is too large. */
const struct trap *trap_of_text(const char *path, const char *old_text, const char *text);

extern const struct trap trap_capability, trap_by_link;

#endif
