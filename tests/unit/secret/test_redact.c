/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets in streams: every spelling, cut anywhere, and what must leave at once. The encoders here are not
 * those of base/lens. */
#include "support/test.h"

#include "base/scope.h"
#include "secret/redact.h"

static uint64_t dice = 88172645463325252u;

static uint32_t roll(uint32_t below)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return (uint32_t)(dice >> 16) % below;
}

static struct run_secret secret(const char *name, const char *value)
{
	return (struct run_secret){ .name = (char *)name, .value = (char *)value, .len = strlen(value) };
}

/* The whole stream in pieces of at most PIECE bytes. */
static char *scrub(const struct redactor *r, const char *data, size_t len, uint32_t piece, size_t *ret_len)
{
	struct redact s;
	struct buf out = { 0 };

	assert_true(redact_init(&s, r));
	for (size_t at = 0; at < len;) {
		size_t n = 1 + roll(piece);

		n = n < len - at ? n : len - at;
		redact_feed(&s, data + at, n, &out);
		at += n;
	}
	redact_end(&s, &out);
	redact_finish(&s);
	assert_non_null(buf_str(&out));
	*ret_len = out.len;
	return out.data;
}

static void becomes(const struct redactor *r, const char *text, const char *wanted)
{
	for (uint32_t piece = 1; piece < 40; piece += 3) {
		size_t n;
		scoped(drop_mem) char *got = scrub(r, text, strlen(text), piece, &n);

		assert_string_equal(got, wanted);
	}
}

static void test_spellings(void **state)
{
	struct run_secret list[] = { secret("KEY", "top secret/+\"1\n\xc3\xa9") };
	scoped(drop_redactor) struct redactor *r = redactor_create(list, 1);

	(void)state;
	becomes(r, "a top secret/+\"1\n\xc3\xa9 b", "a [secret KEY] b");
	becomes(r,
		"dG9wIHNlY3JldC8rIjEKw6k=", "[secret KEY]k="); /* the last letter depends on what follows */
	becomes(r, "<dG9wIHNlY3Jl\n  dC8rIjEKw6k>", "<[secret KEY]k>");
	becomes(r, "x eHh0b3Agc2VjcmV0LysiMQrDqQ", "x eHh[secret KEY]Q");
	becomes(r, "eHRvcCBzZWNyZXQvKyIxCsOp.", "eH[secret KEY].");
	becomes(r, "<746f70207365637265742f2b22310ac3a9>", "<[secret KEY]>");
	becomes(r, "<746F70207365637265742F2B22310AC3A9>", "<[secret KEY]>");
	becomes(r, "<74:6f:70:20:73:65:63:72:65:74:2f:2b:22:31:0a:c3:a9>", "<[secret KEY]>");
	becomes(r, "\\x74\\x6f\\x70 \\x73ecret/+\\\"1\\n\\u00e9.", "[secret KEY].");
	becomes(r, "?q=top%20secret%2F%2b%221%0A%C3%A9&r", "?q=[secret KEY]&r");
	becomes(r, "?q=top+secret/%2B%221%0a%c3%a9&r", "?q=[secret KEY]&r");
	becomes(r, "{\"a\":\"top secret\\/+\\\"1\\n\xc3\xa9\"}", "{\"a\":\"[secret KEY]\"}");
	becomes(r, "top\\ secret/+\\\"1\\n\\303\\251 ", "[secret KEY] ");
	becomes(r, "top secret/2 top top sec", "top secret/2 top top sec");
	becomes(r,
		"00000000  74 6f 70 20 73 65 63 72  65 74 2f 2b 22 31 0a c3  |top secret/+\"1..|\n00000010  "
		"a9  |.|\nnext",
		"00000000  [secret KEY]\nnext");
	becomes(r,
		"{0x74, 0x6f, 0x70, 0x20, 0x73, 0x65,\n  0x63, 0x72, 0x65, 0x74, 0x2f, 0x2b, 0x22, 0x31, "
		"0x0a, 0xc3, 0xa9}",
		"{[secret KEY]}");
	becomes(r, "[116, 111, 112, 32, 115, 101, 99, 114, 101, 116, 47, 43, 34, 49, 10, 195, 169]",
		"[[secret KEY]]");
	becomes(r, "?q=top%2520secret%252F%252B%25221%250A%25C3%25A9&r", "?q=[secret KEY]&r");
	becomes(r, "0000000 6f74 2070 6573 7263 7465 2b2f 3122 c30a\n0000020 00a9\n",
		"0000000 [secret KEY]\n0000020 00a9\n");
}

