/* SPDX-License-Identifier: Apache-2.0 */
/* Between an exchange and a call of `file read` with raw, or of `file write`: bytes, and who waits for whom.
 */
#include "server/http/transfer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "op/op.h"
#include "server/core/call.h"
#include "server/http/internal.h"

/* At once; each is a process. */
#define MOST_TRANSFERS 64u
/* What may wait in between, in each direction. */
#define FULL (1u << 20)

struct transfer {
	struct transfers *all;
	struct exchange *x; /* borrowed; NULL: the client has gone, or has its answer */
	struct call *call;  /* borrowed; NULL: it is done */
	bool begun;         /* its answer */
	struct transfer *prev, *next;
};

struct transfers {
	struct loop *loop;
	const char *cwd; /* borrowed */
	struct transfer *list;
	unsigned int n;
	void (*stopped)(void *ctx);
	void *ctx;
};

/* What is to be known of an error is its status; of a kind that has none, it is ours. */
static unsigned int status_of(const struct aisbx_error *e)
{
	static const unsigned int statuses[AISBX_KIND_COUNT] = {
		[AISBX_KIND_USAGE] = MHD_HTTP_BAD_REQUEST,
		[AISBX_KIND_NOT_FOUND] = MHD_HTTP_NOT_FOUND,
		[AISBX_KIND_EXISTS] = MHD_HTTP_CONFLICT,
		[AISBX_KIND_BUSY] = MHD_HTTP_SERVICE_UNAVAILABLE,
		[AISBX_KIND_DENIED] = MHD_HTTP_FORBIDDEN,
		[AISBX_KIND_CONFLICT] = MHD_HTTP_CONFLICT,
		[AISBX_KIND_STALE] = MHD_HTTP_CONFLICT,
		[AISBX_KIND_LIMIT] = MHD_HTTP_INSUFFICIENT_STORAGE,
		[AISBX_KIND_TIMEOUT] = MHD_HTTP_GATEWAY_TIMEOUT,
	};
	const unsigned int found = e->kind < AISBX_KIND_COUNT ? statuses[e->kind] : 0;

	return e->code == -ENOENT  ? MHD_HTTP_NOT_FOUND
	       : e->code == -EFBIG ? MHD_HTTP_CONTENT_TOO_LARGE
	       : found             ? found
				   : MHD_HTTP_INTERNAL_SERVER_ERROR;
}

/* Takes J. */
static void reply_json(struct exchange *x, unsigned int status, json_t *j)
{
	scoped(drop_mem) char *text = j ? json_dumps(j, JSON_COMPACT) : NULL;

	exchange_reply(x, status, "application/json", text ? text : "{}", text ? strlen(text) : 2);
	json_decref(j);
}

static void reply_error(struct exchange *x, const struct aisbx_error *e)
{
	reply_json(x, status_of(e), json_pack("{s:o}", "error", call_error_json(e)));
}

static void drop_if_done(struct transfer *f)
{
	struct transfers *t = f->all;

	if (f->x || f->call)
		return;
	if (f->next)
		f->next->prev = f->prev;
	*(f->prev ? &f->prev->next : &t->list) = f->next;
	free(f);
	t->n--;
	if (!t->n && t->stopped)
		t->stopped(t->ctx);
}

static void on_gone(void *ctx)
{
	struct transfer *f = ctx;

	f->x = NULL;
	if (f->call)
		call_cancel(f->call);
	drop_if_done(f);
}

/* ---- out of the box ---- */

static void begin(struct transfer *f)
{
	f->begun = true;
	exchange_add_header(f->x, "Content-Disposition", "attachment"); /* no page of ours */
	exchange_begin(f->x, "application/octet-stream");
}

static void on_output(void *ctx, int which, const char *data, size_t len)
{
	struct transfer *f = ctx;

	if (!f->x || which != 0)
		return;
	if (!f->begun)
		begin(f);
	exchange_send(f->x, data, len);
	if (exchange_waiting(f->x) > FULL)
		call_hold(f->call, true);
}

static void on_room(void *ctx)
{
	const struct transfer *f = ctx;

	if (f->call)
		call_hold(f->call, false);
}

/* What has begun cannot become an error any more: it breaks off, which the client sees. */
static void on_read(void *ctx, const json_t *result, const struct aisbx_error *e)
{
	struct transfer *f = ctx;

	f->call = NULL;
	if (f->x && result) {
		if (!f->begun)
			begin(f);
		exchange_end(f->x);
	} else if (f->x && f->begun) {
		exchange_drop(f->x);
	} else if (f->x) {
		reply_error(f->x, e);
	}
	drop_if_done(f);
}

