/* SPDX-License-Identifier: Apache-2.0 */
/* The guard as operations see it: rules of person and project, a verdict as JSON, and what is done about it.
 */
#ifndef OP_GUARD_H
#define OP_GUARD_H

#include <stdint.h>

#include "flow/guard.h"
#include "op/op.h"

/* What is judged, and by whose rules. */
struct op_guard {
	struct op_context *ctx; /* borrowed */
	const char *cwd;        /* borrowed; absolute */
	struct project personal, project;
	char *self;          /* owned; where aisbx lies; NULL: not known */
	char *problem;       /* owned; NULL, or why the rules could not be read: then nothing runs as it is */
	const char *profile; /* borrowed; NULL: the usual */
	uint64_t timeout_ms; /* of what runs as it is with its output kept; 0: none */
};

/* Reads the rules: problems with them are no error but a reason to put everything into a box. */
int op_guard_open(struct op_context *ctx, const char *cwd, struct op_guard *ret, struct aisbx_error *e);
void op_guard_close(struct op_guard *g);

/* COMMAND: words, of which a single one is a text for a shell. */
int op_guard_judge(const struct op_guard *g, const json_t *command, struct guard_verdict *ret,
		   struct aisbx_error *e);
/* {"act", "reasons": [{"rule", "why", "part", "offset"}], "ignored"} */
json_t *op_guard_json(const struct guard_verdict *v, const json_t *command);
/* Into the history; that this fails stops nobody. */
void op_guard_note(const struct guard_verdict *v, const json_t *command);

/* What may become of a command in a box. */
struct op_guard_may {
	bool promote; /* what it did goes into the project if all gates hold */
	const struct project_checks
		*gates;       /* borrowed; beside those of the person and of the project; NULL: none */
	const json_t *limits; /* borrowed; NULL, or arguments of run: "timeout", ... */
};
/* The shell that a text is for. */
const char *op_guard_shell(void);
/* In a new box. Adds "box", "run", "changes", "gates", "promoted" and "next" to RESULT. */
int op_guard_box(struct op_guard *g, const json_t *command, const struct op_guard_may *may, json_t *result,
		 struct aisbx_error *e);
/* What has become of the project in BOX, and whether it may come out; the same but for "run", of which RESULT
 * may have one. */
int op_guard_settle(struct op_guard *g, const char *box, const struct op_guard_may *may, json_t *result,
		    struct aisbx_error *e);
/*
 * On the real machine, behind the glass unless AS_IT_IS. Where its output goes to the caller this process
 * becomes it; else adds "exit_status", "stdout" and "stderr" to RESULT.
 */
int op_guard_run(struct op_guard *g, const json_t *command, bool as_it_is, json_t *result,
		 struct aisbx_error *e);
/*
 * Tries what cannot be told behind the glass. *RET_BOX: it was refused something, nothing of it was shown,
 * and it needs a box; then RESULT has "wanted".
 */
int op_guard_try(struct op_guard *g, const json_t *command, json_t *result, bool *ret_box,
		 struct aisbx_error *e);
/* There can be a glass here. Else nothing but what the person vouched for runs on the real machine. */
bool op_guard_has_glass(void);

/* guard_hook.c: reads what an agent asks from standard input; the answer is in RESULT. Never fails open. */
int op_guard_hook(struct op_context *ctx, const char *agent, json_t **ret_result, struct aisbx_error *e);
/* The same for a text. RET is NULL for no opinion; false: it is to be blocked for what is in E. NOTE: into
 * the history. */
bool op_guard_hook_answer(struct op_context *ctx, const char *agent, const char *text, size_t len, bool note,
			  json_t **ret, struct aisbx_error *e);

/* guard_daemon.c */
int op_guard_daemon(struct op_context *ctx, const char *dir, bool once, json_t **ret_result,
		    struct aisbx_error *e);

#endif
