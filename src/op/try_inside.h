/* SPDX-License-Identifier: Apache-2.0 */
/* One call of `try` on its way: its branches as the parent knows them. Inside op/try*.c only. */
#ifndef OP_TRY_INSIDE_H
#define OP_TRY_INSIDE_H

#include <string.h>

#include "box/marks.h"
#include "op/scrub.h"
#include "op/try.h"

/* What the parent knows of a branch. */
struct lane {
	json_t *record;   /* owned; as the child told it last; NULL: not started */
	const char *stop; /* static; NULL, or why it was told to end */
	uint64_t begun_us;
	double wall_ms;
	double live_cpu_ms; /* of the run that goes on */
	json_int_t live_mem;
	bool ended;
};

struct
try {
	struct op_context *ctx;
	char id[STORE_ID_MAX];
	struct try_judge judge;
	json_t *branches; /* owned; {"name", "command", "argv"} */
	json_t *boxes;    /* owned; as `fork` tells them */
	size_t n, next, parallel;
	struct lane *lanes; /* owned */
	struct crew crew;
	struct try_allowance *allowance; /* shared with the children */
	uint64_t begun_us, budget_ms, budget_cpu_ms, looked_ms;
	int winner;            /* -1: none */
	const char *cut_short; /* static; NULL, "budget" or "interrupted" */
	char *state_dir;       /* owned */
	int lock;              /* owned */
	struct marks *marks;   /* owned; NULL: no box was ever given a secret */
	struct marks_scan *scan;
};

static inline const char *try_text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static inline const char *try_box(const struct try *t, size_t i)
{
	return try_text(json_array_get(t->boxes, i), "name");
}

/* try_words.c: the branches that ARGS say, {"name", "command", "argv"}; a new reference. */
int try_words_read(const json_t *args, json_t **ret, struct aisbx_error *e);

/* try_attend.c: runs all of them to their end. */
int try_attend_init(struct try *t, struct aisbx_error *e);
int try_attend(struct try *t, struct aisbx_error *e);
/* Tells what branch I is like now. */
void try_emit(struct try *t, size_t i);
void try_set_state(struct lane *l, const char *state, const char *why);

#endif
