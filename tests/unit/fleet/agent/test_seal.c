/* SPDX-License-Identifier: Apache-2.0 */
/* What hubs and nodes sign, and that everything else is refused; without keys everything is taken. */
#include "support/fleet_keys.h"

#include <errno.h>
#include <unistd.h>

#include "fleet/agent/sealed_run.h"

static const char *refuses(struct seals *s, const struct fleet_record *r)
{
	return seals_refuse_record(s, "t", "j", r);
}

static void records_are_of_their_writers(void **state)
{
	struct seals *h = seals_for(BUS_HUB, "h", "hubs"), *i = seals_for(BUS_HUB, "i", NULL),
		     *x = seals_for(BUS_NODE, "x", "hubs"), *y = seals_for(BUS_NODE, "y", "hubs"),
		     *s = seals_for(BUS_SUBMITTER, NULL, "hubs");
	struct fleet_record claim = claimed(h, "x", 5, 1), good = ended(x, claim, FLEET_ENDED, "{}"), bad;

	(void)state;
	assert_null(refuses(s, &claim));
	assert_null(refuses(s, &good));
	assert_null(refuses(h, &good));
	assert_non_null(refuses(i, &good)); /* it knows itself alone */
	assert_non_null(seals_refuse_record(s, "t", "k", &good));
	assert_non_null(seals_refuse_record(s, "u", "j", &good));
	bad = ended(y, claim, FLEET_ENDED, "{}"); /* another node wrote it over that claim */
	assert_non_null(refuses(s, &bad));
	fleet_record_finish(&bad);
	bad = claimed(h, "z", 5, 1); /* a node without a key */
	assert_non_null(refuses(s, &bad));
	bad = claimed(i, "x", 5, 2);
	assert_null(refuses(s, &bad));
	bad = good;
	bad.seal[0] = '\0'; /* only hubs may end a job without a claim, and no hub has results */
	assert_non_null(refuses(s, &bad));
	bad = good;
	bad.attempt = 2;
	assert_non_null(refuses(s, &bad));
	bad = good;
	strcpy(bad.node, "y");
	assert_non_null(refuses(s, &bad));
	assert_null(refuses(NULL, &bad));
	fleet_record_finish(&good);
	seals_close(h);
	seals_close(i);
	seals_close(x);
	seals_close(y);
	seals_close(s);
}

static void a_hub_may_end_a_job_that_never_began(void **state)
{
	struct seals *h = seals_for(BUS_HUB, "h", NULL), *x = seals_for(BUS_NODE, "x", "hubs"),
		     *s = seals_for(BUS_SUBMITTER, NULL, "hubs");
	struct fleet_action a = { .kind = FLEET_ASK,
				  .ask = { .kind = FLEET_ASK_PUT, .id = "j", .tenant = "t" } };

	(void)state;
	for (int phase = FLEET_ENDED; phase <= FLEET_UNKNOWN; phase++) {
		a.ask.record = (struct fleet_record){ .phase = (enum fleet_phase)phase };
		seals_of_hub(h, &a);
		assert_int_equal(refuses(s, &a.ask.record) == NULL,
				 phase == FLEET_DEAD || phase == FLEET_CANCELLED);
		seals_of_node(x, &a);
		assert_non_null(refuses(s, &a.ask.record));
	}
	seals_close(h);
	seals_close(x);
	seals_close(s);
}

static void only_offers_of_hubs_are_taken(void **state)
{
	struct seals *h = seals_for(BUS_HUB, "h", "hubs"), *x = seals_for(BUS_NODE, "x", "hubs"),
		     *y = seals_for(BUS_NODE, "y", "hubs");
	struct seals *stranger = seals_for(BUS_NODE, "x", "strangers");
	struct fleet_action a = { .kind = FLEET_SEND,
				  .message = { .kind = FLEET_MSG_OFFER,
					       .to = "x",
					       .incarnation = 7,
					       .number = 3,
					       .token = { 5, 40 },
					       .attempt = 1 } };
	struct fleet_message bad;

	(void)state;
	a.message.offered = (struct fleet_job){ .id = "j", .tenant = "t", .class = "any", .submitter = "s" };
	assert_non_null(seals_refuse_offer(x, &a.message));
	assert_null(seals_refuse_offer(NULL, &a.message));
	seals_of_hub(h, &a);
	assert_null(seals_refuse_offer(x, &a.message));
	assert_non_null(seals_refuse_offer(stranger, &a.message));
	assert_non_null(seals_refuse_offer(y, &a.message)); /* it is for the key of x */
	bad = a.message;
	bad.number = 4;
	assert_non_null(seals_refuse_offer(x, &bad));
	bad = a.message;
	bad.offered.priority = 9;
	assert_non_null(seals_refuse_offer(x, &bad));
	bad = a.message;
	bad.seal[0] = '\0';
	assert_non_null(seals_refuse_offer(x, &bad));
	seals_close(h);
	seals_close(x);
	seals_close(y);
	seals_close(stranger);
}

