/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of names, and names of what has none: numbers of questions, jobs and lanes of tenants. */
#ifndef FLEET_CORE_NAMES_H
#define FLEET_CORE_NAMES_H

#include <stdio.h>
#include <string.h>

#include "fleet/core/message.h"

static inline void fleet_name_copy(char to[FLEET_NAME], const char *from)
{
	size_t len = strnlen(from, FLEET_NAME - 1);

	memcpy(to, from, len);
	to[len] = 0;
}

static inline void fleet_reason_copy(char to[sizeof(((struct fleet_message *)0)->reason)], const char *from)
{
	snprintf(to, sizeof(((struct fleet_message *)0)->reason), "%s", from);
}

static inline const char *fleet_number_name(uint64_t number, char ret[FLEET_NAME])
{
	snprintf(ret, FLEET_NAME, "%llx", (unsigned long long)number);
	return ret;
}

/* "TENANT.JOB", "CLASS.TENANT": names have no dot. */
static inline const char *fleet_key(const char *first, const char *second, char ret[FLEET_KEY])
{
	snprintf(ret, FLEET_KEY, "%.*s.%.*s", FLEET_NAME - 1, first, FLEET_NAME - 1, second);
	return ret;
}

static inline bool fleet_token_is(struct fleet_token a, struct fleet_token b)
{
	return a.epoch == b.epoch && a.revision == b.revision;
}

#endif
