/* SPDX-License-Identifier: Apache-2.0 */
/* Converts checked arguments to the structures of the rooms. */
#include "op/args.h"

#include "base/scope.h"
#include "box/execute.h"

const char *op_project(const struct op_context *ctx, const json_t *args)
{
	const char *given = op_text(args, "project");

	return given ? given : caller_project(&ctx->by);
}

const char *op_profile_ref(const struct op_context *ctx, const json_t *args, const char *of_box,
			   const char **ret_from)
{
	return run_profile_ref(&ctx->by, op_text(args, "profile"), of_box, ret_from);
}

int op_profile_options(const json_t *args, struct profile *p, struct aisbx_error *e)
{
	scoped(run_options_finish) struct run_options options = { 0 };
	int r = run_options_read(args, &options, e);

	return r < 0 ? r : run_profile_options(&options, p, e);
}

int op_run_request(const struct op_context *ctx, const json_t *args, struct run_spec *req,
		   struct aisbx_error *e)
{
	scoped(run_options_finish) struct run_options options = { 0 };
	int r = run_options_read(args, &options, e);

	return r < 0 ? r : box_spec_fill(&ctx->by, &options, req, e);
}

int op_run_by(const struct caller *by, const json_t *args, stream_listener *output_listener,
	      void *output_listener_ctx, json_t **ret_result, struct aisbx_error *e)
{
	scoped(run_report_finish) struct run_report report = { 0 };
	scoped(run_options_finish) struct run_options options = { 0 };
	int r = run_options_read(args, &options, e);

	options.output_listener = output_listener;
	options.output_listener_ctx = output_listener_ctx;
	if (r == 0)
		r = run_execute(by, &options, &report, e);
	if (r == 0)
		*ret_result = json_incref(report.said);
	return r;
}
