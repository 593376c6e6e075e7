/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of aisbx-merge share: a file read as text, and the requests. */
#ifndef HELPERS_MERGE_MERGE_H
#define HELPERS_MERGE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/error.h"

/* First character of an answer. */
enum status { CLEAN = 0, CONFLICTS = 1, NOT_TEXT = 2, FAILED = 3 };

struct side {
	const char *role; /* "base", "ours": for the error texts */
	const char *path; /* borrowed; "-" when there is no such file */
	bool flawed;      /* it cannot be read as text */
	char *data;       /* owned; NULL when missing or too large */
	size_t len;
	mode_t mode; /* as in git; 0 if missing */
};

struct sides {
	struct side side[3];
};

static inline void sides_finish(struct sides *s)
{
	for (size_t i = 0; i < 3; i++)
		free(s->side[i].data);
}

static inline bool is_missing(const struct side *s)
{
	return !strcmp(s->path, "-");
}

int side_load(struct side *s, struct aisbx_error *e);
/* To git the text of a symbolic link is its target. */
int side_load_link(struct side *s, struct aisbx_error *e);

/* An error with libgit2's message. */
int merge_fail_git(struct aisbx_error *e, const char *what, const struct side *a, const struct side *b);

/* Each reads its words and writes its answer to standard output. */
void run_merge(char **words);
void run_diff(char **words);
void run_differ(char **words);
void run_ignore(char **words);

/* The next word of standard input into *WORD; false at the end, or if there is no NUL after it. */
bool read_word(char **word, size_t *cap);
/* The answer to a request that failed: one line. */
void print_failure(struct aisbx_error *e);

#endif
