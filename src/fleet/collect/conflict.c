/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two sides that changed the same while apart: promotions of two nodes to one project (else target) that
 * changed a file from the same content to different ones, by changed, or a whole tree from the same base.
 * That is one conflict, of the first such file, with two sides, both of which stay. A person resolves it, or
 * the rule that all sides but those of one node were undone.
 */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/collect/centre.h"

/* clang-format off */
/* What a node sends may be as long as it likes; an index takes no more. */
#define PROMOTION(row) "left(" row ".body->>'promotion', 64)"
#define PROJECT        "left(coalesce(h.body->>'project', h.body->>'target', ''), 300)"

/* One at a time, so that of two collectors with one side each the second sees both. */
#define LOCK "SELECT pg_advisory_xact_lock(7023405829132)"

/* Of what this transaction brought: only that can be new. */
static const char add_changed[] =
	"INSERT INTO aisbx.changed (tenant, project, path, was, made, node, incarnation, sequence, "
	"promotion) SELECT h.tenant, " PROJECT ", c.path, left(c.was, 200), left(coalesce(c.made, ''), "
	"200), h.node, h.incarnation, h.sequence, coalesce(" PROMOTION("h") ", '') FROM aisbx.history h "
	"CROSS JOIN LATERAL (SELECT '' AS path, h.body->>'base' AS was, '' AS made UNION ALL SELECT key, "
	"value->>0, value->>1 FROM jsonb_each(CASE WHEN jsonb_typeof(h.body->'changed') = 'object' THEN "
	"h.body->'changed' ELSE '{}' END)) c WHERE h.kind = 'promotion.applied' AND h.received = now() AND "
	"c.was <> ''";
/* Two promotions that changed the same: N is new, or both are. */
#define PAIRS \
	"(SELECT n.tenant, n.project, n.node, n.incarnation, n.sequence, n.promotion, o.node AS o_node, " \
	"o.incarnation AS o_incarnation, o.sequence AS o_sequence, o.promotion AS o_promotion, min(CASE " \
	"n.path WHEN '' THEN n.was ELSE left(n.path, 200) || ' ' || left(n.was, 40) END) AS base FROM " \
	"aisbx.changed n JOIN aisbx.changed o ON md5(o.path) = md5(n.path) AND o.was = n.was AND o.path = " \
	"n.path AND o.tenant = n.tenant AND o.project = n.project AND o.node <> n.node AND (o.made = '' OR " \
	"o.made <> n.made) WHERE n.received = now() GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) p"
static const char find[] =
	"INSERT INTO aisbx.conflicts (tenant, project, base) SELECT DISTINCT tenant, project, base FROM "
	PAIRS " ON CONFLICT DO NOTHING";
static const char add_sides[] =
	"WITH added AS (INSERT INTO aisbx.conflict_sides (conflict, node, incarnation, sequence, "
	"promotion) SELECT DISTINCT c.id, s.* FROM " PAIRS " JOIN aisbx.conflicts c USING (tenant, project, "
	"base) CROSS JOIN LATERAL (VALUES (p.node, p.incarnation, p.sequence, p.promotion), (p.o_node, "
	"p.o_incarnation, p.o_sequence, p.o_promotion)) s ON CONFLICT DO NOTHING RETURNING conflict) UPDATE "
	"aisbx.conflicts SET state = 'open', resolved = NULL, resolved_by = NULL, note = NULL WHERE id IN "
	"(SELECT conflict FROM added)";
static const char end_undone[] =
	"UPDATE aisbx.conflicts c SET state = 'resolved', resolved = now(), resolved_by = 'rule', note = "
	"'all sides but those of one node were undone' WHERE c.state = 'open' AND (SELECT count(DISTINCT "
	"s.node) FROM aisbx.conflict_sides s WHERE s.conflict = c.id AND NOT EXISTS (SELECT 1 FROM "
	"aisbx.history u WHERE u.kind = 'promotion.undone' AND u.kind LIKE 'promotion.%' AND u.node = "
	"s.node AND " PROMOTION("u") " = s.promotion)) < 2";
/* clang-format on */

int centre_find_conflicts(struct centre *c, struct aisbx_error *e)
{
	static const char *const steps[] = { LOCK, add_changed, find, add_sides, end_undone };
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
