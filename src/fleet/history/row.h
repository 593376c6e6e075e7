/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of history on their way from a node to the centre, as JSON and back. A message is a batch: consecutive
 * rows of one node and incarnation. What comes in is a stranger's: every field is checked for its kind,
 * length and range; unknown ones are ignored, for a newer version may send them.
 */
#ifndef FLEET_HISTORY_ROW_H
#define FLEET_HISTORY_ROW_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "fleet/core/types.h"

#define HISTORY_STREAM "AISBX_HISTORY"
/* Before the name of a node; behind it there may be ".TENANT": then all rows are that tenant's. */
#define HISTORY_SUBJECT "aisbx.history."

/* In every message as "v". One version back is understood. */
#define HISTORY_VERSION     1
#define HISTORY_VERSION_OLD 1
#define HISTORY_ROWS_MAX    256
/* The longest message that is read, and the length from which a sender begins the next one. */
#define HISTORY_MAX  ((size_t)1 << 20)
#define HISTORY_FULL ((size_t)1 << 18)
/* Numbers that every reader of JSON has exactly. */
#define HISTORY_NUMBER_MAX ((uint64_t)1 << 53)
#define HISTORY_DEPTH      32

#define HISTORY_DIGEST 33 /* 32 hexadecimal digits and a NUL */

/* What a node records, in the order of enum store_source. */
#define HISTORY_SOURCES 3
extern const char *const history_sources[HISTORY_SOURCES];

/* A row of a source: by its number, and by what it says, so that another row of that number, of a store that
 * was restored, is noticed. */
struct history_mark {
	uint64_t number; /* 0: none yet */
	char digest[HISTORY_DIGEST];
};

struct history_row {
	int64_t time_ms;
	char kind[32];
	char tenant[FLEET_NAME + 1]; /* "": the person's */
	char box[24], run[24];       /* "" where none */
	char digest[HISTORY_DIGEST]; /* the same row has the same, whenever it is sent; no other row of the
					node does */
	json_t *body;                /* owned; an object */
};

struct history_batch {
	char node[FLEET_NAME];
	char tenant[FLEET_NAME]; /* whose store it is of; "": of the machine's own, of several owners */
	char incarnation[HISTORY_DIGEST]; /* of the node's store: made when it is new, or was restored */
	uint64_t first;                   /* sequence of the first row; the others follow */
	struct history_mark at[HISTORY_SOURCES]; /* how far the node has sent its sources, with this batch */
	struct history_row *rows;                /* owned */
	size_t n;
};

void history_batch_finish(struct history_batch *b);
/* Adds to RET. -EMSGSIZE: longer than HISTORY_MAX; -ENOMEM. */
int history_batch_encode(const struct history_batch *b, struct buf *ret);
/* SUBJECT is where it came from: the node must be that of the subject. RET needs its finish on success. */
int history_batch_decode(const char *subject, const char *data, size_t len, struct history_batch *ret,
			 struct aisbx_error *e);

/* Marks as JSON, {"runs": [12, "…"]}, and back; false: they are none. */
json_t *history_marks_json(const struct history_mark at[HISTORY_SOURCES]);
bool history_marks_read(const json_t *json, struct history_mark ret[HISTORY_SOURCES]);
/* Whether TEXT is a digest or an incarnation. */
bool history_is_digest(const char *text);
/* Of up to 8 texts, the last followed by NULL. */
void history_digest(char ret[HISTORY_DIGEST], const char *text, ...) __attribute__((sentinel));
/* How deep the arrays and objects of JSON are nested; stops counting above HISTORY_DEPTH. */
unsigned history_depth(const json_t *json);

static inline void drop_json(json_t **json)
{
	json_decref(*json);
}

#endif
