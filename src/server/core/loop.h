/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for descriptors and for times, and calls back. One thread: callbacks must not block, and what a
 * callback frees is not called any more in the same round.
 */
#ifndef SERVER_CORE_LOOP_H
#define SERVER_CORE_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "aisbx/error.h"

struct loop;
struct watch;

/* EVENTS: EPOLLIN, EPOLLOUT, EPOLLHUP, EPOLLERR. */
typedef void (*watch_fn)(void *ctx, uint32_t events);
typedef void (*timer_fn)(void *ctx);

int loop_new(struct loop **ret_loop, struct aisbx_error *e);
void loop_destroy(struct loop *l);
/* Until loop_stop(). */
int loop_run(struct loop *l, struct aisbx_error *e);
void loop_stop(struct loop *l);

/* FD stays the caller's, and open until watch_end. */
int watch_add(struct loop *l, int fd, uint32_t events, watch_fn fn, void *ctx, struct watch **ret_watch,
	      struct aisbx_error *e);
/*
 * FN is called for each signal that asks a program to end; it reads a struct signalfd_siginfo from *RET_FD,
 * which the caller closes. A closed connection is noticed by EPIPE.
 */
int watch_add_end(struct loop *l, watch_fn fn, void *ctx, int *ret_fd, struct watch **ret_watch,
		  struct aisbx_error *e);
/* Other events from now on; 0: none for now. */
void watch_set(struct watch *w, uint32_t events);
/* W becomes NULL; nothing happens if it is NULL. */
void watch_end(struct watch **w);

/* Once, so many milliseconds from now; the callback may start it again. */
struct timer;
int timer_add(struct loop *l, timer_fn fn, void *ctx, struct timer **ret_timer, struct aisbx_error *e);
/* AFTER_MS 0: not at all. */
void timer_set(struct timer *t, uint64_t after_ms);
void timer_end(struct timer **t);

#endif
