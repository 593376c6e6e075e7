/* SPDX-License-Identifier: Apache-2.0 */
/* What a call needs is kept until its turn; then its reports pass through. */
#include "server/core/queued.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "secret/secrets.h"
#include "server/core/json.h"

/* Input that comes before the command reads it; as much as a running call keeps. */
#define INPUT_BYTES (4u << 20)
/* For each processor. */
#define FRESH_PER_CPU 2
/* As soon as the loop comes to it: who cancels may be in the middle of a list. */
#define SOON_MS 1

struct calls {
	struct loop *loop; /* borrowed */
	struct queue queue;
	struct timer *timer;
	struct queued *over; /* they are done, and not told yet; the oldest first */
	struct queued **over_end;
	bool starting;
};

struct calls_client {
	struct queue_source source;
	struct calls *all;
	size_t n; /* its calls that are not done */
	bool gone;
};

/* What the call is started with; all of it is owned, but the environment. */
struct kept {
	const struct op *op; /* borrowed */
	json_t *args;
	struct call_how how;
	char *owner, *cwd, *trace_id;
	struct given_secret *given;
	int data_fd; /* -1: none */
	struct buf input;
	bool close_input;
};

struct queued {
	struct queue_item item;
	struct calls_client *client;
	struct call_events events;
	void *ctx;
	struct kept *kept; /* NULL: it has begun */
	struct call *call; /* NULL: it has not begun, or is over */
	bool held;
	struct aisbx_error error;
	struct queued *next_over;
};

/* What ends other calls must not have to wait for them. */
static bool is_urgent(const struct op *op)
{
	return op->method && !strcmp(op->method, "run.kill");
}

/* ---- what is kept ---- */

static void drop_given(struct given_secret *list)
{
	for (struct given_secret *g = list; g && g->name; g++) {
		if (g->value)
			explicit_bzero((char *)(uintptr_t)g->value, g->len);
		free((char *)(uintptr_t)g->value);
		free((char *)(uintptr_t)g->name);
	}
	free(list);
}

static void drop_kept(struct kept *k)
{
	if (!k)
		return;
	json_decref(k->args);
	free(k->owner);
	free(k->cwd);
	free(k->trace_id);
	drop_given(k->given);
	close_fd(&k->data_fd);
	buf_finish(&k->input);
	free(k);
}

static bool keep_text(const char **text, char **ret_own)
{
	if (!*text)
		return true;
	*text = *ret_own = strdup(*text);
	return *ret_own;
}

static bool keep_given(struct kept *k)
{
	const struct given_secret *from = k->how.given;
	size_t n = 0;

	if (!from)
		return true;
	while (from[n].name)
		n++;
	k->how.given = k->given = calloc(n + 1, sizeof(*k->given));
	for (size_t i = 0; k->given && i < n; i++) {
		char *value = malloc(from[i].len + 1);

		k->given[i] = (struct given_secret){ strdup(from[i].name), value, from[i].len };
		if (!k->given[i].name || !value) {
			free(value); /* as if it were the last: the name says where the list ends */
			free((char *)(uintptr_t)k->given[i].name);
			k->given[i] = (struct given_secret){ 0 };
			return false;
		}
		memcpy(value, from[i].value, from[i].len);
	}
	return k->given;
}

static bool keep_data(struct kept *k)
{
	if (!k->how.data_fd)
		return true;
	k->data_fd = fcntl(*k->how.data_fd, F_DUPFD_CLOEXEC, 0);
	k->how.data_fd = &k->data_fd;
	return k->data_fd >= 0;
}

static struct kept *keep(const struct op *op, const json_t *args, const struct call_how *how)
{
	struct kept *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	*k = (struct kept){ .op = op, .args = json_incref((json_t *)args), .how = *how, .data_fd = -1 };
	if (keep_text(&k->how.owner, &k->owner) && keep_text(&k->how.cwd, &k->cwd) &&
	    keep_text(&k->how.trace_id, &k->trace_id) && keep_given(k) && keep_data(k))
		return k;
	drop_kept(k);
	return NULL;
}

