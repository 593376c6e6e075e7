/* SPDX-License-Identifier: Apache-2.0 */
/* The chunks of a tree that is being pulled: each once, with all places it goes to, and whether it is there.
 */
#ifndef FLEET_CONTENT_WANTED_H
#define FLEET_CONTENT_WANTED_H

#include "fleet/content/place.h"
#include "fleet/content/tree.h"

struct content_use {
	struct content_ref ref;
	uint32_t entry;
	bool is_there;
	uint64_t at; /* in the file */
};

struct content_want {
	size_t first, n; /* uses */
	bool is_there;   /* in all of them */
};

struct content_wanted {
	const struct content_tree *tree;     /* borrowed */
	const struct content_target *target; /* borrowed; NULL: nothing is written */
	struct content_use *uses;            /* owned; sorted by chunk, then by file */
	size_t n_uses;
	struct content_want *wants; /* owned */
	size_t n;
};

int content_wanted_init(struct content_wanted *ret, const struct content_tree *t,
			const struct content_target *target, struct aisbx_error *e);
void content_wanted_finish(struct content_wanted *w);

const struct content_ref *content_want_ref(const struct content_wanted *w, const struct content_want *want);
/* NULL: the tree does not have it. */
struct content_want *content_wanted_find(const struct content_wanted *w, const struct content_ref *ref);
/* DATA is what WANT is: it goes to all its places. Different chunks may be written by several threads. */
int content_want_write(const struct content_wanted *w, struct content_want *want, const uint8_t *data);
/* Bytes that are not there. */
uint64_t content_wanted_left(const struct content_wanted *w, size_t *ret_n);

/* What an earlier pull of this tree has written already. Returns the bytes. */
uint64_t content_wanted_resume(struct content_wanted *w, const struct content_key *k);
/* What other directories on this machine have (fleet/content/files.h). Returns the bytes. */
uint64_t content_wanted_borrow(struct content_wanted *w, const struct content_key *k,
			       const struct content_cache *c);

#endif
