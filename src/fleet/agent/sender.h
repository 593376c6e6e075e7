/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps one aisbx-outbox running as long as the node: it sends what runs of all tenants recorded to the
 * fleet's history. Begun again when it dies, later each time; the node does not depend on it. NULL is allowed
 * in all calls. */
#ifndef FLEET_AGENT_SENDER_H
#define FLEET_AGENT_SENDER_H

#include "fleet/agent/options.h"

struct sender;

/* O, NAME and DIR, of the node, are borrowed. */
struct sender *sender_create(const struct fleet_options *o, const char *name, const char *dir);
/* It sends what is left, for a short while, and ends. */
void sender_destroy(struct sender *s);
void sender_tick(struct sender *s, uint64_t now_ms);
uint64_t sender_next(const struct sender *s);
void sender_child_ended(struct sender *s, uint64_t now_ms);
bool sender_runs(const struct sender *s);

#endif
