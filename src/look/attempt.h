/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command behind the glass with a supervisor: its output is kept, or held back until it is known whether it
 * needs a box.
 */
#ifndef LOOK_ATTEMPT_H
#define LOOK_ATTEMPT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"

/* Limits of output held back; beyond them the attempt continues to its end, and refused calls just fail. */
#define LOOK_HELD_BYTES  ((size_t)64 << 10)
#define LOOK_HELD_MS     1000u
#define LOOK_INPUT_BYTES ((size_t)16 << 20) /* input from a pipe, stored for a second run */
/* Bytes of each stream that are kept, and that all may write before the command is ended. */
#define LOOK_KEPT_BYTES    ((size_t)1 << 20)
#define LOOK_WRITTEN_BYTES ((uint64_t)64 << 20)

/* All borrowed. */
struct look_attempt {
	char *const *argv; /* found by PATH */
	const char *cwd;
	const char *const *env; /* of the caller; secrets are removed here */
	int stdin_fd;           /* -1: none */
	int out_fds[2];         /* -1: kept */
	uint64_t timeout_ms;    /* 0: none */
	const char *scratch;    /* NULL, or a real path: it may change this directory, and nothing ends it */
	bool watched;           /* it ends at the first relevant refusal */
	bool bare;              /* without the glass: the person allowed it */
};

struct look_outcome {
	bool refused;   /* it needs a box, and nothing of it was shown */
	char what[320]; /* for people, after "it tried"; "" if nothing was refused */
	bool timed_out;
	int wait_status;   /* of the command; not if it was refused */
	struct buf out[2]; /* what was kept */
	uint64_t cut[2];   /* bytes that were not */
	struct buf input;  /* what it was given of a pipe, for who runs it again */
};

void look_outcome_finish(struct look_outcome *o);
/* outcome.c: exit status of a command line. */
int look_status(const struct look_outcome *o);
/* Adds "exit_status", "stdout" and "stderr". */
void look_outcome_json(const struct look_outcome *o, json_t *result);

/*
 * Runs it to its end, or until it needs a box; remaining processes are ended. The caller has no other
 * children.
 */
int look_attempt_run(const struct look_attempt *a, struct look_outcome *ret, struct aisbx_error *e);

#endif
