/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a change goes through its stages: the next state of a stage after an event, and what to do next. Pure:
 * every new state is recorded before the action that it announces, so that it is known after a crash.
 * tests/model/stages.pml is the same machine for a model checker; a test compares the two tables.
 */
#ifndef FLOW_STAGE_H
#define FLOW_STAGE_H

#include <stdbool.h>
#include <stddef.h>

#define STAGE_STATES(X)                                                                                    \
	X(PENDING, "pending")   /* nothing happened yet */                                                 \
	X(JUDGING, "judging")   /* its gates check the change */                                           \
	X(WAITING, "waiting")   /* for a person */                                                         \
	X(APPLYING, "applying") /* its target is being changed */                                          \
	X(CLEARING, "clearing") /* nobody knows how far a command came: what it did is taken back, then it \
				   runs again */                                                           \
	X(CHECKING, "checking") /* the target is changed, and gates check it */                            \
	X(PASSED, "passed")                                                                                \
	X(UNDOING, "undoing") /* the target is being restored */                                           \
	X(UNDONE, "undone")                                                                                \
	X(FAILED, "failed") /* and its target is restored */                                               \
	X(STUCK,                                                                                           \
	  "stuck") /* a person must look: the state of its target is not known, or could not be undone */

#define STAGE_EVENTS(X)                                                                                \
	X(BEGIN, "begin") /* all before it passed */                                                   \
	X(HOLD, "hold")   /* the gates do */                                                           \
	X(ASK, "ask")     /* the gates hold, and a person must approve */                              \
	X(BREAK, "break") /* a gate does not hold, a command failed */                                 \
	X(APPROVE, "approve")                                                                          \
	X(REJECT, "reject")                                                                            \
	X(DONE, "done")     /* the action is complete */                                               \
	X(REFUSE, "refuse") /* it failed, and nothing was changed */                                   \
	X(AGAIN, "again")   /* after a crash: it had not happened */                                   \
	X(LOST, "lost")     /* after a crash: it may have happened, and can be undone and run again */ \
	X(STICK, "stick")   /* it may have happened, and cannot be undone */                           \
	X(BACK, "back")     /* a person undoes the pipeline */

/* From, event, to. Other transitions cannot happen. */
#define STAGE_MOVES(X)                \
	X(PENDING, BEGIN, JUDGING)    \
	X(JUDGING, HOLD, APPLYING)    \
	X(JUDGING, ASK, WAITING)      \
	X(JUDGING, BREAK, FAILED)     \
	X(JUDGING, BACK, FAILED)      \
	X(WAITING, APPROVE, APPLYING) \
	X(WAITING, REJECT, FAILED)    \
	X(WAITING, BACK, FAILED)      \
	X(APPLYING, DONE, CHECKING)   \
	X(APPLYING, AGAIN, APPLYING)  \
	X(APPLYING, REFUSE, FAILED)   \
	X(APPLYING, BREAK, UNDOING)   \
	X(APPLYING, LOST, CLEARING)   \
	X(APPLYING, STICK, STUCK)     \
	X(APPLYING, BACK, UNDOING)    \
	X(CLEARING, DONE, APPLYING)   \
	X(CLEARING, STICK, STUCK)     \
	X(CLEARING, BACK, UNDOING)    \
	X(CHECKING, HOLD, PASSED)     \
	X(CHECKING, BREAK, UNDOING)   \
	X(CHECKING, BACK, UNDOING)    \
	X(PASSED, BACK, UNDOING)      \
	X(UNDOING, DONE, UNDONE)      \
	X(UNDOING, STICK, STUCK)      \
	X(STUCK, BACK, UNDOING)

enum stage_state {
#define X(id, name) STAGE_##id,
	STAGE_STATES(X)
#undef X
		STAGE_STATE_COUNT
};

enum stage_event {
#define X(id, name) EVENT_##id,
	STAGE_EVENTS(X)
#undef X
		STAGE_EVENT_COUNT
};

const char *stage_state_name(enum stage_state s);
const char *stage_event_name(enum stage_event ev);
/* STAGE_STATE_COUNT: there is none of that name. */
enum stage_state stage_state_by_name(const char *name);
/* STAGE_STATE_COUNT: that cannot happen there. */
enum stage_state stage_next(enum stage_state s, enum stage_event ev);

enum pipeline_state {
	PIPELINE_RUNNING, /* or cut off: who holds its lock tells */
	PIPELINE_WAITING,
	PIPELINE_DONE,
	PIPELINE_STOPPED,
	PIPELINE_UNDONE,
};

const char *pipeline_state_name(enum pipeline_state s);
/* BACK: a person takes it back. */
enum pipeline_state pipeline_state_of(const enum stage_state *stages, size_t n, bool back);

/* The one stage that is next; N: none. No later stage is touched before all earlier ones passed. */
size_t pipeline_at(const enum stage_state *stages, size_t n, bool back);

#endif
