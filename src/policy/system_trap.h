/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traps of a promotion into the system: there every program is obeyed, so this names what is obeyed without
 * being asked for, and what gives rights. See policy/trap.h.
 */
#ifndef POLICY_SYSTEM_TRAP_H
#define POLICY_SYSTEM_TRAP_H

#include <stdbool.h>

#include "policy/trap.h"

/* PATH is relative to "/". NULL: no trap. */
const struct trap *system_trap_of_name(const char *path);
/* The same for what is removed: rules that keep others out. */
const struct trap *system_trap_of_removal(const char *path);
/*
 * By who can write to it from now on, if that is new: everybody, or an owner that is not root, where programs
 * and settings are. OLD_MODE 0: it was not there.
 */
const struct trap *system_trap_of_owner(const char *path, mode_t old_mode, uid_t old_owner, mode_t mode,
					uid_t owner);
/* Whether PATH is in a directory in which commands are searched: "usr/bin/ls". */
bool system_trap_is_command(const char *path);
/* Directories in which commands are searched, relative to "/". NULL-terminated. */
extern const char *const system_command_dirs[];
/* A program or library that was there is another one now; a command hides another of the same name. */
extern const struct trap system_trap_program, system_trap_shadow;

/* What a box keeps for itself, whatever it did to it. NULL: no such path; else why, for a person. */
const char *system_stays(const char *path);
/* The notes of a package manager: two versions of them are never merged. */
bool system_is_package_db(const char *path);
/* Logs, caches and locks: no promotion brings them. */
bool system_is_left_behind(const char *path);
/* What programs write by the way: logs, caches, lists; counted, not shown. */
bool system_is_noise(const char *path);

#endif
