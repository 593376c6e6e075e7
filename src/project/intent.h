/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds what people and models mean by "run the tests": from the names and texts of a project's files to the
 * project's own command. Pure; no system calls. The files are not trusted: they are read as text and never
 * executed here; the command is for a box.
 */
#ifndef PROJECT_INTENT_H
#define PROJECT_INTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/str.h"

enum intent { INTENT_RUN, INTENT_TEST, INTENT_BUILD, INTENT_FORMAT, INTENT_LINT, INTENT_BENCH, INTENT_COUNT };

/* In the order of the enumeration; ends with NULL. */
extern const char *const intent_names[];
/* The fact with the result of each; NULL: none. */
extern const char *const intent_facts[INTENT_COUNT];
/* INTENT_COUNT: there is none of that name. */
enum intent intent_by_name(const char *name);

/* The test runner, which decides how its output is read. */
enum intent_runner {
	RUNNER_ANY, /* whoever it turns out to be */
	RUNNER_PYTEST,
	RUNNER_UNITTEST,
	RUNNER_NODE,
	RUNNER_TAP,
	RUNNER_JEST,
	RUNNER_VITEST,
	RUNNER_MOCHA,
	RUNNER_CARGO,
	RUNNER_GO,
	RUNNER_MESON,
	RUNNER_CTEST,
	RUNNER_SUREFIRE,
	RUNNER_JUNIT,
	RUNNER_DENO,
	RUNNER_COUNT
};

/* One command for an intent. */
struct intent_way {
	enum intent intent;
	enum intent_runner runner;
	struct strlist argv; /* at least one */
	struct strlist env;  /* "NAME=VALUE" */
	const char *mark;    /* static; NULL, or what stands before further arguments */
	bool shell;          /* its last word is a shell command, which does not use further arguments */
	char *cwd;           /* owned; NULL: where it was looked for */
	/* owned; of the aisbx.yaml that defines it, which CWD is relative to; NULL: where it was searched */
	char *dir;
	uint64_t timeout_ms; /* 0: as the profile has it */
	bool box_judges;     /* the box's version of its tests is used: see policy/judge.h */
	char *found_in;      /* owned; the file that defines it */
	char *why;           /* owned; for people */
};

/* What was found; for one intent the first is preferred. */
struct intent_list {
	struct intent_way *items; /* owned */
	size_t n;
	bool failed; /* no memory */
};

void intent_list_finish(struct intent_list *l);

/* The files of a project, as the caller sees them. */
struct intent_source {
	const struct strlist *names;              /* what is in the directory */
	bool (*has)(void *ctx, const char *path); /* whether PATH exists in it */
	const char *(*text)(void *ctx,
			    const char *name); /* of a file; NULL: there is none that can be read */
	void *ctx;
};

/* A file longer than this is not read. */
#define INTENT_MAX_TEXT (1u << 20)

struct project;
/* P: the project's own aisbx.yaml; may be NULL. */
int intent_find(const struct intent_source *src, const struct project *p, struct intent_list *ret,
		struct aisbx_error *e);
/* The first for INTENT; NULL: none. */
const struct intent_way *intent_best(const struct intent_list *l, enum intent intent);
/* The whole command, with further ARGS, which may be NULL. */
int intent_command(const struct intent_way *w, const struct strlist *args, struct strlist *ret,
		   struct aisbx_error *e);

#endif
