/* SPDX-License-Identifier: Apache-2.0 */
/* Questions at a terminal. */
#ifndef BASE_ASK_H
#define BASE_ASK_H

/*
 * Discards what was typed on standard input so far: what was typed before a question is no answer to it. Call
 * it right before the question is written.
 */
void ask_forget_typed(void);

#endif
