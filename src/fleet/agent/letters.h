/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to the active hub about dead letters. The engine could not keep tenants apart: who may read or
 * purge one subject of a stream may name any in the question. So the hub asks it, and the subject of the
 * question says of whom. */
#ifndef FLEET_AGENT_LETTERS_H
#define FLEET_AGENT_LETTERS_H

#include "fleet/bus/bus.h"

/*
 *   aisbx.ask.dead[.TENANT]    {"job": NAME, "after": PLACE}   some of them, in order; both may be left out
 *   aisbx.ask.letter[.TENANT]  {"job": NAME}                   one, whole
 *   aisbx.ask.forget[.TENANT]  {"job": NAME, "place": PLACE}   takes it away; without a job all up to PLACE
 *
 * Without a tenant: of all.
 */
struct letters;

struct letters *letters_create(struct bus *bus); /* borrowed */
void letters_destroy(struct letters *l);         /* NULL is allowed */
/* Whether EVENT was for it. WHAT: behind "aisbx.ask.", or NULL for what is no question. */
bool letters_event(struct letters *l, const struct bus_event *event, const char *what, uint64_t now_ms);
/* Whether it had asked. */
bool letters_answer(struct letters *l, const struct fleet_answer *a);

#endif
