/* SPDX-License-Identifier: Apache-2.0 */
/* How a program's end is told, as JSON. */
#include "op/exception.h"

#include "base/scope.h"
#include "box/exception.h"

static json_t *text_json(const char *text)
{
	json_t *j = text ? json_string(text) : NULL;

	return j ? j : json_null();
}

json_t *op_exception(const char *lang, const char *path, const char *text)
{
	scoped(exception_finish) struct exception x = { 0 };

	if (!exception_read(lang, path, text, &x))
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "name", text_json(x.name), "message", text_json(x.message),
			 "line", x.line ? json_integer((json_int_t)x.line) : json_null());
}
