/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes whose runs do not see the caches of the home: STATE/no-caches/BOX marks each. */
#ifndef BOX_NO_CACHES_H
#define BOX_NO_CACHES_H

#include <stdbool.h>

#include "aisbx/error.h"

/* The box ID is one from now on. */
int box_no_caches_set(const char *dir, const char *id, struct aisbx_error *e);
bool box_no_caches(const char *dir, const char *id);
void box_no_caches_drop(const char *dir, const char *id);

#endif
