/* SPDX-License-Identifier: Apache-2.0 */
/* Rego policies, evaluated by the person's own `opa` in a box: a policy is not trusted. */
#ifndef FLOW_REGO_H
#define FLOW_REGO_H

#include <jansson.h>

#include "aisbx/error.h"
#include "box/caller.h"

/* Prefix of the directory for a policy, in TMPDIR or /tmp; mkdtemp adds six characters. */
#define REGO_SCRATCH_DIR "aisbx-rego-"

/*
 * Whether QUERY ("data.PACKAGE.RULE") of the policy is true with FACTS as its input. RET_WHY: for people;
 * heap. An error: it could not be evaluated, for example because opa is missing or the policy is invalid, and
 * that is not a pass.
 */
int rego_judge(const struct caller *by, const char *policy, size_t len, const char *query,
	       const json_t *facts, bool *ret_holds, char **ret_why, struct aisbx_error *e);
/* The same for a FILE below DIR, an absolute path: the person's own, never a box's version. */
int rego_judge_file(const struct caller *by, const char *dir, const char *file, const char *query,
		    const json_t *facts, bool *ret_holds, char **ret_why, struct aisbx_error *e);

#endif
