/* SPDX-License-Identifier: Apache-2.0 */
/* Between an agent and the boxes of one tenant: they die at the end of the lease, also if the agent hangs or
 * is killed. */
#ifndef FLEET_AGENT_WATCHDOG_H
#define FLEET_AGENT_WATCHDOG_H

/* The hidden command of aisbx-fleet that this is. */
#define WATCHDOG_VERB "__watch"
/* Descriptor from which it reads until when the boxes may live: CLOCK_BOOTTIME in ms, 8 bytes each. Its end
 * is theirs. */
#define WATCHDOG_LEASE 3

/* Runs aisbx-serve with standard input and output as they are; returns when no process of it is left. */
int watchdog_main(void);

#endif
