/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a run's output, for results that tell of it later. */
#ifndef OP_OUTPUT_H
#define OP_OUTPUT_H

#include <jansson.h>
#include <stddef.h>

#include "aisbx/error.h"

/* Adds stdout, stderr and truncated: of each stream the last MAX bytes there are now. Nothing if nothing was
 * kept. */
int op_add_output(const char *run, size_t max, json_t *result, struct aisbx_error *e);

#define OUTPUT_FIELDS                                                                                   \
	{ "stdout", "string", "with --output: the end of what the command wrote, if it is kept",        \
	  .model = true },                                                                              \
		{ "stderr", "string", "as stdout", .model = true },                                     \
		{ "truncated", "object",                                                                \
		  "with --output: bytes before that, and those the output limit took", .model = true }, \
		{ "truncated.stdout", "integer", "bytes", .model = true },                              \
	{                                                                                               \
		"truncated.stderr", "integer", "bytes", .model = true                                   \
	}

#endif
