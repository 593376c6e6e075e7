/* SPDX-License-Identifier: Apache-2.0 */
/* In what two takes of a run differ. */
#ifndef FLOW_REPLAY_DIFFER_H
#define FLOW_REPLAY_DIFFER_H

#include "box/diff.h"
#include "flow/replay_compare.h"
#include "flow/replay_take.h"

#define REPLAY_SHOWN 200 /* bytes of a line */

/* What shows a difference. */
struct replay_example {
	enum {
		EXAMPLE_NONE,
		EXAMPLE_LINE,   /* of a text: the first line that differs */
		EXAMPLE_NUMBER, /* of how it ended, or its fuel */
		EXAMPLE_STATUS,
	} kind;
	size_t line;          /* its number */
	bool has_was, has_is; /* of a line: each text has it */
	size_t was_len, is_len;
	char was[REPLAY_SHOWN], is[REPLAY_SHOWN]; /* of a line or status: bytes */
	int64_t was_number, is_number;            /* or TAKE_NULL */
};

/* One thing that differs. */
struct replay_difference {
	char *what;       /* owned; UTF-8 */
	const char *kind; /* static */
	struct replay_example example;
};

struct replay_list {
	struct replay_difference *items; /* owned */
	size_t n;
	bool failed; /* no memory */
};

void replay_list_finish(struct replay_list *l);
bool replay_list_has(const struct replay_list *l, const char *what);
/* Moves all of FROM that TO does not have; FROM is empty then. */
void replay_list_join(struct replay_list *to, struct replay_list *from);

/* What nobody can tell, and why. */
struct replay_gap {
	char *what, *why; /* owned */
};

struct replay_gaps {
	struct replay_gap *items; /* owned */
	size_t n;
	bool failed;
};

void replay_gaps_finish(struct replay_gaps *g);
/* TO may be NULL: not wanted. */
void replay_gaps_add(struct replay_gaps *to, const char *what, const char *why);

struct replay_stream {
	bool compared;
	struct replay_text text; /* borrows from the takes */
};

/* A path that is not the same. */
struct replay_path {
	char *path; /* owned; bytes */
	enum change_kind how;
	const char *kind; /* static */
};

/* How the two differ, one by one. */
struct replay_detail {
	struct replay_stream streams[2];
	bool compared;             /* what they left of the project: */
	size_t count;              /* paths that differ */
	struct replay_path *paths; /* owned; the first of them */
	size_t n;
};

void replay_detail_finish(struct replay_detail *d);

/* Adds to LIST what differs, and to GAPS (NULL: not wanted) what nobody can tell of. DETAIL: NULL, or all of
 * it; the caller finishes it also after an error. */
int takes_differ(struct box_state *state, const struct take *was, const struct take *is,
		 struct replay_list *list, struct replay_gaps *gaps, struct replay_detail *detail,
		 struct aisbx_error *e);

#endif
