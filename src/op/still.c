/* SPDX-License-Identifier: Apache-2.0 */
/* Forks for a moment: layers that a box stands on are removed by nobody, whatever becomes of the box that was
 * meant. */
#include "op/still.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"

#define FORK_S 3600

static int make_fork(struct op_context *ctx, const char *key, struct still *s, struct aisbx_error *e)
{
	struct op_context quiet = *ctx;
	char name[STORE_ID_MAX];
	json_t *args, *made = NULL;
	int r;

	quiet.stdin_fd = quiet.out_fds[0] = quiet.out_fds[1] = -1;
	quiet.emit = NULL;
	box_new_id("still-", name);
	args = json_pack("{s:s, s:s, s:i}", "from", key, "name", name, "ttl", FORK_S);
	r = op_call(&op_fork, &quiet, args, &made, e);
	if (r == 0)
		snprintf(s->fork, sizeof(s->fork), "%s", name);
	json_decref(args);
	json_decref(made);
	return r;
}

int still_open(struct op_context *ctx, const char *key, struct still *s, struct point *ret,
	       struct aisbx_error *e)
{
	int r = point_open(key, true, ret, e);

	if (r != -EBUSY || !ret->snapshot[0])
		return r;
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	point_finish(ret);
	*ret = (struct point)POINT_INIT;
	r = point_open(key, false, ret, e);
	if (r < 0)
		return r;
	s->of = ret->box;
	ret->box.project = NULL; /* is in S now */
	point_finish(ret);
	*ret = (struct point)POINT_INIT;
	r = make_fork(ctx, key, s, e);
	return r < 0 ? r : point_open(s->fork, true, ret, e);
}

void still_finish(struct still *s)
{
	struct op_context ctx = { .stdin_fd = -1, .out_fds = { -1, -1 } };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	json_t *args, *result = NULL;

	store_box_finish(&s->of);
	if (!s->fork[0])
		return;
	args = json_pack("{s:[s]}", "boxes", s->fork);
	op_call(&op_rm, &ctx, args, &result, &ignored); /* if not now, then by gc when its time is over */
	json_decref(args);
	json_decref(result);
}
