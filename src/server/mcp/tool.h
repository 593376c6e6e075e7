/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that make up tools.h share. */
#ifndef SERVER_MCP_TOOL_H
#define SERVER_MCP_TOOL_H

#include "server/mcp/tools.h"

/* How an argument of a tool differs from that of its operation. */
struct tool_habit {
	const struct op *op;
	const char *param;
	bool needed;        /* a model must give it, though the command line need not */
	const char *preset; /* JSON, for one that is not given; NULL: none */
	unsigned int most;  /* seconds; 0: as many as the model likes */
	const char *words;  /* about it, where those of the command line would not be understood; NULL: they
			       are; "": none are needed */
};

/* NULL: it does not. */
const struct tool_habit *tool_habit(const struct op *op, const struct op_param *p);
/* The presets of an operation; ends with op NULL. */
extern const struct tool_habit tool_habits[];

/* As a model writes it: with underscores. */
void tool_param_name(const struct op_param *p, char *name, size_t cap);
/* The operation makes sense for a model. */
bool tool_can_be(const struct op *op);
/* A model sees it. */
bool tool_shows(const struct op_param *p);
json_t *tool_input_schema(const struct op *op);
json_t *tool_output_schema(const struct op *op);

/* Bytes that a text takes between its quotes in JSON. */
size_t tool_spelled(const char *text, size_t len);
size_t tool_stream_spelled(const struct tool_stream *s);
/* Text for the two copies of a result, of what is there of a stream: at most MAX such bytes, and how many are
 * not in it. */
json_t *tool_stream_text(const struct tool_stream *s, size_t max, const char *link, uint64_t *ret_cut);
json_t *tool_cut_text(const char *text, size_t len, size_t max, const char *link, uint64_t *ret_cut);

/* Of a promotion: something stands against it. */
bool tool_stops(const json_t *result);
/* What changed outside of the box, if RESULT tells of any. */
void tool_add_drift(const json_t *result, json_t *content);
/* RESULT, pruned and cut, in words. */
void tool_words(const struct op *op, const json_t *result, struct buf *out);

#endif
