/* SPDX-License-Identifier: Apache-2.0 */
/* The aisbx.yaml that counts for a decision: the person's own, as it is on the host, never a box's version of it. */
#ifndef OP_PROJECT_H
#define OP_PROJECT_H

#include "op/op.h"
#include "policy/project.h"

/* DIR: an absolute path. Without a file there RET is empty but for its `dir`, and that is no error. */
int op_project_load(const char *dir, struct project *ret, struct aisbx_error *e);

#endif
