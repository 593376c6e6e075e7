/* SPDX-License-Identifier: Apache-2.0 */
/* Names for rules that belong together: what a package manager needs to install. Pure; no system calls. */
#ifndef POLICY_EGRESS_PRESETS_H
#define POLICY_EGRESS_PRESETS_H

#include <stdbool.h>

#include "aisbx/error.h"
#include "base/str.h"

struct egress_preset {
	const char *name, *about;
	const char *const *rules; /* texts; ends with NULL */
};

extern const struct egress_preset egress_presets[]; /* ends with name NULL */
/* NULL if there is none of that name. */
const struct egress_preset *egress_preset_by_name(const char *name);

/*
 * Adds the rules that VALUE stands for, in their one true form, to RET: a preset, "github:OWNER/REPO",
 * "github:OWNER/REPO:read", or a rule. A rule that is there already is not added again. A word that is
 * nothing of these is an error with the most similar preset.
 */
int egress_expand(const char *value, struct strlist *ret, struct aisbx_error *e);
/* Whether VALUE is one; no rules are made. */
int egress_value_check(const char *value, struct aisbx_error *e);

#endif
