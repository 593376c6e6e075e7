/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prompts: ways of working that a person can choose for a model, and completion of the names that they and
 * the resources use.
 */
#ifndef SERVER_MCP_PROMPTS_H
#define SERVER_MCP_PROMPTS_H

#include <jansson.h>

#include "op/op.h"

json_t *prompts_list(void);
/* "description" and "messages" of prompts/get. -ENOENT: there is none of that name; -EINVAL: an argument is
 * missing. */
int prompt_get(const char *name, const json_t *arguments, json_t **ret, struct aisbx_error *e);

/*
 * PARAMS of completion/complete: ref, argument, context. RET_OP NULL: nothing to look up, complete_values()
 * needs no result. -ENOENT: the ref does not exist.
 */
int complete_op(const json_t *params, const struct op **ret_op, json_t **ret_args, struct aisbx_error *e);
/* "completion": values, total, hasMore. RESULT NULL: the operation failed, or there was none. */
json_t *complete_values(const json_t *params, const json_t *result);

#endif
