/* SPDX-License-Identifier: Apache-2.0 */
/* Says on standard error why a job has not begun. */
#ifndef FLEET_CLIENT_WHY_WAITING_H
#define FLEET_CLIENT_WHY_WAITING_H

#include "fleet/bus/bus.h"

/* ACCEPTED: it is in the queue. */
void why_waiting(struct bus *bus, const struct fleet_job *job, bool accepted);

#endif
