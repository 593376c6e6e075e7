/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the secrets of one job, as its submitter gives them to its node. They are text only within what
 * is sealed. */
#include <string.h>

#include "base/base64.h"
#include "base/scope.h"
#include "fleet/wire/wire.h"

#define LONGEST_NAME 64

static void wipe_buf(struct buf *b)
{
	if (b->data)
		explicit_bzero(b->data, b->cap);
	buf_finish(b);
}

void wire_secrets_drop(json_t *secrets)
{
	const char *name;
	json_t *value;

	json_object_foreach(secrets, name, value)
	{
		if (json_is_string(value))
			explicit_bzero((char *)(uintptr_t)json_string_value(value),
				       json_string_length(value));
	}
	json_decref(secrets);
}

static bool is_value(const json_t *value)
{
	scoped(wipe_buf) struct buf bytes = { 0 };

	return json_is_string(value) && json_string_length(value) <= WIRE_SECRET_MAX / 3 * 4 + 4 &&
	       base64_read(&bytes, json_string_value(value), json_string_length(value)) &&
	       bytes.len <= WIRE_SECRET_MAX;
}

static bool is_whole(const json_t *secrets, const char *const *names, size_t n)
{
	const char *name;
	json_t *value;

	if (!json_is_object(secrets) || json_object_size(secrets) > WIRE_SECRETS_MAX ||
	    (names && json_object_size(secrets) != n))
		return false;
	json_object_foreach((json_t *)(uintptr_t)secrets, name, value)
	{
		if (!*name || strlen(name) > LONGEST_NAME || !is_value(value))
			return false;
	}
	for (size_t i = 0; names && i < n; i++)
		if (!json_object_get(secrets, names[i]))
			return false;
	return true;
}

json_t *wire_secrets_decode(const char *data, size_t len, const char *const *names, size_t n)
{
	json_t *secrets = len <= WIRE_MAX ? json_loadb(data, len, JSON_REJECT_DUPLICATES, NULL) : NULL;

	if (is_whole(secrets, names, n))
		return secrets;
	if (json_is_object(secrets))
		wire_secrets_drop(secrets);
	else
		json_decref(secrets);
	return NULL;
}
