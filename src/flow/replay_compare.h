/* SPDX-License-Identifier: Apache-2.0 */
/* In what two outputs, or two files, of the same command differ, and what that looks like. Pure. */
#ifndef FLOW_REPLAY_COMPARE_H
#define FLOW_REPLAY_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#define REPLAY_LINES 20

struct replay_line {
	size_t number;        /* from 1, in the first text */
	const char *was, *is; /* borrowed; NULL: it has no such line */
	size_t was_len, is_len;
};

struct replay_text {
	bool same;
	const char *kind;                       /* "" when the same */
	struct replay_line lines[REPLAY_LINES]; /* the first that differ; none when only their order does */
	size_t n_lines;
};

/*
 * How two lines that differ do so: "time", "address", "temporary name", "number", "order" (the same words),
 * "mixed" (several of these), or "content".
 */
const char *replay_line_kind(const char *was, size_t was_len, const char *is, size_t is_len);
/* The same of texts; also "order" for the same lines in another order, "bytes" for what is no text. */
void replay_compare_text(const char *was, size_t was_len, const char *is, size_t is_len,
			 struct replay_text *ret);
/* Of two names in one directory that came and went: whether they look made up. */
bool replay_is_temporary(const char *path);

#endif
