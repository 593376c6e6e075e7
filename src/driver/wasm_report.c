/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what aisbx-wasm tells of a program (helpers/wasm/report.h). Pure. */
#include "driver/wasm.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

void wasm_report_finish(struct wasm_report *r)
{
	free(r->failure);
}

/* One word of a line: letters, digits and some signs, as names have them. */
static const char *take_word(const char *at, const char *end, char *ret, size_t cap)
{
	size_t n = 0;

	while (at < end && *at == ' ')
		at++;
	for (; at<end && * at> ' ' && *at < 0x7f; at++)
		if (n + 1 < cap)
			ret[n++] = *at;
	ret[n] = '\0';
	return at;
}

static bool take_number(const char *at, const char *end, uint64_t *ret)
{
	char value[32];
	uint64_t n;

	take_word(at, end, value, sizeof(value));
	n = strtoull(value, NULL, 10);
	if (!*value || value[strspn(value, "0123456789")] || n > INT64_MAX)
		return false;
	*ret = n;
	return true;
}

static void read_limit(const char *at, const char *end, struct wasm_report *r)
{
	char word[24];

	at = take_word(at, end, word, sizeof(word));
	if (!strcmp(word, "fuel"))
		r->out_of_fuel = true;
	else if (!strcmp(word, "memory"))
		take_number(at, end, &r->memory);
}

/* A text that was cut, perhaps within a character, is one that a result can hold. */
static char *take_text(const char *at, size_t len)
{
	struct buf text = { 0 };

	buf_add_utf8(&text, at, len);
	if (!buf_str(&text))
		buf_finish(&text);
	return text.data;
}

static void read_line(const char *at, const char *end, struct wasm_report *r)
{
	char word[24];

	at = take_word(at, end, word, sizeof(word));
	if (!strcmp(word, "fuel")) {
		r->has_fuel = take_number(at, end, &r->fuel);
	} else if (!strcmp(word, "limit")) {
		read_limit(at, end, r);
	} else if (!strcmp(word, "trap")) {
		take_word(at, end, r->trap, sizeof(r->trap));
	} else if (!strcmp(word, "import") && r->n_imports < sizeof(r->imports) / sizeof(*r->imports)) {
		at = take_word(at, end, r->imports[r->n_imports].module, sizeof(r->imports[0].module));
		take_word(at, end, r->imports[r->n_imports].name, sizeof(r->imports[0].name));
		r->n_imports++;
	} else if (!strcmp(word, "error") && !r->failure && at < end) {
		r->failure = take_text(at + 1, (size_t)(end - at - 1));
		for (char *c = r->failure; c && *c; c++)
			*c = (unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c;
	}
}

void wasm_report_read(const char *text, size_t len, struct wasm_report *ret)
{
	*ret = (struct wasm_report){ 0 };
	for (const char *at = text, *end = text + len; at < end;) {
		const char *line = memchr(at, '\n', (size_t)(end - at));

		if (!line)
			return; /* cut off */
		read_line(at, line, ret);
		at = line + 1;
	}
}
