/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between aisbx and its helper aisbx-scan. A request is a line "LANGUAGE BYTES" and that many bytes
 * of a program; the answer is a line of JSON per fact and a last line, an object with "end". Several requests
 * can follow, so that many texts cost one start.
 */
#ifndef SCAN_CORE_WIRE_H
#define SCAN_CORE_WIRE_H

#include "base/buf.h"
#include "scan/core/fact.h"

#define SCAN_HELPER    "aisbx-scan"
#define WIRE_MAX_TEXT  ((size_t)16 << 20) /* of a program; more is not read */
#define WIRE_MAX_LINE  ((size_t)8 << 20)  /* of an answer: FACT_MAX_ARGS * 2 texts, escaped */
#define WIRE_MAX_NAME  32                 /* of a language */
#define WIRE_NO_MEMORY 3                  /* exit status of a helper that exceeded its limits */

void wire_put_fact(struct buf *b, const struct fact *f);
void wire_put_end(struct buf *b, const struct facts *facts);

/*
 * The helper is not trusted: it has read untrusted programs. 1: LINE was a fact, and is in FACTS; 0: it was
 * the last; -EBADMSG.
 */
int wire_take(const char *line, size_t len, struct facts *facts);

#endif
