/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of the store, as a list of migrations: a released step is never edited. */
#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "base/scope.h"
#include "store/db.h"
#include "store/store.h"

/*
 * Of step 2. A run's result is ten times as long as the rest of it, so it lies apart (not in runs.result,
 * which stays empty): what is searched stays short. Blocks: see store/search.c.
 */
#define HISTORY_2                                                                                            \
	"CREATE TABLE results (seq INTEGER PRIMARY KEY REFERENCES runs(seq) ON DELETE CASCADE, result TEXT " \
	"NOT NULL);"                                                                                         \
	"CREATE TABLE run_blocks (last INTEGER PRIMARY KEY, first INTEGER NOT NULL, newest_ms INTEGER NOT "  \
	"NULL,"                                                                                              \
	" grams BLOB NOT NULL);"                                                                             \
	"DROP INDEX runs_by_time;"                                                                           \
	"CREATE INDEX runs_by_both ON runs(box, status, seq);"                                               \
	"CREATE TABLE events (seq INTEGER PRIMARY KEY, time_ms INTEGER NOT NULL, kind TEXT NOT NULL, box "   \
	"TEXT,"                                                                                              \
	" run TEXT, what TEXT NOT NULL);"

/* Layers that others were folded into; the one a layer stands for may go before it, then the next below
 * counts. */
#define LAYERS_2                                                                                \
	"ALTER TABLE layers ADD COLUMN stands_for TEXT;"                                        \
	"CREATE INDEX layers_by_stands_for ON layers(stands_for) WHERE stands_for IS NOT NULL;" \
	"CREATE TRIGGER layers_go AFTER DELETE ON layers BEGIN UPDATE layers"                   \
	" SET stands_for = coalesce(OLD.parent, OLD.stands_for) WHERE stands_for = OLD.id; END;"

#define PROMOTIONS_2                                                                                         \
	"CREATE TABLE promotions (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, box TEXT NOT NULL, "     \
	"box_name TEXT NOT NULL,"                                                                            \
	" target TEXT NOT NULL, state TEXT NOT NULL, created_ms INTEGER NOT NULL, changes INTEGER NOT "      \
	"NULL);"                                                                                             \
	"CREATE TABLE artifacts (path TEXT NOT NULL, promotion TEXT NOT NULL, source TEXT NOT NULL, dev "    \
	"INTEGER NOT NULL,"                                                                                  \
	" ino INTEGER NOT NULL, size INTEGER NOT NULL, mtime_s INTEGER NOT NULL, mtime_ns INTEGER NOT NULL," \
	" PRIMARY KEY (path, dev, ino)) WITHOUT ROWID;"

/* Of plans. */
#define PLANS                                                                                                \
	"CREATE TABLE plans (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, goal TEXT NOT NULL, box "     \
	"TEXT NOT NULL,"                                                                                     \
	" project TEXT NOT NULL, owner TEXT NOT NULL, created_ms INTEGER NOT NULL);"                         \
	"CREATE TABLE plan_steps (plan INTEGER NOT NULL REFERENCES plans(seq) ON DELETE CASCADE, n INTEGER " \
	"NOT NULL,"                                                                                          \
	" what TEXT NOT NULL, state TEXT NOT NULL, run TEXT, exit_code INTEGER, note TEXT, begun_ms "        \
	"INTEGER, ended_ms INTEGER,"                                                                         \
	" PRIMARY KEY (plan, n)) WITHOUT ROWID;"

#define EXPERIMENTS_6                                                                                        \
	"CREATE TABLE experiments (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, "   \
	"owner TEXT NOT NULL,"                                                                               \
	" project TEXT NOT NULL, mode TEXT NOT NULL, state TEXT NOT NULL, winner INTEGER NOT NULL DEFAULT "  \
	"0, how TEXT NOT NULL,"                                                                              \
	" result TEXT NOT NULL DEFAULT '', created_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL DEFAULT "  \
	"0);"                                                                                                \
	"CREATE INDEX experiments_by_state ON experiments(state);"                                           \
	"CREATE TABLE branches (experiment INTEGER NOT NULL REFERENCES experiments(seq) ON DELETE CASCADE,"  \
	" n INTEGER NOT NULL, name TEXT NOT NULL, box TEXT NOT NULL, command TEXT NOT NULL, state TEXT NOT " \
	"NULL,"                                                                                              \
	" result TEXT NOT NULL DEFAULT '', PRIMARY KEY (experiment, n)) WITHOUT ROWID;"
