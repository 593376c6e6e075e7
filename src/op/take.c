/* SPDX-License-Identifier: Apache-2.0 */
/* A box is taken over. It is not made anew, so nothing else is to be said of it but a name. */
#include "op/take.h"

#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/take.h"
#include "op/box_json.h"
#include "op/op.h"

int op_take(const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const struct box_take_request req = { .box = op_text(args, "take"), .name = op_text(args, "name") };
	scoped(store_box_finish) struct store_box box = { 0 };
	int r;

	if (json_object_size(args) > (req.name ? 2 : 1))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "a box that is taken over stays as it is: only a name goes with 'take'");
	r = box_take(&req, &box, e);
	if (r == 0)
		*ret_result = box_json(&box);
	return r;
}
