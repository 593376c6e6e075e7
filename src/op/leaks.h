/* SPDX-License-Identifier: Apache-2.0 */
/* Counting what runs of aisbx may have left behind. */
#ifndef OP_LEAKS_H
#define OP_LEAKS_H

#include <jansson.h>
#include <stdbool.h>

/* The object `leaks` of doctor's result, a new reference; *RET_CLEAN when every count of a leak is 0. */
json_t *leaks_count(const char *const *env, bool *ret_clean);

#endif
