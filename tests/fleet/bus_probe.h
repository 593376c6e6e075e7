/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of bus-probe share: a bus of $NATS_URL, questions that are waited for, jobs. A failure ends
 * the test. */
#ifndef TESTS_FLEET_BUS_PROBE_H
#define TESTS_FLEET_BUS_PROBE_H

#include "support/test.h"

#include "fleet/bus/bus.h"

#define HANGS_MS 60000

extern uint64_t probe_numbers; /* of the last question */

struct bus *probe_open_bus(enum bus_role role, const char *name);
void probe_set_up(struct bus *bus, uint64_t cap);
/* The next event of this kind; others are ended. */
struct bus_event probe_wait_for(struct bus *bus, enum bus_event_kind kind);
/* The answer needs its finish. */
struct fleet_answer probe_ask(struct bus *bus, struct fleet_ask *a);
/* Of one of which nothing but kind and revision counts. */
enum fleet_answer_kind probe_ask_kind(struct bus *bus, struct fleet_ask *a, uint64_t *ret_revision);
/* Needs fleet_job_finish. */
struct fleet_job probe_job(const char *id, const char *tenant, const char *class);
enum fleet_answer_kind probe_submit(struct bus *bus, const char *id, const char *tenant, uint64_t *ret_place);
struct fleet_answer probe_read_lane(struct bus *bus, const char *tenant, uint64_t place, unsigned limit);
const struct fleet_placed_job *probe_job_at(const struct fleet_answer *answer, size_t i);

void probe_asks(void **state);
void probe_bare(void **state);
void probe_hostile(void **state);
void probe_lanes(void **state);
void probe_messages(void **state);
void probe_restart(void **state);

#endif
