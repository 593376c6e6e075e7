/* SPDX-License-Identifier: Apache-2.0 */
/* What operations on intents share: finding the ways of a project, and carrying one out. */
#ifndef OP_INTENTS_H
#define OP_INTENTS_H

#include "op/op.h"
#include "project/intent.h"

/* By the arguments "box", "project" and "cwd". RET_DIR: where they were looked for, below the
 * project; heap. */
int op_intents_find(const struct op_context *ctx, const json_t *args, struct intent_list *ret, char **ret_dir,
		    struct aisbx_error *e);
struct project;
/* As above, but by what SAYS of the project's intents, whatever aisbx.yaml is there: a box could have written
 * that. */
int op_intents_find_by(const struct op_context *ctx, const json_t *args, const struct project *says,
		       struct intent_list *ret, char **ret_dir, struct aisbx_error *e);
/* ARGS: those of `do`, without "intent" and "args": one way that was found, in the directory DIR below the
 * project. */
int op_intent_run_way(struct op_context *ctx, const json_t *args, const struct intent_way *w, const char *dir,
		      json_t **ret_result, struct aisbx_error *e);
/* ARGS: those of `do`, checked. */
int op_intent_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e);
/* A text, or a list of words, as JSON; what is no UTF-8 is made so. */
json_t *op_text_json(const char *text);
json_t *op_words_json(const struct strlist *words);

#endif
