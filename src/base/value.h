/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that op_check_args has accepted: a JSON number, or text as people write it; and numbers and
 * lists as JSON. */
#ifndef BASE_VALUE_H
#define BASE_VALUE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* For jansson, where JSON is written: 39.91, not 39.909999999999997. */
#define VALUE_REALS JSON_REAL_PRECISION(15)

/* Each leaves *RET unchanged and returns false if V is NULL. */
bool value_ms(const json_t *v, uint64_t *ret);
bool value_size(const json_t *v, uint64_t *ret);
/* In thousandths. */
bool value_cores(const json_t *v, uint64_t *ret);
bool value_number(const json_t *v, uint64_t *ret);
/* Adds the texts of an array; none if V is NULL. */
void value_list(const json_t *v, struct strlist *ret);
/* The other way: an array of texts. One that is no UTF-8 is left out. */
json_t *value_list_json(const struct strlist *l);

#endif
