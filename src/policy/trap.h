/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that run code on the person's machine later, without being asked: shown before a promotion. */
#ifndef POLICY_TRAP_H
#define POLICY_TRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct trap {
	const char *kind; /* "git-hook", "editor", ... */
	const char *why;  /* for a person */
};

/* By its name, of what is no directory; PATH is relative to the target. NULL: none. Case does not matter: it does not on some file systems either. */
const struct trap *trap_of_name(const char *path);
/* The same of what is taken away: where that opens something. */
const struct trap *trap_of_removal(const char *path);
/* By its mode, where the old one (0: none) was harmless. */
const struct trap *trap_of_mode(mode_t old_mode, mode_t mode);
/* A symbolic link at PATH with this TARGET that leaves the tree at ROOT (clean, absolute). */
const struct trap *trap_of_link(const char *root, const char *path, const char *target);
bool trap_is_package(const char *path);
/* package.json whose scripts that run by themselves are new or differ. TEXT NULL: it is too large to look at. */
const struct trap *trap_of_package(const char *path, const char *old_text, const char *text);

extern const struct trap trap_capability;

#endif
