/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scan policies, in YAML: what programs may not do, how severe it is and what follows. Pure; no system calls.
 */
#ifndef POLICY_SCAN_POLICY_H
#define POLICY_SCAN_POLICY_H

#include "aisbx/error.h"
#include "scan/core/rules.h"

/* Limits: far above what a person writes, low enough to bound the work. */
#define SCAN_POLICY_MAX_BYTES (512u << 10)
#define SCAN_POLICY_MAX_RULES 2000u

/* The built-in one, "default". */
int scan_policy_default(struct scan_policy *ret, struct aisbx_error *e);

/* FILE is how errors call it: "FILE:LINE:COLUMN: what is wrong; what is allowed". */
int scan_policy_parse(const char *text, size_t len, const char *file, struct scan_policy *ret,
		      struct aisbx_error *e);

#endif