static size_t weigh(const json_t *args, const struct given_secret *given)
{
	size_t n = sizeof(struct queued) + sizeof(struct kept) + server_json_weight(args);

	for (; given && given->name; given++)
		n += given->len;
	return n;
}

/* ---- reports ---- */

static void start_next(struct calls *all);

static void on_output(void *ctx, int which, const char *data, size_t len)
{
	struct queued *q = ctx;

	q->events.output(q->ctx, which, data, len);
}

static void on_item(void *ctx, const json_t *item)
{
	struct queued *q = ctx;

	if (q->events.item)
		q->events.item(q->ctx, item);
}

/* From now on it waits for its command, and others may use the processor. */
static void settle(struct queued *q)
{
	queue_settle(&q->item);
	if (q->client->all->queue.waiting)
		timer_set(q->client->all->timer, SOON_MS);
}

static void on_begun(void *ctx, const char *run, const char *trace_id)
{
	struct queued *q = ctx;

	settle(q);
	if (q->events.begun)
		q->events.begun(q->ctx, run, trace_id);
}

static void on_waits(void *ctx, const char *run)
{
	struct queued *q = ctx;

	settle(q);
	if (q->events.waits)
		q->events.waits(q->ctx, run);
}

static void free_client(struct calls_client *c)
{
	if (c->gone && !c->n)
		free(c);
}

static void finish(struct queued *q, const json_t *result, const struct aisbx_error *e)
{
	struct calls_client *client = q->client;

	queue_leave(&q->item);
	client->n--;
	q->events.done(q->ctx, result, e);
	free(q);
	free_client(client);
}

static void on_done(void *ctx, const json_t *result, const struct aisbx_error *e)
{
	struct queued *q = ctx;
	struct calls *all = q->client->all;

	finish(q, result, e);
	start_next(all);
}

/* ---- turns ---- */

/* Its error is told later, from the loop. */
static void end_soon(struct queued *q)
{
	struct calls *all = q->client->all;

	queue_leave(&q->item);
	q->next_over = NULL;
	*all->over_end = q;
	all->over_end = &q->next_over;
	timer_set(all->timer, SOON_MS);
}

static void begin(struct queued *q)
{
	const struct call_events events = { .output = q->events.output ? on_output : NULL,
					    .item = on_item,
					    .begun = on_begun,
					    .waits = on_waits,
					    .done = on_done };
	struct kept *k = q->kept;

	q->kept = NULL;
	if (call_start(q->client->all->loop, k->op, k->args, &k->how, &events, q, &q->call, &q->error) < 0) {
		q->call = NULL;
		end_soon(q);
	} else {
		struct aisbx_error ignored = AISBX_ERROR_INIT; /* there is room for all that was taken */

		if (k->input.len)
			call_input(q->call, k->input.data, k->input.len, &ignored);
		if (k->close_input)
			call_close_input(q->call);
		if (q->held)
			call_hold(q->call, true);
	}
	drop_kept(k);
}

static void tell_over(struct calls *all)
{
	while (all->over) {
		struct queued *q = all->over;

		all->over = q->next_over;
		if (!all->over)
			all->over_end = &all->over;
		finish(q, NULL, &q->error);
	}
}

/* Starting one may end another, which comes back here: the outermost goes on. */
static void start_next(struct calls *all)
{
	const uint64_t now = time_ms();
	struct queue_item *item;
	uint64_t due;

	if (all->starting)
		return;
	all->starting = true;
	queue_tick(&all->queue, now);
	while ((item = queue_next(&all->queue, now)))
		begin((struct queued *)item);
	due = queue_due_ms(&all->queue);
	timer_set(all->timer, all->over ? SOON_MS : !due ? 0 : due > now ? due - now : SOON_MS);
	all->starting = false;
}

void calls_tick(struct calls *all)
{
	tell_over(all);
	start_next(all);
}

static void on_timer(void *ctx)
{
	calls_tick(ctx);
}

int queued_start(struct calls_client *client, const struct op *op, const json_t *args,
		 const struct call_how *how, const struct call_events *events, void *ctx,
		 struct queued **ret_call, uint32_t *ret_retry_ms, struct aisbx_error *e)
{
	struct queued *q = calloc(1, sizeof(*q));

