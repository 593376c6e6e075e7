/* SPDX-License-Identifier: Apache-2.0 */
/* Questions at a terminal. */
#ifndef BASE_TYPED_H
#define BASE_TYPED_H

/*
 * Throws away what was typed on standard input so far: what somebody typed before a question was there is no
 * answer to it. To be called right before the question is written.
 */
void typed_forget(void);

#endif
