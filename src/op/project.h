/* SPDX-License-Identifier: Apache-2.0 */
/* The aisbx.yaml that applies to a decision, for operations: see box/project.h. */
#ifndef OP_PROJECT_H
#define OP_PROJECT_H

#include "op/op.h"
#include "project/project.h"

/* DIR: an absolute path. Without a file there or above it RET is empty, and that is no error. */
int op_project_load(const char *dir, struct project *ret, struct aisbx_error *e);
/* Which files were read, the outermost first. */
json_t *op_project_files_json(const struct project *p);

#endif
