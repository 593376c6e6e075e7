/* SPDX-License-Identifier: Apache-2.0 */
/* The command line as a face of the operation table. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "op/op.h"

/* Options every operation has on the command line. */
struct cli_common {
	bool json;
	bool quiet;
	bool help;
};

/* Words after the operation's name to arguments; RET_ARGS is a new reference. */
int cli_parse(const struct op *op, char **argv, struct cli_common *ret_common, json_t **ret_args,
	      struct aisbx_error *e);

void cli_help(FILE *out);
void cli_help_op(const struct op *op, FILE *out);

/* Words for a person, if the operation has any for this result. */
void cli_render(const struct op *op, const struct cli_common *common, const json_t *result);

/* The words for `doctor`. */
void cli_render_doctor(const json_t *result);

/* render_box.c */
void cli_render_boxes(const json_t *result);
void cli_render_tree(const json_t *result);
void cli_render_diff(const json_t *result);
void cli_render_history(const json_t *result);
/* Just the names of what was made: what a script wants. */
void cli_render_names(const json_t *result);

/* Whether to use colour on OUT: a terminal, and NO_COLOR not set. */
bool cli_colour(FILE *out);

/* Text of foreign origin made safe for a terminal: control characters and bidi overrides become '?'. */
void cli_print_safe(FILE *out, const char *text);
/* The same for a name or command, which must not look like two lines. */
void cli_print_name(FILE *out, const char *name);

#endif
