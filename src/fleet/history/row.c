/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of rows of history: digests, marks, and what may stand in a field. */
#include "fleet/history/row.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/sha256.h"

const char *const history_sources[HISTORY_SOURCES] = { "runs", "events", "approvals" };

void history_batch_finish(struct history_batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		json_decref(b->rows[i].body);
	free(b->rows);
	*b = (struct history_batch){ 0 };
}

bool history_is_digest(const char *text)
{
	return strlen(text) == HISTORY_DIGEST - 1 && strspn(text, "0123456789abcdef") == HISTORY_DIGEST - 1;
}

void history_digest(char ret[HISTORY_DIGEST], const char *text, ...)
{
	uint8_t sum[SHA256_BYTES];
	struct sha256 s;
	va_list ap;

	sha256_init(&s);
	va_start(ap, text);
	for (; text; text = va_arg(ap, const char *))
		sha256_add(&s, text, strlen(text) + 1); /* with the NUL: "a", "bc" is not "ab", "c" */
	va_end(ap);
	sha256_end(&s, sum);
	io_hex(sum, HISTORY_DIGEST / 2, ret);
}

unsigned history_depth(const json_t *json)
{
	unsigned deepest = 0, one;
	const char *key;
	json_t *item;
	size_t i;

	if (json_is_object(json)) {
		json_object_foreach((json_t *)json, key, item) if ((one = history_depth(item)) > deepest)
			deepest = one;
	} else if (json_is_array(json)) {
		json_array_foreach(json, i, item) if ((one = history_depth(item)) > deepest) deepest = one;
	} else {
		return 0;
	}
	return deepest + 1;
}

json_t *history_marks_json(const struct history_mark at[HISTORY_SOURCES])
{
	json_t *all = json_object();

	for (size_t i = 0; all && i < HISTORY_SOURCES; i++)
		if (at[i].number &&
		    json_object_set_new(all, history_sources[i],
					json_pack("[Is]", (json_int_t)at[i].number, at[i].digest)) < 0) {
			json_decref(all);
			return NULL;
		}
	return all;
}

bool history_marks_read(const json_t *json, struct history_mark ret[HISTORY_SOURCES])
{
	if (!json_is_object(json))
		return false;
	for (size_t i = 0; i < HISTORY_SOURCES; i++) {
		const json_t *one = json_object_get(json, history_sources[i]);
		const char *digest = json_string_value(json_array_get(one, 1));
		const json_int_t number = json_integer_value(json_array_get(one, 0));

		ret[i] = (struct history_mark){ 0 };
		if (!one)
			continue;
		if (number < 1 || (uint64_t)number > HISTORY_NUMBER_MAX || !digest ||
		    !history_is_digest(digest))
			return false;
		ret[i].number = (uint64_t)number;
		memcpy(ret[i].digest, digest, HISTORY_DIGEST);
	}
	return true;
}
