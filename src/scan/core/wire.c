/* SPDX-License-Identifier: Apache-2.0 */
/* Facts as lines of JSON, and back. */
#include "scan/core/wire.h"

#include <errno.h>
#include <string.h>

#include <jansson.h>

#include "base/scope.h"

/* By hand: a large program has tens of thousands of facts, and a tree of values for each would be the slowest
 * part. */
static void put_text(struct buf *b, const char *s)
{
	scoped(buf_finish) struct buf clean = { 0 };
	size_t done = 0;

	buf_add_utf8(&clean, s, strlen(s));
	buf_add(b, "\"", 1);
	for (size_t i = 0; i < clean.len; i++) {
		unsigned char c = (unsigned char)clean.data[i];

		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		buf_add(b, clean.data + done, i - done);
		buf_addf(b, "\\u%04x", c);
		done = i + 1;
	}
	if (clean.len > done)
		buf_add(b, clean.data + done, clean.len - done);
	buf_add(b, "\"", 1);
	b->failed |= clean.failed;
}

static void put_list(struct buf *b, const char *key, const struct strlist *l)
{
	if (!l->n)
		return;
	buf_addf(b, ",\"%s\":[", key);
	for (size_t i = 0; i < l->n; i++) {
		if (i)
			buf_add(b, ",", 1);
		put_text(b, l->items[i]);
	}
	buf_add(b, "]", 1);
}

void wire_put_fact(struct buf *b, const struct fact *f)
{
	buf_addf(b, "{\"kind\":\"%s\",\"flags\":%u,\"at\":[%u,%u,%u,%u],\"name\":", fact_kind_name(f->kind),
		 f->flags, f->line, f->column, f->end_line, f->end_column);
	put_text(b, f->name);
	put_list(b, "args", &f->args);
	put_list(b, "from", &f->from);
	buf_add(b, "}\n", 2);
}

void wire_put_end(struct buf *b, const struct facts *facts)
{
	buf_addf(b, "{\"end\":%zu,\"dropped\":%zu}\n", facts->n, facts->dropped);
}

static void drop_json(json_t **j)
{
	json_decref(*j);
}

static bool take_kind(const char *name, enum fact_kind *ret)
{
	for (enum fact_kind k = 0; name && k < FACT_MODULE; k++) /* what modules find is no reader's to say */
		if (!strcmp(name, fact_kind_name(k))) {
			*ret = k;
			return true;
		}
	return false;
}

/* The texts stay the JSON's: L has only the pointers. */
static bool borrow_list(const json_t *j, const char *key, struct strlist *l, char **room)
{
	const json_t *list = json_object_get(j, key);

	l->items = room;
	for (; l->n < json_array_size(list); l->n++) {
		const char *s = json_string_value(json_array_get(list, l->n));

		if (!s || l->n == FACT_MAX_ARGS)
			return false;
		room[l->n] = (char *)s;
	}
	return true;
}

static bool take_number(const json_t *j, size_t i, uint32_t *ret)
{
	json_int_t n = json_integer_value(json_array_get(j, i));

	*ret = (uint32_t)n;
	return n > 0 && n <= INT32_MAX;
}

int wire_take(const char *line, size_t len, struct facts *facts)
{
	scoped(drop_json) json_t *j = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
	const json_t *at = json_object_get(j, "at"), *end = json_object_get(j, "end");
	char *args[FACT_MAX_ARGS], *from[FACT_MAX_ARGS];
	struct fact f = { 0 };

	if (end) {
		if (json_integer_value(end) < 0 || (size_t)json_integer_value(end) != facts->n)
			return -EBADMSG;
		facts->dropped += (size_t)json_integer_value(json_object_get(j, "dropped"));
		return 0;
	}
	f.name = json_string_value(json_object_get(j, "name"));
	f.flags = (uint32_t)json_integer_value(json_object_get(j, "flags"));
	if (!f.name || !take_kind(json_string_value(json_object_get(j, "kind")), &f.kind) ||
	    !take_number(at, 0, &f.line) || !take_number(at, 1, &f.column) ||
	    !take_number(at, 2, &f.end_line) || !take_number(at, 3, &f.end_column) ||
	    !borrow_list(j, "args", &f.args, args) || !borrow_list(j, "from", &f.from, from))
		return -EBADMSG;
	facts_add(facts, &f);
	return facts->failed ? -ENOMEM : 1;
}
