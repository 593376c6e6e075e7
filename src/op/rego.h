/* SPDX-License-Identifier: Apache-2.0 */
/* Policies in Rego, judged by the person's own `opa` in a box: a policy is somebody else's text. */
#ifndef OP_REGO_H
#define OP_REGO_H

#include "op/op.h"

/* How the directory of a policy that is being judged is called, in TMPDIR or /tmp; mkdtemp adds six
 * characters. */
#define OP_REGO_DESK "aisbx-rego-"

/*
 * Whether QUERY ("data.PACKAGE.RULE") of the policy is true with FACTS as its input. RET_WHY: for people;
 * heap. An error: it could not be judged, as when opa is not installed or the policy is none, and that is no
 * pass.
 */
int op_rego_judge(struct op_context *ctx, const char *policy, size_t len, const char *query,
		  const json_t *facts, bool *ret_holds, char **ret_why, struct aisbx_error *e);
/* The same of a FILE below DIR, an absolute path: the person's own, never a box's version of it. */
int op_rego_judge_file(struct op_context *ctx, const char *dir, const char *file, const char *query,
		       const json_t *facts, bool *ret_holds, char **ret_why, struct aisbx_error *e);

#endif
