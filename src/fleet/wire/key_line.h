/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of one job: its submitter's, to which its result is sealed; and those of the line between its
 * submitter and the node that runs it, for what it prints and reads. */
#ifndef FLEET_WIRE_KEY_LINE_H
#define FLEET_WIRE_KEY_LINE_H

#include "fleet/wire/key.h"

#define KEY_MASTER 32

/* The submitter's key for a job, made of what it keeps secret: the same each time. RET needs key_finish. */
int key_of_job(const uint8_t master[KEY_MASTER], const char *tenant, const char *job, struct key *ret);

/* One key for each direction: what one side said cannot be given back to it. */
struct key_line {
	uint8_t to_submitter[32], to_node[32];
};

/* OWN is the node's key and OTHER the submitter's, or the other way round: both make the same, for this claim
 * alone. -EINVAL: OTHER is no key, or a name is none. */
int key_line_make(const struct key *own, const struct key_public *other, const struct key_claim *claim,
		  struct key_line *ret);
void key_line_finish(struct key_line *line);
/* Adds to RET: bytes, KEY_LINE_MORE more than DATA has. */
#define KEY_LINE_MORE 40
int key_line_seal(const uint8_t key[32], const void *data, size_t len, struct buf *ret);
/* -EBADMSG: it was sealed by another key, or changed. */
int key_line_open(const uint8_t key[32], const void *data, size_t len, struct buf *ret);

#endif
