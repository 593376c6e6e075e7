/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to the person at this terminal: reading an answer, and the review of a promotion. */
#ifndef CLI_QUESTION_H
#define CLI_QUESTION_H

#include <jansson.h>
#include <stdbool.h>

#include "op/op.h"

/* Whether somebody can be asked: standard input and output are terminals. */
bool question_can_be_asked(void);

/*
 * Asks WORDS and reads a line into RET, without its end. What was typed before is forgotten: it was no
 * answer. False at the end of input.
 */
bool question_ask(const char *words, char *ret, size_t cap);

/* All differences of a result of `promote --review`, by the pager. */
void question_show_review(const json_t *result);

/*
 * `promote --review` with ARGS: asks about each item, and promotes what was accepted. *RESULT is the result
 * of that, or NULL if nothing was accepted, which was told.
 */
int question_review(struct op_context *ctx, const json_t *args, json_t **result, struct aisbx_error *e);

/*
 * If *RESULT of `promote` with ARGS was stopped by traps or secrets only: shows them, and asks. *RESULT is
 * then the result of what the person said, or NULL if nothing was promoted, which was told. REVIEWED: NULL,
 * or the review that ARGS are the outcome of.
 */
int question_stopped(struct op_context *ctx, const json_t *args, const json_t *reviewed, json_t **result,
		     struct aisbx_error *e);

#endif