	*ret_retry_ms = 0;
	if (q)
		q->kept = keep(op, args, how);
	if (!q || !q->kept) {
		free(q);
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "queue a call");
	}
	q->client = client;
	q->events = *events;
	q->ctx = ctx;
	q->error = (struct aisbx_error)AISBX_ERROR_INIT;
	*ret_retry_ms = queue_join(&client->source, &q->item, weigh(args, how->given), is_urgent(op));
	if (*ret_retry_ms) {
		drop_kept(q->kept);
		free(q);
		return aisbx_refuse(
			e, AISBX_KIND_LIMIT, AISBX_AREA_RUN, EDQUOT,
			"%u calls wait for their turn here and %u in this server, and no more can; "
			"try again in %u ms",
			client->source.waiting, client->all->queue.waiting, *ret_retry_ms);
	}
	client->n++;
	*ret_call = q;
	start_next(client->all);
	return 0;
}

bool queued_is_waiting(const struct queued *q)
{
	return q->kept;
}

int queued_input(struct queued *q, const char *data, size_t len, struct aisbx_error *e)
{
	struct kept *k = q->kept;

	if (q->call)
		return call_input(q->call, data, len, e);
	if (!k) /* it is over, and why is about to be told: that is what its client should hear */
		return 0;
	if (!k->how.input || k->close_input)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, EPIPE,
				    "the call takes no input, or its input is closed");
	if (k->input.len + len > INPUT_BYTES)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_RUN, ENOBUFS,
				    "%u bytes of input are already queued; send more when the command has "
				    "read some",
				    INPUT_BYTES);
	buf_add(&k->input, data, len);
	return k->input.failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "queue the input") : 0;
}

void queued_close_input(struct queued *q)
{
	if (q->call)
		call_close_input(q->call);
	else if (q->kept)
		q->kept->close_input = true;
}

void queued_cancel(struct queued *q)
{
	if (q->call)
		call_cancel(q->call);
	if (!q->kept)
		return;
	drop_kept(q->kept);
	q->kept = NULL;
	aisbx_refuse(&q->error, AISBX_KIND_CANCELLED, AISBX_AREA_RUN, ECANCELED, "the call was cancelled");
	end_soon(q);
}

void queued_hold(struct queued *q, bool hold)
{
	q->held = hold;
	if (q->call)
		call_hold(q->call, hold);
}

/* ---- clients, and the server ---- */

struct calls_client *calls_enter(struct calls *all)
{
	struct calls_client *c = calloc(1, sizeof(*c));

	if (c)
		*c = (struct calls_client){ .source = { .queue = &all->queue }, .all = all };
	return c;
}

void calls_part(struct calls_client *client)
{
	if (!client)
		return;
	client->gone = true;
	free_client(client);
}

uint32_t calls_retry_ms(const struct calls_client *client)
{
	return queue_retry_ms(&client->source);
}

size_t calls_count(const struct calls *all)
{
	return all->queue.running + all->queue.waiting;
}

static unsigned int count_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned int)CPU_COUNT(&set) : 4;
}

int calls_new(struct loop *l, unsigned int running, bool here, struct calls **ret, struct aisbx_error *e)
{
	struct calls *all = calloc(1, sizeof(*all));
	int r;

	if (!all)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "set up the queue of calls");
	all->loop = l;
	all->over_end = &all->over;
	all->queue.limits = (struct queue_limits){ .running = running,
						   .running_in_all = CALLS_RUNNING_IN_ALL,
						   .fresh = here ? FRESH_PER_CPU * count_cpus() : 0,
						   .waiting = CALLS_WAITING,
						   .waiting_in_all = CALLS_WAITING_IN_ALL,
						   .bytes = CALLS_BYTES,
						   .bytes_in_all = CALLS_BYTES_IN_ALL };
	r = timer_add(l, on_timer, all, &all->timer, e);
	if (r < 0) {
		free(all);
		return r;
	}
	*ret = all;
	return 0;
}

void calls_destroy(struct calls *all)
{
	if (!all)
		return;
	timer_end(&all->timer);
	free(all);
}
