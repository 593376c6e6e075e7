/* SPDX-License-Identifier: Apache-2.0 */
/* Names that JSON cannot hold, in hexadecimal. */
#include "op/path_json.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/scope.h"

void op_set_name(json_t *object, const char *key, const char *name)
{
	scoped(buf_finish) struct buf hex = { 0 };
	json_t *text = json_string(name);
	char hex_key[32];

	json_object_set_new(object, key, text ? text : json_null());
	if (text)
		return;
	for (const unsigned char *p = (const unsigned char *)name; *p; p++)
		buf_addf(&hex, "%02x", *p);
	snprintf(hex_key, sizeof(hex_key), "%s_hex", key);
	json_object_set_new(object, hex_key, json_string(buf_str(&hex) ? hex.data : ""));
}
