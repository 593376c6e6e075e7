/* SPDX-License-Identifier: Apache-2.0 */
/* Frames between a client and ssh-agent: what passes, what is asked about, and in which words. */
#include "support/test.h"

#include "base/buf.h"
#include "net/ssh_agent.h"

static void add_number(struct buf *b, uint32_t n)
{
	const uint8_t bytes[] = { (uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n };

	buf_add(b, bytes, sizeof(bytes));
}

static void add_piece(struct buf *b, const void *data, size_t len)
{
	add_number(b, (uint32_t)len);
	buf_add(b, data, len);
}

static void add_text(struct buf *b, const char *text)
{
	add_piece(b, text, strlen(text));
}

/* A request to sign DATA. */
static struct buf sign_request(const struct buf *data)
{
	struct buf b = { 0 };

	buf_add(&b, "\x0d", 1);
	add_text(&b, "key");
	add_piece(&b, data->data, data->len);
	add_number(&b, 0);
	return b;
}

/* Judges the whole of it, and each of its beginnings, which are no requests. */
static void assert_about(struct buf *data, const char *about)
{
	struct buf b = sign_request(data);
	struct ssh_agent_sign sign;

	for (size_t n = 0; n < b.len; n++) {
		uint8_t *exact = malloc(n ? n : 1);

		memcpy(exact, b.data, n);
		assert_int_equal(ssh_agent_judge(exact, n, &sign), SSH_AGENT_REFUSE);
		free(exact);
	}
	assert_int_equal(ssh_agent_judge((uint8_t *)b.data, b.len, &sign), SSH_AGENT_ASK);
	assert_int_equal(sign.key_len, 3);
	assert_memory_equal(sign.key, "key", 3);
	assert_string_equal(sign.about, about);
	buf_add(&b, "", 1);
	assert_int_equal(ssh_agent_judge((uint8_t *)b.data, b.len, &sign), SSH_AGENT_REFUSE);
	buf_finish(&b);
	buf_finish(data);
}

static struct buf login(const char *user, const char *method)
{
	struct buf b = { 0 };

	add_text(&b, "a session");
	buf_add(&b, "\x32", 1);
	add_text(&b, user);
	add_text(&b, "ssh-connection");
	add_text(&b, method);
	buf_add(&b, "\x01", 1);
	add_text(&b, "ssh-ed25519");
	add_text(&b, "key");
	return b;
}

static struct buf file(const char *namespace)
{
	struct buf b = { 0 };

	buf_add(&b, "SSHSIG", 6);
	add_text(&b, namespace);
	add_text(&b, "");
	add_text(&b, "sha512");
	add_text(&b, "a hash");
	return b;
}

static void heads(void **state)
{
	static const uint8_t none[] = { 0, 0, 0, 0 }, most[] = { 0, 4, 0, 0 }, more[] = { 0, 4, 0, 1 },
			     all[] = { 255, 255, 255, 255 }, one[] = { 0, 0, 0, 1 };

	(void)state;
	assert_int_equal(ssh_agent_body(none), 0);
	assert_int_equal(ssh_agent_body(one), 1);
	assert_int_equal(ssh_agent_body(most), SSH_AGENT_BODY_MAX);
	assert_int_equal(ssh_agent_body(more), 0);
	assert_int_equal(ssh_agent_body(all), 0);
}

static void only_two_kinds(void **state)
{
	struct ssh_agent_sign sign;

	(void)state;
	for (int kind = 0; kind < 256; kind++) {
		const uint8_t body[] = { (uint8_t)kind, 0, 0, 0, 0 };

		assert_int_equal(ssh_agent_judge(body, 1, &sign),
				 kind == SSH_AGENT_LIST ? SSH_AGENT_PASS : SSH_AGENT_REFUSE);
		assert_int_equal(ssh_agent_judge(body, sizeof(body), &sign), SSH_AGENT_REFUSE);
	}
	assert_int_equal(ssh_agent_judge((const uint8_t *)"", 0, &sign), SSH_AGENT_REFUSE);
}

static void what_is_signed(void **state)
{
	struct buf data = login("git", "publickey");

	(void)state;
	assert_about(&data, "a login as 'git'");
	data = login("git", "publickey-hostbound-v00@openssh.com"); /* without the host's key */
	assert_about(&data, "101 bytes that aisbx cannot read");
	data = login("git", "publickey-hostbound-v00@openssh.com");
	add_text(&data, "host key");
	assert_about(&data, "a login as 'git'");
	data = login("git", "publickey");
	buf_add(&data, "x", 1); /* one byte more is something else */
	assert_about(&data, "76 bytes that aisbx cannot read");
	data = login("a\x1b[2J'\xff\n", "publickey");
	assert_about(&data, "a login as 'a?[2J?"
			    "?"
			    "?'");
	data = login("0123456789012345678901234567890123456789012345678901234567890123456789", "publickey");
	assert_about(&data, "a login as '0123456789012345678901234567890123456789012345678901234567890...'");
	data = file("git");
	assert_about(&data, "a commit or tag of git");
	data = file("file");
	assert_about(&data, "a file, for 'file'");
	data = file("git");
	buf_add(&data, "x", 1);
	assert_about(&data, "38 bytes that aisbx cannot read");
	data = (struct buf){ 0 };
	buf_add(&data, "SSHSIG", 6);
	assert_about(&data, "6 bytes that aisbx cannot read");
}

static void names(void **state)
{
	char name[SSH_AGENT_TEXT];
	struct buf b = { 0 };

	(void)state;
	buf_add(&b, "\x0c", 1);
	add_number(&b, 3);
	add_text(&b, "one");
	add_text(&b, "my key");
	add_text(&b, "two");
	add_text(&b, "");
	add_text(&b, "key");
	add_text(&b, "work\x07");
	assert_true(ssh_agent_name((uint8_t *)b.data, b.len, (const uint8_t *)"one", 3, name));
	assert_string_equal(name, "my key");
	assert_true(ssh_agent_name((uint8_t *)b.data, b.len, (const uint8_t *)"two", 3, name));
	assert_string_equal(name, "(without a name)");
	assert_true(ssh_agent_name((uint8_t *)b.data, b.len, (const uint8_t *)"key", 3, name));
	assert_string_equal(name, "work?");
	assert_false(ssh_agent_name((uint8_t *)b.data, b.len, (const uint8_t *)"on", 2, name));
	assert_false(ssh_agent_name((uint8_t *)b.data, b.len, (const uint8_t *)"", 0, name));
	for (size_t n = 0; n < b.len; n++)
		assert_false(ssh_agent_name((uint8_t *)b.data, n, (const uint8_t *)"key", 3, name));
	b.data[0] = SSH_AGENT_FAILURE;
	assert_false(ssh_agent_name((uint8_t *)b.data, b.len, (const uint8_t *)"one", 3, name));
	buf_finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads),
		cmocka_unit_test(only_two_kinds),
		cmocka_unit_test(what_is_signed),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
