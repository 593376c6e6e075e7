/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which chunks a store has, and where: the indexes of its packs, each fetched once and then in the cache of
 * this machine. What another machine has added meanwhile need not be known; then it is stored twice.
 */
#ifndef FLEET_CONTENT_KNOWN_H
#define FLEET_CONTENT_KNOWN_H

#include "fleet/content/cache.h"
#include "fleet/content/pack.h"
#include "fleet/content/root.h"
#include "fleet/content/state.h"

struct content_known_pack {
	char name[CONTENT_PACK_NAME];
	bool is_used; /* by the tree at hand */
	bool is_gone; /* condemned, deleted or damaged: not to be relied on */
};

struct content_found {
	struct content_place place;
	uint32_t pack; /* its number */
	uint32_t next; /* in the table: number + 1, 0: the last */
};

struct content_known {
	struct content_known_pack *packs; /* owned */
	size_t n_packs, packs_room;
	struct content_found *found; /* owned */
	size_t n, room;
	uint32_t *table; /* owned; number + 1 */
	size_t table_size;
	int dir; /* owned; of the cache, for this store */
};

#define CONTENT_KNOWN_INIT \
	{                  \
		.dir = -1  \
	}

int content_known_open(struct content_store *s, const struct content_cache *c, struct content_known *ret,
		       struct aisbx_error *e);
void content_known_finish(struct content_known *k);

/* For a push: everything that the store has, as far as it can be told by what is new in it. */
int content_known_sync(struct content_known *k, struct content_store *s, const struct content_key *key,
		       const struct content_state *st, struct aisbx_error *e);
/* For a pull: the packs of a root. One whose index is missing or damaged is left out, and counted. */
int content_known_load(struct content_known *k, struct content_store *s, const struct content_key *key,
		       const struct content_root *root, size_t *ret_missing, struct aisbx_error *e);

/* A pack that is about to be written. */
int content_known_add_pack(struct content_known *k, const char *name, uint32_t *ret);
int content_known_add(struct content_known *k, const struct content_place *p, uint32_t pack);
/* Keeps the index of a pack that was written. */
int content_known_keep(const struct content_known *k, const char *name, const void *index, size_t len);

/* Where a chunk is: the first place, and further ones; NULL: no more. */
struct content_found *content_known_find(const struct content_known *k, const struct content_ref *ref,
					 const struct content_found *after);

#endif