static void only_the_node_of_a_claim_asks(void **state)
{
	struct seals *h = seals_for(BUS_HUB, "h", NULL), *x = seals_for(BUS_NODE, "x", "hubs"),
		     *y = seals_for(BUS_NODE, "y", "hubs"), *s = seals_for(BUS_SUBMITTER, NULL, "hubs");
	const struct fleet_record claim = claimed(h, "x", 5, 1);
	struct fleet_action a = { .kind = FLEET_SEND,
				  .message = { .kind = FLEET_MSG_MAY_I,
					       .from = "x",
					       .job = "j",
					       .tenant = "t",
					       .incarnation = 7,
					       .number = 1,
					       .token = { 5, 40 },
					       .attempt = 1 } };

	(void)state;
	memcpy(a.message.seal, claim.seal, sizeof(claim.seal));
	assert_non_null(seals_refuse_question(s, &a.message));
	seals_of_node(y, &a);
	assert_non_null(seals_refuse_question(s, &a.message));
	seals_of_node(x, &a);
	assert_null(seals_refuse_question(s, &a.message));
	a.message.number = 2;
	assert_non_null(seals_refuse_question(s, &a.message));
	assert_null(seals_refuse_question(NULL, &a.message));
	seals_close(h);
	seals_close(x);
	seals_close(y);
	seals_close(s);
}

static void what_is_given_in_part_is_refused(void **state)
{
	const struct fleet_options none = { 0 }, key = { .key = in_dir("x") },
				   hubs = { .hub_keys = in_dir("hubs") },
				   nodes = { .node_keys = in_dir("nodes") },
				   other = { .key = in_dir("h"),
					     .node_keys = in_dir("nodes"),
					     .hub_keys = in_dir("strangers") },
				   no_list = { .hub_keys = in_dir("x") };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct seals *s = NULL;

	(void)state;
	for (int role = BUS_SUBMITTER; role <= BUS_HUB; role++) {
		assert_int_equal(seals_open(&none, (enum bus_role)role, &s, &e), 0);
		assert_null(s);
	}
	assert_int_equal(seals_hubs(s), 0);
	assert_failed(seals_open(&key, BUS_NODE, &s, &e), EINVAL, e, "--hub-keys");
	assert_failed(seals_open(&hubs, BUS_NODE, &s, &e), EINVAL, e, "--key");
	assert_failed(seals_open(&key, BUS_HUB, &s, &e), EINVAL, e, "--node-keys");
	assert_failed(seals_open(&nodes, BUS_HUB, &s, &e), EINVAL, e, "--key");
	assert_failed(seals_open(&other, BUS_HUB, &s, &e), EINVAL, e, "not in --hub-keys");
	assert_failed(seals_open(&no_list, BUS_SUBMITTER, &s, &e), EINVAL, e, "no list of public keys");
	assert_null(s);
}

static void lists_that_are_none_are_refused(void **state)
{
	static const char *const lists[] = {
		"",
		"[]",
		"{}",
		"{\"h\": \"x\"}",
		"{\"h\": []}",
		"{\"h\": [1]}",
		"{\"h\": [\"x\"]}",
		"{\"a.b\": [\"AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"]}", /* and no point of the curve
										  */
		"{\"h\": [\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"]}",
	};
	const struct fleet_options o = { .hub_keys = in_dir("bad") };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct seals *s = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		write_file("bad", lists[i]);
		assert_failed(seals_open(&o, BUS_SUBMITTER, &s, &e), EINVAL, e, "no list of public keys");
	}
}

static void a_list_of_nodes_is_read_again(void **state)
{
	struct fleet_options o = { .key = in_dir("h"), .node_keys = in_dir("some") };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct seals *s = NULL;
	char text[300], why[300];
	FILE *f = fopen(in_dir("nodes"), "r");

	(void)state;
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	write_file("some", text);
	assert_int_equal(seals_open(&o, BUS_HUB, &s, &e), 0);
	assert_true(seals_know_node(s, "x", 0, why, sizeof(why)) && !why[0]);
	assert_false(seals_know_node(s, "z", 0, why, sizeof(why)));
	assert_int_equal(unlink(in_dir("some")), 0);
	*strchr(text, 'x') = 'z';
	write_file("some", text);
	assert_true(seals_know_node(s, "x", 500, why, sizeof(why))); /* not looked yet */
	assert_false(seals_know_node(s, "x", 2000, why, sizeof(why)));
	assert_true(seals_know_node(s, "z", 2000, why, sizeof(why)));
	write_file("some", "nonsense, longer than what was there");
	assert_true(seals_know_node(s, "z", 4000, why, sizeof(why)));
	assert_non_null(strstr(why, "the keys that were read before still hold"));
	assert_true(seals_know_node(NULL, "any", 0, why, sizeof(why)));
	seals_close(s);
}

