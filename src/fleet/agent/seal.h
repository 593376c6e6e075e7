/* SPDX-License-Identifier: Apache-2.0 */
/* What a program of the fleet signs, and what it takes from others as signed. Without keys nothing is signed
 * and everything is taken: all functions allow NULL. */
#ifndef FLEET_AGENT_SEAL_H
#define FLEET_AGENT_SEAL_H

#include "fleet/agent/options.h"
#include "fleet/core/actions.h"
#include "fleet/wire/key.h"

struct seals;

/* By --key, --hub-keys and --node-keys, as far as ROLE uses them. *RET is NULL where none is given; what is
 * given in part is refused. */
int seals_open(const struct fleet_options *o, enum bus_role role, struct seals **ret, struct aisbx_error *e);
void seals_close(struct seals *s);
/* How many hubs are trusted. */
size_t seals_hubs(const struct seals *s);

/* Of a hub: signs claims, offers and ends before they leave. */
void seals_of_hub(struct seals *s, struct fleet_action *a);
/* Of a hub: whether a node is in --node-keys, which is read again when it was changed; WHY: what was wrong
 * with it, or "". Jobs go to no other. */
bool seals_know_node(struct seals *s, const char *name, uint64_t now_ms, char *why, size_t cap);
/* Of a node: signs results and questions. */
void seals_of_node(const struct seals *s, struct fleet_action *a);
/* Of a node: why an offer is not to be run; NULL: it is one of a trusted hub, to this node. */
const char *seals_refuse_offer(const struct seals *s, const struct fleet_message *m);
/* Of a submitter: why a question is none; NULL: it is of the node of a claim. */
const char *seals_refuse_question(const struct seals *s, const struct fleet_message *m);
/* Why a record was written by nobody who may; NULL: by a trusted hub, or by the node of a trusted claim. */
const char *seals_refuse_record(const struct seals *s, const char *tenant, const char *job,
				const struct fleet_record *record);
/* Whether an answer has a record that nobody wrote who may, for WHY. Then RET is what to take instead, and
 * owns nothing. */
bool seals_find_forged(const struct seals *s, const struct fleet_answer *a, struct fleet_answer *ret,
		       const char **why);
/* The own key, for what is sealed; NULL: none. */
const struct key *seals_key(const struct seals *s);

/* RESULT sealed to BOX, the submitter's key of a job; RESULT itself is dropped. "": stays as it is. NULL: it
 * could not be. */
struct fleet_text *seal_result(const char *box, struct fleet_text *result);
/* The other way round. NULL: it was sealed to somebody else, or changed. What is not sealed stays as it is.
 */
struct fleet_text *seal_open_result(const struct key *box, struct fleet_text *result);

#endif
