/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `renew`: another end for the life of a box. */
#include "base/scope.h"
#include "op/point.h"
#include "base/value.h"

/* Without the lock: a box is given more time above all while something runs in it. */
static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(point_finish) struct point p = POINT_INIT;
	uint64_t ms = 0;
	int r = point_open_box(json_string_value(json_object_get(args, "box")), false, &p, e);

	(void)ctx;
	value_ms(json_object_get(args, "ttl"), &ms);
	p.box.expires_ms = ms ? box_now_ms() + (int64_t)ms : 0;
	if (r == 0)
		r = store_box_set_expiry(p.shelf.store, p.box.id, p.box.expires_ms, e);
	if (r == 0)
		*ret_result = box_json(&p.box);
	return r;
}

static const struct op_param params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "BOX", "name or id of the box" },
	{ "ttl", 0, OP_DURATION, OP_REQUIRED, "TIME", "from now on; 0: it has no end" },
	{ .name = NULL },
};

static const struct op_field result[] = { BOX_FIELDS(""), { NULL, NULL, NULL } };

const struct op op_renew = {
	.name = "renew",
	.group = GROUP_BOXES,
	.view = VIEW_NAMES,
	.method = "box.renew",
	.summary = "Give a box a longer or a shorter life",
	.about = "When the time of a box is over, runs in it end and gc removes it. This sets another end, "
		 "counted from now.\n"
		 "A run that is under way keeps the one it began with.",
	.example = "aisbx renew try1 --ttl 2h\n"
		   "aisbx renew try1 --ttl 0",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
