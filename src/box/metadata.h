/* SPDX-License-Identifier: Apache-2.0 */
/* What a caller notes of a box: a map of texts, kept in the store, by which boxes can be listed. aisbx does
 * not use it. */
#ifndef BOX_METADATA_H
#define BOX_METADATA_H

#include <jansson.h>

#include "box/box.h"
#include "store/metadata.h"

/* Of one box. Bytes: of the map as JSON. */
#define BOX_METADATA_MOST  64u
#define BOX_METADATA_KEY   128u
#define BOX_METADATA_BYTES 16384u

/* GIVEN, KEY=VALUE each; of one key the last counts. RET: heap, a JSON object; "" for none. */
int box_metadata_settle(const struct strlist *given, char **ret, struct aisbx_error *e);
/* A filter: KEY=VALUE each, too. */
int box_metadata_check(const struct strlist *wanted, struct aisbx_error *e);
/* Whether METADATA (NULL: none) has all that is WANTED. */
bool box_metadata_has(const json_t *metadata, const struct strlist *wanted);

/* Of box BOX: a new reference, or NULL: none. */
int box_metadata_of(struct box_state *s, const char *box, json_t **ret, struct aisbx_error *e);

/* Of many boxes. */
struct box_metadata_all {
	struct store_metadata *rows; /* owned */
	size_t n;
};

void box_metadata_finish(struct box_metadata_all *all);
int box_metadata_read(struct box_state *s, struct box_metadata_all *ret, struct aisbx_error *e);
/* A new reference, or NULL: box BOX has none. */
json_t *box_metadata_in(const struct box_metadata_all *all, const char *box);

#endif
