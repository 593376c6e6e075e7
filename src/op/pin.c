/* SPDX-License-Identifier: Apache-2.0 */
/* Progress is reported like everything that comes before a result. */
#include "op/pin.h"

static void tell(void *face, const struct pin_count *so_far)
{
	struct op_context *ctx = face;
	json_t *item = json_pack("{s:{s:I, s:I}}", "pinning", "files", (json_int_t)so_far->files, "bytes",
				 (json_int_t)so_far->bytes);

	if (item)
		ctx->emit(ctx, item);
	json_decref(item);
}

struct pin_how op_pin_how(struct op_context *ctx)
{
	return (struct pin_how){ .tell = ctx->emit ? tell : NULL, .ctx = ctx };
}

void op_add_pin(const struct pin_count *count, json_t *result)
{
	json_object_set_new(result, "pin",
			    json_pack("{s:I, s:I, s:I, s:b, s:I}", "since_ms",
				      (json_int_t)count->since.tv_sec * 1000 + count->since.tv_nsec / 1000000,
				      "files", (json_int_t)count->files, "bytes", (json_int_t)count->bytes,
				      "shared", count->shared, "unreadable", (json_int_t)count->unreadable));
}
