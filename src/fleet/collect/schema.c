/* SPDX-License-Identifier: Apache-2.0 */
/* Tables and views of the centre, as a list of migrations: a released step is never edited. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/collect/centre.h"

/* A body is a node's word: what is not of the kind that it should be is NULL. */
#define AS_NUMBER(path) "(CASE WHEN jsonb_typeof(" path ") = 'number' THEN (" path ")::numeric END)"
#define AS_COUNT(path) \
	"(CASE WHEN jsonb_typeof(" path ") = 'array' THEN jsonb_array_length(" path ") ELSE 0 END)"

/* clang-format off */
/*
 * A row is there once, whoever sends it again: by its sequence in the incarnation of its node's store, and by
 * what it says, for a store that was restored sends under a new incarnation what it had sent before.
 * "repeated" has the places of such rows, so that a gap in the sequences is always a loss (view "gaps").
 */
static const char history_1[] =
	"CREATE TABLE aisbx.history (node text NOT NULL, incarnation text NOT NULL, sequence bigint NOT "
	"NULL, kind text NOT NULL, at timestamptz NOT NULL, tenant text NOT NULL, box text NOT NULL, run "
	"text NOT NULL, digest text NOT NULL, body jsonb NOT NULL, received timestamptz NOT NULL DEFAULT "
	"now(), PRIMARY KEY (node, incarnation, sequence), UNIQUE (node, digest));CREATE INDEX "
	"history_by_time ON aisbx.history (at);CREATE INDEX history_by_kind ON aisbx.history (kind, "
	"at);CREATE INDEX history_by_run ON aisbx.history (run) WHERE run <> '';CREATE INDEX "
	"history_by_box ON aisbx.history (box) WHERE box <> '';CREATE INDEX history_by_tenant ON "
	"aisbx.history (tenant, at);CREATE TABLE aisbx.repeated (node text NOT NULL, incarnation text NOT "
	"NULL, sequence bigint NOT NULL, digest text NOT NULL, PRIMARY KEY (node, incarnation, "
	"sequence));CREATE TABLE aisbx.refused (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "
	"subject text NOT NULL, stream_sequence bigint NOT NULL, why text NOT NULL, data bytea NOT NULL, "
	"bytes bigint NOT NULL, at timestamptz NOT NULL DEFAULT now(), UNIQUE (subject, "
	"stream_sequence));CREATE VIEW aisbx.gaps AS SELECT node, incarnation, max(sequence) - count(*) AS "
	"missing FROM (SELECT node, incarnation, sequence FROM aisbx.history WHERE incarnation <> digest "
	"UNION ALL SELECT node, incarnation, sequence FROM aisbx.repeated) AS places GROUP BY node, "
	"incarnation HAVING max(sequence) > count(*);";

/* One row for each tree that several sides changed from the same base; both changes stay in the history. */
static const char conflicts_1[] =
	"CREATE TABLE aisbx.conflicts (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant text NOT "
	"NULL, project text NOT NULL, base text NOT NULL, state text NOT NULL DEFAULT 'open' CHECK (state "
	"IN ('open', 'resolved')), made timestamptz NOT NULL DEFAULT now(), resolved timestamptz, "
	"resolved_by text, note text, UNIQUE (tenant, project, base));CREATE INDEX conflicts_open ON "
	"aisbx.conflicts (id) WHERE state = 'open';CREATE TABLE aisbx.conflict_sides (conflict bigint NOT "
	"NULL REFERENCES aisbx.conflicts (id) ON DELETE CASCADE, node text NOT NULL, incarnation text NOT "
	"NULL, sequence bigint NOT NULL, promotion text NOT NULL, PRIMARY KEY (conflict, node, "
	"promotion));CREATE INDEX history_by_base ON aisbx.history (left(body->>'base', 200)) WHERE kind = "
	"'promotion.applied' AND body ? 'base';CREATE INDEX history_new_bases ON aisbx.history (received) "
	"WHERE kind = 'promotion.applied' AND body ? 'base';CREATE INDEX history_by_promotion ON "
	"aisbx.history (node, left(body->>'promotion', 64)) WHERE kind LIKE 'promotion.%';";

