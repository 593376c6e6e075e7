/* SPDX-License-Identifier: Apache-2.0 */
/* What a job prints, on its way to whoever reads it: numbered pieces, kept until the reader has them, as long
 * as there is room. Who reads slowly makes the command wait; where nobody reads, old pieces are dropped, and
 * that is told. */
#ifndef FLEET_AGENT_OUTPUT_H
#define FLEET_AGENT_OUTPUT_H

#include <jansson.h>

#include "base/buf.h"
#include "fleet/bus/bus.h"
#include "fleet/wire/subject.h"

struct output_piece;
struct sealed_run;

struct output {
	char subject[SUBJECT_MAX];
	char node[FLEET_NAME];
	unsigned attempt;
	struct output_piece *first, *last; /* owned; first has the number n - kept + 1 */
	uint64_t n, kept, acked;
	size_t bytes;      /* of the pieces that are kept */
	uint64_t heard_ms; /* when the reader last said something; 0: never */
	struct buf head[2];
	uint64_t total[2];         /* bytes of each stream */
	struct sealed_run *sealed; /* owned; NULL: it travels as it is */
};

void output_init(struct output *o, const char *tenant, const char *job, const char *node, unsigned attempt);
void output_finish(struct output *o);
/* SAID: stream, data and encoding, as `aisbx rpc` tells output. */
void output_add(struct output *o, struct bus *bus, const json_t *said);
/* To whoever reads it, sealed if that is so. */
void output_send(const struct output *o, struct bus *bus, const char *text, size_t len);
/* A remark beside the output: it is numbered, too. A reference to keep. */
void output_tell(struct output *o, struct bus *bus, json_t *remark);
/* The reader has all up to N. */
void output_ack(struct output *o, uint64_t n, uint64_t now_ms);
/* The reader misses what comes from number N on. */
void output_again(struct output *o, struct bus *bus, uint64_t n, uint64_t now_ms);
/* Whether the command must wait for its reader. */
bool output_is_full(const struct output *o, uint64_t now_ms);
/* Whether a reader lacks something. */
bool output_is_read(const struct output *o, uint64_t now_ms);
/* Adds the first MOST bytes of each stream, and how many are not there, to RESULT. */
void output_put_head(const struct output *o, json_t *result, size_t most);

#endif
