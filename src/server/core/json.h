/* SPDX-License-Identifier: Apache-2.0 */
/* JSON and bytes as in every protocol here: parsing untrusted text, sending bytes that need not be UTF-8. */
#ifndef SERVER_CORE_JSON_H
#define SERVER_CORE_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "aisbx/error.h"
#include "base/buf.h"

/* A value needs many times as much memory as its text, so these are counted before anything is allocated. */
#define SERVER_JSON_VALUES 100000u
/* No arguments are nested deeper; jansson itself stops at 2048. */
#define SERVER_JSON_DEPTH 128u

/*
 * One text: an object, an array or anything else. Heap; NULL with an error of area usage that names the
 * position.
 */
json_t *server_json_read(const char *text, size_t len, struct aisbx_error *e);

/* Bytes at the end of the text that begin an incomplete character; 0 to 3. */
size_t server_utf8_tail(const char *data, size_t len);
/* Sets "data" and "encoding" of OBJECT: "utf-8" if the bytes are that, else "base64". -ENOMEM: failed. */
int server_json_set_bytes(json_t *object, const char *data, size_t len);
/* The bytes of "data" and "encoding" ("utf-8" if there is none) of PARAMS, appended to RET. */
int server_json_get_bytes(const json_t *params, struct buf *ret, struct aisbx_error *e);

/* About how many bytes of memory VALUE takes. */
size_t server_json_weight(const json_t *value);

#endif
