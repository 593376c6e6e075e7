/* SPDX-License-Identifier: Apache-2.0 */
/* Reading an argument that op_check_args has let through: a JSON number, or text as people write it. */
#ifndef BASE_VALUE_H
#define BASE_VALUE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* Each leaves *RET alone and returns false when V is NULL. */
bool value_ms(const json_t *v, uint64_t *ret);
bool value_size(const json_t *v, uint64_t *ret);
/* In thousandths. */
bool value_cores(const json_t *v, uint64_t *ret);
bool value_number(const json_t *v, uint64_t *ret);
/* Adds the texts of an array; none when V is NULL. */
void value_list(const json_t *v, struct strlist *ret);

#endif
