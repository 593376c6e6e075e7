/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a run so that it can be run again and compared: into the history, beside its result. Inside
 * op/ only. */
#ifndef OP_RECORD_H
#define OP_RECORD_H

#include <jansson.h>

#include "base/sha256.h"
#include "box/box.h"
#include "op/op.h"
#include "run/log.h"
#include "run/run.h"

/* Of each stream that much is kept; what is behind it is compared by a sum only. */
#define RECORD_OUTPUT (4u << 20)

/* What a stream said. SHA-256 of 200 MB would take a second or two; chance is found by less. */
struct op_record_sum {
	struct sha256 kept; /* of the first RECORD_OUTPUT bytes */
	uint64_t bytes;     /* of all */
	uint64_t rest;      /* a sum of those behind, eight at a time; */
	uint64_t word;      /* fewer than that wait here */
};

struct op_record {
	json_t *what; /* owned; the arguments and what they stood on; NULL: nobody will be able to replay it
		       */
	bool on;      /* asked for: output and snapshots, too */
	struct box_record points;
	struct op_record_sum sums[2]; /* of all that was written, also what was not kept */
	struct runlog *log; /* borrowed; where what is compared goes; NULL: the run has a log of its own */
	stream_tap *next;   /* who listened before */
	void *next_ctx;     /* borrowed */
};

/* ARGS are those of `run`; REQ was made of them. FACE, and R where it is, stay until the end. */
int op_record_begin(struct op_record *r, const struct op_context *ctx, const json_t *args,
		    struct box_request *req, struct run_face *face, struct aisbx_error *e);
/* What came of it; a new reference, or NULL when there is no record. */
json_t *op_record_end(struct op_record *r, const struct box_request *req);
void op_record_finish(struct op_record *r);

#define RECORD_PARAM                                                                                      \
	{                                                                                                 \
		.name = "record", .type = OP_FLAG,                                                        \
		.help = "keep what 'aisbx replay' needs: output, and of a box snapshots before and after" \
	}

#endif