static void test_most_of_one_counts(void **state)
{
	struct run_secret list[] = { secret("K", "abcdefghijklmnop") };
	scoped(drop_redactor) struct redactor *r = redactor_create(list, 1);

	(void)state;
	becomes(r, "-abcdefghijklm", "-[secret K]");
	becomes(r, "-abcdefghijkl.", "-[secret K].");
	becomes(r, "-abcdefghijk.", "-abcdefghijk.");
	becomes(r, "-abcdefghijk", "-abcdefghijk");
}

/* "\t" is a tab, and yet the "t" begins what is quoted; whether a byte before it began something else, too.
 */
static void test_behind_a_backslash(void **state)
{
	struct run_secret list[] = { secret("KEY", "top secret/+\"1\xc3\xa9") };
	scoped(drop_redactor) struct redactor *r = redactor_create(list, 1);

	(void)state;
	assert_non_null(r);
	becomes(r, "\\top\\ secret/+\\\"1\\xc3\\xa9.", "\\[secret KEY].");
	becomes(r, "to\\top\\ secret/+\\\"1\\xc3\\xa9.", "to\\[secret KEY].");
	becomes(r, "746f\\top\\ secret/+\\\"1\\xc3\\xa9.", "746f\\[secret KEY].");
	becomes(r, "\\\\top\\ secret/+\\\"1\\xc3\\xa9.", "\\\\[secret KEY].");
}

static void test_overlaps(void **state)
{
	struct run_secret list[] = { secret("SHORT", "password1"), secret("LONG", "password1234"),
				     secret("MID", "1234-tail-5678"), secret("AAA", "aaaaaaaa") };
	scoped(drop_redactor) struct redactor *r = redactor_create(list, 4);
	scoped(drop_mem) char *many = calloc(1, 100001);
	scoped(drop_mem) char *got = NULL;
	size_t n;

	(void)state;
	becomes(r, "password1.", "[secret SHORT].");
	becomes(r, "password1", "[secret SHORT]");
	becomes(r, "password1234!", "[secret LONG]!");
	becomes(r, "password1password1x", "[secret SHORT][secret SHORT]x");
	becomes(r, "password1234-tail-5678!", "[secret LONG]!"); /* they share bytes: one mark */
	becomes(r, "password12-", "[secret LONG]-");             /* most of it */
	becomes(r, "baaaaaaaaab", "b[secret AAA]b");
	memset(many, 'a', 100000);
	got = scrub(r, many, 100000, 1000, &n);
	assert_string_equal(got, "[secret AAA]");
}

static void test_lines(void **state)
{
	static const char pem[] =
		"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\nBgkqhkiG9w0B\nshort\n-----END PRIVATE KEY-----\n";
	struct run_secret list[] = { secret("PEM", pem) };
	scoped(drop_redactor) struct redactor *r = redactor_create(list, 1);

	(void)state;
	becomes(r, "+MIIEvQIBADAN\n+BgkqhkiG9w0B\n+short\n", "+[secret PEM]\n+[secret PEM]\n+short\n");
	becomes(r, "-----BEGIN PRIVATE KEY-----\nother\n", "-----BEGIN PRIVATE KEY-----\nother\n");
	becomes(r, pem, "[secret PEM]\n");
}

/* What cannot be part of a secret leaves with the call that brought it, and the end of a line is no reason to
 * wait. */
