/* SPDX-License-Identifier: Apache-2.0 */
/* A store from which a tree is read. */
#ifndef FLEET_CONTENT_SOURCE_H
#define FLEET_CONTENT_SOURCE_H

#include "fleet/content/chunk.h"
#include "fleet/content/known.h"
#include "fleet/content/verbs.h"
#include "fleet/content/wanted.h"

struct content_source {
	struct content_store *store; /* owned */
	struct content_known known;
	struct content_root root;
	size_t missing_packs;
};

#define CONTENT_SOURCE_INIT                 \
	{                                   \
		.known = CONTENT_KNOWN_INIT \
	}

/* With the root of the tree Q->id, and the indexes of its packs. */
int content_source_open(const struct content_request *q, const char *url, struct content_source *ret,
			struct aisbx_error *e);
void content_source_finish(struct content_source *s);
/* The tree itself. */
int content_source_tree(struct content_source *s, const struct content_request *q, struct content_tree *ret,
			struct aisbx_error *e);

/* What came, and what was wrong with it. */
struct content_fetched {
	uint64_t chunks, bytes; /* that are there now */
	uint64_t received;      /* bytes, with all that was around them */
	uint64_t missing, damaged;
	struct strlist packs; /* in which there was something damaged or missing */
};

/*
 * Fetches what is wanted and not there, by ranges of packs, several at once. What S does not have, or has
 * damaged, is counted and left. PLACE: the first, second ... place of a chunk that lies in several packs.
 * Fails if the store does not answer, or what came cannot be written.
 */
int content_fetch(struct content_wanted *w, const struct content_source *s, const struct content_request *q,
		  unsigned int place, struct content_fetched *ret, struct aisbx_error *e);

#endif
