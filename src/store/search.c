/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds a text in the commands of a million runs without reading them. Runs are grouped into blocks in order;
 * a block has one bit for every sequence of one, two or three bytes in its commands (many share a bit). A
 * block without one of the text's bits cannot contain the text. The remaining blocks are read, so the answer
 * is exact.
 */
#include <string.h>

#include "base/scope.h"
#include "store/db.h"
#include "store/search.h"

/* Of runs. */
#define BLOCK 256
/* Two blocks to a page of the database. */
#define GRAM_BYTES 1984
#define GRAM_BITS  (GRAM_BYTES * 8)

static uint32_t bit_of(const unsigned char *s, size_t n)
{
	uint32_t key = (uint32_t)n << 24;

	for (size_t i = 0; i < n; i++)
		key |= (uint32_t)s[i] << (8 * i);
	return (uint32_t)(((uint64_t)(key * 2654435769u) * GRAM_BITS) >> 32);
}

static void add_grams(unsigned char *grams, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t left = strlen(text);

	for (; left; s++, left--)
		for (size_t n = 1; n <= 3 && n <= left; n++) {
			uint32_t bit = bit_of(s, n);

			grams[bit / 8] |= (unsigned char)(1 << bit % 8);
		}
}

static bool may_hold(const unsigned char *grams, const unsigned char *text, size_t len)
{
	size_t n = len < 3 ? len : 3;

	for (size_t i = 0; n && i + n <= len; i++) {
		uint32_t bit = bit_of(text + i, n);

		if (!(grams[bit / 8] & 1 << bit % 8))
			return false;
	}
	return true;
}

/* may_hold(grams, text) in SQL. */
static void sql_may_hold(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	const unsigned char *grams = sqlite3_value_blob(argv[0]);
	const unsigned char *text = sqlite3_value_text(argv[1]);
	bool odd =
		argc != 2 || sqlite3_value_bytes(argv[0]) != GRAM_BYTES; /* not ours: it may hold anything */

	sqlite3_result_int(ctx, odd || !grams || !text ||
					may_hold(grams, text, (size_t)sqlite3_value_bytes(argv[1])));
}

int search_prepare(struct store *s, struct aisbx_error *e)
{
	int code = sqlite3_create_function_v2(s->db, "may_hold", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
					      sql_may_hold, NULL, NULL, NULL);

	return code == SQLITE_OK ? 0 : db_fail(s, e, "prepare a search");
}

int search_last(struct store *s, int64_t *ret, struct aisbx_error *e)
{
	return db_number(s, ret, e, "SELECT max(last) FROM run_blocks", "");
}

/* The block that is being filled. */
struct block {
	int64_t first, last;
	int64_t newest_ms; /* of this and all before it, so that older blocks need not be asked about a time
			    */
	size_t n;
	unsigned char grams[GRAM_BYTES];
};

static int add_block(struct store *s, sqlite3_stmt *insert, struct block *b, struct aisbx_error *e)
{
	int r;

	sqlite3_reset(insert);
	sqlite3_bind_int64(insert, 1, b->last);
	sqlite3_bind_int64(insert, 2, b->first);
	sqlite3_bind_int64(insert, 3, b->newest_ms);
	r = sqlite3_bind_blob(insert, 4, b->grams, sizeof(b->grams), SQLITE_STATIC) == SQLITE_OK &&
			    sqlite3_step(insert) == SQLITE_DONE
		    ? 0
		    : db_fail(s, e, "change the store");
	b->n = 0;
	memset(b->grams, 0, sizeof(b->grams));
	return r;
}

static int fill_blocks(struct store *s, int64_t after, struct block *b, struct aisbx_error *e)
{
	scoped(drop_stmt) sqlite3_stmt *runs = NULL;
	scoped(drop_stmt) sqlite3_stmt *insert = NULL;
	int r = db_prepare(s, &runs, e,
			   "SELECT seq, started_ms, command FROM runs WHERE seq > ? ORDER BY seq", "i",
			   after);

	if (r == 0)
		r = db_prepare(s, &insert, e,
			       "INSERT INTO run_blocks (last, first, newest_ms, grams) VALUES (?,?,?,?)", "");
	while (r >= 0 && (r = db_next(s, runs, e)) > 0) {
		const char *command = (const char *)sqlite3_column_text(runs, 2);
		int64_t started = sqlite3_column_int64(runs, 1);

		b->last = sqlite3_column_int64(runs, 0);
		b->first = b->n ? b->first : b->last;
		b->newest_ms = started > b->newest_ms ? started : b->newest_ms;
		add_grams(b->grams, command ? command : "");
		if (++b->n == BLOCK)
			r = add_block(s, insert, b, e);
	}
	return r;
}

int db_index_runs(struct store *s, struct aisbx_error *e)
{
	struct block b = { 0 };
	int64_t last = 0, newest = 0;
	int r = search_last(s, &last, e);

	if (r == 0)
		r = db_number(s, &newest, e, "SELECT max(seq) FROM runs", "");
	if (r < 0 || newest - last < BLOCK)
		return r;
	r = store_begin(s, e);
	if (r == 0)
		r = search_last(s, &last, e); /* another process may have been faster */
	if (r == 0)
		r = db_number(s, &b.newest_ms, e, "SELECT newest_ms FROM run_blocks WHERE last = ?1", "i",
			      last);
	if (r == 0)
		r = fill_blocks(s, last, &b, e);
	if (r == 0)
		r = store_commit(s, e);
	store_rollback(s);
	return r;
}

int search_since(struct store *s, int64_t since_ms, int64_t *ret, struct aisbx_error *e)
{
	return db_number(s, ret, e,
			 "SELECT last FROM run_blocks WHERE newest_ms < ?1 ORDER BY last DESC LIMIT 1", "i",
			 since_ms);
}