static void test_nothing_else_waits(void **state)
{
	struct run_secret list[] = { secret("K", "$ecret-value") };
	scoped(drop_redactor) struct redactor *r = redactor_create(list, 1);
	static const char *const prompts[] = { "user@host:~# ", "Password: ", "done J\n",
					       "24 2",          "[12:24] ",   "a\\b" };
	struct buf out = { 0 };
	struct redact s;

	(void)state;
	assert_true(redact_init(&s, r));
	for (size_t i = 0; i < sizeof(prompts) / sizeof(*prompts); i++) {
		redact_feed(&s, prompts[i], strlen(prompts[i]), &out);
		redact_idle(&s, &out);
		assert_int_equal(out.len, strlen(prompts[i]));
		assert_memory_equal(out.data, prompts[i], out.len);
		out.len = 0;
	}
	redact_feed(&s, "x$ ", 3, &out);
	assert_int_equal(out.len, 3);
	redact_feed(&s, "x$e", 3, &out);
	assert_int_equal(out.len, 4);
	assert_true(redact_can_idle(&s));
	redact_idle(&s, &out);
	assert_int_equal(out.len, 6);
	redact_feed(&s, "cret", 4, &out); /* nor does the rest of it follow */
	assert_false(redact_can_idle(&s));
	redact_idle(&s, &out);
	assert_int_equal(out.len, 6);
	redact_feed(&s, "-value!", 7, &out);
	assert_string_equal(buf_str(&out), "x$ x$e[secret K]!");
	redact_finish(&s);
	buf_finish(&out);
}

static void test_switch(void **state)
{
	struct run_secret list[] = { secret("ONE", "first-secret"), secret("TWO", "first-other-secret") };
	scoped(drop_redactor) struct redactor *one = redactor_create(list, 1),
					      *both = redactor_create(list, 2);
	struct buf out = { 0 };
	struct redact s;

	(void)state;
	assert_true(redact_init(&s, NULL));
	redact_feed(&s, "first-secret ", 13, &out);
	assert_string_equal(buf_str(&out), "first-secret ");
	assert_true(redact_switch(&s, one));
	redact_feed(&s, "first-secret first-", 19, &out);
	assert_true(redact_switch(&s, both));
	redact_feed(&s, "other-secret", 12, &out);
	redact_end(&s, &out);
	assert_string_equal(buf_str(&out), "first-secret [secret ONE] [secret TWO]");
	redact_finish(&s);
	buf_finish(&out);
}

static void put_base64(struct buf *b, const uint8_t *p, size_t n, bool url, bool lines)
{
	const char *alphabet = url ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
				   : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned int bits = 0, have = 0, column = 0;

	for (size_t i = 0; i < n; i++) {
		bits = bits << 8 | p[i];
		for (have += 8; have >= 6; have -= 6) {
			buf_add(b, &alphabet[bits >> (have - 6) & 63], 1);
			if (lines && ++column == 76) {
				buf_add(b, "\n", 1);
				column = 0;
			}
		}
	}
	if (have)
		buf_add(b, &alphabet[bits << (6 - have) & 63], 1);
}

/* As hexdump -C does; or as xxd. */
static void put_dump(struct buf *b, const uint8_t *p, size_t len, bool xxd)
{
	for (size_t at = 0; at < len; at += 16) {
		size_t n = len - at < 16 ? len - at : 16;

		buf_addf(b, xxd ? "%08zx: " : "%08zx  ", at);
		for (size_t i = 0; i < 16; i++) {
			if (i < n)
				buf_addf(b, "%02x", p[at + i]);
			else
				buf_addf(b, "  ");
			buf_addf(b, "%s", xxd ? (i % 2 ? " " : "") : i == 7 ? "  " : " ");
		}
		buf_addf(b, xxd ? " " : " |");
		for (size_t i = 0; i < n; i++)
			buf_addf(b, "%c", p[at + i] > 32 && p[at + i] < 127 ? p[at + i] : '.');
		buf_addf(b, xxd ? "\n" : "|\n");
	}
}

static void put_list(struct buf *b, const uint8_t *p, size_t len, unsigned int how)
{
	for (size_t i = 0; i < len; i++)
		buf_addf(b, how == 0 ? "0x%02x, " : how == 1 ? "%u, " : "%%25%02X", p[i]);
	buf_addf(b, how == 2 ? "" : "]");
}

static void put_wide(struct buf *b, const uint8_t *p, size_t len, bool big)
{
	for (size_t i = 0; i < len; i++) {
		buf_add(b, "", big);
		buf_add(b, p + i, 1);
		buf_add(b, "", !big);
	}
}

