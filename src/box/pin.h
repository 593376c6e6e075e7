/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pinned box is based on a copy of the project. The copy is a frozen layer of its own in the chain of the
 * box: all layers of the chain, also those below it, are based on the newest copy instead of the real
 * project. So snapshots and forks have it, but not snapshots that were taken before.
 */
#ifndef BOX_PIN_H
#define BOX_PIN_H

#include "box/box.h"
#include "layer/pin.h"

/* A copy that has no row yet. */
struct box_pin {
	char id[STORE_ID_MAX]; /* "": none */
	int lock;
	struct pin_count count;
};

#define BOX_PIN_INIT       \
	{                  \
		.lock = -1 \
	}

/* Copies PROJECT as it is now. May take long: only the copy itself is locked. */
int box_pin_make(struct box_state *s, const char *project, const struct pin_how *how, struct box_pin *ret,
		 struct aisbx_error *e);
/* KEPT: it has its row. Otherwise it is removed. */
void box_pin_finish(struct box_state *s, struct box_pin *p, bool kept);

/* The layer with the copy that CHAIN, newest first, is pinned to; NULL: it is not pinned. */
const struct store_layer *box_pin_of(const struct store_layer *chain, size_t n);
/*
 * What the layers of CHAIN are based on: the pinned copy, or PROJECT. Heap; a missing copy is an error.
 * RET_PINNED (may be NULL): which.
 */
int box_pin_host(const struct box_state *s, const struct store_layer *chain, size_t n, const char *project,
		 char **ret, bool *ret_pinned, struct aisbx_error *e);
/* When the copy HOST was made. */
int box_pin_since(const char *host, struct timespec *ret, struct aisbx_error *e);
/* The same for the current state of the box; 0: it is not pinned. */
int box_pinned_ms(struct box_state *s, const struct store_box *b, int64_t *ret, struct aisbx_error *e);

/*
 * As box_snapshot_any, for a box that is not live; it is pinned from then on. Refuses a box that is pinned
 * already.
 */
int box_snapshot_pin(struct box_state *s, const struct store_box *b, const char *name,
		     const struct pin_how *how, struct pin_count *ret_count, struct store_snapshot *ret,
		     struct aisbx_error *e);

#endif
