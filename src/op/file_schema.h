/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON schema of what the tables of policy/yaml_shape.h describe. */
#ifndef OP_FILE_SCHEMA_H
#define OP_FILE_SCHEMA_H

#include <jansson.h>

#include "policy/yaml_shape.h"

/* A new reference. */
json_t *op_shape_schema(const struct doc_shape *s);

#endif
