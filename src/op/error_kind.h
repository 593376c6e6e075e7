/* SPDX-License-Identifier: Apache-2.0 */
/* What kind of error it is, for programs: SDKs make an exception of each. */
#ifndef OP_ERROR_KIND_H
#define OP_ERROR_KIND_H

#include "aisbx/error.h"

/*
 * One of: "usage" (the call makes no sense), "not_found" (there is no such box, snapshot, run, file or
 * profile), "exists", "busy" (somebody else has it), "denied" (policy, or not the owner's), "conflict" (a
 * promotion that would overwrite), "stale" (the base has changed), "limit", "timeout", "cancelled",
 * "unsupported" (this machine cannot), "internal".
 */
const char *op_error_kind(const struct aisbx_error *e);

#endif
