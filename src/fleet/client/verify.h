/* SPDX-License-Identifier: Apache-2.0 */
/* What a submitter takes for the truth about its job: with keys of hubs, only what one of them signed, or the
 * node to which one of them gave the job; and whatever is sealed to the submitter is opened here. */
#ifndef FLEET_CLIENT_VERIFY_H
#define FLEET_CLIENT_VERIFY_H

#include "base/buf.h"
#include "fleet/agent/options.h"
#include "fleet/agent/saved.h"

struct verify;

/* JOB is borrowed, its BOX is set if it is new. GRANTED: what the table knows, or NULL. */
int verify_create(const struct fleet_options *fleet, struct saved *table, struct fleet_job *job,
		  const struct fleet_saved_job *known, struct verify **ret, struct aisbx_error *e);
void verify_destroy(struct verify *v); /* NULL is allowed */
/* Whether it has keys of hubs: what verify_open says of a node is then true. */
bool verify_trusts_hubs(const struct verify *v);

/* What the submitter is to be told instead of A; RET needs fleet_answer_finish. A record that is not what it
 * says is told to a person, and is none: the job goes on. */
void verify_answer(struct verify *v, struct fleet_now now, const struct fleet_answer *a,
		   struct fleet_answer *ret);
/* Whether a message may be heard. */
bool verify_message(struct verify *v, const struct fleet_message *m);
/* Before it is sent: a grant is remembered. */
void verify_sent(struct verify *v, const struct fleet_action *a);

/* What came from the node: RET is what it says. NODE and ATTEMPT: of the claim that it was sealed for; "" if
 * it was not. False: it is nothing. */
bool verify_open(struct verify *v, const char *data, size_t len, struct buf *ret, char ret_node[FLEET_NAME],
		 unsigned *ret_attempt);
/* What goes to it, as it is to be sent. */
bool verify_seal(const struct verify *v, const char *data, size_t len, struct buf *ret);

#endif
