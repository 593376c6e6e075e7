/* SPDX-License-Identifier: Apache-2.0 */
/* Reads `_secrets` of a call. No message quotes a value. */
#include "server/rpc/rpc_secrets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/error.h"
#include "secret/secrets.h"

void rpc_secrets_drop(struct given_secret *list)
{
	for (struct given_secret *g = list; g && g->name; g++) {
		if (g->value)
			explicit_bzero((char *)(uintptr_t)g->value, g->len);
		free((char *)(uintptr_t)g->value);
	}
	free(list);
}

void rpc_secrets_wipe(json_t *object)
{
	const char *name;
	json_t *value;

	json_object_foreach(object, name, value)
	{
		if (json_is_string(value))
			explicit_bzero((char *)(uintptr_t)json_string_value(value),
				       json_string_length(value));
	}
}

static bool read_value(const json_t *value, struct given_secret *ret)
{
	const size_t len = json_string_length(value);
	/* Room at once: nothing is left where a smaller block was. */
	struct buf b = { .data = malloc(len + 1), .cap = len + 1 };

	if (!b.data)
		return false;
	if (!base64_read(&b, json_string_value(value), len)) {
		buf_finish(&b);
		return false;
	}
	ret->value = b.data;
	ret->len = b.len;
	return true;
}

int rpc_secrets_read(const json_t *object, struct given_secret **ret, struct aisbx_error *e)
{
	struct given_secret *list;
	const char *name;
	json_t *value;
	size_t n = 0;

	if (!json_is_object(object) || json_object_size(object) > SECRET_MAX)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'_secrets' must be an object of at most %u values in base64",
				    SECRET_MAX);
	list = calloc(json_object_size(object) + 1, sizeof(*list));
	if (!list)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read the secrets of a call");
	json_object_foreach((json_t *)(uintptr_t)object, name, value)
	{
		list[n].name = name;
		if (!json_is_string(value) || !read_value(value, &list[n++])) {
			rpc_secrets_drop(list);
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "'_secrets': the value of '%.64s' must be a text in base64",
					    name);
		}
	}
	*ret = list;
	return 0;
}