#define PIPELINES_7                                                                                          \
	"CREATE TABLE pipelines (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, box TEXT NOT NULL, "      \
	"box_name TEXT NOT NULL,"                                                                            \
	" snapshot TEXT NOT NULL, project TEXT NOT NULL, rules TEXT NOT NULL, owner TEXT NOT NULL, yes "     \
	"INTEGER NOT NULL, conflict TEXT NOT NULL,"                                                          \
	" back INTEGER NOT NULL, created_ms INTEGER NOT NULL);"                                              \
	"CREATE INDEX pipelines_by_project ON pipelines(project);"                                           \
	"CREATE TABLE stages (pipeline INTEGER NOT NULL REFERENCES pipelines(seq) ON DELETE CASCADE, n "     \
	"INTEGER NOT NULL,"                                                                                  \
	" name TEXT NOT NULL, state TEXT NOT NULL, promotion TEXT NOT NULL, why TEXT NOT NULL, detail TEXT " \
	"NOT NULL,"                                                                                          \
	" begun_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL, PRIMARY KEY (pipeline, n)) WITHOUT ROWID;"   \
	"CREATE TABLE approvals (seq INTEGER PRIMARY KEY, pipeline TEXT NOT NULL, stage INTEGER NOT NULL, "  \
	"snapshot TEXT NOT NULL,"                                                                            \
	" approved INTEGER NOT NULL, uid INTEGER NOT NULL, name TEXT NOT NULL, way TEXT NOT NULL, note "     \
	"TEXT NOT NULL,"                                                                                     \
	" time_ms INTEGER NOT NULL);"

/*
 * Names of boxes are each owner's own, and what sessions left without an end has one, a week from now; runs
 * and promotions have owners, those of before the owner of their box. A table with another constraint is
 * another table; what refers to it by cascade is put aside first, for dropping the old one deletes its rows.
 */
#define OWNERS_8                                                                                             \
	"CREATE TABLE snapshots_aside AS SELECT * FROM snapshots;"                                           \
	"DROP TABLE snapshots;"                                                                              \
	"ALTER TABLE boxes RENAME TO boxes_aside;"                                                           \
	"DROP INDEX IF EXISTS boxes_by_top;"                                                                 \
	"CREATE TABLE boxes (id TEXT PRIMARY KEY, name TEXT NOT NULL, top TEXT NOT NULL REFERENCES "         \
	"layers(id),"                                                                                        \
	" profile TEXT NOT NULL, project TEXT, created_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL,"    \
	" watermark_s INTEGER NOT NULL, watermark_ns INTEGER NOT NULL, autosnap INTEGER NOT NULL,"           \
	" owner TEXT NOT NULL DEFAULT '', shared INTEGER NOT NULL DEFAULT 0, UNIQUE (owner, name)) WITHOUT " \
	"ROWID;"                                                                                             \
	"INSERT INTO boxes SELECT id, name, top, profile, project, created_ms, expires_ms, watermark_s, "    \
	"watermark_ns, autosnap,"                                                                            \
	" owner, shared FROM boxes_aside;"                                                                   \
	"DROP TABLE boxes_aside;"                                                                            \
	"CREATE INDEX boxes_by_top ON boxes(top);"                                                           \
	"CREATE INDEX boxes_by_name ON boxes(name);"                                                         \
	"CREATE INDEX boxes_shared ON boxes(name) WHERE shared;"                                             \
	"CREATE TABLE snapshots (id TEXT PRIMARY KEY, box TEXT NOT NULL REFERENCES boxes(id) ON DELETE "     \
	"CASCADE,"                                                                                           \
	" name TEXT NOT NULL, layer TEXT NOT NULL REFERENCES layers(id), created_ms INTEGER NOT NULL,"       \
	" automatic INTEGER NOT NULL, seq INTEGER NOT NULL, UNIQUE (box, name)) WITHOUT ROWID;"              \
	"INSERT INTO snapshots SELECT id, box, name, layer, created_ms, automatic, seq FROM "                \
	"snapshots_aside;"                                                                                   \
	"DROP TABLE snapshots_aside;"                                                                        \
	"CREATE INDEX snapshots_by_layer ON snapshots(layer);"                                               \
	"UPDATE boxes SET expires_ms = 1000 * (strftime('%s', 'now') + 7 * 86400) WHERE expires_ms = 0 AND " \
	"length(owner) = 20"                                                                                 \
	" AND (owner GLOB 'mcp-[0-9a-f]*' OR owner GLOB 'rpc-[0-9a-f]*');"                                   \
	"ALTER TABLE runs ADD COLUMN owner TEXT NOT NULL DEFAULT '';"                                        \
	"UPDATE runs SET owner = (SELECT b.owner FROM boxes b WHERE b.id = runs.box)"                        \
	" WHERE box IN (SELECT id FROM boxes WHERE owner <> '');"                                            \
	"CREATE INDEX runs_by_owner ON runs(owner, seq) WHERE owner <> '';"                                  \
	"ALTER TABLE promotions ADD COLUMN owner TEXT NOT NULL DEFAULT '';"                                  \
	"UPDATE promotions SET owner = (SELECT b.owner FROM boxes b WHERE b.id = promotions.box)"            \
	" WHERE box IN (SELECT id FROM boxes WHERE owner <> '');"

