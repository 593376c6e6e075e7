/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations that run for requests, or for a session: counted, and never calling back a request that has
 * gone.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/mcp/request.h"
#include "server/mcp/tools.h"

static void destroy(struct mcp_job *j)
{
	struct mcp *m = j->mcp;

	if (j->request)
		j->request->job = NULL;
	if (j->session)
		j->session->n_jobs--;
	if (j->next)
		j->next->prev = j->prev;
	if (j->prev)
		j->prev->next = j->next;
	else
		m->jobs = j->next;
	if (j->free_own)
		j->free_own(j->own);
	json_decref(j->args);
	free(j);
	if (!m->jobs && m->stopped)
		m->stopped(m->stopped_ctx);
}

static bool is_wanted(const struct mcp_job *j)
{
	return j->session && (j->request || j->of_session);
}

static void on_output(void *ctx, int which, const char *data, size_t len)
{
	struct mcp_job *j = ctx;

	if (j->session)
		j->events->output(j, which, data, len);
}

static void on_item(void *ctx, const json_t *item)
{
	struct mcp_job *j = ctx;

	if (is_wanted(j) && j->events->item)
		j->events->item(j, item);
}

static void on_waits(void *ctx, const char *run)
{
	struct mcp_job *j = ctx;

	if (j->session && j->events->known && run)
		j->events->known(j, run);
}

static void on_begun(void *ctx, const char *run, const char *trace_id)
{
	(void)trace_id;
	on_waits(ctx, run);
}

static void on_done(void *ctx, const json_t *result, const struct aisbx_error *e)
{
	struct mcp_job *j = ctx;
	struct mcp_session *s = j->session;

	if (s && !e)
		mcp_touched(s, j->op, j->args);
	if (j->request)
		j->request->job = NULL;
	if (is_wanted(j) && j->events->done)
		j->events->done(j, result, e);
	j->request = NULL; /* it has been answered, or has another job by now */
	destroy(j);
}

/* The trace that the client says its request belongs to, in the form of W3C. False: it says none. */
static bool read_trace(const struct mcp_request *r, char ret[33])
{
	const char *text =
		json_string_value(json_object_get(json_object_get(r->params, "_meta"), "traceparent"));

	if (!text || strlen(text) < 55 || text[2] != '-' || text[35] != '-' ||
	    strspn(text + 3, "0123456789abcdef") != 32 || strspn(text + 3, "0") == 32)
		return false;
	memcpy(ret, text + 3, 32);
	ret[32] = '\0';
	return true;
}

static struct mcp_job *new_job(struct mcp_session *s, struct mcp_request *r, const struct op *op,
			       const json_t *args, const struct mcp_job_events *events)
{
	struct mcp_job *j = calloc(1, sizeof(*j));
	struct mcp *m = s->mcp;

	if (!j)
		return NULL;
	j->mcp = m;
	j->session = s;
	j->request = r;
	j->of_session = !r;
	j->op = op;
	j->args = json_deep_copy(args);
	j->events = events;
	j->next = m->jobs;
	if (j->next)
		j->next->prev = j;
	m->jobs = j;
	s->n_jobs++;
	return j;
}

static int start(struct mcp_job *j, uint32_t *ret_retry_ms, struct aisbx_error *e)
{
	/* An operation that is given descriptors writes there what it would else tell: only the output of
	 * commands is wanted so. */
	const struct call_events events = { .output = j->events->output && tool_streams(j->op) ? on_output
											       : NULL,
					    .item = on_item,
					    .begun = on_begun,
					    .waits = on_waits,
					    .done = on_done };
	const struct mcp_how *how = &j->mcp->how;
	char trace[33];
	const struct call_how call = { .owner = j->session->owner,
				       .person = j->request && j->request->person,
				       .cwd = how->cwd,
				       .env = how->env,
				       .trace_id = j->request && read_trace(j->request, trace) ? trace : NULL,
				       .keep_output = j->op->grant == GRANT_RUN };

	if (!j->args)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "start '%s'", j->op->name);
	return queued_start(j->session->calls, j->op, j->args, &call, &events, j, &j->call, ret_retry_ms, e);
}

int mcp_job_start(struct mcp_session *s, struct mcp_request *r, const struct op *op, const json_t *args,
		  const struct mcp_job_events *events, void *own, void (*free_own)(void *own),
		  struct mcp_job **ret_job, struct aisbx_error *e)
{
	struct mcp_job *j = new_job(s, r, op, args, events);
	uint32_t retry_ms = 0;
	int ret;

	if (!j) {
		if (free_own)
			free_own(own);
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "start '%s'", op->name);
	}
	ret = start(j, &retry_ms, e);
	if (ret < 0) {
		if (r)
			r->retry_ms = retry_ms;
		j->request = NULL;
		destroy(j);
		if (free_own)
			free_own(own);
		return ret;
	}
	j->own = own;
	j->free_own = free_own;
	if (r)
		r->job = j;
	if (ret_job)
		*ret_job = j;
	return 0;
}

void mcp_job_drop(struct mcp_job *j)
{
	if (j->request)
		j->request->job = NULL;
	if (j->session)
		j->session->n_jobs--;
	j->request = NULL;
	j->session = NULL;
	queued_cancel(j->call);
}
