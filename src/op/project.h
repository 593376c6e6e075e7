/* SPDX-License-Identifier: Apache-2.0 */
/* The aisbx.yaml that counts for a decision, for operations: see box/project.h. */
#ifndef OP_PROJECT_H
#define OP_PROJECT_H

#include "op/op.h"
#include "policy/project.h"

/* DIR: an absolute path. Without a file there or above it RET is empty, and that is no error. */
int op_project_load(const char *dir, struct project *ret, struct aisbx_error *e);
/* Which files were read, the outermost first. */
json_t *op_project_files_json(const struct project *p);

/*
 * Where a command of the file in DIR (NULL: in none) runs that is about PROJECT, which lies there or below:
 * in DIR, or its CWD (NULL: itself). What is about another place runs in that. Heap or NULL.
 */
char *op_project_cwd(const char *project, const char *dir, const char *cwd);
/* PROJECT's part of PLACE, which stands for DIR: of "/a/b" with the file in "/a", "/x" is "/x/b". Heap or
 * NULL. */
char *op_project_part(const char *project, const char *dir, const char *place);

#endif
