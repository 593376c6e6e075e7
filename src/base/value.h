/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an argument that op_check_args has accepted: a JSON number, or text as people write it. */
#ifndef BASE_VALUE_H
#define BASE_VALUE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* Each leaves *RET unchanged and returns false if V is NULL. */
bool value_ms(const json_t *v, uint64_t *ret);
bool value_size(const json_t *v, uint64_t *ret);
/* In thousandths. */
bool value_cores(const json_t *v, uint64_t *ret);
bool value_number(const json_t *v, uint64_t *ret);
/* Adds the texts of an array; none if V is NULL. */
void value_list(const json_t *v, struct strlist *ret);

#endif
