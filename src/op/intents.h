/* SPDX-License-Identifier: Apache-2.0 */
/* What operations on intents share: what came of one, and texts of a project's, as JSON. */
#ifndef OP_INTENTS_H
#define OP_INTENTS_H

#include "flow/intent_run.h"
#include "op/op.h"

/* As `do` tells it: a new reference. */
json_t *op_intent_json(const struct intent_result *r);
/* A text, or a list of words, as JSON; made valid UTF-8. */
json_t *op_text_json(const char *text);
json_t *op_words_json(const struct strlist *words);

#endif
