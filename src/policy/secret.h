/* SPDX-License-Identifier: Apache-2.0 */
/* What is treated as a secret of the person, and which parts of a home directory are tools instead. */
#ifndef POLICY_SECRET_H
#define POLICY_SECRET_H

#include <stdbool.h>
#include <stddef.h>

/* Paths below the home directory that hold credentials, histories or browser profiles. NULL-terminated. */
extern const char *const secret_home_paths[];

/* Files of the system that only root can read and no box needs. NULL-terminated. */
extern const char *const secret_system_paths[];

/* Files of /etc with password hashes; a box of root gets its own, with the names only. NULL-terminated. */
extern const char *const secret_login_names[];

/* PATH, relative to a home directory, is a secret, lies in one or contains one; also the home itself. */
bool secret_in_home(const char *path_below_home);
/* The same, but not what lies in one. */
bool secret_home_holds(const char *path_below_home);
/* The same for an absolute path and secret_system_paths. */
bool secret_in_system(const char *path);

/* Decoys put into a hidden home; opening one is a violation. NULL-terminated, relative to home. */
extern const char *const decoy_paths[];
extern const char decoy_text[];

/* A variable that contains, or leads to, a credential. */
bool secret_env_name(const char *name, size_t len);

/* A variable that programs need even in the smallest environment. */
bool minimal_env_name(const char *name, size_t len);

/*
 * PATH_BELOW_HOME is a directory of PATH. Returns what else of the home directory its tools need
 * (NULL-terminated), or NULL if only the directory itself is known to be needed.
 */
const char *const *toolchain_paths(const char *path_below_home);

#endif
