/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the redactor: whatever a command writes, however it is cut, no secret comes through, plain or in
 * hexadecimal, and pieces make no difference. Input: secrets (a length and its bytes, 0 ends them), a number
 * of pieces, the stream.
 */
#include <stdlib.h>
#include <string.h>

#include "secret/redact.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define MOST 4

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

/* What is looked for is made anew only when it changes: most inputs change the stream. */
static struct {
	uint8_t bytes[4096];
	size_t len;
	char values[MOST][64];
	struct run_secret list[MOST];
	size_t n;
	struct redactor *what;
} now;

/* A value that stands in "[secret ...]" itself is refused before it comes here. */
static bool take(char *to, const uint8_t *from, size_t len)
{
	for (size_t i = 0; i < len; i++)
		to[i] = (char)(from[i] == '[' || from[i] == ']' ? '.' : from[i]);
	to[len] = '\0';
	return !memmem("[secret A0]", 11, to, len) && !memmem("secret A", 8, to, len) &&
	       !memmem("ecret A0", 8, to, len);
}

/* Bytes that name the secrets; 0: they are none. */
static size_t read_secrets(const uint8_t *data, size_t len)
{
	static const char *const names[MOST] = { "A0", "A1", "A2", "A3" };
	size_t at = 0, n = 0;

	while (n < MOST && at < len && data[at]) {
		size_t want = SECRET_MIN + data[at] % 48;

		if (len - at - 1 < want || !take(now.values[n], data + at + 1, want))
			return 0;
		now.list[n] =
			(struct run_secret){ .name = (char *)names[n], .value = now.values[n], .len = want };
		at += 1 + want;
		n++;
	}
	now.n = n;
	return n && at < len ? at + 1 : 0;
}

static void pass(const uint8_t *data, size_t len, size_t piece, bool idle, struct buf *out)
{
	struct redact s;

	must(redact_init(&s, now.what));
	for (size_t at = 0; at < len; at += piece) {
		redact_feed(&s, data + at, len - at < piece ? len - at : piece, out);
		if (idle)
			redact_idle(&s, out);
		must(s.held.len == s.base + s.held.len - s.base && s.seen == s.base + s.held.len);
	}
	redact_end(&s, out);
	must(!s.failed && !out->failed);
	redact_finish(&s);
}

static void must_not_tell(const struct buf *out)
{
	for (size_t i = 0; i < now.n; i++) {
		const struct run_secret *s = &now.list[i];
		char hex[256];
		size_t n = s->len;

		while (n > SECRET_MIN && (s->value[n - 1] == '\n' || s->value[n - 1] == '\r'))
			n--;
		for (size_t k = 0; k < n; k++) {
			hex[2 * k] = "0123456789ABCDEF"[(uint8_t)s->value[k] >> 4];
			hex[2 * k + 1] = "0123456789ABCDEF"[(uint8_t)s->value[k] & 15];
		}
		must(!out->len || !memmem(out->data, out->len, s->value, n));
		must(!out->len || !memmem(out->data, out->len, hex, 2 * n));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct buf whole = { 0 }, parts = { 0 }, idle = { 0 };
	size_t at = read_secrets(data, len);

	if (!at || at > sizeof(now.bytes) || at == len)
		return 0;
	if (!now.what || now.len != at || memcmp(now.bytes, data, at) != 0) {
		redactor_destroy(now.what);
		now.what = redactor_create(now.list, now.n);
		must(now.what);
		memcpy(now.bytes, data, at);
		now.len = at;
	}
	pass(data + at + 1, len - at - 1, len, false, &whole);
	pass(data + at + 1, len - at - 1, 1 + data[at] % 32, false, &parts);
	pass(data + at + 1, len - at - 1, 1 + data[at] % 32, true, &idle);
	must(whole.len == parts.len && (!whole.len || !memcmp(whole.data, parts.data, whole.len)));
	must_not_tell(&whole);
	must_not_tell(&idle);
	buf_finish(&whole);
	buf_finish(&parts);
	buf_finish(&idle);
	return 0;
}
