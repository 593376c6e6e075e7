/* SPDX-License-Identifier: Apache-2.0 */
/* Kept connections: every head is shown before a byte of it passes, however the bytes come, and everything
 * else passes as it is. */
#include "support/test.h"

#include "net/http_follow.h"

#define MAX_HEADS 8

/* What a connection came to. */
struct seen {
	enum http_step last;
	enum http_problem problem;
	size_t passed;
	unsigned int heads;
	char hosts[128]; /* "a b " */
};

/*
 * Feeds TEXT as a relay does: STEP bytes come at a time, what may not pass is kept. SWITCHED: what the server
 * answers as soon as it is waited for, 0 for nothing.
 */
static struct seen feed(const char *text, size_t len, size_t step, int switched)
{
	struct http_follow f = { 0 };
	struct seen s = { .last = HTTP_STEP_MORE };
	size_t come = 0;

	for (;;) {
		size_t pass = 0, n = come - s.passed;
		char *kept = malloc(n ? n : 1); /* of the very size */
		struct http_head head;

		assert_non_null(kept);
		memcpy(kept, text + s.passed, n);
		s.last = http_follow_feed(&f, kept, n, &pass, &head);
		assert_true(pass <= n);
		s.passed += pass;
		if (s.last == HTTP_STEP_CHECK) {
			assert_true(head.len <= n - pass);
			s.heads++;
			strcat(strcat(s.hosts, head.host), " ");
			http_follow_accept(&f);
		}
		free(kept);
		if (s.last == HTTP_STEP_CHECK)
			continue;
		if (s.last == HTTP_STEP_WAIT && switched) {
			http_follow_answered(&f, switched > 0);
			continue;
		}
		if (s.last == HTTP_STEP_BAD || s.last == HTTP_STEP_WAIT || come == len)
			break;
		come = len - come < step ? len : come + step;
	}
	s.problem = f.problem;
	return s;
}

#define HEAD(host)  "GET / HTTP/1.1\r\nHost: " host "\r\n\r\n"
#define SIZED(n)    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " #n "\r\n\r\n"
#define CHUNKED     "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
#define UPGRADE(to) "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: " to "\r\n\r\n"

