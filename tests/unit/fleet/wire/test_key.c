/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: their files, what they sign, what they seal; whatever is changed is found, and another's key is
 * refused. */
#include "support/test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fleet/wire/key.h"

static char dir[] = "/tmp/aisbx-test-key-XXXXXX";
static struct key hub, other;

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static int set_up(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	return !mkdtemp(dir) || key_make(path_of("hub"), &hub, &e) < 0 ||
	       key_make(path_of("other"), &other, &e) < 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = { "hub", "other", "mode", "bad", "fifo" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(path_of(names[i]));
	return rmdir(dir);
}

static void a_file_holds_its_key(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct key key;
	struct stat st;

	(void)state;
	assert_int_equal(key_load(path_of("hub"), &key, &e), 0);
	assert_memory_equal(&key, &hub, sizeof(key));
	assert_memory_not_equal(&key, &other, sizeof(key));
	assert_int_equal(stat(path_of("hub"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_failed(key_make(path_of("hub"), &key, &e), EEXIST, e, "hub");
	key_finish(&key);
	for (size_t i = 0; i < sizeof(key); i++)
		assert_int_equal(((const uint8_t *)&key)[i], 0);
	assert_int_equal(key_load(path_of("hub"), &key, &e), 0);
	assert_memory_equal(&key, &hub, sizeof(key));
	assert_failed(key_load(path_of("none"), &key, &e), ENOENT, e, "none");
}

static void a_file_that_others_can_use_is_refused(void **state)
{
	static const mode_t modes[] = { 0640, 0604, 0620, 0602, 0610, 0601, 0644 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct key key;

	(void)state;
	assert_int_equal(key_make(path_of("mode"), &key, &e), 0);
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		assert_int_equal(chmod(path_of("mode"), modes[i]), 0);
		assert_failed(key_load(path_of("mode"), &key, &e), EPERM, e, "chmod 600");
	}
	assert_int_equal(chmod(path_of("mode"), 0400), 0);
	assert_int_equal(key_load(path_of("mode"), &key, &e), 0);
	if (geteuid() == 0) { /* nobody else can give files away */
		assert_int_equal(chown(path_of("mode"), 65534, 65534), 0);
		assert_failed(key_load(path_of("mode"), &key, &e), EPERM, e, "user 65534");
	}
}

static void put_file(const char *data, size_t len)
{
	int fd = open(path_of("bad"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), (ssize_t)len);
	close(fd);
}

/* Every byte of the file counts: with one changed it is another key, or none. */
static void a_file_with_anything_else_is_refused(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct key key;
	char good[256], bad[256];
	int fd = open(path_of("hub"), O_RDONLY | O_CLOEXEC);
	ssize_t len = read(fd, good, sizeof(good));

	(void)state;
	close(fd);
	assert_in_range(len, 50, 100);
	for (size_t i = 0; i < (size_t)len; i++) {
		memcpy(bad, good, (size_t)len);
		bad[i] = bad[i] == 'A' ? 'B' : 'A';
		put_file(bad, (size_t)len);
		if (key_load(path_of("bad"), &key, &e) == 0)
			assert_memory_not_equal(&key.public, &hub.public, sizeof(key.public));
		put_file(good, i);
		assert_failed(key_load(path_of("bad"), &key, &e), EBADMSG, e, "no key");
	}
	memcpy(bad, good, (size_t)len);
	bad[len] = '\n';
	put_file(bad, (size_t)len + 1);
	assert_failed(key_load(path_of("bad"), &key, &e), EBADMSG, e, "no key");
	assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
	assert_failed(key_load(path_of("fifo"), &key, &e), EINVAL, e, "not a file");
}

static void public_keys_are_text(void **state)
{
	static const char *const bad[] = {
		"",
		"x",
		"AAAA",
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", /* a point of small order */
		"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", /* another */
		"AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", /* no point */
	};
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct key_public back;
	char text[KEY_TEXT + 1];

	(void)state;
	key_public_write(&hub.public, text);
	assert_int_equal(strlen(text), KEY_TEXT - 1);
	assert_int_equal(key_public_read(text, &back, &e), 0);
	assert_memory_equal(&back, &hub.public, sizeof(back));
	text[KEY_TEXT - 1] = '\n';
	text[KEY_TEXT] = 0;
	assert_failed(key_public_read(text, &back, &e), EINVAL, e, "public key");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_failed(key_public_read(bad[i], &back, &e), EINVAL, e, "public key");
}

static const struct key_claim claim = { "job-1", "acme", "n1", 5, 6, 1 };

static void a_claim_is_the_hubs(void **state)
{
	char seal[FLEET_SEAL];

	(void)state;
	assert_int_equal(key_sign_claim(&hub, &claim, seal), 0);
	assert_true(key_verify_claim(&hub.public, &claim, seal));
	assert_false(key_verify_claim(&other.public, &claim, seal));
	assert_false(key_verify_claim(&hub.public, &claim, ""));
	assert_int_equal(key_sign_claim(&other, &claim, seal), 0);
	assert_false(key_verify_claim(&hub.public, &claim, seal));
}

static void whatever_is_changed_in_a_claim_is_found(void **state)
{
	const struct key_claim changed[] = {
		{ "job-2", "acme", "n1", 5, 6, 1 },     { "job-1", "acm", "n1", 5, 6, 1 },
		{ "job-1", "acme", "n2", 5, 6, 1 },     { "job-1", "acme", "n1", 6, 6, 1 },
		{ "job-1", "acme", "n1", 5, 7, 1 },     { "job-1", "acme", "n1", 5, 6, 2 },
		{ "job-1", "acme", "n1", 56, 1, 1 },    { "acme", "job-1", "n1", 5, 6, 1 },
		{ "job-1\nacme", "n1", "n1", 5, 6, 1 }, { "", "acme", "n1", 5, 6, 1 },
	};
	char seal[FLEET_SEAL + 1], bad[FLEET_SEAL + 1];

	(void)state;
	assert_int_equal(key_sign_claim(&hub, &claim, seal), 0);
	for (size_t i = 0; i < sizeof(changed) / sizeof(*changed); i++)
		assert_false(key_verify_claim(&hub.public, &changed[i], seal));
	for (size_t i = 0; i < strlen(seal); i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			strcpy(bad, seal);
			bad[i] = (char)(bad[i] ^ (1 << bit));
			assert_false(key_verify_claim(&hub.public, &claim, bad));
		}
		snprintf(bad, i + 1, "%s", seal);
		assert_false(key_verify_claim(&hub.public, &claim, bad));
	}
	memcpy(bad, seal, 88);
	strcpy(bad + 88, "A");
	assert_false(key_verify_claim(&hub.public, &claim, bad));
	assert_int_equal(key_sign_claim(&hub, &changed[8], seal), -EINVAL);
	assert_int_equal(key_sign_claim(&hub, &changed[9], seal), -EINVAL);
}

static void a_result_is_the_nodes(void **state)
{
	static const char result[] = "{\"exit\":0}";
	struct fleet_record record = { .phase = FLEET_ENDED, .token = { 3, 4 }, .attempt = 2 }, changed;

	(void)state;
	record.result = fleet_text_new(result, strlen(result));
	assert_int_equal(key_sign_result(&hub, "j", "t", &record, record.signature), 0);
	assert_true(key_verify_result(&hub.public, "j", "t", &record));
	assert_false(key_verify_result(&other.public, "j", "t", &record));
	assert_false(key_verify_result(&hub.public, "k", "t", &record));
	assert_false(key_verify_result(&hub.public, "j", "u", &record));
	assert_int_equal(key_sign_result(&hub, "j.", "t", &record, changed.signature), -EINVAL);
#define CHANGED(field, value)                                                     \
	do {                                                                      \
		changed = record;                                                 \
		changed.field = (value);                                          \
		assert_false(key_verify_result(&hub.public, "j", "t", &changed)); \
	} while (0)
	CHANGED(phase, FLEET_DEAD);
	CHANGED(token.epoch, 4);
	CHANGED(token.revision, 5);
	CHANGED(attempt, 1);
	CHANGED(result, NULL);
	CHANGED(signature[0], record.signature[0] == 'A' ? 'B' : 'A');
	for (size_t i = 0; i < strlen(result); i++) {
		char bad[sizeof(result)];

		memcpy(bad, result, sizeof(result));
		bad[i] ^= 1;
		changed = record;
		changed.result = fleet_text_new(bad, strlen(bad));
		assert_false(key_verify_result(&hub.public, "j", "t", &changed));
		fleet_text_drop(changed.result);
	}
	fleet_record_finish(&record);
	/* none, and an empty one */
	record.phase = FLEET_ENDED;
	assert_int_equal(key_sign_result(&hub, "j", "t", &record, record.signature), 0);
	assert_true(key_verify_result(&hub.public, "j", "t", &record));
	record.result = fleet_text_new("", 0);
	assert_false(key_verify_result(&hub.public, "j", "t", &record));
	fleet_record_finish(&record);
}

/* One key may sign both: neither is taken for the other. */
static void a_claim_is_no_result(void **state)
{
	struct fleet_record record = { .phase = FLEET_ENDED, .token = { 5, 6 }, .attempt = 1 };

	(void)state;
	assert_int_equal(key_sign_claim(&hub, &claim, record.signature), 0);
	assert_false(key_verify_result(&hub.public, "job-1", "acme", &record));
}

static void what_is_sealed_one_node_can_read(void **state)
{
	static const char secret[] = "s3cr\0t";
	struct buf sealed = { 0 }, again = { 0 }, plain = { 0 };

	(void)state;
	assert_int_equal(key_seal(&hub.public, secret, sizeof(secret), &sealed), 0);
	assert_int_equal(key_seal(&hub.public, secret, sizeof(secret), &again), 0);
	assert_string_not_equal(buf_str(&sealed), buf_str(&again)); /* nobody sees that both are the same */
	assert_int_equal(key_unseal(&hub, sealed.data, sealed.len, &plain), 0);
	assert_int_equal(plain.len, sizeof(secret));
	assert_memory_equal(plain.data, secret, sizeof(secret));
	plain.len = 0;
	assert_int_equal(key_unseal(&other, sealed.data, sealed.len, &plain), -EBADMSG);
	for (size_t i = 0; i < sealed.len; i++) {
		char was = sealed.data[i];

		sealed.data[i] = was == 'A' ? 'B' : 'A';
		assert_int_equal(key_unseal(&hub, sealed.data, sealed.len, &plain), -EBADMSG);
		sealed.data[i] = was;
		assert_int_equal(key_unseal(&hub, sealed.data, i, &plain), -EBADMSG);
	}
	assert_int_equal(plain.len, 0);
	/* nothing can be sealed, too */
	sealed.len = 0;
	assert_int_equal(key_seal(&hub.public, "", 0, &sealed), 0);
	assert_int_equal(key_unseal(&hub, sealed.data, sealed.len, &plain), 0);
	assert_int_equal(plain.len, 0);
	buf_finish(&sealed);
	buf_finish(&again);
	buf_finish(&plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_holds_its_key),
		cmocka_unit_test(a_file_that_others_can_use_is_refused),
		cmocka_unit_test(a_file_with_anything_else_is_refused),
		cmocka_unit_test(public_keys_are_text),
		cmocka_unit_test(a_claim_is_the_hubs),
		cmocka_unit_test(whatever_is_changed_in_a_claim_is_found),
		cmocka_unit_test(a_result_is_the_nodes),
		cmocka_unit_test(a_claim_is_no_result),
		cmocka_unit_test(what_is_sealed_one_node_can_read),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
