/* SPDX-License-Identifier: Apache-2.0 */
/* The policy of a pseudo-image, applied to what runs in its boxes: it takes away, and never gives. */
#ifndef BOX_IMAGE_RULES_H
#define BOX_IMAGE_RULES_H

#include "box/box.h"
#include "image/pseudo_policy.h"
#include "policy/profile.h"

/* Refuses a policy with names that this aisbx does not know: what it is to take away is not known then. */
int image_rules_check(const struct pseudo_policy *p, struct aisbx_error *e);

/* The profile of SPEC loses what the policy does not leave. */
int image_rules_limit(const struct pseudo_policy *policy, struct run_spec *spec, struct aisbx_error *e);
/* Refuses a network beyond the policy, which somebody asked for in addition to the profile. */
int image_rules_net(const struct pseudo_policy *policy, enum net_mode mode, struct aisbx_error *e);
/* What a live box may be given later. */
void image_rules_seal(const struct pseudo_policy *policy, struct run_spec *spec);
/*
 * The rules of a box on image ID (empty: this machine) are to be VALUES: refuses what no run could have,
 * before it is kept.
 */
int image_rules_keep(struct box_state *s, const char *id, const struct strlist *values,
		     struct aisbx_error *e);

#endif
