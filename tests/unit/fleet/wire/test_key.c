/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: their files, what they sign, what they seal; whatever is changed is found, and another's key is
 * refused. */
#include "support/test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fleet/wire/key_line.h"

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

static struct key_public found;

static bool verifies(const struct key_public *by, const struct key_claim *what, const char *seal)
{
	return key_verify_claim(by, 1, what, seal, &found);
}

static void a_claim_is_the_hubs(void **state)
{
	const struct key_public both[] = { other.public, hub.public };
	char seal[FLEET_SEAL];

	(void)state;
	assert_int_equal(key_sign_claim(&hub, &claim, &other.public, seal), 0);
	assert_true(verifies(&hub.public, &claim, seal));
	assert_memory_equal(&found, &other.public, sizeof(found)); /* the node's key is in it */
	assert_false(verifies(&other.public, &claim, seal));
	assert_false(verifies(&hub.public, &claim, ""));
	/* one of several hubs */
	assert_true(key_verify_claim(both, 2, &claim, seal, &found));
	assert_false(key_verify_claim(both, 1, &claim, seal, &found));
	assert_false(key_verify_claim(both, 0, &claim, seal, &found));
	assert_int_equal(key_sign_claim(&other, &claim, &other.public, seal), 0);
	assert_false(verifies(&hub.public, &claim, seal));
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
	assert_int_equal(key_sign_claim(&hub, &claim, &other.public, seal), 0);
	for (size_t i = 0; i < sizeof(changed) / sizeof(*changed); i++)
		assert_false(verifies(&hub.public, &changed[i], seal));
	for (size_t i = 0; i < strlen(seal); i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			strcpy(bad, seal);
			bad[i] = (char)(bad[i] ^ (1 << bit));
			assert_false(verifies(&hub.public, &claim, bad));
		}
		snprintf(bad, i + 1, "%s", seal);
		assert_false(verifies(&hub.public, &claim, bad));
	}
	memcpy(bad, seal, 132);
	strcpy(bad + 132, "A");
	assert_false(verifies(&hub.public, &claim, bad));
	assert_int_equal(key_sign_claim(&hub, &changed[8], &other.public, seal), -EINVAL);
	assert_int_equal(key_sign_claim(&hub, &changed[9], &other.public, seal), -EINVAL);
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
	char seal[FLEET_SEAL];

	(void)state;
	assert_int_equal(key_sign_claim(&hub, &claim, &hub.public, seal), 0);
	strcpy(record.signature, seal + 44);
	assert_false(key_verify_result(&hub.public, "job-1", "acme", &record));
}

static void an_offer_is_the_hubs_with_all_of_its_job(void **state)
{
	struct fleet_message offer = { .kind = FLEET_MSG_OFFER,
				       .to = "n1",
				       .incarnation = 5,
				       .number = 7,
				       .token = { 6, 8 },
				       .attempt = 1 },
			     changed;

	(void)state;
	offer.offered = (struct fleet_job){ .id = "job-1",
					    .tenant = "acme",
					    .class = "any",
					    .submitter = "s",
					    .effect = FLEET_FENCED,
					    .priority = 5,
					    .attempts = 3,
					    .deadline_wall_ms = 9,
					    .run_ms = 10,
					    .box = "AAAA",
					    .content = "c" };
	offer.offered.body = fleet_text_new("true", 4);
	assert_int_equal(key_sign_message(&hub, &offer, offer.signature), 0);
	assert_true(key_verify_message(&hub.public, &offer));
	assert_false(key_verify_message(&other.public, &offer));
#define CHANGED_OFFER(field, value)                                      \
	do {                                                             \
		changed = offer;                                         \
		changed.field = (value);                                 \
		assert_false(key_verify_message(&hub.public, &changed)); \
	} while (0)
	CHANGED_OFFER(to[1], '2');
	CHANGED_OFFER(incarnation, 6);
	CHANGED_OFFER(number, 8); /* the beat that it answers: else an old one could be sent again */
	CHANGED_OFFER(token.epoch, 7);
	CHANGED_OFFER(token.revision, 9);
	CHANGED_OFFER(attempt, 2);
	CHANGED_OFFER(offered.id[0], 'k');
	CHANGED_OFFER(offered.tenant[0], 'b');
	CHANGED_OFFER(offered.class[0], 'b');
	CHANGED_OFFER(offered.submitter[0], 't');
	CHANGED_OFFER(offered.effect, FLEET_REPEATABLE);
	CHANGED_OFFER(offered.priority, 6);
	CHANGED_OFFER(offered.attempts, 4);
	CHANGED_OFFER(offered.deadline_wall_ms, 8);
	CHANGED_OFFER(offered.run_ms, 11);
	CHANGED_OFFER(offered.box[0], 'B'); /* else another could read its result */
	CHANGED_OFFER(offered.content[0], 'd');
	CHANGED_OFFER(offered.body, NULL);
	CHANGED_OFFER(kind, FLEET_MSG_MAY_I);
	changed = offer;
	changed.offered.body = fleet_text_new("tru", 3);
	assert_false(key_verify_message(&hub.public, &changed));
	fleet_text_drop(changed.offered.body);
	offer.kind = FLEET_MSG_CANCEL;
	assert_int_equal(key_sign_message(&hub, &offer, offer.signature), -EINVAL);
	assert_false(key_verify_message(&hub.public, &offer));
	fleet_message_finish(&offer);
}

