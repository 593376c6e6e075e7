/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guard: decides whether a command is known to be read-only, is known to write and must run in a box, or
 * is unknown and is tried behind the glass first. Judged by its syntax tree, by a reader for the part of
 * shell that all shells understand the same way. A mistake costs a box, not a file: read-only commands run
 * behind the glass as well.
 */
#ifndef GUARD_GUARD_H
#define GUARD_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"
#include "base/str.h"
#include "project/project.h"

#define GUARD_MAX_TEXT    16384u /* bytes of a command; people and models write shorter ones */
#define GUARD_MAX_REASONS 16u

/* Where a command would run. All borrowed. */
struct guard_world {
	const char *cwd; /* absolute */
	const char *const *env;
	const char *self;                     /* NULL, or the path of aisbx itself */
	const struct project_guard *personal; /* may loosen and tighten; NULL: none */
	const struct project_guard
		*project; /* may only tighten: whoever works in the project can write it; NULL: none */
};

struct guard_reason {
	size_t offset, len; /* the part of the text */
	const char *rule;   /* static: "reader", "program", "option", "path", "write", "environment",
			       "personal", "project" */
	enum project_guard_act act;
	char *why; /* owned; for people */
};

struct guard_verdict {
	enum project_guard_act act;
	struct guard_reason *reasons; /* owned; none: it is read-only */
	size_t n_reasons;
	struct strlist ignored; /* rules of the project that would have loosened */
	/* with RUN: the person allowed it, or it is aisbx itself; without the glass */
	bool as_it_is;
	bool needs_glass; /* with RUN: what it starts depends on the project, as with git */
	bool failed;      /* no memory */
};

/* A shell command. */
int guard_judge_text(const struct guard_world *w, const char *text, size_t len, struct guard_verdict *ret,
		     struct aisbx_error *e);
/* Words for exec, without a shell. Offsets are those of the words joined by spaces. */
int guard_judge_words(const struct guard_world *w, char *const *words, size_t n, struct guard_verdict *ret,
		      struct aisbx_error *e);
void guard_verdict_finish(struct guard_verdict *v);

/* "run", "look", "box", "ask", "refuse" */
const char *guard_act_name(enum project_guard_act act);

#endif
