/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles as JSON, in the shape of their files. */
#ifndef OP_PROFILE_H
#define OP_PROFILE_H

#include "box/profiles.h"
#include "op/op.h"

/* The value of one key: a string, an array or an object; NULL: nobody says. A new reference. */
json_t *op_profile_value(const struct box_profile *p, const struct profile_key *k);
/* All of them, as a file says them that stands alone: without a name, so that it can be given any. */
json_t *op_profile_json(const struct box_profile *p);

#endif
