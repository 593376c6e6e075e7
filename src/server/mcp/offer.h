/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be done of the operations, where this protocol is spoken: offer.c is for this machine, which does
 * everything; over a fleet fleet/client/mcp_offer.c takes its place. What is not offered is in no list, and
 * refused.
 */
#ifndef SERVER_MCP_OFFER_H
#define SERVER_MCP_OFFER_H

#include "op/op.h"

bool offer_op(const struct op *op);
/* With this argument, too. */
bool offer_param(const struct op *op, const struct op_param *p);
/* What a model is told of the tool. */
const char *offer_brief(const struct op *op);
/* What a model is told of all. */
extern const char offer_instructions[];

#endif
