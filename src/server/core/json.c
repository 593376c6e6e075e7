/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a text before jansson parses it, so that a few megabytes of brackets do not become gigabytes. */
#include "server/core/json.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"

/* Of one value: its head, and its place in what holds it. */
#define VALUE_BYTES 64

/* Past the string that begins behind AT; the parser finds fault with what is wrong in it. */
static size_t skip_string(const char *text, size_t len, size_t at)
{
	while (at < len && text[at] != '"')
		at += text[at] == '\\' ? 2 : 1;
	return at;
}

/* Only what costs memory is counted; whether it is JSON at all is the parser's to say. */
static int check_size(const char *text, size_t len, struct aisbx_error *e)
{
	size_t depth = 0, values = 0;

	for (size_t at = 0; at < len; at++) {
		const char c = text[at];

		if (c == '"')
			at = skip_string(text, len, at + 1);
		else if (c == '[' || c == '{')
			depth++;
		else if ((c == ']' || c == '}') && depth)
			depth--;
		if (depth > SERVER_JSON_DEPTH)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, E2BIG,
					    "the text is nested deeper than %u", SERVER_JSON_DEPTH);
		values += c == '[' || c == '{' || c == ',' || c == ':';
		if (values > SERVER_JSON_VALUES)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, E2BIG,
					    "the text has more than %u values", SERVER_JSON_VALUES);
	}
	return 0;
}

json_t *server_json_read(const char *text, size_t len, struct aisbx_error *e)
{
	json_error_t why;
	json_t *value;

	if (check_size(text, len, e) < 0)
		return NULL;
	value = json_loadb(text, len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
	if (!value)
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EBADMSG,
			     "the text is not valid JSON at byte %d: %s", why.position, why.text);
	return value;
}

size_t server_utf8_tail(const char *data, size_t len)
{
	for (size_t back = 1; back <= 3 && back <= len; back++) {
		const uint8_t c = (uint8_t)data[len - back];
		const size_t whole = c >= 0xf0 && c <= 0xf4   ? 4
				     : c >= 0xe0 && c <= 0xef ? 3
				     : c >= 0xc2 && c <= 0xdf ? 2
							      : 1;

		if ((c & 0xc0) != 0x80)
			return whole > back ? back : 0;
	}
	return 0;
}

int server_json_set_bytes(json_t *object, const char *data, size_t len)
{
	json_t *text = json_stringn(data, len);
	struct buf coded = { 0 };
	int r;

	if (text)
		return json_object_set_new(object, "data", text) < 0 ||
				       json_object_set_new(object, "encoding", json_string("utf-8")) < 0
			       ? -ENOMEM
			       : 0;
	base64_add(&coded, data, len);
	r = coded.failed ||
			    json_object_set_new(object, "data",
						json_stringn_nocheck(coded.data ? coded.data : "",
								     coded.len)) < 0 ||
			    json_object_set_new(object, "encoding", json_string("base64")) < 0
		    ? -ENOMEM
		    : 0;
	buf_finish(&coded);
	return r;
}

int server_json_get_bytes(const json_t *params, struct buf *ret, struct aisbx_error *e)
{
	const json_t *data = json_object_get(params, "data"), *coding = json_object_get(params, "encoding");
	const char *how = coding ? json_string_value(coding) : "utf-8";

	if (!json_is_string(data))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "'data' must be text");
	if (how && !strcmp(how, "base64"))
		return base64_read(ret, json_string_value(data), json_string_length(data))
			       ? 0
			       : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					      "'data' is not valid base64: it needs groups of four "
					      "characters, with padding, and nothing else");
	if (!how || strcmp(how, "utf-8") != 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'encoding' must be \"utf-8\" or \"base64\"");
	buf_add(ret, json_string_value(data), json_string_length(data));
	return 0;
}

/* No deeper than what was read: SERVER_JSON_DEPTH. */
size_t server_json_weight(const json_t *value)
{
	size_t n = VALUE_BYTES + json_string_length(value);
	const char *name;
	json_t *part;
	size_t i;

	json_array_foreach(value, i, part) n += server_json_weight(part);
	json_object_foreach((json_t *)value, name, part) n += strlen(name) + server_json_weight(part);
	return n;
}
