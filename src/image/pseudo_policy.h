/* SPDX-License-Identifier: Apache-2.0 */
/* policy.json of a pseudo-image: what boxes of it need at most. docs/pseudo-image.md describes it. */
#ifndef IMAGE_PSEUDO_POLICY_H
#define IMAGE_PSEUDO_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"
#include "base/str.h"

#define PSEUDO_POLICY "policy.json"
/* Label of an image that holds it, to the byte. */
#define PSEUDO_LABEL_POLICY "aisbx.pseudo.policy"

/* The names in it are words; whether they mean something, who applies it knows. */
struct pseudo_policy {
	bool has_caps;       /* otherwise it says nothing about them */
	struct strlist caps; /* owned; names of capabilities */
	char *seccomp;       /* owned; name of a preset; NULL: says nothing */
	char *net;           /* owned; "none", "loopback" or "any"; NULL: says nothing */
};

void pseudo_policy_finish(struct pseudo_policy *p);
/* TEXT is hostile: an unknown key, or a value of another type, is refused. The caller finishes RET always. */
int pseudo_policy_read(const char *text, size_t len, struct pseudo_policy *ret, struct aisbx_error *e);

#endif
