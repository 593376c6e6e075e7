/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of current boxes: which box commands in a project are for. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/store.h"

int store_current_set(struct store *s, const char *owner, const char *project,
		      const struct store_place *place, const char *box, const char *name, int64_t now_ms,
		      struct aisbx_error *e)
{
	int r = store_current_forget(s, owner, project, place, e);

	return r < 0 ? r
		     : db_change(s, e,
				 "INSERT INTO current_boxes (owner, project, project_dev, project_ino, "
				 "project_born, box, box_name, set_ms) VALUES (?,?,?,?,?,?,?,?)",
				 "ssiiissi", owner, project, place->dev, place->ino, place->born, box, name,
				 now_ms);
}

/* The same directory, as box/moved.c decides; ?2 is its name, ?3 to ?5 device, inode and birth time. */
#define SAME_PLACE                                                                                     \
	"(?4 <> 0 AND project_ino = ?4 AND CASE WHEN ?5 <> 0 AND project_born <> 0 THEN project_born " \
	"= ?5 ELSE project_dev = ?3 END)"

int store_current_find(struct store *s, const char *owner, const char *project,
		       const struct store_place *place, struct store_current *ret, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(
		s, &stmt, e,
		"SELECT box, box_name FROM current_boxes WHERE owner = ?1 AND (project = ?2 OR " SAME_PLACE
		") ORDER BY " SAME_PLACE " DESC LIMIT 1",
		"ssiii", owner, project, place->dev, place->ino, place->born);

	*ret = (struct store_current){ 0 };
	if (r == 0)
		r = db_next(s, stmt, e);
	if (r > 0) {
		db_text(stmt, 0, ret->box, sizeof(ret->box));
		db_text(stmt, 1, ret->name, sizeof(ret->name));
	}
	return r < 0 ? r : 0;
}

int store_current_forget(struct store *s, const char *owner, const char *project,
			 const struct store_place *place, struct aisbx_error *e)
{
	return db_change(s, e,
			 "DELETE FROM current_boxes WHERE owner = ?1 AND (project = ?2 OR " SAME_PLACE ")",
			 "ssiii", owner, project, place->dev, place->ino, place->born);
}
