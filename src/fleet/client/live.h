/* SPDX-License-Identifier: Apache-2.0 */
/* The live side of a job: what it prints comes here in order and without gaps, what is typed goes there. */
#ifndef FLEET_CLIENT_LIVE_H
#define FLEET_CLIENT_LIVE_H

#include <jansson.h>

#include "fleet/agent/loop.h"
#include "fleet/client/verify.h"

struct live;
struct run_secrets;

struct live_options {
	struct loop *loop; /* borrowed, as all here */
	struct bus *bus;
	const char *tenant, *job;
	struct verify *verify; /* opens what comes, and seals what goes */
	bool prints;           /* to standard output and error; else what comes is only counted */
	bool reads;            /* standard input; or, with OUTPUT, what live_feed gives */
	/* What a node of a trusted claim gets that asks before it begins; NULL: nothing. */
	const struct run_secrets *secrets;
	void *ctx;
	/* NULL, or takes what would be printed; FD: standard output or error. */
	void (*output)(void *ctx, int fd, const char *data, size_t len);
	/* NULL, or gets the ids of a run that has begun. */
	void (*run)(void *ctx, const char *run, const char *trace_id);
	void (*item)(void *ctx, const json_t *item); /* what an operation tells before its result */
	void (*begun)(void *ctx, const char *node, unsigned attempt);
	void (*failed)(void *ctx,
		       const char *why); /* nobody reads the output, or input cannot be given again */
};

int live_create(const struct live_options *options, struct live **ret, struct aisbx_error *e);
void live_destroy(struct live *s); /* NULL is allowed */
/* DATA came on aisbx.out.TENANT.JOB. */
void live_data(struct live *s, const char *data, size_t len);
/* The job has ended with so many pieces of this attempt: what lacks is asked for. */
void live_end(struct live *s, unsigned attempt, uint64_t pieces);
/* All of it was written, or will never come. */
bool live_is_done(const struct live *s);
/* All that this attempt printed has come here. */
bool live_is_whole(const struct live *s);
/* Where it runs, as far as it has begun; "" before. */
const char *live_node(const struct live *s);
/* Asks the node to end it, so that its result comes: that may get lost. */
void live_cancel(struct live *s);
/* The node is left to wait with more. */
void live_hold(struct live *s, bool hold);
/* Input. -ENOBUFS: too much waits already. */
int live_feed(struct live *s, const char *data, size_t len, bool eof);
/* Whether any piece of the output came. */
bool live_has_output(const struct live *s);
void live_write(struct live *s, int fd, const char *data, size_t len);
void live_tick(struct live *s, uint64_t now_ms);
uint64_t live_next(const struct live *s);

#endif
