/* SPDX-License-Identifier: Apache-2.0 */
/* What an active hub answers to people. */
#ifndef FLEET_AGENT_HUB_STATUS_H
#define FLEET_AGENT_HUB_STATUS_H

#include <jansson.h>

#include "fleet/core/hub.h"

/* WHAT: status, nodes, queue or jobs. A new reference; NULL: there is no such question. */
json_t *hub_status(const struct fleet_hub *hub, const char *name, const char *what);

#endif
