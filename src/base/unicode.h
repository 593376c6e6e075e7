/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of UTF-8, and which of them nobody sees. */
#ifndef BASE_UNICODE_H
#define BASE_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character at TEXT, which is not at its end, and its length; a byte that begins none is taken for itself. */
uint32_t unicode_next(const char *text, size_t *ret_len);
/* It has no width and no shape, so two texts that differ in it look alike (Default_Ignorable_Code_Point, and controls of layout). */
bool unicode_is_ignorable(uint32_t c);
/* It is not seen, looks like a space, breaks the line or turns the direction. Controls of ASCII are not meant. */
bool unicode_is_hidden(uint32_t c);

#endif
