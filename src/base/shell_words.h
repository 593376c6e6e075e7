/* SPDX-License-Identifier: Apache-2.0 */
/* Words as a person types them at a shell. */
#ifndef BASE_SHELL_WORDS_H
#define BASE_SHELL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a shell would read WORD as something else than itself; BLANKS: also because of those. */
bool shell_is_special(const char *word, bool blanks);
/* N words, each in quotes where it needs them, between single spaces; "..." stands for what does not fit. */
void shell_words(char *const *words, size_t n, char *ret, size_t cap);

#endif
