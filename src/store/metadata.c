/* SPDX-License-Identifier: Apache-2.0 */
/* The metadata of boxes: a column of their rows, so that it is in their manifests, and goes with them. */
#include "store/metadata.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"

int store_metadata_set(struct store *s, const char *box, const char *text, struct aisbx_error *e)
{
	bool own;
	int r = db_start(s, &own, e);

	if (r < 0)
		return r;
	r = db_change(s, e, "UPDATE boxes SET metadata = ? WHERE id = ?", "ss", text, box);
	if (r == 0)
		r = db_touch_all(s, DB_LAYER, e, "SELECT top FROM boxes WHERE id = ?1", box);
	return db_end(s, own, r, e);
}

static int read_row(struct store *s, sqlite3_stmt *stmt, void *ret, struct aisbx_error *e)
{
	struct store_metadata *m = ret;

	(void)s;
	db_text(stmt, 0, m->box, sizeof(m->box));
	m->text = db_copy_text(stmt, 1);
	return m->text ? 0 : aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read the metadata of a box");
}

static void finish_row(void *row)
{
	free(((struct store_metadata *)row)->text);
}

static const struct db_rows rows = { "boxes", NULL, sizeof(struct store_metadata), read_row, finish_row };

int store_metadata_list(struct store *s, const char *box, struct store_metadata **ret, size_t *ret_n,
			struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e,
			   box ? "SELECT id, metadata FROM boxes WHERE id = ?1 AND metadata <> ''"
			       : "SELECT id, metadata FROM boxes WHERE metadata <> '' ORDER BY id",
			   box ? "s" : "", box);

	return db_list(s, r, stmt, &rows, ret, ret_n, e);
}

void store_metadata_finish(struct store_metadata *list, size_t n)
{
	db_list_finish(&rows, list, n);
}
