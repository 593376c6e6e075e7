/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts placeholders in place of secrets in what comes back from a host, in a stream of bytes that may be cut
 * anywhere. Both have the same length, so lengths that were announced stay true. Pure.
 */
#ifndef NET_TLS_SWAP_H
#define NET_TLS_SWAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define SWAP_MAX 16u

struct swap {
	struct swap_pair {
		char *from, *to; /* owned */
		size_t len;
	} pairs[SWAP_MAX];
	size_t n_pairs;
	bool first[256];
	struct buf held; /* a possible beginning */
};

void swap_finish(struct swap *s);
/* FROM and TO have LEN bytes each. False: too many, or no memory. */
bool swap_add(struct swap *s, const char *from, const char *to, size_t len);
/* Appends to OUT what may be passed on. */
void swap_feed(struct swap *s, const char *data, size_t len, struct buf *out);
/* Nothing follows: appends what was held back. */
void swap_end(struct swap *s, struct buf *out);
/* In a text, at its place. */
void swap_text(const struct swap *s, char *text);

#endif
