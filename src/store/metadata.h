/* SPDX-License-Identifier: Apache-2.0 */
/* What callers note of their boxes: a text with each, which the store does not read. */
#ifndef STORE_METADATA_H
#define STORE_METADATA_H

#include "store/store.h"

struct store_metadata {
	char box[STORE_ID_MAX];
	char *text; /* owned */
};

/* TEXT "": none. */
int store_metadata_set(struct store *s, const char *box, const char *text, struct aisbx_error *e);
/* Of box BOX, or with NULL of all that have some, by id. */
int store_metadata_list(struct store *s, const char *box, struct store_metadata **ret, size_t *ret_n,
			struct aisbx_error *e);
void store_metadata_finish(struct store_metadata *list, size_t n);

#endif
