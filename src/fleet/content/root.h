/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The object by which a tree is found: the chunks that the tree itself is stored as, and the packs that have
 * those and the chunks of its files. The id of a tree comes from the former alone, so it is the same wherever
 * the content lies.
 */
#ifndef FLEET_CONTENT_ROOT_H
#define FLEET_CONTENT_ROOT_H

#include "base/buf.h"
#include "fleet/content/key.h"

#define CONTENT_PACK_NAME  41u          /* with its NUL: generation, time, random number */
#define CONTENT_ROOT_MOST  (64u << 20)  /* bytes */
#define CONTENT_ROOT_REFS  (256u << 10) /* chunks of a tree */
#define CONTENT_ROOT_PACKS (1u << 20)

struct content_root {
	uint64_t bytes;           /* of all files */
	uint64_t entries;         /* of the tree */
	struct content_ref *refs; /* owned */
	size_t n_refs;
	char (*packs)[CONTENT_PACK_NAME]; /* owned; sorted */
	size_t n_packs;
};

void content_root_finish(struct content_root *r);
int content_root_add_ref(struct content_root *r, const struct content_ref *ref);
int content_root_add_pack(struct content_root *r, const char *name);
void content_root_sort(struct content_root *r);

void content_root_id(const struct content_root *r, const struct content_key *k, uint8_t ret[CONTENT_ID]);
int content_root_write(const struct content_root *r, const struct content_key *k, struct buf *ret);
/* -EBADMSG: it is none of this tenant, or damaged. */
int content_root_read(const struct content_key *k, const void *data, size_t len, struct content_root *ret);

/* NAME is "GGGGGGGGGG-TTTTTTTTTTTT-RRRRRRRRRRRRRRRR" of digits, the first ten of them decimal. */
bool content_pack_name_is_good(const char *name);

#endif
