/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operation table. One row defines an operation: command line, help, JSON schema of arguments and result
 * are all made from it. Operations take JSON and return JSON; they never print.
 */
#ifndef OP_OP_H
#define OP_OP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"
#include "box/caller.h"
#include "op/operations.h"

enum op_type {
	OP_FLAG, /* true or absent */
	OP_STRING,
	OP_CHOICE,   /* one of `choices` */
	OP_SIZE,     /* "100m"; in JSON also a number of bytes */
	OP_DURATION, /* "30s"; in JSON also a number of seconds */
	OP_NUMBER,
	OP_CORES,   /* "0.5" of a processor; in JSON a number */
	OP_LIST,    /* strings; the option can be repeated */
	OP_COMMAND, /* the rest of the command line */
};

enum {
	OP_REQUIRED = 1,
	OP_POSITIONAL = 2,
	OP_MODEL = 4,  /* also in the tool for a model; required ones always are */
	OP_HIDDEN = 8, /* neither in help nor in the schema: for tests */
	/* a box: on the command line it can be omitted where there is a current box, see cli/place.c */
	OP_CURRENT = 16,
	OP_LINE = 32, /* only the command line has it, and keeps it: operations never see it */
};

struct op_param {
	const char *name;
	char letter; /* 0: none */
	enum op_type type;
	int flags;
	const char *value; /* how help names the value, e.g. "PATH" */
	const char *help;
	const char *const *choices;
};

/* A place in the result: "a.b" is a member, "a[].b" a member of each element. */
struct op_field {
	const char *path;
	const char *type; /* of JSON schema; "integer|null" for two */
	const char *help;
	bool model; /* also in the result for a model; if none is marked, the outermost are */
	bool told;  /* the same, but the list of tools, which has to be short, does not name it */
};

enum op_grant {
	GRANT_READ, /* looks, changes nothing */
	GRANT_RUN,  /* runs code in a box */
	GRANT_HOST, /* changes the person's own files */
};

/* What an operation may use; filled by the interface that calls it. */
struct op_context {
	struct caller by;
	int exit_status; /* set by the operation: exit status for a command line */
	void (*emit)(struct op_context *ctx,
		     const json_t *item); /* NULL, or gets what comes before the result */
	void *face;                       /* of who calls, for emit */
};

/* Its purpose, in the order of the help. */
enum op_group {
	GROUP_RUN = 1,
	GROUP_BOXES,
	GROUP_IMAGES,
	GROUP_BRING_BACK,
	GROUP_TRY,
	GROUP_AGENTS,
	GROUP_LOOK,
	GROUP_SYSTEM,
	GROUP_COUNT
};

/* How the result is shown to a person; cli/render.c has a row for each. */
enum op_view {
	VIEW_JSON,    /* as it is */
	VIEW_NOTHING, /* done is done */
	VIEW_ARTIFACT,
	VIEW_ARTIFACTS,
	VIEW_ARTIFACT_SHOW,
	VIEW_BOX,
	VIEW_ATTACH,
	VIEW_BOXES,
	VIEW_COMBINE,
	VIEW_COMMIT,
	VIEW_CONTENT, /* of a file */
	VIEW_DIFF,
	VIEW_DOCTOR,
	VIEW_DU,
	VIEW_EXPERIMENT,
	VIEW_EXPERIMENTS,
	VIEW_EXPERIMENT_END,
	VIEW_EXPERIMENT_READY,
	VIEW_FILES,
	VIEW_FILE_STAT,
	VIEW_GATE,
	VIEW_GC,
	VIEW_GUARD,
	VIEW_HISTORY,
	VIEW_IMAGE,
	VIEW_IMAGES,
	VIEW_IMAGE_INIT,
	VIEW_IMAGE_PUSH,
	VIEW_IMAGE_SHOW,
	VIEW_IMAGE_VERIFY,
	VIEW_INSTALL,
	VIEW_INTENTS,
	VIEW_LANGUAGE,
	VIEW_LANGUAGES,
	VIEW_LEARN,
	VIEW_NAMES,
	VIEW_NET,
	VIEW_PIPELINE,
	VIEW_PIPELINES,
	VIEW_PIPELINE_SHOW,
	VIEW_PLAN,
	VIEW_PLANS,
	VIEW_PLAN_STEP,
	VIEW_PORTS,
	VIEW_PROFILE,
	VIEW_PROFILES,
	VIEW_PROFILE_CHECK,
	VIEW_PROFILE_DIFF,
	VIEW_PROFILE_EXPLAIN,
	VIEW_PROJECT,
	VIEW_PROJECT_CHECK,
	VIEW_PROMOTE,
	VIEW_PS,
	VIEW_RECOVER,
	VIEW_REPLAY,
	VIEW_RUN,
	VIEW_SCAN,
	VIEW_SHELL,
	VIEW_STATS,
	VIEW_TEMPLATES,
	VIEW_TEMPLATE_PULL,
	VIEW_TREE,
	VIEW_TRY,
	VIEW_UNDO,
	VIEW_USE,
	VIEW_WATCH,
	VIEW_COUNT
};

