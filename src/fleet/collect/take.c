/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of messages into the tables: each once, all of a call or none. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/collect/centre.h"

/* Of a refused message so much is kept. */
#define REFUSED_MAX 65536

static bool add_batch(json_t *all, const struct history_batch *b, bool *ret_promotions)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct history_row *row = &b->rows[i];
		const uint64_t sequence = b->first + i;

		if (!strncmp(row->kind, "promotion.", strlen("promotion.")))
			*ret_promotions = true;
		if (json_array_append_new(all, json_pack("{s:s, s:s, s:I, s:s, s:I, s:s, s:s, s:s, s:s, s:O}",
							 "node", b->node, "incarnation", b->incarnation,
							 "sequence", (json_int_t)sequence, "kind", row->kind,
							 "time", (json_int_t)row->time_ms, "tenant",
							 row->tenant, "box", row->box, "run", row->run,
							 "digest", row->digest, "body", row->body)) < 0)
			return false;
	}
	return true;
}

#define ROWS                                                                                                \
	"FROM jsonb_to_recordset($1::jsonb) AS r(node text, incarnation text, sequence bigint, kind text, " \
	"time "                                                                                             \
	"bigint, tenant text, box text, run text, digest text, body jsonb) "
#define INTO \
	"INSERT INTO aisbx.history (node, incarnation, sequence, kind, at, tenant, box, run, digest, body) "
#define SAME "SELECT 1 FROM aisbx.history h WHERE h.node = r.node AND "

/* In the order of the key, so that two collectors never wait for each other in a circle. */
static const char insert[] =
	INTO "SELECT node, incarnation, sequence, kind, to_timestamp(time / 1000.0), tenant, box, run, "
	     "digest, body " ROWS "ORDER BY node, incarnation, sequence ON CONFLICT DO NOTHING";
/* Another row has the place, which no sound node brings about: this one is kept beside it, with an
 * incarnation of its own, which is its digest. */
static const char keep_beside[] =
	INTO "SELECT node, digest, sequence, kind, to_timestamp(time / 1000.0), tenant, box, run, digest, "
	     "body " ROWS "WHERE NOT EXISTS (" SAME "h.digest = r.digest) ON CONFLICT DO NOTHING";
static const char note_repeated[] =
	"INSERT INTO aisbx.repeated (node, incarnation, sequence, digest) SELECT node, incarnation, "
	"sequence, digest " ROWS "WHERE NOT EXISTS (" SAME
	"h.incarnation = r.incarnation AND h.sequence = r.sequence) ON CONFLICT DO NOTHING";

static int put(struct centre *c, const char *sql, const char *rows, size_t *ret_n, struct aisbx_error *e)
{
	scoped(drop_result) PGresult *result = NULL;
	int r = centre_ask(c, "insert rows of history", sql, 1, &rows, &result, e);

	if (r == 0)
		*ret_n = (size_t)strtoul(PQcmdTuples(result), NULL, 10);
	return r;
}

/* In a transaction. */
static int put_all(struct centre *c, const char *rows, size_t n, bool promotions, struct centre_took *ret,
		   struct aisbx_error *e)
{
	size_t beside = 0, repeated = 0;
	int r = put(c, insert, rows, &ret->rows, e);

	if (r == 0 && ret->rows < n)
		r = put(c, keep_beside, rows, &beside, e);
	if (r == 0 && ret->rows < n)
		r = put(c, note_repeated, rows, &repeated, e);
	ret->rows += beside;
	ret->repeated = n - ret->rows;
	return r == 0 && promotions && ret->rows ? centre_find_conflicts(c, e) : r;
}

int centre_take(struct centre *c, const struct history_batch *batches, size_t n, struct centre_took *ret,
		struct aisbx_error *e)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_json) json_t *all = json_array();
	scoped(drop_mem) char *text = NULL;
	struct centre_took took = { 0 };
	bool promotions = false, complete = all != NULL;
	int r;

	for (size_t i = 0; complete && i < n; i++)
		complete = add_batch(all, &batches[i], &promotions);
	text = complete ? json_dumps(all, JSON_COMPACT) : NULL;
	if (!text)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "insert rows of history");
	r = centre_do(c, "BEGIN", e);
	if (r == 0)
		r = put_all(c, text, json_array_size(all), promotions, &took, e);
	if (r == 0)
		r = centre_do(c, "COMMIT", e);
	if (r < 0)
		centre_do(c, "ROLLBACK", &ignored);
	else
		*ret = took;
	return r;
}

int centre_refuse(struct centre *c, const char *subject, uint64_t sequence, const char *data, size_t len,
		  const char *why, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf hex = { 0 };
	scoped(buf_finish) struct buf from = { 0 };
	scoped(buf_finish) struct buf words = { 0 };
	char number[24], bytes[24];
	const char *params[5];

	/* Whatever a stranger sent: as digits, and as text that a database takes. */
	buf_add(&hex, "\\x", 2);
	for (size_t i = 0; i < len && i < REFUSED_MAX; i++)
		buf_addf(&hex, "%02x", (unsigned char)data[i]);
	buf_add_utf8(&from, subject, strlen(subject));
	buf_add_utf8(&words, why, strlen(why));
	snprintf(number, sizeof(number), "%llu", (unsigned long long)sequence);
	snprintf(bytes, sizeof(bytes), "%zu", len);
	params[0] = buf_str(&from);
	params[1] = number;
	params[2] = buf_str(&words);
	params[3] = buf_str(&hex);
	params[4] = bytes;
	if (!params[0] || !params[2] || !params[3])
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "keep a refused message");
	return centre_ask(c, "keep a refused message",
			  "INSERT INTO aisbx.refused (subject, stream_sequence, why, data, bytes) VALUES "
			  "($1, $2, $3, $4, "
			  "$5) ON CONFLICT DO NOTHING",
			  5, params, NULL, e);
}
