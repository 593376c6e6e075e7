/* SPDX-License-Identifier: Apache-2.0 */
/* Defects that the simulator plants, to show that it would find them: PLANTED(X) is false everywhere else,
 * and costs nothing. */
#ifndef FLEET_CORE_PLANTED_H
#define FLEET_CORE_PLANTED_H

#include <stdbool.h>
#include <stdint.h>

enum fleet_planted {
	PLANTED_NOTHING,
	PLANTED_SENDS_BEFORE_SAVE, /* a submitter submits a job before its table has it */
	PLANTED_NEVER_AGAIN,       /* a submitter does not submit again what the engine lost */
	PLANTED_GRANTS_TWICE,      /* a submitter grants whoever asks */
	PLANTED_GRANT_NOT_SAVED,   /* a submitter forgets its grants when it begins again */
	PLANTED_CLAIM_UNCHECKED,   /* a hub claims without comparing the revision */
	PLANTED_RESULT_UNCHECKED,  /* a node writes its result over whatever is there */
	PLANTED_RECLAIM_EARLY,     /* a hub gives away the jobs of a node before its lease has ended */
	PLANTED_LEASE_FROM_ANSWER, /* a node counts its lease from when the answer came */
	PLANTED_NO_KILL,           /* a node goes on when its lease has ended */
	PLANTED_EPOCH_REUSED,      /* a hub that begins again takes the epoch it read */
	PLANTED_FORGETS_EARLY,     /* a hub takes a job out of its lane when it was claimed */
	PLANTED_OLD_OFFER, /* a node accepts an offer of an older epoch, or one that answers an old beat */
	PLANTED_HOLDS_FOREVER, /* a hub stays active although its term was not renewed */
	PLANTED_IGNORES_HELD,  /* a new hub gives away at once what it does not know who holds */
	PLANTED_N,
};

/* As EXPECTED of a question: nothing is compared. The simulated engine alone knows this. */
#define FLEET_WHATEVER UINT64_MAX

#ifdef FLEET_SIMULATED
extern enum fleet_planted fleet_planted;
#define PLANTED(what) (fleet_planted == PLANTED_##what)
#else
#define PLANTED(what) false
#endif

#endif