/* The figures that an operator is asked for. */
static const char figures_1[] =
	"CREATE VIEW aisbx.runs AS SELECT node, incarnation, sequence, at, tenant, box, run, "
	"body->>'status' AS status, " AS_NUMBER("body->'exit_code'") " AS exit_code, "
	AS_NUMBER("body->'wall_ms'") " AS wall_ms, body->>'command' AS command, "
	AS_COUNT("body->'result'->'violations'") " AS violations, "
	"coalesce(body->'result'->'limit'->>'kind' = 'memory', false) AS out_of_memory, (SELECT max("
	AS_NUMBER("s->'ready_ms'") ") FROM jsonb_array_elements(CASE WHEN "
	"jsonb_typeof(body->'result'->'services') = 'array' THEN body->'result'->'services' ELSE '[]' END) "
	"AS s) AS ready_ms FROM aisbx.history WHERE kind = 'run';CREATE VIEW aisbx.boxes_per_hour AS "
	"SELECT date_trunc('hour', at) AS hour, count(*) FILTER (WHERE kind = 'run' AND box = '') + "
	"count(*) FILTER (WHERE kind IN ('box.created', 'box.forked')) AS boxes, count(*) FILTER (WHERE "
	"kind = 'run') AS runs FROM aisbx.history WHERE kind IN ('run', 'box.created', 'box.forked') GROUP "
	"BY 1;CREATE VIEW aisbx.time_to_ready AS SELECT date_trunc('hour', at) AS hour, count(*) AS runs, "
	"percentile_cont(0.5) WITHIN GROUP (ORDER BY ready_ms) AS p50_ms, percentile_cont(0.99) WITHIN "
	"GROUP (ORDER BY ready_ms) AS p99_ms FROM aisbx.runs WHERE ready_ms IS NOT NULL GROUP BY 1;CREATE "
	"VIEW aisbx.violations_per_1000_runs AS SELECT date_trunc('day', at) AS day, tenant, count(*) AS "
	"runs, sum(violations) AS violations, 1000.0 * sum(violations) / count(*) AS per_1000 FROM "
	"aisbx.runs GROUP BY 1, 2;CREATE VIEW aisbx.out_of_memory_rate AS SELECT date_trunc('day', at) AS "
	"day, tenant, count(*) AS runs, count(*) FILTER (WHERE out_of_memory) AS out_of_memory, 1.0 * "
	"count(*) FILTER (WHERE out_of_memory) / count(*) AS rate FROM aisbx.runs GROUP BY 1, 2;CREATE "
	"VIEW aisbx.out_of_memory_fixed AS SELECT o.node, o.tenant, o.run, o.at, o.command, (SELECT "
	"min(f.at) FROM aisbx.runs f WHERE f.tenant = o.tenant AND f.command = o.command AND f.status = "
	"'ok' AND f.at > o.at) - o.at AS fixed_after FROM aisbx.runs o WHERE o.out_of_memory;CREATE VIEW "
	"aisbx.promotions_undone AS SELECT date_trunc('day', a.at) AS day, a.tenant, count(*) AS "
	"promotions, count(u.digest) AS undone FROM aisbx.history a LEFT JOIN LATERAL (SELECT h.digest "
	"FROM aisbx.history h WHERE h.kind = 'promotion.undone' AND h.node = a.node AND "
	"left(h.body->>'promotion', 64) = a.body->>'promotion' LIMIT 1) u ON true WHERE a.kind = "
	"'promotion.applied' GROUP BY 1, 2;";
/* What promotions changed, path by path; path '' is the whole tree. */
static const char changed_1[] =
	"CREATE TABLE aisbx.changed (tenant text NOT NULL, project text NOT NULL, path text NOT NULL, was "
	"text NOT NULL, made text NOT NULL, node text NOT NULL, incarnation text NOT NULL, sequence bigint "
	"NOT NULL, promotion text NOT NULL, received timestamptz NOT NULL DEFAULT now());CREATE INDEX "
	"changed_same ON aisbx.changed (md5(path), was);CREATE INDEX changed_new ON aisbx.changed "
	"(received);DROP INDEX aisbx.history_by_base;DROP INDEX aisbx.history_new_bases;CREATE INDEX "
	"history_new_promotions ON aisbx.history (received) WHERE kind = 'promotion.applied';";

