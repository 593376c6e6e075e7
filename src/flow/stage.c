/* SPDX-License-Identifier: Apache-2.0 */
/* The state machine of stages, as tables. */
#include "flow/stage.h"

#include <string.h>

static const char *const state_names[] = {
#define X(id, name) name,
	STAGE_STATES(X)
#undef X
};

static const char *const event_names[] = {
#define X(id, name) name,
	STAGE_EVENTS(X)
#undef X
};

static const struct {
	enum stage_state from;
	enum stage_event event;
	enum stage_state to;
} moves[] = {
#define X(f, ev, t) { STAGE_##f, EVENT_##ev, STAGE_##t },
	STAGE_MOVES(X)
#undef X
};

const char *stage_state_name(enum stage_state s)
{
	return s < STAGE_STATE_COUNT ? state_names[s] : "?";
}

const char *stage_event_name(enum stage_event ev)
{
	return ev < STAGE_EVENT_COUNT ? event_names[ev] : "?";
}

enum stage_state stage_state_by_name(const char *name)
{
	enum stage_state s = 0;

	while (s < STAGE_STATE_COUNT && strcmp(state_names[s], name) != 0)
		s++;
	return s;
}

enum stage_state stage_next(enum stage_state s, enum stage_event ev)
{
	for (size_t i = 0; i < sizeof(moves) / sizeof(*moves); i++)
		if (moves[i].from == s && moves[i].event == ev)
			return moves[i].to;
	return STAGE_STATE_COUNT;
}

const char *pipeline_state_name(enum pipeline_state s)
{
	static const char *const names[] = { "running", "waiting", "done", "stopped", "undone" };

	return names[s];
}

/* Its target is as it was before the pipeline. */
static bool is_clean(enum stage_state s)
{
	return s == STAGE_PENDING || s == STAGE_FAILED || s == STAGE_UNDONE;
}

/* Nothing more happens to it by itself. */
static bool is_over(enum stage_state s)
{
	return s == STAGE_FAILED || s == STAGE_UNDONE || s == STAGE_STUCK;
}

/* The first that has not passed; taking back, the last that is not clean. */
size_t pipeline_at(const enum stage_state *stages, size_t n, bool back)
{
	size_t at = back ? n : 0;

	while (!back && at < n && stages[at] == STAGE_PASSED)
		at++;
	while (back && at && is_clean(stages[at - 1]))
		at--;
	if (back)
		return at && !is_over(stages[at - 1]) ? at - 1 : n;
	return at < n && !is_over(stages[at]) ? at : n;
}

enum pipeline_state pipeline_state_of(const enum stage_state *stages, size_t n, bool back)
{
	size_t at = pipeline_at(stages, n, back);
	bool clean = true, passed = true;

	if (at < n)
		return !back && stages[at] == STAGE_WAITING ? PIPELINE_WAITING : PIPELINE_RUNNING;
	for (size_t i = 0; i < n; i++) {
		clean = clean && is_clean(stages[i]);
		passed = passed && stages[i] == STAGE_PASSED;
	}
	if (back)
		return clean ? PIPELINE_UNDONE : PIPELINE_STOPPED;
	return passed ? PIPELINE_DONE : PIPELINE_STOPPED;
}
