/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of JSON objects, read: what a stranger sent is what it must be, or nothing is taken of it. */
#include "fleet/wire/wire_json.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "fleet/wire/wire.h"

/* Before it is parsed: a parser that calls itself needs room on the stack for each level. */
static bool is_too_deep(const char *data, size_t len)
{
	unsigned depth = 0;
	bool in_text = false;

	for (size_t i = 0; i < len; i++) {
		char c = data[i];

		if (in_text && c == '\\')
			i++;
		else if (c == '"')
			in_text = !in_text;
		else if (!in_text && (c == '{' || c == '[') && ++depth > WIRE_DEPTH)
			return true;
		else if (!in_text && (c == '}' || c == ']') && depth > 0)
			depth--;
	}
	return false;
}

static int refuse(struct aisbx_error *e, const char *what, const char *why)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EBADMSG, "read a %s of the fleet: %s",
			    what, why);
}

json_t *wire_open(const char *data, size_t len, const char *what, struct aisbx_error *e)
{
	json_error_t why;
	const json_t *v;
	json_t *object;

	if (len > WIRE_MAX || is_too_deep(data, len)) {
		refuse(e, what,
		       len > WIRE_MAX ? "it is longer than 1 MiB" : "objects within objects, too many");
		return NULL;
	}
	object = json_loadb(data, len, JSON_REJECT_DUPLICATES, &why);
	v = json_object_get(object, "v");
	if (!object)
		refuse(e, what, why.text);
	else if (!json_is_object(object) || !json_is_integer(v) || json_integer_value(v) < 1)
		refuse(e, what, "it is not an object with a version");
	else if (json_integer_value(v) > WIRE_VERSION)
		refuse(e, what, "its version is newer than this program; bring this machine up to date");
	else if (json_integer_value(v) < WIRE_VERSION_OLD)
		refuse(e, what, "its version is too old; bring the machine that sent it up to date");
	else
		return object;
	json_decref(object);
	return NULL;
}

void wire_in_fail(struct wire_in *in, const char *key, const char *why)
{
	if (in->r == 0)
		in->r = aisbx_refuse(in->e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EBADMSG,
				     "read a %s of the fleet: its \"%s\" %s", in->what, key, why);
}

bool wire_in_has(const struct wire_in *in, const char *key)
{
	return json_object_get(in->object, key) != NULL;
}

/* The field, or NULL: it is absent, or something was wrong before. */
static const json_t *get(struct wire_in *in, const char *key, bool needed)
{
	const json_t *value = in->r == 0 ? json_object_get(in->object, key) : NULL;

	if (!value && needed)
		wire_in_fail(in, key, "is missing");
	return value;
}

static bool is_of_label(char c)
{
	const char text[] = { c, 0 };

	return c == '=' || c == ',' || fleet_is_name(text);
}

bool wire_is_labels(const char *text)
{
	while (*text && is_of_label(*text))
		text++;
	return !*text;
}

/* base64, as far as it matters here: what it is worth the signature says. */
bool wire_is_seal(const char *text)
{
	return !text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_")];
}

void wire_in_string(struct wire_in *in, const char *key, bool needed, wire_check *check, char *ret,
		    size_t size)
{
	const json_t *value = get(in, key, needed);
	size_t len = json_string_length(value);

	if (!value)
		return;
	if (!json_is_string(value))
		return wire_in_fail(in, key, "is not a text");
	if (len >= size)
		return wire_in_fail(in, key, "is too long");
	if ((len == 0 && needed) || (len > 0 && check && !check(json_string_value(value))))
		return wire_in_fail(in, key, "is not what it may be");
	memcpy(ret, json_string_value(value), len);
	memset(ret + len, 0, size - len);
}

void wire_in_text(struct wire_in *in, const char *key, struct fleet_text **ret)
{
	const json_t *value = get(in, key, false);

	if (!value)
		return;
	if (!json_is_string(value))
		return wire_in_fail(in, key, "is not a text");
	*ret = fleet_text_new(json_string_value(value), json_string_length(value));
}

void wire_in_number(struct wire_in *in, const char *key, uint64_t most, uint64_t *ret)
{
	const json_t *value = get(in, key, false);

	if (!value)
		return;
	if (!json_is_integer(value))
		return wire_in_fail(in, key, "is not a whole number of up to 63 bits");
	if (json_integer_value(value) < 0 || (uint64_t)json_integer_value(value) > most)
		return wire_in_fail(in, key, "is out of its range");
	*ret = (uint64_t)json_integer_value(value);
}

void wire_in_count(struct wire_in *in, const char *key, unsigned most, unsigned *ret)
{
	uint64_t value = 0;

	wire_in_number(in, key, most, &value);
	*ret = (unsigned)value;
}

void wire_in_bool(struct wire_in *in, const char *key, bool *ret)
{
	const json_t *value = get(in, key, false);

	if (!value)
		return;
	if (!json_is_boolean(value))
		return wire_in_fail(in, key, "is neither true nor false");
	*ret = json_is_true(value);
}

unsigned wire_in_word(struct wire_in *in, const char *key, const char *(*name_of)(unsigned value), unsigned n)
{
	const json_t *value = get(in, key, true);
	const char *word = json_string_value(value);

	for (unsigned i = 0; word && i < n; i++)
		if (strcmp(word, name_of(i)) == 0)
			return i;
	if (value)
		wire_in_fail(in, key, "is not a word that is known");
	return 0;
}
