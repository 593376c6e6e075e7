/* SPDX-License-Identifier: Apache-2.0 */
/* Names that people can say and remember, for what nobody gave a name. */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include <stdint.h>

#define NAME_TWO_WORDS_SIZE 32

/*
 * "brave-otter": an adjective and an animal, lower case, 3 to 8 letters each. The same seed gives the same
 * name. There are some 30,000: two seeds can have one name, and who wants a name of its own tries again.
 */
void name_two_words(uint64_t seed, char ret[NAME_TWO_WORDS_SIZE]);

#endif