/* Which directory a project is, whatever it is called: see box/moved.c. 0: not known. */
#define PROJECTS_9                                                             \
	"ALTER TABLE boxes ADD COLUMN project_dev INTEGER NOT NULL DEFAULT 0;" \
	"ALTER TABLE boxes ADD COLUMN project_ino INTEGER NOT NULL DEFAULT 0;" \
	"ALTER TABLE boxes ADD COLUMN project_born INTEGER NOT NULL DEFAULT 0;"

/* The box that commands in a project are for; it may have been removed, which its user is told. */
#define CURRENT_10                                                                                         \
	"CREATE TABLE current_boxes (owner TEXT NOT NULL, project TEXT NOT NULL, project_dev INTEGER NOT " \
	"NULL, project_ino INTEGER NOT NULL, project_born INTEGER NOT NULL, box TEXT NOT NULL, box_name "  \
	"TEXT NOT NULL, set_ms INTEGER NOT NULL, PRIMARY KEY (owner, project)) WITHOUT ROWID;"

/*
 * Images: root file systems with settings, unpacked into layers. Names point to them; `image_layers` knows
 * what was unpacked by its ChainID, so that equal layers exist once. Templates are prepared boxes. A box
 * whose `image` is '' stands on this machine.
 */
#define IMAGES_11                                                                                           \
	"CREATE TABLE images (id TEXT PRIMARY KEY, digest TEXT NOT NULL UNIQUE, config TEXT NOT NULL, "     \
	"manifest TEXT NOT NULL, top TEXT NOT NULL REFERENCES layers(id), size INTEGER NOT NULL, "          \
	"created_ms INTEGER NOT NULL, source TEXT NOT NULL DEFAULT '');"                                    \
	"CREATE INDEX images_by_top ON images(top);"                                                        \
	"CREATE TABLE image_names (name TEXT PRIMARY KEY, image TEXT NOT NULL REFERENCES images(id) ON "    \
	"DELETE CASCADE) WITHOUT ROWID;"                                                                    \
	"CREATE INDEX image_names_by_image ON image_names(image);"                                          \
	"CREATE TABLE image_layers (chain TEXT PRIMARY KEY, layer TEXT NOT NULL REFERENCES layers(id) ON "  \
	"DELETE CASCADE, files INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;"                    \
	"CREATE INDEX image_layers_by_layer ON image_layers(layer);"                                        \
	"CREATE TABLE templates (owner TEXT NOT NULL, name TEXT NOT NULL, layer TEXT NOT NULL REFERENCES "  \
	"layers(id), image TEXT NOT NULL DEFAULT '', profile TEXT NOT NULL, project TEXT, settings TEXT "   \
	"NOT NULL DEFAULT '', created_ms INTEGER NOT NULL, recipe TEXT NOT NULL DEFAULT '', lock TEXT NOT " \
	"NULL DEFAULT '', PRIMARY KEY (owner, name)) WITHOUT ROWID;"                                        \
	"CREATE INDEX templates_by_layer ON templates(layer);"                                              \
	"ALTER TABLE boxes ADD COLUMN image TEXT NOT NULL DEFAULT '';"                                      \
	"CREATE INDEX boxes_by_image ON boxes(image) WHERE image <> '';"

/* What callers note of their boxes; '' is nothing, as with most. */
#define METADATA_12                                                       \
	"ALTER TABLE boxes ADD COLUMN metadata TEXT NOT NULL DEFAULT '';" \
	"CREATE INDEX boxes_with_metadata ON boxes(id) WHERE metadata <> '';"

