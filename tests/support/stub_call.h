/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that do nothing until a test says so, in the place of src/server/core/call.c: for the state machines
 * above it. */
#ifndef TESTS_STUB_CALL_H
#define TESTS_STUB_CALL_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "server/core/call.h"

struct call {
	const struct op *op;
	struct call_events events;
	void *ctx;
	bool input, input_closed, cancelled, held;
	char owner[80];
	size_t given; /* bytes of input */
	struct call *prev, *next;
};

static struct {
	struct call *first, *last; /* in the order of their starts */
	size_t n;
	int refuse_start; /* an errno for the next */
	int refuse_input;
} stub;

int call_start(struct loop *l, const struct op *op, const json_t *args, const struct call_how *how,
	       const struct call_events *events, void *ctx, struct call **ret_call, struct aisbx_error *e)
{
	struct call *c = calloc(1, sizeof(*c));
	int err = stub.refuse_start;

	(void)l;
	(void)args;
	stub.refuse_start = 0;
	if (err || !c) {
		free(c);
		return aisbx_fail(e, AISBX_AREA_SYS, err ? err : ENOMEM, "start a process for the call");
	}
	*c = (struct call){ .op = op, .events = *events, .ctx = ctx, .input = how->input, .prev = stub.last };
	if (how->owner)
		memccpy(c->owner, how->owner, 0, sizeof(c->owner) - 1);
	*(stub.last ? &stub.last->next : &stub.first) = c;
	stub.last = c;
	stub.n++;
	*ret_call = c;
	return 0;
}

/* The call tells how it ended, and is gone. RESULT: a reference to keep, or NULL with E. */
static void stub_done(struct call *c, json_t *result, const struct aisbx_error *e)
{
	*(c->prev ? &c->prev->next : &stub.first) = c->next;
	*(c->next ? &c->next->prev : &stub.last) = c->prev;
	stub.n--;
	c->events.done(c->ctx, result, e);
	json_decref(result);
	free(c);
}

int call_input(struct call *c, const char *data, size_t len, struct aisbx_error *e)
{
	(void)data;
	if (!c->input || c->input_closed || stub.refuse_input)
		return aisbx_refuse(e,
				    aisbx_kind_of(AISBX_AREA_RUN,
						  stub.refuse_input ? stub.refuse_input : EPIPE),
				    AISBX_AREA_RUN, stub.refuse_input ? stub.refuse_input : EPIPE,
				    "the input is not taken");
	c->given += len;
	return 0;
}

void call_close_input(struct call *c)
{
	c->input_closed = true;
}

void call_cancel(struct call *c)
{
	c->cancelled = true;
	c->held = false;
}

void call_hold(struct call *c, bool hold)
{
	c->held = hold && !c->cancelled;
}

json_t *call_error_json(const struct aisbx_error *e)
{
	struct buf text = { 0 };
	json_t *told;

	buf_add_utf8(&text, e->text, strlen(e->text));
	told = json_pack("{s:s, s:s, s:s?, s:i, s:s}", "kind", aisbx_kind_name(e->kind), "area",
			 aisbx_area_name(e->area), "code", strerrorname_np(-e->code), "errno", -e->code,
			 "text", buf_str(&text) ? text.data : "");
	buf_finish(&text);
	return told;
}

#endif
