/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two sides that changed the same tree while apart. A promotion says which tree it changed (project, or
 * target) and what that was before (base, a name by content). Two nodes that promoted to the same project
 * from the same base did not know of each other: that is one conflict with two sides, both of which stay. A
 * person resolves it, or the rule that all sides but those of one node were undone.
 */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/collect/centre.h"

/* clang-format off */
/* What a node sends may be as long as it likes; an index takes no more. */
#define BASE(row)      "left(" row ".body->>'base', 200)"
#define PROMOTION(row) "left(" row ".body->>'promotion', 64)"
#define PROJECT        "left(coalesce(h.body->>'project', h.body->>'target', ''), 1000)"
/* Of what this transaction brought: only that can be new. */
#define NEW_BASES \
	"(SELECT " BASE("n") " FROM aisbx.history n WHERE n.kind = 'promotion.applied' AND n.body ? " \
	"'base' AND n.received = now())"

/* One at a time, so that of two collectors with one side each the second sees both. */
#define LOCK "SELECT pg_advisory_xact_lock(7023405829132)"

static const char find[] =
	"INSERT INTO aisbx.conflicts (tenant, project, base) SELECT h.tenant, " PROJECT ", " BASE("h") " "
	"FROM aisbx.history h WHERE h.kind = 'promotion.applied' AND h.body ? 'base' AND " BASE("h") " IN "
	NEW_BASES " AND " BASE("h") " <> '' GROUP BY 1, 2, 3 HAVING count(DISTINCT h.node) > 1 ON CONFLICT "
	"DO NOTHING";
static const char add_sides[] =
	"WITH added AS (INSERT INTO aisbx.conflict_sides (conflict, node, incarnation, sequence, "
	"promotion) SELECT c.id, h.node, h.incarnation, h.sequence, coalesce(" PROMOTION("h") ", '') FROM "
	"aisbx.conflicts c JOIN aisbx.history h ON h.kind = 'promotion.applied' AND h.body ? 'base' AND "
	BASE("h") " = c.base AND h.tenant = c.tenant AND " PROJECT " = c.project WHERE c.base IN " NEW_BASES
	" ON CONFLICT DO NOTHING RETURNING conflict) UPDATE aisbx.conflicts SET state = 'open', resolved = "
	"NULL, resolved_by = NULL, note = NULL WHERE id IN (SELECT conflict FROM added)";
static const char end_undone[] =
	"UPDATE aisbx.conflicts c SET state = 'resolved', resolved = now(), resolved_by = 'rule', note = "
	"'all sides but those of one node were undone' WHERE c.state = 'open' AND (SELECT count(DISTINCT "
	"s.node) FROM aisbx.conflict_sides s WHERE s.conflict = c.id AND NOT EXISTS (SELECT 1 FROM "
	"aisbx.history u WHERE u.kind = 'promotion.undone' AND u.kind LIKE 'promotion.%' AND u.node = "
	"s.node AND " PROMOTION("u") " = s.promotion)) < 2";
/* clang-format on */

int centre_find_conflicts(struct centre *c, struct aisbx_error *e)
{
	static const char *const steps[] = { LOCK, find, add_sides, end_undone };
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(steps) / sizeof(*steps); i++)
		r = centre_ask(c, "look for conflicts", steps[i], 0, NULL, NULL, e);
	return r;
}

int centre_resolve(struct centre *c, const char *id, const char *by, const char *note, struct aisbx_error *e)
{
	const char *const params[] = { id, by, note };
	scoped(drop_result) PGresult *result = NULL;
	int r = centre_ask(c, "resolve a conflict",
			   "UPDATE aisbx.conflicts SET state = 'resolved', resolved = now(), resolved_by = "
			   "$2, note = $3 "
			   "WHERE id = $1::bigint AND state = 'open' RETURNING id",
			   3, params, &result, e);

	if (r == 0 && PQntuples(result) == 0)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
				    "there is no open conflict %s; 'aisbx fleet conflicts' lists them", id);
	return r;
}
