/* SPDX-License-Identifier: Apache-2.0 */
/* The two programs that stay: a hub and a node. Both return an exit status, or a negative errno with E. */
#ifndef FLEET_AGENT_AGENT_H
#define FLEET_AGENT_AGENT_H

#include "fleet/agent/options.h"

int agent_hub(const struct fleet_options *o, char **rest, struct aisbx_error *e);
int agent_node(const struct fleet_options *o, char **rest, struct aisbx_error *e);

/* A line to standard error, with the time; for logs. */
void agent_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
