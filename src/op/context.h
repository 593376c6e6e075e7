/* SPDX-License-Identifier: Apache-2.0 */
/* An interpreter that stays in a box between calls of `run-code`, and remembers. */
#ifndef OP_CONTEXT_H
#define OP_CONTEXT_H

#include "base/str.h"
#include "op/op.h"

struct context {
	const char *box;  /* key of the box; borrowed, as all of these */
	const char *name; /* of the context in it, for each language */
	const char *lang;
	const char *interpreter;
	const char *env;  /* NULL, or a variable it starts with */
	bool has_timeout; /* for the code that is brought: */
	uint64_t timeout_ms;
	uint64_t idle_ms; /* the interpreter ends after so long without work */
};

/* A name that can be part of a path. */
bool op_context_is_name(const char *name);
/* Starts the interpreter if there is none; CODE runs in it. The result is that of run-code, with what
 * contexts add. */
int op_context_run(struct op_context *ctx, const struct context *c, const char *code, size_t len,
		   json_t **ret_result, struct aisbx_error *e);
/* There is none afterwards, nor need there have been one. */
int op_context_end(struct op_context *ctx, const struct context *c, json_t **ret_result,
		   struct aisbx_error *e);

/* The interpreters in that box, if nothing else runs there; else, and without any, RET_RUNS is left as it
 * was. */
int op_contexts_idle(const char *box_id, struct strlist *ret_runs, struct aisbx_error *e);
/* Ends such runs, and waits until they are gone. */
int op_contexts_stop(const struct strlist *runs, struct aisbx_error *e);

#endif
