/* SPDX-License-Identifier: Apache-2.0 */
/* Checked arguments to what the rooms take. */
#include "op/args.h"

#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/execute.h"
#include "box/live_run.h"

int op_runs_reach(const json_t *keys, struct strlist *ret_ids, struct aisbx_error *e)
{
	const json_t *key;
	size_t i;

	json_array_foreach(keys, i, key)
	{
		scoped(drop_fd) int fd = -1;
		char id[STORE_ID_MAX];
		int r = live_run_reach(json_string_value(key), id, &fd, e);

		if (r < 0)
			return r;
		strlist_add(ret_ids, id);
	}
	return ret_ids->failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "list the runs") : 0;
}

const char *op_profile_ref(const struct op_context *ctx, const json_t *args, const char *of_box,
			   const char **ret_from)
{
	return run_profile_ref(&ctx->by, json_string_value(json_object_get(args, "profile")), of_box,
			       ret_from);
}

int op_profile_options(const json_t *args, struct profile *p, struct aisbx_error *e)
{
	scoped(run_wish_finish) struct run_wish wish = { 0 };
	int r = run_wish_read(args, &wish, e);

	return r < 0 ? r : run_profile_options(&wish, p, e);
}

int op_run_request(const struct op_context *ctx, const json_t *args, struct run_spec *req,
		   struct aisbx_error *e)
{
	scoped(run_wish_finish) struct run_wish wish = { 0 };
	int r = run_wish_read(args, &wish, e);

	return r < 0 ? r : box_spec_fill(&ctx->by, &wish, req, e);
}

int op_run_by(const struct caller *by, const json_t *args, stream_tap *tap, void *tap_ctx,
	      json_t **ret_result, struct aisbx_error *e)
{
	scoped(run_report_finish) struct run_report report = { 0 };
	scoped(run_wish_finish) struct run_wish wish = { 0 };
	int r = run_wish_read(args, &wish, e);

	wish.tap = tap;
	wish.tap_ctx = tap_ctx;
	if (r == 0)
		r = run_execute(by, &wish, &report, e);
	if (r == 0)
		*ret_result = json_incref(report.said);
	return r;
}
