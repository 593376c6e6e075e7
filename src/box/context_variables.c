/* SPDX-License-Identifier: Apache-2.0 */
/* Variables for an interpreter that stays, checked: they become text that its language reads. */
#include "box/context.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

/* Of all together: they go through the interpreter's environment, of which one word has an end. */
#define ALL_MOST (64u << 10)

static bool is_variable(const char *name, size_t n)
{
	static const char plain[] = "0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

	return n && (name[0] < '0' || name[0] > '9') && strspn(name, plain) >= n;
}

int context_variables(const struct caller *by, const struct strlist *given, struct strlist *ret,
		      struct aisbx_error *e)
{
	size_t all = 0;

	for (size_t i = 0; i < given->n; i++) {
		const char *text = given->items[i], *value;
		size_t n = strcspn(text, "=");

		if (!is_variable(text, n))
			return aisbx_refuse(
				e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				"'%.60s' does not begin with the name of a variable; give NAME=VALUE, "
				"with letters, digits and _ in NAME",
				text);
		value = text[n] ? text + n + 1 : caller_variable(by, text);
		if (!value)
			continue;
		if (!buf_is_utf8(value))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
					    "the value of the variable '%.*s' is not UTF-8", (int)n, text);
		all += n + strlen(value) + 2;
		strlist_addf(ret, "%.*s=%s", (int)n, text, value);
	}
	if (all > ALL_MOST)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, E2BIG,
			"the variables have %zu bytes, and at most %u are allowed; put the values "
			"into a file",
			all, ALL_MOST);
	return ret->failed ? aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read the variables") : 0;
}
