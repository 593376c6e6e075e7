/* SPDX-License-Identifier: Apache-2.0 */
/* Turning the checked arguments of `run` into a request. */
#ifndef OP_ARGS_H
#define OP_ARGS_H

#include "box/box.h"
#include "op/op.h"

/* Fills REQ, which keeps what it needs; the caller finishes it also after an error. */
int op_run_request(const struct op_context *ctx, const json_t *args, struct box_request *req, struct aisbx_error *e);

#endif
