/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that make up tools.h share. */
#ifndef SERVER_MCP_TOOL_INTERNAL_H
#define SERVER_MCP_TOOL_INTERNAL_H

#include "server/mcp/tools.h"

/* How an argument of a tool differs from that of its operation. */
struct tool_habit {
	const struct op *op;
	const char *param;
	bool needed;        /* a model must give it, though the command line need not */
	const char *preset; /* JSON, the default; NULL: none */
	unsigned int most;  /* seconds; 0: as many as the model likes */
	/* its description, if that of the command line would not be understood; NULL: it is; "": none is
	 * needed */
	const char *words;
};

/* NULL: it does not. */
const struct tool_habit *tool_habit(const struct op *op, const struct op_param *p);
/* The presets of an operation; ends with op NULL. */
extern const struct tool_habit tool_habits[];

/* As a model writes it: with underscores. */
void tool_param_name(const struct op_param *p, char *name, size_t cap);
/* The operation is useful for a model. */
bool tool_can_be(const struct op *op);
/* A model sees it. */
bool tool_shows(const struct op *op, const struct op_param *p);
/* There is a tool for it; ALL: not only the few. */
bool tool_is_offered(const struct op *op, bool all);
json_t *tool_input_schema(const struct op *op, bool all);
/* What the list says of its result. */
json_t *tool_output_schema(const struct op *op);
/* All that a model is told of its result. */
json_t *tool_told_schema(const struct op *op);

/* As tool_said(). */
void tool_words(const struct op *op, bool all, const char *text, struct buf *out);
/* The same for all texts of DATA, a result, in which aisbx says something. */
void tool_words_in(const struct op *op, bool all, json_t *data);

/* Bytes that a text takes between its quotes in JSON. */
size_t tool_spelled(const char *text, size_t len);
size_t tool_stream_spelled(const struct tool_stream *s);
/*
 * Text for the two copies of a result, from what is stored of a stream: at most MAX such bytes, and how many
 * are missing.
 */
json_t *tool_stream_text(const struct tool_stream *s, size_t max, const char *link, uint64_t *ret_cut);
json_t *tool_cut_text(const char *text, size_t len, size_t max, const char *link, uint64_t *ret_cut);

/* Image blocks of RESULT; DATA, what a model is told of it, loses what is in them. */
json_t *tool_pictures(const struct op *op, const json_t *result, json_t *data);
/* For a promotion: something prevents it. */
bool tool_stops(const json_t *result);
/* What changed outside of the box, if RESULT contains any. */
void tool_add_drift(const json_t *result, json_t *content);
/* tool_text_flow.c: of the operations in an agent's flow. */
void tool_plan_words(const json_t *data, struct buf *out);
void tool_gate_words(const json_t *data, struct buf *out);
void tool_commit_words(const json_t *data, struct buf *out);
void tool_artifact_words(const json_t *data, struct buf *out);
/* tool_text.c: of a run; how much of a list is not there. */
void tool_run_words(const json_t *data, struct buf *out);
void tool_add_not_shown(struct buf *out, const json_t *data, const char *list);
/* RESULT, pruned and truncated, as text. */
void tool_text(const struct op *op, const json_t *result, struct buf *out);

#endif
