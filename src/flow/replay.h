/* SPDX-License-Identifier: Apache-2.0 */
/* A run again, from where it started, and what is not the same. */
#ifndef FLOW_REPLAY_H
#define FLOW_REPLAY_H

#include "flow/replay_differ.h"

#define REPLAY_MAX_TIMES 50
#define REPLAY_MAX_STALE 20 /* files of the project that changed since, told by name */

struct replay_request { /* borrowed */
	const char *run;
	uint64_t times;
	bool keep; /* the boxes of the replays */
};

/* What differs from the record, sorted out: borrowed from the lists of the result. */
struct replay_view {
	const struct replay_difference **items; /* owned */
	size_t n;
};

struct replay_result {
	struct take was;
	struct take takes[REPLAY_MAX_TIMES];
	size_t n;
	bool keep;
	struct replay_list of_record; /* what differs from the record, of any take; none: the same */
	struct replay_list among;     /* what differs between takes */
	struct replay_view chance, changed;
	struct replay_gaps gaps;
	struct replay_detail detail; /* of the first take that differs, or the first */
	struct strlist stale;        /* files of the real project that changed since */
};

/* Drops the boxes of the takes, unless they were to be kept. */
void replay_result_finish(struct replay_result *r);
/* RET is finished by the caller, also after an error. */
int replay_run(const struct caller *by, const struct replay_request *req, struct replay_result *ret,
	       struct aisbx_error *e);

#endif
