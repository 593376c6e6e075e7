/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of layers: the parent of each, and which are not needed any more. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/store.h"

int store_layer_add(struct store *s, const struct store_layer *l, struct aisbx_error *e)
{
	int r = db_change(s, e, "INSERT INTO layers (id, parent, frozen, stands_for) VALUES (?,?,?,?)",
			  "ssis", l->id, l->parent[0] ? l->parent : NULL, (int64_t)l->frozen,
			  l->stands_for[0] ? l->stands_for : NULL);

	return r < 0 ? r : db_touch(s, DB_LAYER, l->id, e);
}

int store_layer_freeze(struct store *s, const char *id, struct aisbx_error *e)
{
	int r = db_change(s, e, "UPDATE layers SET frozen = 1 WHERE id = ?", "s", id);

	return r < 0 ? r : db_touch(s, DB_LAYER, id, e);
}

/* Of (id, parent, frozen, stands_for). */
static int read_layer(struct store *s, sqlite3_stmt *stmt, void *ret, struct aisbx_error *e)
{
	struct store_layer *l = ret;

	(void)s, (void)e;
	db_text(stmt, 0, l->id, sizeof(l->id));
	db_text(stmt, 1, l->parent, sizeof(l->parent));
	db_text(stmt, 3, l->stands_for, sizeof(l->stands_for));
	l->frozen = sqlite3_column_int(stmt, 2);
	return 0;
}

static const struct db_rows layers = { "layers", NULL, sizeof(struct store_layer), read_layer, NULL };

int store_layer_list(struct store *s, struct store_layer **ret, size_t *ret_n, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e, "SELECT id, parent, frozen, stands_for FROM layers ORDER BY id", "");

	return db_list(s, r, stmt, &layers, ret, ret_n, e);
}

int store_layer_chain(struct store *s, const char *id, struct store_layer **ret_chain, size_t *ret_n,
		      struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e,
			   "WITH RECURSIVE chain(id, parent, frozen, stands_for, depth) AS ("
			   "SELECT id, parent, frozen, stands_for, 0 FROM layers WHERE id = ? UNION ALL "
			   "SELECT l.id, l.parent, l.frozen, l.stands_for, depth + 1 FROM layers l JOIN "
			   "chain c ON l.id = c.parent) "
			   "SELECT id, parent, frozen, stands_for FROM chain ORDER BY depth",
			   "s", id);

	r = db_list(s, r, stmt, &layers, ret_chain, ret_n, e);
	if (r == 0 && *ret_n == 0)
		r = aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
				 "layer '%s' is not in the store", id);
	return r;
}

int store_layer_exists(struct store *s, const char *id, bool *ret_exists, struct aisbx_error *e)
{
	int64_t found = 0;
	int r = db_number(s, &found, e, "SELECT 1 FROM layers WHERE id = ?", "s", id);

	if (r == 0)
		*ret_exists = found;
	return r;
}

int store_layer_collect(struct store *s, char (**ret_ids)[STORE_ID_MAX], size_t *ret_n, struct aisbx_error *e)
{
	char(*list)[STORE_ID_MAX] = NULL;
	size_t n = 0, before;
	int r = 0;

	/* Leaf by leaf: a layer goes when no box, snapshot, image, template or other layer needs it. */
	do {
		scoped(drop_stmt) sqlite3_stmt *stmt = NULL;

		before = n;
		r = db_prepare(
			s, &stmt, e,
			"DELETE FROM layers WHERE NOT EXISTS (SELECT 1 FROM boxes WHERE top = layers.id) "
			"AND NOT EXISTS (SELECT 1 FROM snapshots WHERE layer = layers.id) "
			"AND NOT EXISTS (SELECT 1 FROM images WHERE top = layers.id) "
			"AND NOT EXISTS (SELECT 1 FROM templates WHERE layer = layers.id) "
			"AND NOT EXISTS (SELECT 1 FROM layers c WHERE c.parent = layers.id) RETURNING id",
			"");
		while (r >= 0 && (r = db_next(s, stmt, e)) > 0) {
			void *grown = realloc(list, (n + 1) * sizeof(*list));

			if (!grown) {
				r = aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "collect layers");
				break;
			}
			list = grown;
			db_text(stmt, 0, list[n++], STORE_ID_MAX);
		}
	} while (r == 0 && n > before);
	if (r == 0)
		r = db_touch_freed(s, e);
	if (r < 0) {
		free(list);
		return r;
	}
	*ret_ids = list;
	*ret_n = n;
	return 0;
}
