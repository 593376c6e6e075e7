/* SPDX-License-Identifier: Apache-2.0 */
/* A row of policy/traps.def, for the files that read it. */
#ifndef POLICY_TRAP_ROW_H
#define POLICY_TRAP_ROW_H

#include <jansson.h>

#include "policy/trap.h"

#define TRAP_WHY(tool, when) "obeyed without being asked by " tool ": " when

struct trap_row {
	struct trap trap;
	const char *pattern;
	bool guards; /* removing it is a trap, too */
};

/*
 * policy/trap_toml.c: a TOML file as JSON, everything except strings as it is written. NULL: it cannot be
 * parsed, or there is no memory.
 */
json_t *trap_read_toml(const char *text);

#endif
