/* SPDX-License-Identifier: Apache-2.0 */
/* run.wait over a fleet: for runs of this client, whose ends are kept here for a while. No node has them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "fleet/client/forward.h"
#include "fleet/core/memory.h"

/* The oldest go first. */
#define MOST       64
#define MOST_BYTES ((size_t)32 << 20)

static const char *const streams[] = { "stdout", "stderr" };

struct finished {
	struct finished *next; /* older */
	char run[80];
	json_t *result; /* owned */
	size_t bytes;
};

static void drop(struct finished **at)
{
	struct finished *old = *at;

	*at = old->next;
	json_decref(old->result);
	free(old);
}

void forward_wait_finish(struct forwarder *f)
{
	while (f->finished)
		drop(&f->finished);
}

static const struct finished *find(const struct forwarder *f, const char *run)
{
	const struct finished *one = f->finished;

	while (one && strcmp(one->run, run) != 0)
		one = one->next;
	return one;
}

/* The last MOST bytes of a stream, whole letters of them; the rest counts as missing. */
static void put_tail(json_t *said, const json_t *result, const char *stream, uint64_t most)
{
	const json_t *all = json_object_get(result, stream);
	const char *text = json_string_value(all) ? json_string_value(all) : "";
	const size_t len = json_string_length(all);
	size_t from = len > most ? len - (size_t)most : 0;
	json_int_t lost = json_integer_value(json_object_get(json_object_get(result, "truncated"), stream));

	while (from < len && from > 0 && ((unsigned char)text[from] & 0xC0) == 0x80)
		from++;
	json_object_set_new(said, stream, json_stringn(text + from, len - from));
	json_object_set_new(json_object_get(said, "truncated"), stream,
			    json_integer(lost + (json_int_t)from));
}

/* What run.wait says of RESULT. */
static json_t *say(const struct call *waiting, const json_t *result)
{
	static const char *const fields[] = { "run",    "status", "exit_code", "exit_status",
					      "signal", "error",  "node",      NULL };
	json_t *said = json_object();
	uint64_t most;

	for (size_t i = 0; fields[i]; i++)
		if (json_object_get(result, fields[i]))
			json_object_set(said, fields[i], json_object_get(result, fields[i]));
	if (!value_size(json_object_get(waiting->arguments, "output"), &most))
		return said;
	json_object_set_new(said, "truncated", json_object());
	for (size_t i = 0; i < 2; i++)
		put_tail(said, result, streams[i], most);
	return said;
}

static const char *waited_for(const struct call *c)
{
	const char *run = c->waits ? json_string_value(json_object_get(c->arguments, "run")) : NULL;

	return run ? run : "";
}

static void settle(struct call *waiting, const json_t *result)
{
	waiting->result = say(waiting, result);
	waiting->waits = false;
	waiting->over = true;
}

static void keep(struct forwarder *f, const char *run, json_t *result)
{
	struct finished *one = fleet_new(sizeof(*one));
	size_t n = 0, bytes = 0;

	*one = (struct finished){ .next = f->finished, .result = result };
	snprintf(one->run, sizeof(one->run), "%s", run);
	for (int i = 0; i < 2; i++)
		one->bytes += json_string_length(json_object_get(result, streams[i]));
	f->finished = one;
	for (struct finished **at = &f->finished; *at;) {
		bytes += (*at)->bytes;
		if (n++ && (n > MOST || bytes > MOST_BYTES))
			drop(at);
		else
			at = &(*at)->next;
	}
}

/* Of a run that has none: why. A letter of that may have been cut. */
static json_t *make_result(const struct call *c)
{
	scoped(buf_finish) struct buf why = { 0 };

	buf_add_utf8(&why, c->why.text, strlen(c->why.text));
	return json_pack("{s:s, s:s, s:n, s:s}", "run", c->run, "status", "error", "exit_code", "error",
			 buf_str(&why) ? why.data : "");
}

void forward_wait_take(struct call *c)
{
	struct forwarder *f = c->f;
	json_t *result;

	if (!c->keeps || !c->run[0])
		return;
	result = c->result ? json_incref(c->result) : make_result(c);
	if (!result)
		fleet_out_of_memory();
	keep(f, c->run, result);
	for (struct call *waiting = f->calls; waiting; waiting = waiting->next)
		if (!strcmp(waited_for(waiting), c->run))
			settle(waiting, result);
}

/* What it printed so far. */
static void tell_so_far(struct call *waiting, const struct call *running)
{
	json_t *so_far = json_pack("{s:s, s:s, s:s}", "run", running->run, "status", "running", "node",
				   live_node(running->live));
	json_t *lacking = json_object();

	for (int i = 0; i < 2; i++) {
		struct buf text = { 0 };
		uint64_t missing = kept_text(&running->kept[i], &text);

		json_object_set_new(so_far, streams[i], json_stringn(text.data ? text.data : "", text.len));
		json_object_set_new(lacking, streams[i], json_integer((json_int_t)missing));
		buf_finish(&text);
	}
	json_object_set_new(so_far, "truncated", lacking);
	settle(waiting, so_far);
	json_decref(so_far);
}

static void fail(struct call *waiting, enum aisbx_kind kind, int number, const char *why)
{
	aisbx_refuse(&waiting->why, kind, AISBX_AREA_RUN, number, "%s", why);
	waiting->waits = false;
	waiting->over = true;
}

void forward_wait_tick(struct call *c, uint64_t now_ms)
{
	const struct call *running;

	if (!c->waits || now_ms < c->deadline_ms)
		return;
	running = forward_here_run(c->f, waited_for(c));
	if (running)
		tell_so_far(c, running);
	else
		fail(c, AISBX_KIND_NOT_FOUND, ENOENT, "the run began again on another node");
}

void forward_wait_cancel(struct call *c)
{
	if (c->waits)
		fail(c, AISBX_KIND_CANCELLED, ECANCELED, "the call was cancelled");
}

int forward_wait_start(struct call *c, struct aisbx_error *e)
{
	const char *run = json_string_value(json_object_get(c->arguments, "run"));
	const struct finished *one = run ? find(c->f, run) : NULL;
	uint64_t ms;

	if (one) {
		settle(c, one->result);
		return 0;
	}
	if (!run || !forward_here_run(c->f, run))
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, ENOENT,
				    "no run '%.80s' was started by this client, or it ended too long ago: "
				    "the ends of the "
				    "newest %d are kept",
				    run ? run : "", MOST);
	c->waits = true;
	if (value_ms(json_object_get(c->arguments, "timeout"), &ms))
		c->deadline_ms = c->since_ms + ms;
	return 0;
}
