/* SPDX-License-Identifier: Apache-2.0 */
/* What a run prints and reads, between its node and its submitter alone. A message is the claim of the run as
 * a record, a line break, and what is sealed; one to the node, which knows the claim, only that. */
#ifndef FLEET_AGENT_SEALED_RUN_H
#define FLEET_AGENT_SEALED_RUN_H

#include "base/buf.h"
#include "fleet/agent/seal.h"
#include "fleet/wire/key_line.h"

struct sealed_run;

/* CLAIM: node, incarnation, epoch, attempt and seal. NULL: nothing is sealed, for there are no keys. */
struct sealed_run *sealed_run_new(const struct seals *s, const struct fleet_job *job,
				  const struct fleet_record *claim);
void sealed_run_free(struct sealed_run *run); /* NULL is allowed */
/* What goes to the submitter, added to RET. False: there was no room. */
bool sealed_run_write(const struct sealed_run *run, const void *data, size_t len, struct buf *ret);
/* What came from it. False: it did not. */
bool sealed_run_read(const struct sealed_run *run, const void *data, size_t len, struct buf *ret);

/* The submitter's side. */
struct sealed_line {
	struct fleet_record claim; /* of the line; owns nothing. No seal: there is none yet */
	struct key_line keys;
};

void sealed_line_finish(struct sealed_line *line);
/* Whether a message is sealed at all. */
bool sealed_line_is(const char *data, size_t len);
/* Opens DATA, by the key of the node that its claim names; S NULL: whoever signed that claim. LINE is that of
 * the last message, and becomes that of this one. False: it is not for this job, not of a trusted claim, or
 * was changed; LINE is then as it was. */
bool sealed_line_read(struct sealed_line *line, const struct seals *s, const struct key *box,
		      const struct fleet_job *job, const char *data, size_t len, struct buf *ret);
/* What goes to that node. */
bool sealed_line_write(const struct sealed_line *line, const void *data, size_t len, struct buf *ret);

#endif
