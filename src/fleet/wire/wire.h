/* SPDX-License-Identifier: Apache-2.0 */
/* Messages, jobs, records and terms as JSON and back. What comes in is a stranger's: every field is checked,
 * for its kind, length and range, and unknown ones are ignored, for a newer version may send them. */
#ifndef FLEET_WIRE_WIRE_H
#define FLEET_WIRE_WIRE_H

#include <jansson.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "fleet/core/engine.h"
#include "fleet/core/message.h"

/* In every text as "v". One version back is understood. */
#define WIRE_VERSION     1
#define WIRE_VERSION_OLD 1
/* The longest text that is read: NATS allows 1 MiB by default. */
#define WIRE_MAX ((size_t)1 << 20)
/* Jobs of a beat. */
#define WIRE_HELD_MAX 4096
/* Secrets of a job, and bytes of one. */
#define WIRE_SECRETS_MAX 64u
#define WIRE_SECRET_MAX  65536u

/* A dead letter: a job that was given up, how, and when. The record's result says why, in words. */
struct wire_letter {
	struct fleet_job job;       /* owned */
	struct fleet_record record; /* owned; its phase is FLEET_DEAD */
	uint64_t at_wall_ms;
};

void wire_letter_finish(struct wire_letter *letter);

/* Adds to RET. 0, -ENOMEM, -EMSGSIZE if it is too long, or -EINVAL if nobody would read it: a name that is
 * none, a number of more than 63 bits, a body or result with a NUL or not in UTF-8. A reason that was cut
 * within a character is no hindrance. */
int wire_message_encode(const struct fleet_message *m, struct buf *ret);
int wire_job_encode(const struct fleet_job *job, struct buf *ret);
int wire_record_encode(const struct fleet_record *record, struct buf *ret);
int wire_letter_encode(const struct wire_letter *letter, struct buf *ret);
int wire_term_encode(const struct fleet_term *term, struct buf *ret);
/* RET needs its finish on success; on failure it is untouched. */
int wire_message_decode(const char *data, size_t len, struct fleet_message *ret, struct aisbx_error *e);
int wire_job_decode(const char *data, size_t len, struct fleet_job *ret, struct aisbx_error *e);
int wire_record_decode(const char *data, size_t len, struct fleet_record *ret, struct aisbx_error *e);
int wire_letter_decode(const char *data, size_t len, struct wire_letter *ret, struct aisbx_error *e);
int wire_term_decode(const char *data, size_t len, struct fleet_term *ret, struct aisbx_error *e);

/* Values of secrets, {NAME: value in base64}: a new reference whose texts the caller wipes by
 * wire_secrets_drop. NULL: it is something else, or has other names than the N of NAMES (NULL: any). */
json_t *wire_secrets_decode(const char *data, size_t len, const char *const *names, size_t n);
/* Overwrites the values. NULL is allowed. */
void wire_secrets_drop(json_t *secrets);

#endif
