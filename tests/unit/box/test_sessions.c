/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of a session stay while it lives, get an end once when it has ended, and others are left alone. */
#include "support/test.h"

#include <unistd.h>

#include "base/scope.h"
#include "box/box.h"
#include "box/sessions.h"

#define ENDS  "mcp-0123456789abcdef"
#define LIVES "rpc-fedcba9876543210"

static void names(void **state)
{
	(void)state;
	assert_true(box_is_session(ENDS) && box_is_session(LIVES));
	assert_false(box_is_session("claude-code"));
	assert_false(box_is_session("token-default"));
	assert_false(box_is_session("mcp-0123456789abcde"));
	assert_false(box_is_session("mcp-0123456789abcdeg"));
	assert_false(box_is_session("mcp-0123456789abcdef0"));
	assert_false(box_is_session("."));
}

/* A session of a token says which, and so does the token. */
static void tokens(void **state)
{
	static const char *const odd[] = {
		"a/b",  ":a",      "it's \"quoted\"",
		"\xff", "one two", "a-name-of-fifty-bytes-aaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	};
	char a[BOX_SESSION_MAX], b[BOX_SESSION_MAX], owner[128];

	(void)state;
	box_session_name("ci", a);
	box_session_name("ci", b);
	assert_string_not_equal(a, b);
	assert_string_equal(a + 20, ":ci");
	assert_true(box_is_session(a) && box_session_is_same(a, b) && box_session_is_same("token-ci", b));
	box_session_name("c", b);
	assert_false(box_session_is_same(a, b) || box_session_is_same("token-c", a));
	assert_false(box_session_is_same(ENDS, ENDS)); /* of no token */
	assert_false(box_session_is_same("agent", "agent") || box_session_is_same(ENDS, a));
	assert_false(box_is_session("mcp-0123456789abcdef:") || box_is_session("mcp-0123456789abcdef:a/b"));
	assert_false(box_is_session("mcp-0123456789abcde:ci"));
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		box_session_name(odd[i], a);
		assert_true(box_is_session(a) && strlen(a) == 38 && !strchr(a, '/'));
		snprintf(owner, sizeof(owner), "token-%s", odd[i]);
		assert_true(box_session_is_same(owner, a));
		for (size_t j = 0; j < i; j++) {
			box_session_name(odd[j], b);
			assert_false(box_session_is_same(a, b));
		}
		/* A token that is called as the digest of another is not that one. */
		box_session_name(a + 21, b);
		assert_false(box_session_is_same(a, b));
	}
}

static void add_box(struct box_state *s, const char *id, const char *owner, int64_t expires_ms)
{
	struct store_box b = { .name = "work", .top = "l-1", .profile = "dev", .expires_ms = expires_ms };
	struct aisbx_error e = AISBX_ERROR_INIT;

	snprintf(b.id, sizeof(b.id), "%s", id);
	snprintf(b.owner, sizeof(b.owner), "%s", owner);
	if (store_box_add(s->store, &b, &e) < 0)
		fail_msg("%s", e.text);
}

static int64_t end_of(struct box_state *s, const char *id)
{
	scoped(store_box_finish) struct store_box b = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	assert_int_equal(store_box_find(s->store, id, &b, &e), 0);
	return b.expires_ms;
}

static size_t settle(void)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	size_t n = 0;

	if (box_sessions_settle(&n, &e) < 0)
		fail_msg("%s", e.text);
	return n;
}

static void what_they_leave(void **state)
{
	const struct store_layer layer = { .id = "l-1" };
	struct aisbx_error e = AISBX_ERROR_INIT;
	char dir[] = "/tmp/test-sessions-XXXXXX", command[64];
	struct box_state s = { 0 };
	int ends = -1, lives = -1, twice = -1;

	(void)state;
	assert_non_null(mkdtemp(dir));
	setenv("XDG_STATE_HOME", dir, 1);
	assert_int_equal(settle(), 0); /* there is not even a directory */
	assert_int_equal(box_state_open(&s, &e), 0);
	assert_int_equal(store_layer_add(s.store, &layer, &e), 0);
	assert_int_equal(box_session_begin(ENDS, &ends, &e), 0);
	assert_int_equal(box_session_begin(ENDS, &twice, &e), 0);
	assert_int_equal(box_session_begin(LIVES, &lives, &e), 0);
	add_box(&s, "b-1", ENDS, 0);
	add_box(&s, "b-2", LIVES, 0);
	add_box(&s, "b-3", "claude-code", 0);
	add_box(&s, "b-4", "", 0);
	assert_int_equal(settle(), 0);
	close_fd(&ends);
	assert_int_equal(settle(), 0); /* the other still has it */
	close_fd(&twice);
	assert_int_equal(settle(), 1);
	assert_true(end_of(&s, "b-1") > box_now_ms() + 6 * 86400000LL &&
		    end_of(&s, "b-1") <= box_now_ms() + 7 * 86400000LL);
	assert_int_equal(end_of(&s, "b-2") | end_of(&s, "b-3") | end_of(&s, "b-4"), 0);
	assert_int_equal(store_box_set_expiry(s.store, "b-1", 0, &e), 0);
	assert_int_equal(settle(), 0); /* once: what was said since counts */
	assert_int_equal(end_of(&s, "b-1"), 0);
	assert_int_equal(store_box_set_expiry(s.store, "b-2", 5, &e), 0);
	close_fd(&lives);
	assert_int_equal(settle(), 0);
	assert_int_equal(end_of(&s, "b-2"), 5); /* it had an end */
	box_state_close(&s);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(names), cmocka_unit_test(tokens),
					    cmocka_unit_test(what_they_leave) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
