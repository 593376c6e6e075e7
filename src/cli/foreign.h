/* SPDX-License-Identifier: Apache-2.0 */
/* Words of other tools, answered with ours. */
#ifndef CLI_FOREIGN_H
#define CLI_FOREIGN_H

#include <stdbool.h>

/* What to write instead of WORD ("-v", "--volume=a:b"), an option that OP does not have; NULL: nobody's word.
 */
const char *foreign_option(const char *op, const char *word);
/* The same for an operation. */
const char *foreign_operation(const char *word);
/* The same for WORD after FIRST, the first word of operations of two. */
const char *foreign_second(const char *first, const char *word);
/* Whether WORD is a program of this machine: who wrote it forgot "run". */
bool foreign_is_program(const char *word);

#endif
