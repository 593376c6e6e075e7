/* SPDX-License-Identifier: Apache-2.0 */
/* Whether this process is inside a box already. */
#ifndef BASE_INSIDE_H
#define BASE_INSIDE_H

#include <stdbool.h>

#include "aisbx/error.h"

/* By pid 1, which in a box is the jail; RET: how messages call the box, "box 'NAME'" or "a box". */
bool inside_box(char ret[80]);
/* The refusal of what cannot be done there: a box cannot hold another. */
int inside_refuse(const char *box, struct aisbx_error *e);

#endif
