/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the command line adds to the arguments of an operation: the project that the person is in, and its
 * current box. Never used for the protocols: what their callers omit does not depend on a directory.
 */
#ifndef OP_LINE_H
#define OP_LINE_H

#include "op/op.h"

struct op_line {
	int before_dashes; /* arguments before "--"; -1: there was none. Set by the caller */
	char *project;     /* owned; the project that is meant */
	char box[136];     /* the current box, if it is used because none was given; "": it is not */
	bool above;        /* the project is another directory than the current one: the result says which */
	bool all, use, yes;
};

void op_line_finish(struct op_line *l);
/* Takes the options that only the command line has out of ARGS, and completes ARGS and CTX. */
int op_line_begin(const struct op *op, struct op_context *ctx, json_t *args, struct op_line *l,
		  struct aisbx_error *e);
/* After the operation: what was asked for with its result, and what to tell in it. */
int op_line_end(const struct op_line *l, json_t *result, struct aisbx_error *e);

#endif
