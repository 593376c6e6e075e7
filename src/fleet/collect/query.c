/* SPDX-License-Identifier: Apache-2.0 */
/* Asking the centre, and printing what it says. */
#include "fleet/collect/query.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/collect/where.h"

#define COLUMNS_MAX 16
#define WIDTH_MAX   60

/* What a node wrote must not move the cursor of a terminal: control characters become '?'. Bytes of UTF-8
 * stay, of the first 60 characters. */
static int print_cell(FILE *out, const char *text)
{
	int width = 0;

	for (; *text && width < WIDTH_MAX; text++) {
		const unsigned char c = (unsigned char)*text;

		width += (c & 0xc0) != 0x80;
		fputc(c < ' ' || c == 0x7f ? '?' : c, out);
	}
	while ((*text & 0xc0) == 0x80) /* the rest of its last character */
		fputc(*text++, out);
	return width;
}

static int width_of(const char *text)
{
	int width = 0;

	for (; *text && width < WIDTH_MAX; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static void print_table(const PGresult *result, FILE *out)
{
	int widths[COLUMNS_MAX] = { 0 };
	const int columns = PQnfields(result) < COLUMNS_MAX ? PQnfields(result) : COLUMNS_MAX;

	for (int row = -1; row < PQntuples(result); row++)
		for (int i = 0; i < columns; i++) {
			const int w = width_of(row < 0 ? PQfname(result, i) : PQgetvalue(result, row, i));

			widths[i] = w > widths[i] ? w : widths[i];
		}
	for (int row = -1; row < PQntuples(result); row++) {
		for (int i = 0; i < columns; i++) {
			const int w =
				print_cell(out, row < 0 ? PQfname(result, i) : PQgetvalue(result, row, i));

			if (i + 1 < columns)
				fprintf(out, "%*s", widths[i] - w + 2, "");
		}
		fputc('\n', out);
	}
}

/* The first column of each row is a JSON text. */
static void print_lines(const PGresult *result, FILE *out)
{
	for (int row = 0; row < PQntuples(result); row++)
		fprintf(out, "%s\n", PQgetvalue(result, row, 0));
}

static int answer(struct centre *c, const char *sql, int n, const char *const *params, bool json, FILE *out,
		  struct aisbx_error *e)
{
	scoped(drop_result) PGresult *result = NULL;
	int r = centre_ask(c, "ask for the history", sql, n, params, &result, e);

	if (r < 0)
		return r;
	if (json)
		print_lines(result, out);
	else
		print_table(result, out);
	return fflush(out) == 0 ? 0 : aisbx_fail(e, AISBX_AREA_STORE, errno, "print the history");
}

#define TIME(column) "to_char(" column " AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"

int query_history(struct centre *c, const char *where, const char *limit, bool json, FILE *out,
		  struct aisbx_error *e)
{
	scoped(where_finish) struct where w = { 0 };
	scoped(buf_finish) struct buf sql = { 0 };
	int r = where_parse(where, &w, e);

	if (r < 0)
		return r;
	buf_addf(&sql, "%s",
		 json ? "SELECT json_build_object('node', node, 'incarnation', incarnation, 'sequence', "
			"sequence, 'kind', "
			"kind, 'at', " TIME(
				"at") ", 'tenant', tenant, 'box', nullif(box, ''), 'run', nullif(run, ''), "
				      "'body', body)"
		      : "SELECT " TIME(
				"at") " AS at, node, tenant, kind, box, run, body->>'status' AS status, "
				      "coalesce(body->>'command', body->>'target', body->>'name', '') AS "
				      "what");
	buf_addf(&sql,
		 " FROM aisbx.history WHERE %s ORDER BY at DESC, node, sequence DESC LIMIT $%zu::bigint",
		 w.sql.data, w.params.n + 1);
	strlist_add(&w.params, limit);
	if (!buf_str(&sql) || w.params.failed)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "ask for the history");
	return answer(c, sql.data, (int)w.params.n, (const char *const *)w.params.items, json, out, e);
}

#define SIDES "FROM aisbx.conflict_sides s WHERE s.conflict = c.id"

int query_conflicts(struct centre *c, bool all, bool json, FILE *out, struct aisbx_error *e)
{
	const char *const params[] = { all ? "true" : "false" };

	return answer(c,
		      json ? "SELECT json_build_object('id', id, 'state', state, 'tenant', tenant, "
			     "'project', project, 'base', "
			     "base, 'made', " TIME("made") ", 'resolved', " TIME(
				     "resolved") ", 'resolved_by', resolved_by, "
						 "'note', note, 'sides', (SELECT "
						 "json_agg(json_build_object('node', s.node, 'incarnation', "
						 "s.incarnation, 'sequence', s.sequence, 'promotion', "
						 "s.promotion) ORDER BY s.node, s.sequence) " SIDES
						 ")) FROM aisbx.conflicts c WHERE state = 'open' OR "
						 "$1::boolean ORDER BY id DESC"
			   : "SELECT id, state, " TIME(
				     "made") " AS made, tenant, project, base, (SELECT string_agg(s.node || "
					     "':' || s.promotion, ' ' ORDER BY s.node, s.sequence) " SIDES
					     ") AS sides, coalesce(note, '') AS note FROM aisbx.conflicts c "
					     "WHERE state = 'open' OR $1::boolean "
					     "ORDER BY id DESC",
		      1, params, json, out, e);
}

/* In the order of what an operator is asked. */
static const char *const figures[] = { "boxes_per_hour",
				       "time_to_ready",
				       "violations_per_1000_runs",
				       "out_of_memory_rate",
				       "out_of_memory_fixed",
				       "promotions_undone",
				       "tasks_passed",
				       "gaps" };

int query_figures(struct centre *c, const char *name, bool json, FILE *out, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf sql = { 0 };

	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		if (!name)
			fprintf(out, "%s\n", figures[i]);
		else if (!strcmp(name, figures[i])) /* a word of the table, not the caller's */
			buf_addf(&sql, "SELECT %s FROM aisbx.%s AS f ORDER BY 1 DESC LIMIT 1000",
				 json ? "row_to_json(f)::text" : "*", figures[i]);
	}
	if (!name)
		return 0;
	if (!sql.len)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
				    "there are no figures '%.60s'; 'aisbx-collect figures' lists them", name);
	return buf_str(&sql) ? answer(c, sql.data, 0, NULL, json, out, e)
			     : aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "ask for figures");
}
