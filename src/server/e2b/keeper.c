/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command that keeps the box of a sandbox live, so that all others join it: what one writes to /tmp, and
 * the ports it listens on, are there for the next, as in E2B's machines.
 */
#include <stdio.h>

#include "base/error.h"
#include "server/e2b/internal.h"

static void on_done(void *ctx, const json_t *result, const struct aisbx_error *e)
{
	struct sandbox *s = ctx;
	struct e2b *e2b = s->e2b;

	(void)result;
	(void)e;
	s->keeper = NULL;
	s->keeper_run[0] = '\0';
	e2b->n_jobs--;
	sandbox_settle(s);
	e2b_after_job(e2b);
}

static void on_begun(void *ctx, const char *run, const char *trace_id)
{
	struct sandbox *s = ctx;

	(void)trace_id;
	snprintf(s->keeper_run, sizeof(s->keeper_run), "%s", run ? run : "");
}

void sandbox_keep(struct sandbox *s)
{
	static const struct call_events events = { .begun = on_begun, .done = on_done };
	struct aisbx_error ignored = AISBX_ERROR_INIT; /* then each command has a live box of its own */
	char owner[TOKEN_MAX + 8];
	struct call_how how = e2b_how_call(s, s->token, owner);
	json_t *args;

	if (s->keeper || s->paused || s->ending)
		return;
	args = json_pack("{s:s, s:[s,s], s:i}", "box", s->id, "command", "sleep", "infinity", "timeout", 0);
	if (args && call_start(s->e2b->loop, op_by_method("run.exec"), args, &how, &events, s, &s->keeper,
			       &ignored) == 0)
		s->e2b->n_jobs++;
	json_decref(args);
}
