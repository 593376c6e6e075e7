/* SPDX-License-Identifier: Apache-2.0 */
/* What a submitter takes for the end of its job. */
#include "support/fleet_keys.h"

#include "fleet/agent/sealed_run.h"
#include "fleet/client/verify.h"

static struct fleet_job job;
static struct saved *table;
static struct seals *hub, *x, *y;

static int begin(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (make_keys(state) < 0 || saved_open(in_dir("table"), "jobs.db", &table, &e) < 0)
		return -1;
	hub = seals_for(BUS_HUB, "h", NULL);
	x = seals_for(BUS_NODE, "x", "hubs");
	y = seals_for(BUS_NODE, "y", "hubs");
	return 0;
}

static int finish(void **state)
{
	saved_close(table);
	seals_close(hub);
	seals_close(x);
	seals_close(y);
	return drop_keys(state);
}

static struct verify *start(const char *hubs, enum fleet_effect effect)
{
	const struct fleet_options o = { .hub_keys = hubs ? in_dir(hubs) : NULL };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct verify *v = NULL;

	job = (struct fleet_job){
		.id = "j", .tenant = "t", .class = "any", .submitter = "s", .effect = effect
	};
	if (verify_create(&o, table, &job, NULL, &v, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(strlen(job.box), KEY_TEXT - 1);
	return v;
}

/* The phase that the submitter is told of RECORD at REVISION; what is in it, in TEXT. */
static enum fleet_phase told_at(struct verify *v, uint64_t ms, struct fleet_record record, uint64_t revision,
				char text[256])
{
	struct fleet_answer a = { .kind = FLEET_OK,
				  .number = 1,
				  .revision = revision,
				  .id = "j",
				  .tenant = "t",
				  .record = record },
			    ret;
	enum fleet_phase phase;

	verify_answer(v, (struct fleet_now){ .ms = ms }, &a, &ret);
	assert_int_equal(ret.kind, FLEET_OK);
	assert_int_equal(ret.revision, revision);
	phase = ret.record.phase;
	snprintf(text, 256, "%s", fleet_text_data(ret.record.result));
	fleet_answer_finish(&ret);
	return phase;
}

static enum fleet_phase told(struct verify *v, struct fleet_record record, uint64_t revision)
{
	char text[256];

	return told_at(v, 0, record, revision, text);
}

static struct fleet_record sealed(struct seals *node, struct fleet_record claim, const char *result)
{
	struct fleet_text *text = seal_result(job.box, fleet_text_new(result, strlen(result)));
	struct fleet_record ret = ended(node, claim, FLEET_ENDED, fleet_text_data(text));

	fleet_text_drop(text);
	return ret;
}

static void only_true_results_are_results(void **state)
{
	struct verify *v = start("hubs", FLEET_REPEATABLE);
	struct fleet_record claim = claimed(hub, "x", 5, 1), good = sealed(x, claim, "{\"a\":1}"),
			    bad = sealed(y, claim, "{}"), none = { .phase = FLEET_ENDED };
	struct fleet_answer garbage = { .kind = FLEET_FAILED, .revision = 9, .id = "j", .tenant = "t" }, ret;
	char text[256];

	(void)state;
	assert_int_equal(told(v, claim, 40), FLEET_CLAIMED);
	assert_int_equal(told(v, bad, 41), FLEET_CLAIMED);
	assert_int_equal(told(v, none, 42), FLEET_CLAIMED);
	verify_answer(v, (struct fleet_now){ 0 }, &garbage, &ret);
	assert_int_equal(ret.kind, FLEET_OK); /* else the job would never be submitted again */
	assert_int_equal(ret.record.phase, FLEET_CLAIMED);
	assert_int_equal(told_at(v, 0, good, 43, text), FLEET_ENDED);
	assert_string_equal(text, "{\"a\":1}");
	fleet_record_finish(&good);
	fleet_record_finish(&bad);
	verify_destroy(v);
}

static void without_keys_all_are_taken(void **state)
{
	struct verify *v = start(NULL, FLEET_REPEATABLE);
	struct fleet_record none = { .phase = FLEET_ENDED, .result = fleet_text_new("{}", 2) };
	struct fleet_message ask = { .kind = FLEET_MSG_MAY_I };
	char text[256], node[FLEET_NAME];
	struct buf said = { 0 };
	unsigned attempt;

	(void)state;
	assert_int_equal(told_at(v, 0, none, 42, text), FLEET_ENDED);
	assert_string_equal(text, "{}");
	assert_true(verify_message(v, &ask));
	assert_true(verify_open(v, "{\"n\":1}", 7, &said, node, &attempt));
	assert_string_equal(buf_str(&said), "{\"n\":1}");
	said.len = 0;
	assert_true(verify_seal(v, "{\"ack\":1}", 9, &said));
	assert_string_equal(buf_str(&said), "{\"ack\":1}");
	buf_finish(&said);
	fleet_record_finish(&none);
	verify_destroy(v);
}

/* What it says there may be anything: nobody else could look. */
static void what_cannot_be_read_is_an_error(void **state)
{
	static const char *const results[] = { "\xff", "sealed:AAAA" };
	struct verify *v = start("hubs", FLEET_REPEATABLE);
	struct fleet_record claim = claimed(hub, "x", 5, 1), r;
	char text[256];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		r = i ? ended(x, claim, FLEET_ENDED, results[i]) : sealed(x, claim, results[i]);
		assert_int_equal(told_at(v, 0, r, 41, text), FLEET_ENDED);
		assert_non_null(strstr(text, "cannot be read"));
		fleet_record_finish(&r);
	}
	verify_destroy(v);
}

static void an_old_result_is_not_put_back(void **state)
{
	struct verify *v = start("hubs", FLEET_REPEATABLE);
	struct fleet_record first = claimed(hub, "x", 5, 1), second = claimed(hub, "y", 5, 2),
			    old = sealed(x, first, "{}"), good = sealed(y, second, "{}");
	char text[256];

	(void)state;
	assert_int_equal(told(v, second, 50), FLEET_CLAIMED);
	assert_int_equal(told_at(v, 1000, old, 51, text), FLEET_CLAIMED);
	assert_int_equal(told_at(v, 2000, good, 52, text), FLEET_ENDED);
	/* Where nobody puts it right, it does not wait for ever. */
	assert_int_equal(told_at(v, 3000, old, 53, text), FLEET_CLAIMED);
	assert_int_equal(told_at(v, 62999, old, 53, text), FLEET_CLAIMED);
	assert_int_equal(told_at(v, 63000, old, 53, text), FLEET_UNKNOWN);
	fleet_record_finish(&old);
	fleet_record_finish(&good);
	verify_destroy(v);
}

static void what_may_be_done_once_ends_where_it_was_let_begin(void **state)
{
	struct verify *v = start("hubs", FLEET_ONCE);
	struct fleet_record first = claimed(hub, "x", 5, 1), second = claimed(hub, "y", 5, 2),
			    late = sealed(x, first, "{}"), bad = sealed(y, second, "{}"),
			    taken = ended(y, second, FLEET_UNKNOWN, NULL);
	struct fleet_action ask = { .kind = FLEET_SEND,
				    .message = { .kind = FLEET_MSG_MAY_I,
						 .from = "x",
						 .job = "j",
						 .tenant = "t",
						 .incarnation = 7,
						 .number = 1,
						 .token = { 5, 40 },
						 .attempt = 1 } };
	struct fleet_action grant = {
		.kind = FLEET_SEND,
		.message = { .kind = FLEET_MSG_GRANT, .to = "x", .incarnation = 7, .yes = true }
	};

	(void)state;
	assert_false(verify_message(v, &ask.message));
	memcpy(ask.message.seal, first.seal, sizeof(first.seal));
	seals_of_node(y, &ask);
	assert_false(verify_message(v, &ask.message));
	seals_of_node(x, &ask);
	assert_true(verify_message(v, &ask.message));
	verify_sent(v, &grant);
	assert_int_equal(told(v, second, 50), FLEET_CLAIMED);
	assert_int_equal(told(v, bad, 51), FLEET_CLAIMED);
	assert_int_equal(told(v, taken, 52), FLEET_UNKNOWN);
	assert_int_equal(told(v, late, 53), FLEET_ENDED);
	fleet_record_finish(&late);
	fleet_record_finish(&bad);
	verify_destroy(v);
}

static void a_line_is_opened_once_it_is_trusted(void **state)
{
	struct verify *v = start("hubs", FLEET_REPEATABLE);
	struct fleet_record first = claimed(hub, "x", 5, 1), second = claimed(hub, "y", 5, 2);
	struct sealed_run *old = sealed_run_new(x, &job, &first), *new = sealed_run_new(y, &job, &second);
	struct buf said = { 0 }, plain = { 0 };
	char node[FLEET_NAME];
	unsigned attempt;

	(void)state;
	assert_false(verify_open(v, "{\"n\":1}", 7, &plain, node, &attempt));
	assert_true(sealed_run_write(new, "{\"n\":1}", 7, &said));
	assert_true(verify_open(v, said.data, said.len, &plain, node, &attempt));
	assert_string_equal(node, "y");
	assert_int_equal(attempt, 2);
	said.len = plain.len = 0;
	assert_true(sealed_run_write(old, "{\"n\":2}", 7, &said));
	assert_false(verify_open(v, said.data, said.len, &plain, node, &attempt));
	/* What is typed still goes to the one that has the job. */
	said.len = plain.len = 0;
	assert_true(verify_seal(v, "{\"ack\":1}", 9, &said));
	assert_false(sealed_run_read(old, said.data, said.len, &plain));
	assert_true(sealed_run_read(new, said.data, said.len, &plain));
	sealed_run_free(old);
	sealed_run_free(new);
	buf_finish(&said);
	buf_finish(&plain);
	verify_destroy(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_true_results_are_results),
		cmocka_unit_test(without_keys_all_are_taken),
		cmocka_unit_test(what_cannot_be_read_is_an_error),
		cmocka_unit_test(an_old_result_is_not_put_back),
		cmocka_unit_test(what_may_be_done_once_ends_where_it_was_let_begin),
		cmocka_unit_test(a_line_is_opened_once_it_is_trusted),
	};

	return cmocka_run_group_tests(tests, begin, finish);
}
