/* SPDX-License-Identifier: Apache-2.0 */
/* A job that needs secrets, before its command begins: its submitter is asked for the values, which come
 * sealed to a key that is made for this question alone. */
#ifndef FLEET_AGENT_ASKING_H
#define FLEET_AGENT_ASKING_H

#include <jansson.h>

#include "fleet/agent/output.h"

/* It is asked again each time; who has not answered by then will not. */
#define ASKING_MS 10000

struct asking;

/* Whether a call that may be made for a job needs any. */
bool asking_is_needed(const char *operation, const json_t *params);
/* PARAMS: a reference to keep, of the call of METHOD that waits. -: it cannot be sealed. */
int asking_begin(const char *method, json_t *params, const struct output *out, uint64_t now_ms,
		 struct asking **ret, struct aisbx_error *e);
void asking_destroy(struct asking *a); /* NULL is allowed */
void asking_send(const struct asking *a, const struct output *out, struct bus *bus);
bool asking_is_late(const struct asking *a, uint64_t now_ms);
/* SAID by the submitter. 1: all is there, and RET_PARAMS is a new reference with "_secrets"; 0: it is no
 * answer; -: there are no values. The caller wipes them by asking_wipe. */
int asking_take(const struct asking *a, const json_t *said, json_t **ret_params, struct aisbx_error *e);
const char *asking_method(const struct asking *a);
void asking_wipe(json_t *params);

#endif
