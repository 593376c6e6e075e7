/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `doctor`: what this machine and user can do, wall by wall. */
#include "op/op.h"

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	(void)ctx;
	(void)args;
	(void)e;
	*ret_result = json_object();
	return 0;
}

static const struct op_param params[] = { { .name = NULL } };
static const struct op_field result[] = { { NULL, NULL, NULL } };

const struct op op_doctor = {
	.name = "doctor",
	.summary = "Tell what this machine can do and how to get the rest",
	.about = "",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
