/* SPDX-License-Identifier: Apache-2.0 */
/* One YAML document as JSON: mappings, lists and texts, and nothing else that YAML has. */
#ifndef HELPERS_IMAGE_YAML_JSON_H
#define HELPERS_IMAGE_YAML_JSON_H

#include <stddef.h>

#include <jansson.h>

#include "aisbx/error.h"

#define YAML_JSON_MAX_BYTES  (256u << 10)
#define YAML_JSON_MAX_DEPTH  8u
#define YAML_JSON_MAX_VALUES 20000u

/*
 * Every scalar is a text, however it is written. Refused: anchors, aliases, tags, a second document, a key
 * that is there twice or is no text, texts that are no UTF-8 or have a NUL, and more than the limits above.
 * FILE: for the message, which names the line. RET: the caller's.
 */
int yaml_json_read(const char *text, size_t len, const char *file, json_t **ret, struct aisbx_error *e);

#endif
