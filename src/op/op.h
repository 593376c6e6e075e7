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
	OP_FLAG,     /* true or absent */
	OP_STRING,
	OP_CHOICE,   /* one of `choices` */
	OP_SIZE,     /* "100m"; JSON also takes a number of bytes */
	OP_DURATION, /* "30s"; JSON also takes a number of seconds */
	OP_NUMBER,
	OP_LIST,     /* strings; the option may be given several times */
	OP_COMMAND,  /* the rest of the command line */
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
};

/* A place in the result: "a.b" is a member, "a[].b" a member of each element. */
struct op_field {
	const char *path;
	const char *type; /* of JSON schema; "integer|null" for two */
	const char *help;
};

enum op_grant {
	GRANT_READ, /* looks, changes nothing */
	GRANT_RUN,  /* runs code in a box */
};

/* What an operation may use of the world; filled by the face that calls it. */
struct op_context {
	int stdin_fd;	/* -1: none */
	int out_fds[2]; /* -1: the output belongs into the result */
	const char *cwd;
	const char *const *env;
	int exit_status; /* set by the operation: what a command line should exit with */
};

struct op {
	const char *name;
	const char *summary;
	const char *about;   /* a paragraph or more for help and manual */
	const char *example; /* command lines, one per line */
	enum op_grant grant;
	const struct op_param *params; /* ends with name NULL */
	const struct op_field *result; /* ends with path NULL */
	int (*run)(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e);
};

extern const struct op *const ops[]; /* ends with NULL */

const struct op *op_by_name(const char *name);
const struct op_param *op_param_by_name(const struct op *op, const char *name);

/* Checks names and types, so that run() can rely on them. */
int op_check_args(const struct op *op, const json_t *args, struct aisbx_error *e);
/* Checks, runs. */
int op_call(const struct op *op, struct op_context *ctx, const json_t *args, json_t **ret_result,
	    struct aisbx_error *e);

/* {"name", "summary", "arguments": schema, "result": schema}; a new reference. */
json_t *op_schema(const struct op *op);

/* The name among CANDIDATES nearest to what was typed, or NULL when none is near. */
const char *op_nearest(const char *typed, const char *const *candidates, size_t n);

extern const struct op op_run, op_create, op_fork, op_ls, op_show, op_rename, op_rm, op_gc, op_snap, op_rollback, op_tree,
	op_diff, op_history, op_doctor, op_schema_of;

#endif
