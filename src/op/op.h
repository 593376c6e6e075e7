/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operation table. One row says everything about an operation: command line, help, JSON schema of
 * arguments and result all come from it. Operations take JSON and give JSON; they never print.
 */
#ifndef OP_OP_H
#define OP_OP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"

enum op_type {
	OP_FLAG, /* true or absent */
	OP_STRING,
	OP_CHOICE,   /* one of `choices` */
	OP_SIZE,     /* "100m"; JSON also takes a number of bytes */
	OP_DURATION, /* "30s"; JSON also takes a number of seconds */
	OP_NUMBER,
	OP_CORES,   /* "0.5" of a processor; JSON takes a number */
	OP_LIST,    /* strings; the option may be given several times */
	OP_COMMAND, /* the rest of the command line */
};

struct op_param {
	const char *name;
	char letter; /* 0: none */
	enum op_type type;
	bool required;
	bool positional;
	const char *value; /* how help names the value, e.g. "PATH" */
	const char *const *choices;
	const char *help;
	bool model;  /* also in the tool as a model is shown it; what is required always is */
	bool hidden; /* neither help nor schema tell of it: for tests */
};

/* A place in the result: "a.b" is a member, "a[].b" a member of each element. */
struct op_field {
	const char *path;
	const char *type; /* of JSON schema; "integer|null" for two */
	const char *help;
	bool model; /* also in what a model is told; where none is marked, the outermost are */
};

enum op_grant {
	GRANT_READ, /* looks, changes nothing */
	GRANT_RUN,  /* runs code in a box */
	GRANT_HOST, /* changes the person's own files */
};

/* What an operation may use of the world; filled by the face that calls it. */
struct op_context {
	int stdin_fd;   /* -1: none */
	int out_fds[2]; /* -1: the output belongs into the result */
	const char *cwd;
	const char *const *env;
	int exit_status; /* set by the operation: what a command line should exit with */
	void (*emit)(struct op_context *ctx,
		     const json_t *item); /* NULL, or takes what comes before the result */
	void (*begun)(struct op_context *ctx, const char *run,
		      const char *trace_id); /* NULL, or hears of a run when it begins */
	void *face;                          /* of who calls, for emit and begun */
	const char *trace_id;                /* NULL, or 32 hexadecimal digits that runs take for theirs */
	const char *
		owner; /* NULL: the person, who has everything; else boxes and runs of others are not there */
	bool person;   /* with an owner: the protocol asked the person, who said so themselves */
	bool interpreter; /* what is run is that of a context */
	bool keep_output; /* what runs write is kept for `logs` as well, as if they were detached */
};

struct op {
	const char *name;   /* on the command line; may be two words */
	const char *method; /* in the protocols: "box.create"; NULL: only the command line has it */
	const char *tool;   /* among the few that a model is shown: "sandbox_create"; NULL: only when it asks
			       for all */
	const char *brief;  /* what a model reads of it; NULL: the summary */
	const char *summary;
	const char *about;   /* a paragraph or more for help and manual */
	const char *example; /* command lines, one per line */
	enum op_grant grant;
	bool destroys;                 /* what it takes away does not come back */
	const struct op_param *params; /* ends with name NULL */
	const struct op_field *result; /* ends with path NULL */
	int (*run)(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e);
};

extern const struct op *const ops[]; /* ends with NULL */

const struct op *op_by_name(const char *name);
const struct op *op_by_method(const char *method);
const struct op_param *op_param_by_name(const struct op *op, const char *name);

/* Letters, digits and ._:- of the length of a name at most. */
bool op_is_owner(const char *text);

/* Checks names and types, so that run() can rely on them. */
int op_check_args(const struct op *op, const json_t *args, struct aisbx_error *e);
/* Checks, runs. */
int op_call(const struct op *op, struct op_context *ctx, const json_t *args, json_t **ret_result,
	    struct aisbx_error *e);

/* {"name", "summary", "arguments": schema, "result": schema}; a new reference. */
json_t *op_schema(const struct op *op);
/* Puts the type of FIELD into ROOT, the schema of a result; its own schema there, borrowed. */
json_t *op_schema_add(json_t *root, const struct op_field *field);

extern const struct op op_run, op_look, op_create, op_fork, op_ls, op_show, op_rename, op_renew, op_rm, op_gc,
	op_snap, op_rollback, op_tree, op_diff, op_promote, op_combine, op_undo, op_recover, op_history,
	op_scan, op_doctor, op_schema_of, op_profile_ls, op_profile_show, op_profile_check,
	op_profile_explain, op_profile_diff, op_profile_schema, op_ps, op_kill, op_pause, op_resume, op_wait,
	op_logs, op_input, op_exec, op_stats;
extern const struct op op_run_code, op_learn, op_replay;
extern const struct op op_rpc, op_mcp, op_serve;
extern const struct op op_file_read, op_file_write, op_file_ls, op_file_stat, op_file_rm, op_file_mv,
	op_file_mkdir, op_file_watch;
extern const struct op op_artifact_save, op_artifact_ls, op_artifact_show, op_artifact_read, op_artifact_get,
	op_artifact_rm;
extern const struct op op_project_check, op_project_schema, op_project_show;
extern const struct op op_do, op_intents, op_install, op_uninstall, op_commit;
extern const struct op op_gate_check;
extern const struct op op_pipeline_run, op_pipeline_resume, op_pipeline_show, op_pipeline_ls,
	op_pipeline_undo, op_approve;
extern const struct op op_guard;
extern const struct op op_plan_create, op_plan_show, op_plan_ls, op_plan_step, op_plan_rm;
extern const struct op op_try, op_experiment_open, op_experiment_ready, op_experiment_show, op_experiment_ls,
	op_experiment_end;

#endif
