/* SPDX-License-Identifier: Apache-2.0 */
/* The subjects of the fleet, so that NATS permissions can keep tenants and nodes apart. */
#ifndef FLEET_WIRE_SUBJECT_H
#define FLEET_WIRE_SUBJECT_H

#include "fleet/core/message.h"

/*
 *   aisbx.jobs.CLASS.TENANT             jobs that wait                            stream AISBX_JOBS
 *   aisbx.state.TENANT.JOB              the record of a job                       stream AISBX_STATE
 *   aisbx.dead.TENANT.JOB               dead letters                              stream AISBX_DEAD
 *   aisbx.term                          who is the hub                            stream AISBX_TERM
 *   aisbx.history.NODE[.TENANT]         rows of history                           stream AISBX_HISTORY
 *   aisbx.hub.KIND.NODE                 node to hubs
 *   aisbx.cancel.TENANT                 submitter to hubs
 *   aisbx.lane.CLASS.TENANT             submitter to hubs: there is a job at the place that it says; a hint
 *   aisbx.node.NODE.KIND                hub to node
 *   aisbx.grant.NODE.TENANT             submitter to node
 *   aisbx.tenant.TENANT.SUBMITTER.KIND  node to submitter
 *   aisbx.out.TENANT.JOB                what a job prints, live
 *   aisbx.in.NODE.TENANT.JOB            what is typed, and "cancel"
 *   aisbx.ask.WHAT                      questions of people to the active hub
 *   aisbx.ask.WHAT.TENANT               those that a tenant may ask about itself
 */
#define SUBJECT_MAX 256

/* Where a message goes. ENDED with a receiver is for a submitter, without one for the hubs; CANCEL with a
 * receiver is for a node. -EINVAL: a name is none. */
int subject_of_message(const struct fleet_message *m, char ret[SUBJECT_MAX]);
/* Whether a message may come on this subject: its sender, receiver, kind and tenant are those of the subject.
 */
bool subject_fits_message(const char *subject, const struct fleet_message *m);
int subject_of_lane(const char *class, const char *tenant, char ret[SUBJECT_MAX]);
int subject_of_record(const char *tenant, const char *job, char ret[SUBJECT_MAX]);
int subject_of_dead(const char *tenant, const char *job, char ret[SUBJECT_MAX]);
/* "aisbx.jobs.CLASS.TENANT" to its parts. */
bool subject_parse_lane(const char *subject, char ret_class[FLEET_NAME], char ret_tenant[FLEET_NAME]);

#endif
