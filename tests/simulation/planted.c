/* SPDX-License-Identifier: Apache-2.0 */
/* Defects by their names. */
#include "sim.h"

#include <stdio.h>
#include <string.h>

enum fleet_planted fleet_planted;

static const char *const names[PLANTED_N] = {
	[PLANTED_NOTHING] = "nothing",
	[PLANTED_SENDS_BEFORE_SAVE] = "sends-before-save",
	[PLANTED_NEVER_AGAIN] = "never-again",
	[PLANTED_GRANTS_TWICE] = "grants-twice",
	[PLANTED_GRANT_NOT_SAVED] = "grant-not-saved",
	[PLANTED_CLAIM_UNCHECKED] = "claim-unchecked",
	[PLANTED_RESULT_UNCHECKED] = "result-unchecked",
	[PLANTED_RECLAIM_EARLY] = "reclaim-early",
	[PLANTED_LEASE_FROM_ANSWER] = "lease-from-answer",
	[PLANTED_NO_KILL] = "no-kill",
	[PLANTED_EPOCH_REUSED] = "epoch-reused",
	[PLANTED_FORGETS_EARLY] = "forgets-early",
	[PLANTED_OLD_OFFER] = "old-offer",
	[PLANTED_HOLDS_FOREVER] = "holds-forever",
	[PLANTED_IGNORES_HELD] = "ignores-held",
};

bool planted_find(const char *name)
{
	for (unsigned i = 0; i < PLANTED_N; i++)
		if (!strcmp(names[i], name)) {
			fleet_planted = (enum fleet_planted)i;
			return true;
		}
	return false;
}

void planted_list(void)
{
	for (unsigned i = PLANTED_NOTHING + 1; i < PLANTED_N; i++)
		puts(names[i]);
}
