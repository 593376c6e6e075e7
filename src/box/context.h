/* SPDX-License-Identifier: Apache-2.0 */
/* An interpreter that stays in a box between calls of `run-code`, and keeps its state. */
#ifndef BOX_CONTEXT_H
#define BOX_CONTEXT_H

#include "base/buf.h"
#include "base/str.h"
#include "box/caller.h"
#include "box/report.h"
#include "store/store.h"

/* Where each has its files, on the /tmp of its box: then LANG-NAME. Its command names it, too. */
#define CONTEXT_PLACE    "/tmp/.aisbx-context-"
#define CONTEXT_NAME_MAX 48

struct context {
	const char *box;  /* key of the box; borrowed, as all of these */
	const char *name; /* of the context in it, for each language */
	const char *lang;
	const char *interpreter;
	const char *env; /* NULL, or a variable it starts with */
	/* NULL, or "NAME=VALUE" that it has from this code on; an interpreter that is new starts with them */
	const struct strlist *variables;
	bool has_timeout; /* for the code that is sent: */
	uint64_t timeout_ms;
	uint64_t idle_ms; /* the interpreter ends after this idle time */
};

/* A name that can be part of a path. */
bool context_is_name(const char *name);
int context_refuse_name(const char *name, struct aisbx_error *e);
/*
 * GIVEN are "NAME=VALUE", or "NAME" for the caller's, which is left out if the caller has none. RET has
 * "NAME=VALUE" with names that every language takes.
 */
int context_variables(const struct caller *by, const struct strlist *given, struct strlist *ret,
		      struct aisbx_error *e);

struct context_result {
	struct run_report ran; /* owned; of what brought the code */
	const char *status;    /* ok, failed, or why nothing came of it */
	bool answered;         /* else nothing below `ended` is known: a deadline, or who asked has gone */
	bool is_new;           /* the interpreter was started for it */
	bool ended;            /* there is none any more, and what it remembered is gone */
	bool failed;           /* the code ended with an error, see `said` */
	struct buf output[2];  /* owned; UTF-8 */
	json_t *said;          /* owned; results and error, as the interpreter wrote them; NULL: it ended */
	int exit_status;
};

void context_result_finish(struct context_result *c);
/* Starts the interpreter if there is none; CODE runs in it. */
int context_run(const struct caller *by, const struct context *c, const char *code, size_t len,
		struct context_result *ret, struct aisbx_error *e);
/* Ends it; false: there was none. */
bool context_end(const struct caller *by, const struct context *c);

/* An interpreter that is there. */
struct context_there {
	char run[STORE_ID_MAX];
	char lang[16], name[CONTEXT_NAME_MAX + 1];
	int64_t started_ms;
};

/* Of the box with that id, by start; RET is the caller's to free. */
int contexts_look(const char *box_id, struct context_there **ret, size_t *ret_n, struct aisbx_error *e);

/* The interpreters in that box, if nothing else runs there; otherwise RET_RUNS is unchanged. */
int box_contexts_idle(const char *box_id, struct strlist *ret_runs, struct aisbx_error *e);
/* Ends these runs, and waits until they are gone. */
int box_contexts_stop(const struct strlist *runs, struct aisbx_error *e);

#endif
