/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record of a run, with which it can be replayed and compared: stored in the history, beside its result.
 */
#ifndef BOX_RECORD_H
#define BOX_RECORD_H

#include <jansson.h>

#include "base/sha256.h"
#include "box/box.h"
#include "box/run_options.h"
#include "run/log.h"
#include "run/run.h"

/* Bytes stored of each stream; the rest is compared by a checksum only. */
#define RECORD_OUTPUT (4u << 20)

/*
 * The output of one stream. SHA-256 of 200 MB would take a second or two; a faster checksum is enough to find
 * random differences.
 */
struct record_sum {
	struct sha256 kept; /* of the first RECORD_OUTPUT bytes */
	uint64_t bytes;     /* of all */
	uint64_t rest;      /* a sum of those behind, eight at a time; */
	uint64_t word;      /* fewer than that wait here */
};

struct run_record {
	json_t *what; /* owned; the arguments and their files; NULL: the run cannot be replayed */
	bool on;      /* asked for: output and snapshots, too */
	struct run_points points;
	struct record_sum sums[2]; /* of all output, also what is not stored */
	struct runlog *log;        /* borrowed; where the output goes; NULL: the run has a log of its own */
	stream_listener *next;     /* who listened before */
	void *next_ctx;            /* borrowed */
};

/* REQ was made of W. R stays where it is until the end. */
int run_record_begin(struct run_record *r, const struct caller *by, const struct run_options *w,
		     struct run_spec *req, struct aisbx_error *e);
/* The outcome; a new reference, or NULL if there is no record. */
json_t *run_record_end(struct run_record *r, const struct run_spec *req);
void run_record_finish(struct run_record *r);

#endif
