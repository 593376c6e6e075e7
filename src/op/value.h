/* SPDX-License-Identifier: Apache-2.0 */
/* Reading an argument that op_check_args has let through: a JSON number, or text as people write it. */
#ifndef OP_VALUE_H
#define OP_VALUE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Each leaves *RET alone and returns false when V is NULL. */
bool op_value_ms(const json_t *v, uint64_t *ret);
bool op_value_size(const json_t *v, uint64_t *ret);
/* In thousandths. */
bool op_value_cores(const json_t *v, uint64_t *ret);
bool op_value_number(const json_t *v, uint64_t *ret);

#endif
