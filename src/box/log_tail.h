/* SPDX-License-Identifier: Apache-2.0 */
/* The stored output of a run, for later results. */
#ifndef BOX_LOG_TAIL_H
#define BOX_LOG_TAIL_H

#include <jansson.h>
#include <stddef.h>

#include "aisbx/error.h"

/* Adds stdout, stderr and truncated: the last MAX bytes of each stream. Nothing if no output is stored. */
int run_add_log_tail(const char *run, size_t max, json_t *result, struct aisbx_error *e);

#endif
