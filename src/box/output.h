/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a run's output, for results that tell of it later. */
#ifndef BOX_OUTPUT_H
#define BOX_OUTPUT_H

#include <jansson.h>
#include <stddef.h>

#include "aisbx/error.h"

/* Adds stdout, stderr and truncated: of each stream the last MAX bytes there are now. Nothing if nothing was
 * kept. */
int run_add_output(const char *run, size_t max, json_t *result, struct aisbx_error *e);

#endif
