/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome of a promotion, as JSON. */
#ifndef OP_PROMOTION_H
#define OP_PROMOTION_H

#include <jansson.h>

#include "promote/apply.h"

/* {"summary", "traps", "conflicts"}: what a person wants to see before it. A new reference. */
json_t *op_promotion_look_json(const struct promote_report *report);
/* A new reference; NULL: no memory. */
json_t *op_promotion_json(const struct promote_report *report, const struct promote_request *req);

#endif
