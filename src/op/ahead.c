/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls can be prepared, and preparing one: it is called with an empty text in the place of what comes
 * late. */
#include "op/ahead.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "box/ready.h"

static bool is_listed(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names;
}

json_t *op_ahead_args(const struct op *op, const json_t *args)
{
	const char *name;
	json_t *value, *known;

	if (!op->ahead || !json_is_string(json_object_get(args, op->ahead[0])) ||
	    !json_object_get(args, op->ahead[1]))
		return NULL;
	json_object_foreach((json_t *)args, name, value)
	{
		if (!is_listed(op->ahead, name))
			return NULL;
	}
	known = json_copy((json_t *)args);
	if (known && json_object_set_new(known, op->ahead[0], json_string("")) < 0) {
		json_decref(known);
		return NULL;
	}
	return known;
}

int op_ahead_make(const struct op *op, struct op_context *ctx, const json_t *args, struct aisbx_error *e)
{
	json_t *result = NULL;
	int r = box_ready_begin(&ctx->by, e);

	if (r < 0)
		return r;
	r = op_call(op, ctx, args, &result, e);
	json_decref(result);
	if (box_ready_is_made(&ctx->by)) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT; /* that said that it is there */
		return 0;
	}
	return r < 0 ? r
		     : aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
				    "'%s' made no box ahead", op->name);
}

void op_ahead_drop(struct op_context *ctx)
{
	box_ready_end(&ctx->by);
}
