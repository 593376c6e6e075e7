/* SPDX-License-Identifier: Apache-2.0 */
/* The project of somebody at a command line, by the directory they are in. */
#ifndef BOX_HERE_H
#define BOX_HERE_H

#include "box/caller.h"

/* The project that CWD is in: see project/root.h; else CWD. ENV: with the person's HOME. Heap or NULL. */
char *box_here(const char *cwd, const char *const *env);
/*
 * Where a command typed by the caller starts in a box with PROJECT: the caller's directory if that is below
 * it; NULL: in the project.
 */
const char *box_here_cwd(const struct caller *by, const char *project);

#endif