static void everything_passes(void **state)
{
	static const struct {
		const char *text, *hosts;
	} rows[] = {
		{ HEAD("a"), "a " },
		{ HEAD("a") HEAD("b") HEAD("c"), "a b c " },
		{ SIZED(0) HEAD("b"), "a b " },
		{ SIZED(5) "hello" HEAD("b"), "a b " },
		/* What looks like a request in a body is none. */
		{ SIZED(30) HEAD("evil") HEAD("b"), "a b " },
		{ CHUNKED "0\r\n\r\n" HEAD("b"), "a b " },
		{ CHUNKED "5\r\nhello\r\n1e\r\n" HEAD("evil") "\r\n0\r\n\r\n" HEAD("b"), "a b " },
		{ CHUNKED "00005;a=b;c=\"d e\"\r\nhello\r\n000;x\r\nX-Sum: 1\r\nY: 2\r\n\r\n" HEAD("b"),
		  "a b " },
		{ CHUNKED "A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n" HEAD("b"), "a b " },
		{ UPGRADE("h2c") HEAD("b"), "a b " },
		{ HEAD("a") UPGRADE("websocket") HEAD("b"), "a a b " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (size_t step = 1; step < strlen(rows[i].text) + 2; step++) {
			struct seen s = feed(rows[i].text, strlen(rows[i].text), step, 0);

			if (s.last != HTTP_STEP_MORE)
				fail_msg("row %zu: %s", i, http_problem_text(s.problem));
			assert_int_equal(s.passed, strlen(rows[i].text));
			assert_string_equal(s.hosts, rows[i].hosts);
		}
}

#define P(name) HTTP_PROBLEM_##name

static void what_is_bad_does_not_pass(void **state)
{
	static const struct {
		const char *good, *bad;
		enum http_problem problem;
	} rows[] = {
		{ "", "\r\n" HEAD("a"), P(LINE_END) },
		{ HEAD("a"), "\r\n" HEAD("b"), P(LINE_END) },
		{ SIZED(3) "abc", "\r\n" HEAD("b"), P(LINE_END) },
		{ HEAD("a"), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", P(HTTP2) },
		{ UPGRADE("h2c"), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", P(HTTP2) },
		{ UPGRADE("TLS/1.2"), "\x16\x03\x01", P(NOT_HTTP) },
		{ HEAD("a") UPGRADE("websocket"), "\x81\x05hello", P(NOT_HTTP) },
		{ HEAD("a"), "CONNECT b:443 HTTP/1.1\r\nHost: b:443\r\n\r\n", P(CONNECT) },
		{ HEAD("a"), "GET / HTTP/1.1\r\n\r\n", P(NO_HOST) },
		{ CHUNKED, "\r\n", P(CHUNK) },
		{ CHUNKED, "x\r\n", P(CHUNK) },
		{ CHUNKED, "-1\r\n", P(CHUNK) },
		{ CHUNKED, "+1\r\n", P(CHUNK) },
		{ CHUNKED, "0x1\r\na\r\n", P(CHUNK) },
		{ CHUNKED, " 1\r\na\r\n", P(CHUNK) },
		{ CHUNKED, "1 \r\na\r\n", P(CHUNK) },
		{ CHUNKED, "1 ;x\r\na\r\n", P(CHUNK) },
		{ CHUNKED, "1\na\r\n", P(CHUNK) },
		{ CHUNKED, "1\ra\r\n", P(CHUNK) },
		{ CHUNKED, "1;\n\r\na\r\n", P(CHUNK) },
		{ CHUNKED, "1;\x01\r\na\r\n", P(CHUNK) },
		{ CHUNKED, "1;\x85\r\na\r\n", P(CHUNK) },
		{ CHUNKED, "1_0\r\na\r\n", P(CHUNK) },
		{ CHUNKED, "10000000000000000\r\n", P(CHUNK) },
		{ CHUNKED, "ffffffffffffffff\r\n", P(CHUNK) },
		{ CHUNKED "1\r\na", "b\r\n", P(CHUNK) },
		{ CHUNKED "1\r\na", "\n0\r\n", P(CHUNK) },
		{ CHUNKED "1\r\na", "\rx", P(CHUNK) },
		{ CHUNKED "1\r\na\r\n", "g\r\n", P(CHUNK) },
		{ CHUNKED "0\r\n", " X: y\r\n\r\n", P(TRAILER) },
		{ CHUNKED "0\r\n", "X : y\r\n\r\n", P(TRAILER) },
		{ CHUNKED "0\r\n", "Host: b\r\n\r\n", P(TRAILER) },
		{ CHUNKED "0\r\nX: y\r\n", "content-length: 5\r\n\r\n", P(TRAILER) },
		{ CHUNKED "0\r\n", "Transfer-Encoding: chunked\r\n\r\n", P(TRAILER) },
		{ CHUNKED "0\r\n", "GET / HTTP/1.1\r\nHost: b\r\n\r\n", P(TRAILER) },
		{ CHUNKED "0\r\n", "X: y\n\r\n", P(TRAILER) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[512];
		size_t good = strlen(rows[i].good);

		strcat(strcpy(text, rows[i].good), rows[i].bad);
		for (size_t step = 1; step < strlen(text) + 2; step++) {
			struct seen s = feed(text, strlen(text), step, 0);

			if (s.last != HTTP_STEP_BAD || s.problem != rows[i].problem)
				fail_msg("row %zu: %s", i, http_problem_text(s.problem));
			assert_int_equal(s.passed, good);
		}
	}
}

static void upgrades(void **state)
{
	static const char text[] = UPGRADE("websocket") "\x81\x05hello\0\r\n" HEAD("evil");
	static const char body[] =
		"POST / HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\nContent-Length: 3\r\n\r\nabc\xff";
	static const char again[] = UPGRADE("websocket") HEAD("b");
	size_t head = sizeof(UPGRADE("websocket")) - 1;

	(void)state;
	for (size_t step = 1; step < sizeof(text); step++) {
		struct seen s = feed(text, sizeof(text) - 1, step, 0);

		assert_int_equal(s.last, HTTP_STEP_WAIT); /* nothing passes until the server answered */
		assert_int_equal(s.passed, head);
		s = feed(text, sizeof(text) - 1, step, 1);
		assert_int_equal(s.last, HTTP_STEP_ALL);
		assert_int_equal(s.passed, sizeof(text) - 1);
		assert_int_equal(s.heads, 1);
		s = feed(text, sizeof(text) - 1, step, -1);
		assert_int_equal(s.last, HTTP_STEP_BAD);
		assert_int_equal(s.passed, head);
		s = feed(again, sizeof(again) - 1, step, -1);
		assert_int_equal(s.last, HTTP_STEP_MORE);
		assert_int_equal(s.passed, sizeof(again) - 1);
		assert_string_equal(s.hosts, "a b ");
		s = feed(body, sizeof(body) - 1, step, 1);
		assert_int_equal(s.last, HTTP_STEP_ALL);
		assert_int_equal(s.passed, sizeof(body) - 1);
	}
}

/* An answer that comes before the body ended counts when it has. */
static void an_early_answer(void **state)
{
	static const char text[] = "POST / HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\nContent-Length: 3\r\n\r\n";
	struct http_follow f = { 0 };
	struct http_head h;
	size_t pass;

	(void)state;
	assert_int_equal(http_follow_feed(&f, text, sizeof(text) - 1, &pass, &h), HTTP_STEP_CHECK);
	assert_int_equal(http_follow_feed(&f, text, sizeof(text) - 1, &pass, &h),
			 HTTP_STEP_CHECK); /* again */
	assert_int_equal(pass, 0);
	http_follow_accept(&f);
	http_follow_accept(&f); /* counts once */
	assert_int_equal(f.requests, 1);
	assert_int_equal(http_follow_feed(&f, text, sizeof(text) - 1, &pass, &h), HTTP_STEP_MORE);
	assert_int_equal(pass, sizeof(text) - 1);
	http_follow_answered(&f, true);
	assert_int_equal(http_follow_feed(&f, "ab", 2, &pass, &h), HTTP_STEP_MORE);
	assert_int_equal(pass, 2);
	assert_int_equal(http_follow_feed(&f, "c\xff", 2, &pass, &h), HTTP_STEP_ALL);
	assert_int_equal(pass, 2);
}

static void long_lines(void **state)
{
	static const size_t sizes[] = { HTTP_LINE_MAX, HTTP_LINE_MAX + 1, 3 * HTTP_LINE_MAX };
	char *text = malloc(10 * HTTP_LINE_MAX);
	struct seen s;
	size_t len;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		len = (size_t)sprintf(text, "%s1;", CHUNKED);
		memset(text + len, 'x', sizes[i] - 4);
		len += sizes[i] - 4;
		memcpy(text + len, "\r\n", 2);
		s = feed(text, len + 2, 1000, 0);
		assert_int_equal(s.last, sizes[i] <= HTTP_LINE_MAX ? HTTP_STEP_MORE : HTTP_STEP_BAD);
	}
	len = (size_t)sprintf(text, "%s0\r\n", CHUNKED);
	for (size_t i = 0; i <= HTTP_TRAILER_MAX / 8; i++, len += 8)
		memcpy(text + len, "X: abc\r\n", 8);
	s = feed(text, len, 1000, 0);
	assert_int_equal(s.last, HTTP_STEP_BAD);
	assert_int_equal(s.problem, P(TRAILER));
	s = feed(text, len - 8, 1000, 0);
	assert_int_equal(s.last, HTTP_STEP_MORE);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_passes), cmocka_unit_test(what_is_bad_does_not_pass),
		cmocka_unit_test(upgrades),          cmocka_unit_test(an_early_answer),
		cmocka_unit_test(long_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
