/* SPDX-License-Identifier: Apache-2.0 */
/* Input on its way to a job, standard input or what is fed: one piece at a time, again until it was taken.
 * What was sent is remembered for another attempt, up to a size. */
#ifndef FLEET_CLIENT_INPUT_H
#define FLEET_CLIENT_INPUT_H

#include "fleet/agent/loop.h"

struct input;

/* LOOP NULL: what input_feed gives, instead of standard input. */
struct input *input_create(struct loop *loop, void *ctx,
			   void (*send)(void *ctx, const char *text, size_t len),
			   void (*failed)(void *ctx, const char *why));
void input_destroy(struct input *in); /* NULL is allowed */
/* -ENOBUFS: too much waits already, and nothing of this was taken. */
int input_feed(struct input *in, const char *data, size_t len, bool eof);
/* A node has begun the job: from the first piece on. */
void input_begin(struct input *in);
/* It has the pieces up to N. */
void input_taken(struct input *in, uint64_t n);
void input_stop(struct input *in);
void input_tick(struct input *in, uint64_t now_ms);
uint64_t input_next(const struct input *in);

#endif