struct op {
	const char *name; /* on the command line; may be two words */
	enum op_group group;
	enum op_view view;
	bool first;          /* also in the short help */
	bool asks;           /* stops where a person must be asked: the command line asks, at a terminal */
	const char *server;  /* NULL, or the helper that replaces this process and serves */
	const char *no_tool; /* NULL, or why it is never offered to a model */
	const char *method;  /* in the protocols: "box.create"; NULL: only the command line has it */
	/* among the few tools for a model: "sandbox_create"; NULL: only if all are requested */
	const char *tool;
	const char *brief; /* description for a model; NULL: the summary */
	const char *summary;
	const char *about;   /* a paragraph or more for help and manual */
	const char *example; /* command lines, one per line */
	/* NULL, or the arguments with which a call can be prepared before it is asked for: first a text that
	 * comes late, then one without which it is not worth it, then others. Ends with NULL; see op/ahead.h
	 */
	const char *const *ahead;
	enum op_grant grant;
	bool destroys;                 /* what it removes cannot be restored */
	const struct op_param *params; /* ends with name NULL */
	const struct op_field *result; /* ends with path NULL */
	int (*run)(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e);
};

extern const struct op *const ops[]; /* ends with NULL */

const char *op_group_name(enum op_group group);
const struct op *op_by_name(const char *name);
const struct op *op_by_method(const char *method);
const struct op_param *op_param_by_name(const struct op *op, const char *name);

/* Letters, digits and ._:- of the length of a name at most. */
bool op_is_owner(const char *text);

/* Of checked arguments: a text, NULL if there is none; whether a flag is set. */
static inline const char *op_text(const json_t *args, const char *name)
{
	return json_string_value(json_object_get(args, name));
}

static inline bool op_flag(const json_t *args, const char *name)
{
	return json_is_true(json_object_get(args, name));
}

/* Checks names and types, so that run() can rely on them. */
int op_check_args(const struct op *op, const json_t *args, struct aisbx_error *e);
/*
 * Numbers as people write them: of all numbers in VALUE that are no integers, the digits behind the third
 * place after the point, or the sixth if it is below 1, are rounded away. Everything that an operation emits
 * or returns passes here.
 */
void op_round(json_t *value);

/* Checks, runs. */
int op_call(const struct op *op, struct op_context *ctx, const json_t *args, json_t **ret_result,
	    struct aisbx_error *e);

/* {"name", "summary", "arguments": schema, "result": schema}; a new reference. */
json_t *op_describe(const struct op *op);
/* Adds the type of FIELD to ROOT, the schema of a result; returns its own schema there, borrowed. */
json_t *op_schema_add(json_t *root, const struct op_field *field);

/* "op/operations.h" is made from the list in meson.build: OPERATIONS(X) is X(run) X(look) ... */
#define DECLARE(name) extern const struct op op_##name;
OPERATIONS(DECLARE)
#undef DECLARE

#endif
