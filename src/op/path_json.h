/* SPDX-License-Identifier: Apache-2.0 */
/* Names of files in results: they are bytes, JSON is UTF-8. */
#ifndef OP_PATH_JSON_H
#define OP_PATH_JSON_H

#include <jansson.h>

/* KEY, or null and the bytes in hexadecimal in KEY_hex. */
void op_set_name(json_t *object, const char *key, const char *name);

#define PATH_FIELDS(at, help)                                                           \
	{ at "path", "string|null", help "; null if it is not UTF-8", .model = true },  \
	{                                                                               \
		at "path_hex", "string", "the bytes in hexadecimal, if it is not UTF-8" \
	}

#endif
