/* SPDX-License-Identifier: Apache-2.0 */
/* How two outputs, or two files, of the same command differ, and the kind of difference. Pure. */
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
 * The kind of difference of two lines: "time", "address", "temporary name", "number", "order" (the same
 * words), "mixed" (several of these), or "content".
 */
const char *replay_line_kind(const char *was, size_t was_len, const char *is, size_t is_len);
/* The same for texts; also "order" for the same lines in another order, "bytes" for data that is not text. */
void replay_compare_text(const char *was, size_t was_len, const char *is, size_t is_len,
			 struct replay_text *ret);
/* For two names in one directory that appeared and disappeared: whether they look generated. */
bool replay_is_temporary(const char *path);

#endif
