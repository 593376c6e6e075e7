/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes history_batch_decode: what is taken keeps the promises of fleet/history/row.h, and is encoded and
 * decoded to the same. */
#include <string.h>

#include "fleet/history/row.h"

static bool same_marks(const struct history_mark *a, const struct history_mark *b)
{
	json_t *first = history_marks_json(a), *second = history_marks_json(b);
	bool same = json_equal(first, second);

	json_decref(first);
	json_decref(second);
	return same;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define FROM "aisbx.history.n1"

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static void must_be_sound(const struct history_batch *b)
{
	must(!strcmp(b->node, "n1") && history_is_digest(b->incarnation));
	must(b->first >= 1 && b->n >= 1 && b->n <= HISTORY_ROWS_MAX && b->first + b->n <= HISTORY_NUMBER_MAX);
	for (size_t i = 0; i < HISTORY_SOURCES; i++)
		must(b->at[i].number <= HISTORY_NUMBER_MAX &&
		     (!b->at[i].number || history_is_digest(b->at[i].digest)));
	for (size_t i = 0; i < b->n; i++) {
		const struct history_row *row = &b->rows[i];

		must(row->kind[0] && history_is_digest(row->digest) && row->time_ms >= 0 &&
		     json_is_object(row->body));
		must(!strpbrk(row->box, "/.\"' ") && !strpbrk(row->run, "/.\"' ") &&
		     !strpbrk(row->tenant, "\n\r\t\x1b"));
		must(history_depth(row->body) < HISTORY_DEPTH);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct history_batch b, again;
	struct buf text = { 0 };

	if (history_batch_decode(FROM, (const char *)data, len, &b, &e) < 0) {
		must(e.code < 0 && *e.text);
		return 0;
	}
	must_be_sound(&b);
	if (history_batch_encode(&b, &text) == 0) {
		must(history_batch_decode(FROM, text.data, text.len, &again, &e) == 0);
		must(again.n == b.n && again.first == b.first && same_marks(again.at, b.at));
		for (size_t i = 0; i < b.n; i++)
			must(json_equal(again.rows[i].body, b.rows[i].body) &&
			     !strcmp(again.rows[i].digest, b.rows[i].digest));
		history_batch_finish(&again);
	}
	buf_finish(&text);
	history_batch_finish(&b);
	return 0;
}
