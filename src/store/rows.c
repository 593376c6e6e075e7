/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of any kind: all that a statement returns, or the one that a person means. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"

void db_list_finish(const struct db_rows *rows, void *list, size_t n)
{
	while (n && rows->finish)
		rows->finish((char *)list + --n * rows->size);
	free(list);
}

int db_list(struct store *s, int r, sqlite3_stmt *stmt, const struct db_rows *rows, void *ret, size_t *ret_n,
	    struct aisbx_error *e)
{
	char *list = NULL;
	size_t n = 0, cap = 0;

	while (r >= 0 && (r = db_next(s, stmt, e)) > 0) {
		if (n == cap) {
			char *grown = realloc(list, (cap = cap ? 2 * cap : 16) * rows->size);

			if (!grown) {
				r = aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "list %s", rows->table);
				break;
			}
			list = grown;
		}
		memset(list + n * rows->size, 0, rows->size);
		r = rows->read(s, stmt, list + n++ * rows->size, e);
	}
	if (r < 0) {
		db_list_finish(rows, list, n);
		return r;
	}
	memcpy(ret, &list, sizeof(list));
	*ret_n = n;
	return 0;
}

int db_find(struct store *s, const struct db_rows *rows, const char *key, const char *owner, void *ret,
	    struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	scoped(buf_finish) struct buf sql = { 0 };
	int r, one = (int)strlen(rows->table) - 1; /* "plan" of "plans" */
	void *list = NULL;
	size_t n = 0;

	buf_addf(&sql,
		 "SELECT %s FROM %s WHERE substr(id, 1, length(?1)) = ?1 AND (?2 IS NULL OR owner = ?2) "
		 "ORDER BY seq LIMIT 2",
		 rows->columns, rows->table);
	if (!buf_str(&sql))
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "find '%.60s'", key);
	r = *key ? db_prepare(s, &stmt, e, sql.data, "ss", key, owner) : 0;
	if (r == 0 && *key)
		r = db_list(s, r, stmt, rows, &list, &n, e);
	if (r == 0 && n == 0)
		r = aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
				 "there is no %.*s '%.60s'; 'aisbx %.*s ls' lists them", one, rows->table,
				 key, one, rows->table);
	if (n > 1)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_STORE, EINVAL,
				 "several %s begin with '%.60s'; give more of the id", rows->table, key);
	if (r < 0) {
		db_list_finish(rows, list, n);
		return r;
	}
	memcpy(ret, list, rows->size);
	free(list);
	return 0;
}
