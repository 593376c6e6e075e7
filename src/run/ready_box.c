/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run in two parts: the first ends when the program of its command runs and waits for input, the second
 * begins when somebody has some. Between them nobody attends to the box: nothing of anybody runs in it.
 */
#include "run/ready_box.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "run/internal.h"

int ready_box_make(struct run *r, int plan_fd, struct aisbx_error *e)
{
	struct run_outcome nothing = { 0 };
	int err = run_give_plan(r, plan_fd, e);

	if (err < 0)
		return err;
	while (!r->told_start && !r->ended && !r->error.code && r->control >= 0)
		run_turn(r);
	if (r->told_start && !r->ended && r->init)
		return 0;
	run_kill_box(r);
	err = run_finish(r, &nothing, e);
	run_outcome_finish(&nothing);
	return err < 0 ? err
		       : aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
				      "the command of a box that was made ahead did not start");
}

/* What it was made for is gone. */
static void belong_to(struct run *r, const struct run_spec *spec)
{
	r->spec = spec;
	r->watch.limits = spec->limits.held;
}

/* Ends it, and waits until everybody in it is gone. */
static void discard(struct run *r)
{
	struct run_outcome nothing = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	run_kill_box(r);
	run_loop(r);
	if (run_conclude(r, &nothing, &ignored) == 0)
		run_outcome_finish(&nothing);
	run_destroy(r);
}

/* Of a box in which nothing happens nothing is heard. */
static bool is_quiet(const struct run *r)
{
	struct pollfd p = { .fd = r->control, .events = POLLIN };

	return poll(&p, 1, 0) == 0;
}

static void give_input(struct run *r)
{
	struct stream *in = &r->streams[IN];

	if (r->spec->io.stdin_fd < 0) {
		close_fd(&r->feed);
		return;
	}
	stream_init(in, fcntl(r->spec->io.stdin_fd, F_DUPFD_CLOEXEC, 3), take_fd(&r->feed), NULL, UINT64_MAX);
	in->close_to = true;
	stream_move(in);
	if (in->len <= PIPE_BUF) /* there is room for that: it is written now, and the end told */
		for (int i = 0; i < 2; i++)
			stream_move(in);
}

int ready_box_use(struct run *r, const struct run_spec *spec, struct run_outcome *ret_outcome,
		  struct aisbx_error *e)
{
	belong_to(r, spec);
	if (!is_quiet(r)) {
		discard(r);
		return -ESTALE;
	}
	run_start_clock(r);
	run_show(r);
	for (int i = OUT; i < STREAMS; i++)
		run_connect_output(r, i, take_fd(&r->streams[i].from));
	give_input(r);
	if (spec->hooks.started)
		spec->hooks.started(spec->hooks.started_ctx);
	return run_finish(r, ret_outcome, e);
}

void ready_box_drop(struct ready_box *ready)
{
	static const struct run_spec none;

	if (ready->run) {
		belong_to(ready->run, &none);
		discard(ready->run);
	}
	ready->run = NULL;
	buf_finish(&ready->plan);
}
