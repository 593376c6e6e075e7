/* SPDX-License-Identifier: Apache-2.0 */
/* Policies in Rego, judged by the person's own `opa` in a box: a policy is somebody else's text. */
#ifndef FLOW_REGO_H
#define FLOW_REGO_H

#include <jansson.h>

#include "aisbx/error.h"
#include "box/caller.h"

/* How the directory of a policy that is being judged is called, in TMPDIR or /tmp; mkdtemp adds six
 * characters. */
#define REGO_DESK "aisbx-rego-"

/*
 * Whether QUERY ("data.PACKAGE.RULE") of the policy is true with FACTS as its input. RET_WHY: for people;
 * heap. An error: it could not be judged, as when opa is not installed or the policy is none, and that is no
 * pass.
 */
int rego_judge(const struct caller *by, const char *policy, size_t len, const char *query,
	       const json_t *facts, bool *ret_holds, char **ret_why, struct aisbx_error *e);
/* The same of a FILE below DIR, an absolute path: the person's own, never a box's version of it. */
int rego_judge_file(const struct caller *by, const char *dir, const char *file, const char *query,
		    const json_t *facts, bool *ret_holds, char **ret_why, struct aisbx_error *e);

#endif
