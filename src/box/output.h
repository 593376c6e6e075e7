/* SPDX-License-Identifier: Apache-2.0 */
/* The stored output of a run, for later results. */
#ifndef BOX_OUTPUT_H
#define BOX_OUTPUT_H

#include <jansson.h>
#include <stddef.h>

#include "aisbx/error.h"

/* Adds stdout, stderr and truncated: the last MAX bytes of each stream. Nothing if no output is stored. */
int run_add_output(const char *run, size_t max, json_t *result, struct aisbx_error *e);

#endif
