/* SPDX-License-Identifier: Apache-2.0 */
/* The person for whom the guard acts: told and asked at the terminal, shown promotions as `promote` tells
 * them. */
#include "op/guard_callbacks.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/ask.h"
#include "op/promotion.h"

static json_t *promotion_json(const struct promote_report *report)
{
	static const struct promote_request plain = { 0 };

	return op_promotion_json(report, &plain);
}

static void tell(void *callbacks, const struct guard_outcome *so_far)
{
	struct op_guard_ctx *h = callbacks;

	if (!h->result || h->ctx->by.out_fds[0] < 0 || !h->ctx->emit)
		return;
	guard_outcome_json(so_far, h->result);
	h->ctx->emit(h->ctx, h->result);
}

/* At the terminal, of which a model has none. */
static bool ask(void *callbacks)
{
	char line[16];

	(void)callbacks;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return false;
	ask_forget_typed();
	fprintf(stderr, "aisbx: run it on the real machine? [y/N] ");
	fflush(stderr);
	return fgets(line, sizeof(line), stdin) && (!strcmp(line, "y\n") || !strcmp(line, "yes\n"));
}

const struct guard_callbacks op_guard_callbacks = { .tell = tell,
						    .ask = ask,
						    .promotion_json = promotion_json };

int op_guard_act(struct op_context *ctx, struct guard_session *g, const struct guard_verdict *v,
		 const struct strlist *command, json_t *result, struct aisbx_error *e)
{
	scoped(guard_outcome_finish) struct guard_outcome done = { 0 };
	struct op_guard_ctx callbacks = { ctx, result };
	int r;

	g->callbacks = &op_guard_callbacks;
	g->callbacks_ctx = &callbacks;
	if (ctx->by.out_fds[0] >= 0 && ctx->emit && v->act > GUARD_LOOK)
		ctx->emit(ctx, result);
	r = guard_act(g, v, command, &done, e);
	if (done.exit_status >= 0)
		ctx->exit_status = done.exit_status;
	guard_outcome_json(&done, result);
	return r;
}