static const char *const migrations[] = {
	/* 1: boxes, layers, snapshots, runs */
	"CREATE TABLE layers (id TEXT PRIMARY KEY, parent TEXT REFERENCES layers(id), frozen INTEGER NOT "
	"NULL DEFAULT 0)"
	" WITHOUT ROWID;"
	"CREATE INDEX layers_by_parent ON layers(parent);"
	"CREATE TABLE boxes (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, top TEXT NOT NULL REFERENCES "
	"layers(id),"
	" profile TEXT NOT NULL, project TEXT, created_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL,"
	" watermark_s INTEGER NOT NULL, watermark_ns INTEGER NOT NULL, autosnap INTEGER NOT NULL) WITHOUT "
	"ROWID;"
	"CREATE INDEX boxes_by_top ON boxes(top);"
	"CREATE TABLE snapshots (id TEXT PRIMARY KEY, box TEXT NOT NULL REFERENCES boxes(id) ON DELETE "
	"CASCADE,"
	" name TEXT NOT NULL, layer TEXT NOT NULL REFERENCES layers(id), created_ms INTEGER NOT NULL,"
	" automatic INTEGER NOT NULL, seq INTEGER NOT NULL, UNIQUE (box, name)) WITHOUT ROWID;"
	"CREATE INDEX snapshots_by_layer ON snapshots(layer);"
	"CREATE TABLE runs (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, box TEXT, status TEXT NOT NULL,"
	" exit_code INTEGER, started_ms INTEGER NOT NULL, wall_ms REAL NOT NULL, command TEXT NOT NULL, "
	"result TEXT);"
	"CREATE INDEX runs_by_box ON runs(box, seq);"
	"CREATE INDEX runs_by_status ON runs(status, seq);"
	"CREATE INDEX runs_by_time ON runs(started_ms);",
	/* 2: results, blocks of runs, events; promotions, artifacts; folded layers */
	HISTORY_2 PROMOTIONS_2 LAYERS_2,
	/* 3: boxes have owners */
	"ALTER TABLE boxes ADD COLUMN owner TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE boxes ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;",
	/* 4: what is kept of boxes */
	"CREATE TABLE saved (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, note "
	"TEXT, box TEXT NOT NULL,"
	" box_name TEXT NOT NULL, run TEXT NOT NULL, path TEXT NOT NULL, type TEXT NOT NULL, sha256 TEXT NOT "
	"NULL, size INTEGER NOT NULL,"
	" files INTEGER NOT NULL, media TEXT NOT NULL, mode INTEGER NOT NULL, created_ms INTEGER NOT NULL, "
	"owner TEXT NOT NULL);"
	"CREATE INDEX saved_by_sum ON saved(sha256);"
	"CREATE INDEX saved_by_name ON saved(name);",
	/* 5: plans */
	PLANS,
	/* 6: experiments and their branches */
	EXPERIMENTS_6,
	/* 7: pipelines and their stages */
	PIPELINES_7,
	/* 8: names, runs and promotions by owner */
	OWNERS_8,
	/* 9: which directories the projects of boxes are */
	PROJECTS_9,
	/* 10: current boxes */
	CURRENT_10,
	/* 11: images, templates */
	IMAGES_11,
	/* 12: metadata of boxes */
	METADATA_12,
};

#define LATEST ((int)(sizeof(migrations) / sizeof(*migrations)))

static int version_of(struct store *s, int *ret_version, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *stmt = NULL;
	int r = db_prepare(s, &stmt, e, "PRAGMA user_version", "");

	if (r == 0)
		r = db_next(s, stmt, e);
	if (r > 0)
		*ret_version = sqlite3_column_int(stmt, 0);
	return r < 0 ? r : 0;
}

int db_migrate(struct store *s, struct aisbx_error *e)
{
	int version = 0, r = version_of(s, &version, e);
	char done[48];

	if (r < 0 || version == LATEST)
		return r;
	r = store_begin(s, e);
	if (r == 0)
		r = version_of(s, &version, e); /* another process may have been faster */
	if (r == 0 && version > LATEST)
		r = aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_STORE, EOPNOTSUPP,
				 "the store in '%s' was written by a newer aisbx (format %d, this one "
				 "supports %d); use that version",
				 s->dir, version, LATEST);
	if (r == 0 && version == 0 && !s->anew && db_has_traces(s->dir))
		r = aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_STORE, EUCLEAN,
				 "the store in '%s' is empty, but there are boxes; " STORE_REBUILD, s->dir);
	for (; r == 0 && version < LATEST; version++)
		r = db_exec(s, migrations[version], e);
	snprintf(done, sizeof(done), "PRAGMA user_version=%d", LATEST);
	if (r == 0)
		r = db_exec(s, done, e);
	if (r == 0)
		r = store_commit(s, e);
	else
		store_rollback(s);
	return r;
}
