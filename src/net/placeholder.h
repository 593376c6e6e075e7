/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a box gets in place of a secret: text of the same shape, so that clients which look at it accept it,
 * and worth nothing. Pure.
 */
#ifndef NET_PLACEHOLDER_H
#define NET_PLACEHOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So many characters must be left to chance, or the placeholder could be found where nobody put it. */
#define PLACEHOLDER_MIN_RANDOM 8u

/*
 * Writes LEN characters and a NUL to RET. RANDOM are at least LEN bytes of getrandom. Letters become letters
 * of the same case, digits become digits, a text of hexadecimal digits stays one; everything else, a known
 * beginning
 * ("ghp_", "sk-ant-", "AKIA") and the first two parts of a JSON web token stay as they are: those are not
 * secret, and clients read them. False: too little of it would be left to chance, or it has bytes that no
 * header can have.
 */
bool placeholder_make(const char *secret, size_t len, const uint8_t *random, char *ret);
/* Whether one could be the placeholder of the other: same length, same kinds of characters, not the same
 * text. */
bool placeholder_fits(const char *secret, const char *placeholder);

#endif
