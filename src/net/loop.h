/* SPDX-License-Identifier: Apache-2.0 */
/* The broker's one loop: descriptors that somebody waits for, and a clock that ticks while somebody has to.
 */
#ifndef NET_LOOP_H
#define NET_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/* One descriptor in the loop. Lies in the object that waits; that object may be freed only by
 * loop_free_later. */
struct source {
	int fd;          /* owned by who waits; -1: none */
	uint32_t events; /* EPOLLIN | ...: what it waits for; 0: nothing */
	void (*ready)(struct source *s, uint32_t events);
};

struct loop {
	int epoll;
	uint64_t now_ms;
	void **dead; /* freed at the end of a turn: an event of this turn may still name it */
	unsigned int n_dead, cap_dead;
};

int loop_init(struct loop *l);
/* Waits for EVENTS of S from now on; 0: for nothing. Negative errno on failure. */
int loop_want(struct loop *l, struct source *s, uint32_t events);
/* Closes the descriptor. */
void loop_close(struct loop *l, struct source *s);
void loop_free_later(struct loop *l, void *memory);
/* One turn: waits at most WAIT_MS (-1: for ever), calls who is ready. */
void loop_turn(struct loop *l, int wait_ms);

#endif