static void a_question_is_the_nodes(void **state)
{
	struct fleet_message ask = { .kind = FLEET_MSG_MAY_I,
				     .from = "n1",
				     .job = "j",
				     .tenant = "t",
				     .incarnation = 5,
				     .number = 7,
				     .token = { 6, 8 },
				     .attempt = 1 },
			     changed;

	(void)state;
	assert_int_equal(key_sign_message(&hub, &ask, ask.signature), 0);
	assert_true(key_verify_message(&hub.public, &ask));
	assert_false(key_verify_message(&other.public, &ask));
#define CHANGED_QUESTION(field, value)                                   \
	do {                                                             \
		changed = ask;                                           \
		changed.field = (value);                                 \
		assert_false(key_verify_message(&hub.public, &changed)); \
	} while (0)
	CHANGED_QUESTION(from[1], '2');
	CHANGED_QUESTION(job[0], 'k');
	CHANGED_QUESTION(tenant[0], 'u');
	CHANGED_QUESTION(incarnation, 6);
	CHANGED_QUESTION(number, 8);
	CHANGED_QUESTION(token.epoch, 7);
	CHANGED_QUESTION(token.revision, 9);
	CHANGED_QUESTION(attempt, 2);
}

static void a_job_has_a_key_of_its_own(void **state)
{
	uint8_t master[KEY_MASTER] = { 1 }, changed[KEY_MASTER] = { 2 };
	struct key one, same, more;

	(void)state;
	assert_int_equal(key_of_job(master, "t", "j", &one), 0);
	assert_int_equal(key_of_job(master, "t", "j", &same), 0);
	assert_memory_equal(&one, &same, sizeof(one));
	assert_int_equal(key_of_job(master, "t", "k", &more), 0);
	assert_memory_not_equal(&one.public, &more.public, sizeof(one.public));
	assert_int_equal(key_of_job(master, "u", "j", &more), 0);
	assert_memory_not_equal(&one.public, &more.public, sizeof(one.public));
	assert_int_equal(key_of_job(changed, "t", "j", &more), 0);
	assert_memory_not_equal(&one.public, &more.public, sizeof(one.public));
	assert_int_equal(key_of_job(master, "t\nj", "j", &more), -EINVAL);
	assert_int_equal(key_of_job(master, "t", "", &more), -EINVAL);
}

static void a_line_is_of_two_and_of_one_claim(void **state)
{
	static const char said[] = "{\"n\":1}";
	struct key_claim later = claim;
	struct key_line node, submitter, stranger;
	struct buf sealed = { 0 }, plain = { 0 };

	(void)state;
	later.attempt++;
	assert_int_equal(key_line_make(&hub, &other.public, &claim, &node), 0);
	assert_int_equal(key_line_make(&other, &hub.public, &claim, &submitter), 0);
	assert_memory_equal(&node, &submitter, sizeof(node));
	assert_memory_not_equal(node.to_node, node.to_submitter, sizeof(node.to_node));
	assert_int_equal(key_line_make(&hub, &other.public, &later, &stranger), 0);
	assert_memory_not_equal(node.to_node, stranger.to_node, sizeof(node.to_node));
	assert_int_equal(key_line_seal(node.to_submitter, said, sizeof(said), &sealed), 0);
	assert_int_equal(sealed.len, sizeof(said) + KEY_LINE_MORE);
	assert_int_equal(key_line_open(submitter.to_submitter, sealed.data, sealed.len, &plain), 0);
	assert_int_equal(plain.len, sizeof(said));
	assert_memory_equal(plain.data, said, sizeof(said));
	plain.len = 0;
	assert_int_equal(key_line_open(submitter.to_node, sealed.data, sealed.len, &plain),
			 -EBADMSG); /* not given back */
	assert_int_equal(key_line_open(stranger.to_submitter, sealed.data, sealed.len, &plain), -EBADMSG);
	for (size_t i = 0; i < sealed.len; i++) {
		sealed.data[i] ^= 1;
		assert_int_equal(key_line_open(submitter.to_submitter, sealed.data, sealed.len, &plain),
				 -EBADMSG);
		sealed.data[i] ^= 1;
		assert_int_equal(key_line_open(submitter.to_submitter, sealed.data, i, &plain), -EBADMSG);
	}
	assert_int_equal(plain.len, 0);
	buf_finish(&sealed);
	buf_finish(&plain);
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
		cmocka_unit_test(an_offer_is_the_hubs_with_all_of_its_job),
		cmocka_unit_test(a_question_is_the_nodes),
		cmocka_unit_test(a_job_has_a_key_of_its_own),
		cmocka_unit_test(a_line_is_of_two_and_of_one_claim),
		cmocka_unit_test(what_is_sealed_one_node_can_read),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
