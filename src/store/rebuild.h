/* SPDX-License-Identifier: Apache-2.0 */
/* A store that is made anew. Inside store/ only. */
#ifndef STORE_REBUILD_H
#define STORE_REBUILD_H

#include "store/db.h"
#include "store/manifest.h"
#include "store/store.h"

/* Patterns of ids: what does not look like one was never made by aisbx. */
#define HEX4     "[0-9a-f][0-9a-f][0-9a-f][0-9a-f]"
#define ID(kind) kind "-" HEX4 HEX4 HEX4 HEX4

/* Copies what can still be read of OLD, table by table; tells tables that could not be read to their end. */
int rebuild_salvage(struct store_rebuild *b, struct store *old, struct aisbx_error *e);
/* Puts ROW into TABLE, which has its columns and perhaps more; without the columns that are none of it, and
 * without LEAVE. */
int rebuild_insert(struct store *s, const char *table, const struct manifest_row *row, const char *leave,
		   struct aisbx_error *e);
/* Joins what manifests said with what was salvaged, so that each row leads to something that is there. */
int rebuild_join(struct store_rebuild *b, struct aisbx_error *e);
void rebuild_tell(struct store_rebuild *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
