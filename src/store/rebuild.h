/* SPDX-License-Identifier: Apache-2.0 */
/* A store that is being rebuilt. Inside store/ only. */
#ifndef STORE_REBUILD_H
#define STORE_REBUILD_H

#include "store/db.h"
#include "store/manifest.h"
#include "store/store.h"

/* Patterns of ids: aisbx never made anything else. */
#define HEX4     "[0-9a-f][0-9a-f][0-9a-f][0-9a-f]"
#define ID(kind) kind "-" HEX4 HEX4 HEX4 HEX4

/* Copies what can be read of OLD, table by table; reports tables that could not be read completely. */
int rebuild_salvage(struct store_rebuild *b, struct store *old, struct aisbx_error *e);
/*
 * Inserts ROW into TABLE, which has its columns and perhaps more; without unknown columns, and without LEAVE.
 */
int rebuild_insert(struct store *s, const char *table, const struct manifest_row *row, const char *leave,
		   struct aisbx_error *e);
/* Combines manifests with salvaged rows, so that each row refers to something that exists. */
int rebuild_join(struct store_rebuild *b, struct aisbx_error *e);
void rebuild_tell(struct store_rebuild *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