static void results_are_sealed_to_their_job(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct key box, other;
	char text[KEY_TEXT];
	struct fleet_text *sealed, *plain = fleet_text_new("{}", 2);

	(void)state;
	assert_int_equal(key_load(in_dir("p"), &box, &e), 0);
	assert_int_equal(key_load(in_dir("q"), &other, &e), 0);
	key_public_write(&box.public, text);
	assert_ptr_equal(seal_result("", plain), plain);
	assert_ptr_equal(seal_open_result(NULL, plain), plain);
	sealed = seal_result(text, fleet_text_hold(plain));
	assert_null(strstr(fleet_text_data(sealed), "{}"));
	assert_null(seal_open_result(&other, fleet_text_hold(sealed)));
	assert_null(seal_open_result(NULL, fleet_text_hold(sealed)));
	sealed = seal_open_result(&box, sealed);
	assert_string_equal(fleet_text_data(sealed), "{}");
	fleet_text_drop(sealed);
	assert_null(seal_result("AAAA", plain));
	assert_null(seal_result(text, NULL));
	assert_null(seal_open_result(&box, NULL));
}

static void a_line_is_of_the_node_that_has_the_job(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct seals *h = seals_for(BUS_HUB, "h", NULL), *x = seals_for(BUS_NODE, "x", "hubs"),
		     *y = seals_for(BUS_NODE, "y", "hubs"), *s = seals_for(BUS_SUBMITTER, NULL, "hubs"),
		     *stranger = seals_for(BUS_SUBMITTER, NULL, "strangers");
	struct fleet_job job = { .id = "j", .tenant = "t" }, none = { .id = "j", .tenant = "t" };
	struct fleet_record claim = claimed(h, "x", 5, 1);
	struct sealed_line line = { 0 }, before;
	struct buf said = { 0 }, plain = { 0 };
	struct sealed_run *run, *thief;
	struct key box;

	(void)state;
	assert_int_equal(key_load(in_dir("p"), &box, &e), 0);
	key_public_write(&box.public, job.box);
	assert_null(sealed_run_new(NULL, &job, &claim));
	assert_null(sealed_run_new(x, &none, &claim));
	run = sealed_run_new(x, &job, &claim);
	assert_true(sealed_run_write(run, "{\"n\":1}", 7, &said));
	assert_true(sealed_line_is(said.data, said.len));
	assert_false(sealed_line_is("{\"n\":1}", 7));
	assert_false(sealed_line_read(&line, stranger, &box, &job, said.data, said.len, &plain));
	assert_true(sealed_line_read(&line, s, &box, &job, said.data, said.len, &plain));
	assert_string_equal(buf_str(&plain), "{\"n\":1}");
	assert_string_equal(line.claim.node, "x");
	before = line;
	for (size_t i = 0; i < said.len; i++) {
		said.data[i] ^= 1;
		assert_false(sealed_line_read(&line, s, &box, &job, said.data, said.len, &plain));
		said.data[i] ^= 1;
		assert_false(sealed_line_read(&line, s, &box, &job, said.data, i, &plain));
	}
	assert_memory_equal(&line, &before, sizeof(line));
	/* another node, which has read that claim in the record */
	thief = sealed_run_new(y, &job, &claim);
	said.len = 0;
	assert_true(sealed_run_write(thief, "{\"n\":2}", 7, &said));
	assert_false(sealed_line_read(&line, s, &box, &job, said.data, said.len, &plain));
	/* and back */
	said.len = plain.len = 0;
	assert_true(sealed_line_write(&line, "{\"ack\":1}", 9, &said));
	assert_false(sealed_run_read(thief, said.data, said.len, &plain));
	assert_true(sealed_run_read(run, said.data, said.len, &plain));
	assert_string_equal(buf_str(&plain), "{\"ack\":1}");
	assert_false(sealed_run_read(run, "{\"ack\":1}", 9, &plain));
	sealed_run_free(run);
	sealed_run_free(thief);
	sealed_line_finish(&line);
	buf_finish(&said);
	buf_finish(&plain);
	seals_close(h);
	seals_close(x);
	seals_close(y);
	seals_close(s);
	seals_close(stranger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_of_their_writers),
		cmocka_unit_test(a_hub_may_end_a_job_that_never_began),
		cmocka_unit_test(only_offers_of_hubs_are_taken),
		cmocka_unit_test(only_the_node_of_a_claim_asks),
		cmocka_unit_test(what_is_given_in_part_is_refused),
		cmocka_unit_test(lists_that_are_none_are_refused),
		cmocka_unit_test(a_list_of_nodes_is_read_again),
		cmocka_unit_test(results_are_sealed_to_their_job),
		cmocka_unit_test(a_line_is_of_the_node_that_has_the_job),
	};

	return cmocka_run_group_tests(tests, make_keys, drop_keys);
}
