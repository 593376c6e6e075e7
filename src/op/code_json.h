/* SPDX-License-Identifier: Apache-2.0 */
/* What `run-code` tells. */
#ifndef OP_CODE_JSON_H
#define OP_CODE_JSON_H

#include <jansson.h>

#include "box/code.h"

/* New references. In a box of its own; in a context. */
json_t *op_code_json(const struct code_request *req, const struct code_result *c);
json_t *op_context_json(const struct code_request *req, const struct code_result *c);

#endif
