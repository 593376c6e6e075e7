/* SPDX-License-Identifier: Apache-2.0 */
/* How far long work is. Its state is the process's: it has one screen. */
#include "base/meter.h"

#include <stddef.h>
#include <unistd.h>

#include "base/time.h"

#define TELL_MS 100

static struct {
	void (*heard)(const struct meter *m);
	pid_t pid; /* who listens: children, which have the same screen, are silent */
	unsigned int depth;
	bool fixed; /* the outermost knew how much it is */
	uint64_t told_ms;
	struct meter now;
} state;

void meter_listen(void (*heard)(const struct meter *m))
{
	state.heard = heard;
	state.pid = getpid();
}

bool meter_is_heard(void)
{
	return state.heard && state.pid == getpid();
}

bool meter_begin(const char *what, uint64_t n)
{
	if (!state.heard)
		return true;
	if (state.depth++ == 0) {
		state.now = (struct meter){ .what = what, .total = n, .began_ms = time_ms() };
		state.fixed = n != 0;
	} else if (!state.fixed && n) {
		if (state.now.total < state.now.done)
			state.now.total = state.now.done; /* before it was known */
		state.now.total += n;
	}
	return true;
}

void meter_drop(bool *begun)
{
	if (!*begun || !state.heard || !state.depth || --state.depth)
		return;
	state.now.what = NULL;
	if (meter_is_heard())
		state.heard(&state.now);
}

void meter_more(uint64_t n)
{
	if (!state.fixed)
		state.now.total += n;
}

void meter_step(uint64_t bytes)
{
	uint64_t now;

	if (!state.heard)
		return;
	state.now.done += !state.fixed || state.now.done < state.now.total; /* some things are done twice */
	state.now.bytes += bytes;
	if (!state.depth)
		return;
	now = time_ms();
	if (now - state.told_ms < TELL_MS)
		return;
	state.told_ms = now;
	if (meter_is_heard())
		state.heard(&state.now);
}
