/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON schema of what the tables of policy/shape.h describe. */
#ifndef OP_SHAPE_H
#define OP_SHAPE_H

#include <jansson.h>

#include "policy/shape.h"

/* A new reference. */
json_t *op_shape_schema(const struct doc_shape *s);

#endif
