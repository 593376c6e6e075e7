/* SPDX-License-Identifier: Apache-2.0 */
/* A hub and a node in figures, as Prometheus reads them. No series per job; those per class, tenant and node
 * are bounded: the largest have series of their own, the rest is one, named "(other)", which is no name. */
#ifndef FLEET_AGENT_FIGURES_H
#define FLEET_AGENT_FIGURES_H

#include "base/buf.h"
#include "fleet/bus/bus.h"
#include "fleet/core/hub_sums.h"
#include "fleet/core/node.h"

#define FIGURES_CLASSES 100
#define FIGURES_TENANTS 200
#define FIGURES_NODES   1000

void figures_hub(const struct fleet_hub *hub, struct fleet_now now, struct buf *out);
void figures_node(const struct fleet_node *node, struct fleet_now now, bool connected, struct buf *out);
/* Of either. */
void figures_bus(const struct bus_counts *counts, struct buf *out);
/* "# HELP", "# TYPE" and one value. */
void figure(struct buf *out, const char *name, const char *type, const char *help, double value);

#endif
