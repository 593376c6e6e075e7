/* SPDX-License-Identifier: Apache-2.0 */
/* Converts checked arguments to the structures of the rooms. */
#include "op/args.h"

#include "base/scope.h"
#include "box/execute.h"

const char *op_profile_ref(const struct op_context *ctx, const json_t *args, const char *of_box,
			   const char **ret_from)
{
	return run_profile_ref(&ctx->by, op_text(args, "profile"), of_box, ret_from);
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