/* ---- into the box ---- */

static bool on_body(void *ctx, const char *data, size_t len)
{
	struct transfer *f = ctx;
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	if (!f->call)
		return true;
	if (!data)
		call_close_input(f->call);
	else
		call_input(f->call, data, len, &ignored); /* why nobody takes it is told by its end */
	return !f->call || call_waiting(f->call) < FULL;
}

static void on_drained(void *ctx)
{
	const struct transfer *f = ctx;

	if (f->x)
		exchange_more(f->x);
}

static void on_written(void *ctx, const json_t *result, const struct aisbx_error *e)
{
	struct transfer *f = ctx;

	f->call = NULL;
	if (f->x && result)
		reply_json(f->x, MHD_HTTP_OK, json_incref((json_t *)result));
	else if (f->x)
		reply_error(f->x, e);
	if (f->x)
		exchange_more(f->x);
	drop_if_done(f);
}

/* ---- */

static void start(struct transfers *t, struct exchange *x, const char *method, const char *owner,
		  json_t *args, const struct call_events *events)
{
	struct transfer *f = t->n < MOST_TRANSFERS && !t->stopped ? calloc(1, sizeof(*f)) : NULL;
	const struct call_how how = { .owner = owner,
				      .cwd = t->cwd,
				      .trace_id = exchange_trace(x),
				      .env = (const char *const *)environ,
				      .input = !events->output };
	struct aisbx_error e = AISBX_ERROR_INIT;
	int r;

	if (!f) {
		exchange_add_header(x, "Retry-After", "1");
		reply_json(x, MHD_HTTP_SERVICE_UNAVAILABLE,
			   json_pack("{s:{s:s, s:s}}", "error", "kind", "limit", "text",
				     "too many files are on their way; try again"));
		return;
	}
	*f = (struct transfer){ .all = t, .x = x, .next = t->list };
	r = op_check_args(op_by_method(method), args, &e);
	if (r == 0)
		r = call_start(t->loop, op_by_method(method), args, &how, events, f, &f->call, &e);
	if (r < 0) {
		reply_error(x, &e);
		free(f);
		return;
	}
	if (f->next)
		f->next->prev = f;
	t->list = f;
	t->n++;
	exchange_on_end(x, on_gone, f);
	if (events->output)
		exchange_on_room(x, on_room, f);
	else
		exchange_on_body(x, on_body, f);
}

void transfer_read(struct transfers *t, struct exchange *x, const struct transfer_where *from)
{
	const struct call_events events = { .output = on_output, .done = on_read };
	json_t *args = json_pack("{s:s, s:s, s:b}", "box", from->box, "path", from->path, "raw", 1);

	start(t, x, "file.read", from->owner, args, &events);
	json_decref(args);
}

void transfer_write(struct transfers *t, struct exchange *x, const struct transfer_where *to)
{
	const struct call_events events = { .drained = on_drained, .done = on_written };
	const char *length = exchange_header(x, "Content-Length");
	uint64_t size;
	json_t *args;

	if (!length || !str_to_u64(length, &size)) { /* else nobody could tell a part from the whole */
		reply_json(x, MHD_HTTP_LENGTH_REQUIRED,
			   json_pack("{s:{s:s, s:s}}", "error", "kind", "usage", "text",
				     "a file needs Content-Length"));
		return;
	}
	args = json_pack("{s:s, s:s, s:I}", "box", to->box, "path", to->path, "size", (json_int_t)size);
	start(t, x, "file.write", to->owner, args, &events);
	json_decref(args);
}

int transfers_open(struct loop *l, const char *cwd, struct transfers **ret, struct aisbx_error *e)
{
	struct transfers *t = calloc(1, sizeof(*t));

	if (!t)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "serve files");
	*t = (struct transfers){ .loop = l, .cwd = cwd };
	*ret = t;
	return 0;
}

void transfers_stop(struct transfers *t, void (*stopped)(void *ctx), void *ctx)
{
	t->stopped = stopped;
	t->ctx = ctx;
	for (struct transfer *f = t->list; f; f = f->next)
		if (f->call)
			call_cancel(f->call);
		else
			exchange_drop(f->x);
	if (!t->n)
		stopped(ctx);
}

void transfers_close(struct transfers *t)
{
	free(t);
}
