/* SPDX-License-Identifier: Apache-2.0 */
/* A project's file as JSON, in the shape of the file. */
#ifndef OP_PROJECT_JSON_H
#define OP_PROJECT_JSON_H

#include <jansson.h>

#include "project/project.h"

/* A new reference. */
json_t *op_project_json(const struct project *p);
/* Its services alone, which profiles have, too. */
json_t *op_services_json(const struct service_specs *p);

/* service_json.c. "90s", "2h"; ["A=b"] as {"A": "b"}. */
json_t *op_time_json(uint64_t ms);
json_t *op_variables_json(const struct strlist *l);

#endif
