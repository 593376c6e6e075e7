/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of JSON objects, written: nothing that the other side would refuse. */
#include <errno.h>
#include <string.h>

#include "base/scope.h"
#include "fleet/wire/wire.h"
#include "fleet/wire/wire_json.h"

static void fail(struct wire_out *out, int r)
{
	if (out->r == 0)
		out->r = r;
}

void wire_out_begin(struct wire_out *out)
{
	*out = (struct wire_out){ .object = json_object() };
	if (!out->object)
		fail(out, -ENOMEM);
}

void wire_out_value(struct wire_out *out, const char *key, json_t *value)
{
	if (!value || json_object_set_new(out->object, key, value) < 0)
		fail(out, -ENOMEM);
}

/* json_stringn() does not say what was wrong: neither UTF-8, or no memory. */
static void put_text(struct wire_out *out, const char *key, const char *data, size_t len)
{
	if (memchr(data, 0, len) || !buf_is_utf8(data))
		fail(out, -EINVAL);
	else
		wire_out_value(out, key, json_stringn_nocheck(data, len));
}

void wire_out_string(struct wire_out *out, const char *key, wire_check *check, const char *text)
{
	if (!text[0])
		return;
	if (check && !check(text))
		fail(out, -EINVAL);
	else
		put_text(out, key, text, strlen(text));
}

void wire_out_text(struct wire_out *out, const char *key, const struct fleet_text *text)
{
	if (text)
		put_text(out, key, fleet_text_data(text), fleet_text_len(text));
}

void wire_out_number(struct wire_out *out, const char *key, uint64_t most, uint64_t value)
{
	if (value > most)
		fail(out, -EINVAL);
	else if (value > 0)
		wire_out_value(out, key, json_integer((json_int_t)value));
}

void wire_out_bool(struct wire_out *out, const char *key, bool value)
{
	if (value)
		wire_out_value(out, key, json_true());
}

static int add(const char *data, size_t len, void *ret)
{
	buf_add(ret, data, len);
	return 0;
}

int wire_out_end(struct wire_out *out, struct buf *ret)
{
	struct buf text = { 0 };
	int r;

	wire_out_number(out, "v", WIRE_NUMBER_MAX, WIRE_VERSION);
	if (out->r == 0 && json_dump_callback(out->object, add, &text, JSON_COMPACT) < 0)
		fail(out, -ENOMEM);
	if (text.failed)
		fail(out, -ENOMEM);
	if (text.len > WIRE_MAX)
		fail(out, -EMSGSIZE);
	if (out->r == 0) {
		buf_add(ret, text.data, text.len);
		if (ret->failed)
			fail(out, -ENOMEM);
	}
	buf_finish(&text);
	json_decref(out->object);
	r = out->r;
	*out = (struct wire_out){ 0 };
	return r;
}