/* One spelling of VALUE. */
static void spell(struct buf *b, unsigned int form, const uint8_t *value, size_t len)
{
	scoped(buf_finish) struct buf shifted = { 0 };

	if (form == 13 || form == 14)
		put_dump(b, value, len, form == 14);
	else if (form >= 15 && form <= 17)
		put_list(b, value, len, form - 15);
	else if (form == 18 || form == 19)
		put_wide(b, value, len, form == 19);
	if (form == 20 && len <= ENCODING_TWICE_MAX) {
		buf_add(&shifted, "??", roll(3));
		buf_add(&shifted, value, len);
		put_base64(b, (const uint8_t *)shifted.data, shifted.len, roll(2), false);
		shifted.len = 0;
		buf_add(&shifted, "??", roll(3));
		buf_add(&shifted, b->data, b->len);
		b->len = 0;
		put_base64(b, (const uint8_t *)shifted.data, shifted.len, roll(2), roll(2));
	}
	if (form > 12)
		return;
	if (form < 6) {
		buf_add(&shifted, "??", form % 3);
		buf_add(&shifted, value, len);
		put_base64(b, (const uint8_t *)shifted.data, shifted.len, form > 2, roll(2));
		return;
	}
	for (size_t i = 0; i < len; i++) {
		bool plain = (value[i] | 0x20) >= 'a' && (value[i] | 0x20) <= 'z';

		if (form == 6)
			buf_add(b, value + i, 1);
		else if (form == 7 || form == 8)
			buf_addf(b, form == 7 ? "%02x" : "%02X", value[i]);
		else if (form == 9 || form == 10)
			buf_addf(b, form == 9 ? "%%%02x" : "%%%02X", value[i]);
		else if (plain)
			buf_add(b, value + i, 1);
		else
			buf_addf(b, form == 11 ? "%%%02X" : "\\x%02x", value[i]);
	}
}
#define FORMS 21

/* So that a leak is seen also where the mark of another stands in the middle of it: no quarter of any
 * spelling. */
static void must_not_have(const char *text, size_t len, const struct buf *spelling)
{
	size_t part = spelling->len / 4 > 8 ? spelling->len / 4 : 8;

	for (size_t at = 4; spelling->data && at + part <= spelling->len - 4; at += part)
		assert_null(memmem(text, len, spelling->data + at, part));
}

static void test_random(void **state)
{
	(void)state;
	for (int round = 0; round < 150; round++) {
		uint8_t value[4097] = { 0 };
		size_t len = round % 3 ? 8 + roll(60) : 8 + roll(4089);
		struct run_secret one = { .name = "R", .value = (char *)value, .len = len };
		scoped(drop_redactor) struct redactor *r = NULL;

		for (size_t i = 0; i < len; i++)
			value[i] = (uint8_t)(round % 2 ? roll(256) : 33 + roll(94));
		r = redactor_create(&one, 1);
		assert_non_null(r);
		for (unsigned int form = 0; form < FORMS; form++) {
			scoped(buf_finish) struct buf text = { 0 }, spelling = { 0 };
			scoped(drop_mem) char *got = NULL;
			size_t n;

			spell(&spelling, form, value, len);
			if (!spelling.len ||
			    (round % 2 && (form == 18 || form == 19))) /* wide ones are of letters */
				continue;
			buf_addf(&text, form == 13 || form == 14 ? "before\n" : "before ");
			buf_add(&text, spelling.data, spelling.len);
			buf_addf(&text, " after");
			got = scrub(r, text.data, text.len, 1 + roll(round % 5 ? 40 : 5000), &n);
			assert_memory_equal(got, "before", 6);
			assert_memory_equal(got + n - 6, " after", 6);
			assert_non_null(memmem(got, n, "[secret R]", 10));
			if (form == 13 ||
			    form == 14) { /* offsets and blanks may stay, and columns of what is no text */
				spelling.len = 0;
				for (size_t i = 0; i < len && i < 8; i++)
					buf_addf(&spelling,
						 form == 14 && i % 2 ? "%02x "
						 : form == 14        ? "%02x"
						 : i == 7            ? "%02x  "
								     : "%02x ",
						 value[i]);
				assert_null(memmem(got, n, spelling.data, spelling.len));
				for (size_t i = 0; round % 2 == 0 && i + 8 <= len; i++)
					assert_null(memmem(got, n, value + i, 8));
				continue;
			}
			must_not_have(got, n, &spelling);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spellings),
		cmocka_unit_test(test_most_of_one_counts),
		cmocka_unit_test(test_behind_a_backslash),
		cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_nothing_else_waits),
		cmocka_unit_test(test_switch),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
