/* SPDX-License-Identifier: Apache-2.0 */
/* Which directory of a box has the most names: for the message that there are too many. */
#ifndef LAYER_FULLEST_DIR_H
#define LAYER_FULLEST_DIR_H

#include <stddef.h>

#include "aisbx/error.h"

/* UPS: directories of changes. Fills E, and returns -ENOBUFS. Needs almost no memory. */
int fullest_dir_refuse(const char *const *ups, size_t n, struct aisbx_error *e);

#endif