/* A task is a plan: passed, if of each of its steps the last outcome was. */
static const char figures_2[] =
	"CREATE INDEX history_steps ON aisbx.history (node, left(body->>'plan', 64)) WHERE kind = "
	"'plan.step';CREATE VIEW aisbx.tasks AS SELECT c.node, c.tenant, c.at, c.box, "
	"left(c.body->>'plan', 64) AS plan, " AS_NUMBER("c.body->'steps'") " AS steps, s.ok, s.failed "
	"FROM aisbx.history c CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE state = 'ok') AS ok, "
	"count(*) FILTER (WHERE state = "
	"'failed') AS failed FROM (SELECT DISTINCT ON (h.body->'step') h.body->>'state' AS state FROM "
	"aisbx.history h WHERE h.kind = 'plan.step' AND h.node = c.node AND h.tenant = c.tenant AND "
	"left(h.body->>'plan', 64) = left(c.body->>'plan', 64) ORDER BY h.body->'step', h.at DESC, "
	"h.sequence DESC) last) s WHERE c.kind = 'plan.created';CREATE VIEW aisbx.tasks_passed AS SELECT "
	"date_trunc('day', at) AS day, tenant, count(*) AS tasks, count(*) FILTER (WHERE ok >= steps) AS "
	"passed, 1.0 * count(*) FILTER (WHERE ok >= steps) / count(*) AS share FROM aisbx.tasks GROUP BY 1, "
	"2;";
/* clang-format on */

static const char *const migrations[] = {
	history_1, conflicts_1, figures_1, changed_1, figures_2,
};

#define LATEST ((int)(sizeof(migrations) / sizeof(*migrations)))
/* Of this program alone among all that lock something in this database. */
#define LOCK "SELECT pg_advisory_xact_lock(7023405829131)"

static int version_of(struct centre *c, int *ret, struct aisbx_error *e)
{
	scoped(drop_result) PGresult *result = NULL;
	int r = centre_ask(c, "read the version of the history",
			   "SELECT coalesce(max(number), 0) FROM aisbx.version", 0, NULL, &result, e);

	if (r == 0)
		*ret = (int)strtol(PQgetvalue(result, 0, 0), NULL, 10);
	return r;
}

static int step_up(struct centre *c, struct aisbx_error *e)
{
	int version = 0, r;
	char sql[64];

	/* Who may not make a schema may still use one that is there. */
	r = centre_do(
		c,
		"DO $$ BEGIN IF to_regclass('aisbx.version') IS NULL THEN CREATE SCHEMA IF NOT EXISTS aisbx; "
		"CREATE TABLE aisbx.version (number int PRIMARY KEY, at timestamptz NOT NULL DEFAULT now()); "
		"END IF; END $$",
		e);
	if (r == 0)
		r = version_of(c, &version, e);
	if (r == 0 && version > LATEST)
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_STORE, EOPNOTSUPP,
			"the history in this database is of a newer aisbx-collect (format %d, this one "
			"supports %d); use that version",
			version, LATEST);
	for (; r == 0 && version < LATEST; version++) {
		r = centre_do(c, migrations[version], e);
		snprintf(sql, sizeof(sql), "INSERT INTO aisbx.version (number) VALUES (%d)", version + 1);
		if (r == 0)
			r = centre_do(c, sql, e);
	}
	return r;
}

int centre_migrate(struct centre *c, struct aisbx_error *e)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	int r = centre_do(c, "BEGIN", e);

	if (r == 0)
		r = centre_do(c, LOCK, e);
	if (r == 0)
		r = step_up(c, e);
	if (r == 0)
		r = centre_do(c, "COMMIT", e);
	if (r < 0)
		centre_do(c, "ROLLBACK", &ignored);
	return r;
}
