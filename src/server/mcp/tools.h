/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations as a model sees them: tools from the operation table, its arguments, and a result that it can
 * read. Pure: nothing here runs or stores anything.
 */
#ifndef SERVER_MCP_TOOLS_H
#define SERVER_MCP_TOOLS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "op/op.h"

/* Bytes of one result, the text and the structured copy together: it uses up the model's context. */
#define TOOL_OUTPUT_MAX (24u << 10)
/* Beside that, pictures of one result: so many, and all together so many bytes of base64. */
#define TOOL_PICTURES      8
#define TOOL_PICTURE_BYTES (768u << 10)
/* A wait is limited to this, since clients stop a call after a minute. */
#define TOOL_WAIT_S 40

/*
 * name, description, inputSchema, outputSchema, annotations of each, in a fixed order; ALL: not only
 * the few.
 */
json_t *tools_list(bool all);
/* NULL: there is none of that name. */
const struct op *tool_find(const char *name, bool all);
/* Heap, or NULL without memory. */
char *tool_name(const struct op *op);
/*
 * TEXT of aisbx in words for a model: options are arguments of OP (NULL: of none), commands are tools, and
 * what only a person can do is said to be the person's. A string, or NULL.
 */
json_t *tool_said(const struct op *op, bool all, const char *text);
/* "there is no tool 'x'", with the most similar one. */
int tool_unknown(const char *name, bool all, struct aisbx_error *e);

/*
 * Converts what a model wrote (NULL: nothing) to the arguments of the operation, checked: underscores for
 * hyphens, a command as text or as a list, variables as an object, null for absent. A tool accepts what its
 * schema shows and nothing else, so that a model cannot disable a wall.
 */
int tool_args(const struct op *op, const json_t *arguments, json_t **ret_args, struct aisbx_error *e);

/*
 * It runs a command whose output can be streamed. Do not stream others: an operation with descriptors writes
 * there what it would put into its result, or report.
 */
bool tool_streams(const struct op *op);

/* The output of a run so far, for streaming: the beginning and the end, however long it is. */
struct tool_stream {
	struct buf head;
	char *tail; /* owned; a ring */
	uint64_t total;
};

struct tool_output {
	struct tool_stream streams[2]; /* stdout, stderr */
	char run[64];                  /* its id; "" until it is known */
	bool running; /* it is answered before its end: there is neither a result nor an error */
};

void tool_output_add(struct tool_output *o, int which, const char *data, size_t len);
void tool_output_finish(struct tool_output *o);

/*
 * A CallToolResult: content, structuredContent (as in outputSchema, also for an error), isError. RESULT or E,
 * or neither if OUT is running. OUT: what was streamed, which is then not in RESULT; NULL: nothing was. LINK:
 * where the complete result can be read if it is too long; NULL: nowhere. RET_WHOLE: the complete result, a
 * new reference, to be stored there; NULL if it is not needed. ALL: as for tools_list().
 */
json_t *tool_result(const struct op *op, bool all, const json_t *result, const struct tool_output *out,
		    const struct aisbx_error *e, const char *link, json_t **ret_whole);

/*
 * The arguments of a preview of what a person should be asked about first; NULL: nothing to ask. A new
 * reference.
 */
json_t *tool_preview(const struct op *op, const json_t *args);
/*
 * The question, from the result of the preview: heap, or NULL if there is nothing to ask after all. A yes
 * allows what was asked and no more: a client may answer by itself, so traps and secrets need a person at a
 * terminal, whatever the client can do.
 */
char *tool_question(const struct op *op, const json_t *preview);

#endif
