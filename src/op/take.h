/* SPDX-License-Identifier: Apache-2.0 */
/* `create --take`: a box of a session that has ended, in place of a new one. */
#ifndef OP_TAKE_H
#define OP_TAKE_H

#include <jansson.h>

#include "aisbx/error.h"

/* ARGS: of `create`, with "take". */
int op_take(const json_t *args, json_t **ret_result, struct aisbx_error *e);

#endif
