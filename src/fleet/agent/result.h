/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a job as text: {"operation", "exit_status", "result" or "error", "pieces": of its output,
 * "cut": bytes of it that a limit took}. */
#ifndef FLEET_AGENT_RESULT_H
#define FLEET_AGENT_RESULT_H

#include <jansson.h>

#include "aisbx/error.h"
#include "fleet/agent/output.h"

/* ANSWER of `aisbx rpc`. */
struct fleet_text *result_of_answer(const char *operation, const json_t *answer, const struct output *out);
/* {"kind", "area", "code", "errno", "text"}; a new reference. */
json_t *result_error_json(const struct aisbx_error *e);
/* What was refused before it began. */
struct fleet_text *result_of_error(const char *operation, const struct aisbx_error *e);

#endif
