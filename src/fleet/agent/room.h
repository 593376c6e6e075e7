/* SPDX-License-Identifier: Apache-2.0 */
/* How many more jobs this machine can carry, by its free memory and its pressure (PSI). */
#ifndef FLEET_AGENT_ROOM_H
#define FLEET_AGENT_ROOM_H

#include <stddef.h>

/* Of MOST jobs, how many may be taken now, by a machine of so many PROCESSORS. The texts are those of
 * /proc/meminfo, and of memory and cpu in /proc/pressure; NULL: unknown, and no reason to take fewer. */
unsigned room_of(unsigned most, unsigned processors, const char *meminfo, const char *memory_pressure,
		 const char *cpu_pressure);
/* The same of this machine, now. */
unsigned room_now(unsigned most);

#endif
