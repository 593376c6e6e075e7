/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of layers of images: which ChainID is unpacked where. */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/store.h"

#define COLUMNS "chain, layer, files, bytes"

static int read_layer(struct store *s, sqlite3_stmt *stmt, void *ret, struct aisbx_error *e)
{
	struct store_image_layer *l = ret;

	(void)s, (void)e;
	db_text(stmt, 0, l->chain, sizeof(l->chain));
	db_text(stmt, 1, l->layer, sizeof(l->layer));
	l->files = sqlite3_column_int64(stmt, 2);
	l->bytes = sqlite3_column_int64(stmt, 3);
	return 0;
}

static const struct db_rows layers = { "image_layers", NULL, sizeof(struct store_image_layer), read_layer,
				       NULL };

int store_image_layer_find(struct store *s, const char *chain, struct store_image_layer *ret, bool *ret_found,
			   struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e, "SELECT " COLUMNS " FROM image_layers WHERE chain = ?", "s", chain);

	if (r == 0)
		r = db_next(s, stmt, e);
	if (r < 0)
		return r;
	*ret_found = r > 0;
	return r > 0 ? read_layer(s, stmt, ret, e) : 0;
}

int store_image_layer_add(struct store *s, const struct store_image_layer *l, struct aisbx_error *e)
{
	int r = db_change(s, e, "INSERT INTO image_layers (" COLUMNS ") VALUES (?,?,?,?)", "ssii", l->chain,
			  l->layer, l->files, l->bytes);

	if (r == -EEXIST)
		return aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_STORE, EEXIST,
				    "the layer %s is already unpacked", l->chain);
	return r < 0 ? r : db_touch(s, DB_LAYER, l->layer, e);
}

int store_image_layer_list(struct store *s, struct store_image_layer **ret, size_t *ret_n,
			   struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e, "SELECT " COLUMNS " FROM image_layers ORDER BY layer, chain", "");

	return db_list(s, r, stmt, &layers, ret, ret_n, e);
}
