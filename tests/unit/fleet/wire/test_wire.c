/* SPDX-License-Identifier: Apache-2.0 */
/* Messages, jobs, records and terms there and back, to the last bit; and what strangers might send instead.
 */
#include "support/test.h"

#include "base/base64.h"
#include "fleet/wire/wire.h"

#define BIGGEST ((uint64_t)INT64_MAX)

static void assert_same_job(const struct fleet_job *a, const struct fleet_job *b)
{
	struct fleet_job x = *a, y = *b;

	assert_int_equal(a->body != NULL, b->body != NULL);
	assert_int_equal(fleet_text_len(a->body), fleet_text_len(b->body));
	assert_string_equal(fleet_text_data(a->body), fleet_text_data(b->body));
	x.body = y.body = NULL;
	assert_memory_equal(&x, &y, sizeof(x));
}

/* Fields one by one would forget the next one that is added: all but the pointers is compared. */
static void assert_same_message(const struct fleet_message *a, const struct fleet_message *b)
{
	struct fleet_message x = *a, y = *b;

	assert_same_job(&a->offered, &b->offered);
	assert_int_equal(a->beat.n_held, b->beat.n_held);
	if (a->beat.n_held > 0)
		assert_memory_equal(a->beat.held, b->beat.held, a->beat.n_held * sizeof(*a->beat.held));
	x.beat.held = y.beat.held = NULL;
	x.offered.body = y.offered.body = NULL;
	assert_memory_equal(&x, &y, sizeof(x));
}

/* memset, so that what lies between fields is the same, too. */
static void begin_message(struct fleet_message *m, enum fleet_message_kind kind)
{
	memset(m, 0, sizeof(*m));
	m->kind = kind;
	strcpy(m->from, "node-1");
	strcpy(m->to, "hub_2");
	m->incarnation = BIGGEST;
	m->number = BIGGEST - 1;
	m->token = (struct fleet_token){ BIGGEST - 2, BIGGEST - 3 };
	strcpy(m->tenant, "acme");
	m->attempt = 3;
	m->yes = true;
	strcpy(m->reason, "h\xc3\xa4lt nicht: \"\\\n\x01\x7f");
	memset(m->seal, 'A', sizeof(m->seal) - 1);
	memset(m->signature, 'B', sizeof(m->signature) - 1);
}

static void fill_job(struct fleet_job *job)
{
	static const char body[] = "{\"op\":\"run\",\"args\":[\"\\u0000 is only named\"]}";

	strcpy(job->id, "job-1");
	strcpy(job->tenant, "acme");
	strcpy(job->class, "gpu=1,zone=a");
	strcpy(job->submitter, "s1");
	job->effect = FLEET_ONCE;
	job->priority = 9;
	job->attempts = 1000000;
	job->deadline_wall_ms = BIGGEST;
	job->run_ms = 1;
	memset(job->box, 'x', sizeof(job->box) - 1);
	memset(job->content, 'c', sizeof(job->content) - 1);
	job->body = fleet_text_new(body, strlen(body));
}

static void round_trip(const struct fleet_message *m)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct fleet_message back;
	struct buf text = { 0 };

	memset(&back, 0, sizeof(back));
	assert_int_equal(wire_message_encode(m, &text), 0);
	if (wire_message_decode(text.data, text.len, &back, &e) < 0)
		fail_msg("%s", e.text);
	assert_same_message(m, &back);
	fleet_message_finish(&back);
	buf_finish(&text);
}

static void every_message_comes_back(void **state)
{
	struct fleet_message m;

	(void)state;
	for (int kind = 0; kind < FLEET_MSG_N; kind++) {
		begin_message(&m, (enum fleet_message_kind)kind);
		strcpy(m.job, "job-1");
		if (kind == FLEET_MSG_OFFER)
			fill_job(&m.offered);
		if (kind == FLEET_MSG_BEAT) {
			m.beat = (struct fleet_beat){ .number = BIGGEST,
						      .sent_ms = BIGGEST - 5,
						      .epoch = 1,
						      .slots = 8,
						      .room = 1000000,
						      .draining = true,
						      .failing = true,
						      .n_held = 2 };
			memset(m.beat.labels, 'x', sizeof(m.beat.labels) - 1);
			m.beat.held = calloc(2, sizeof(*m.beat.held));
			memset(m.beat.held[0].job, 'j', FLEET_NAME - 1);
			m.beat.held[0].token = (struct fleet_token){ BIGGEST, BIGGEST };
			strcpy(m.beat.held[0].tenant, "acme");
			strcpy(m.beat.held[1].job, "b");
			strcpy(m.beat.held[1].tenant, "c");
		}
		round_trip(&m);
		fleet_message_finish(&m);
	}
}

static void so_does_one_with_nothing_in_it(void **state)
{
	struct fleet_message m;

	(void)state;
	memset(&m, 0, sizeof(m));
	m.kind = FLEET_MSG_BEAT_OK;
	strcpy(m.from, "h");
	round_trip(&m);
	m.kind = FLEET_MSG_BEAT;
	round_trip(&m);
}

static void a_beat_has_4096_jobs_at_most(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct fleet_message m, back;
	struct buf text = { 0 };

	(void)state;
	begin_message(&m, FLEET_MSG_BEAT);
	m.beat.held = calloc(4097, sizeof(*m.beat.held));
	for (unsigned i = 0; i < 4097; i++) {
		memset(m.beat.held[i].job, 'j', FLEET_NAME - 1);
		memset(m.beat.held[i].tenant, 't', FLEET_NAME - 1);
		m.beat.held[i].token = (struct fleet_token){ BIGGEST, BIGGEST };
	}
	m.beat.n_held = 4096;
	round_trip(&m); /* with the longest names, too, it is less than a message may be */
	m.beat.n_held = 4097;
	assert_int_equal(wire_message_encode(&m, &text), -EMSGSIZE);
	assert_int_equal(text.len, 0);
	fleet_message_finish(&m);
	buf_addf(&text, "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"held\":[[\"j\",\"t\",1,1]");
	for (unsigned i = 1; i < 4097; i++)
		buf_addf(&text, ",[\"j\",\"t\",1,1]");
	buf_addf(&text, "]}");
	assert_failed(wire_message_decode(text.data, text.len, &back, &e), EBADMSG, e, "held");
	buf_finish(&text);
}

static void jobs_records_and_terms_come_back(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct fleet_job job, job_back;
	struct fleet_record record, record_back;
	struct fleet_term term, term_back;
	struct buf text = { 0 };

	(void)state;
	memset(&job, 0, sizeof(job));
	memset(&record, 0, sizeof(record));
	memset(&term, 0, sizeof(term));
	fill_job(&job);
	assert_int_equal(wire_job_encode(&job, &text), 0);
	assert_int_equal(wire_job_decode(text.data, text.len, &job_back, &e), 0);
	assert_same_job(&job, &job_back);
	text.len = 0;
	for (int phase = FLEET_CLAIMED; phase <= FLEET_UNKNOWN; phase++) {
		record = (struct fleet_record){ .phase = (enum fleet_phase)phase,
						.token = { 5, BIGGEST },
						.incarnation = BIGGEST,
						.attempt = 1 };
		strcpy(record.node, "n1");
		strcpy(record.seal, "AAAA+/==");
		memset(record.signature, 'b', FLEET_SIGNATURE - 1);
		record.result = fleet_text_new("", 0);
		text.len = 0;
		assert_int_equal(wire_record_encode(&record, &text), 0);
		assert_int_equal(wire_record_decode(text.data, text.len, &record_back, &e), 0);
		assert_non_null(record_back.result); /* empty is not the same as none */
		assert_int_equal(record_back.phase, phase);
		assert_int_equal(record_back.token.revision, BIGGEST);
		assert_int_equal(record_back.incarnation, BIGGEST);
		assert_int_equal(record_back.attempt, 1);
		assert_string_equal(record_back.node, record.node);
		assert_string_equal(record_back.seal, record.seal);
		assert_string_equal(record_back.signature, record.signature);
		fleet_record_finish(&record_back);
		fleet_record_finish(&record);
	}
	text.len = 0;
	strcpy(term.hub, "hub-1");
	term.epoch = BIGGEST;
	term.beat = 7;
	assert_int_equal(wire_term_encode(&term, &text), 0);
	assert_int_equal(wire_term_decode(text.data, text.len, &term_back, &e), 0);
	assert_string_equal(term_back.hub, "hub-1");
	assert_int_equal(term_back.epoch, BIGGEST);
	assert_int_equal(term_back.beat, 7);
	buf_finish(&text);
	fleet_job_finish(&job);
	fleet_job_finish(&job_back);
}

static void a_dead_letter_comes_back(void **state)
{
	static const char *const bad[] = {
		"{\"v\":1}",
		"{\"v\":1,\"job\":{},\"record\":{}}",
		"{\"v\":1,\"job\":1,\"record\":{\"phase\":\"dead\"}}",
		"{\"v\":1,\"job\":{\"id\":\"a\",\"tenant\":\"t\",\"class\":\"any\",\"submitter\":\"s\","
		"\"effect\":\"once\"},"
		"\"record\":{\"phase\":\"ended\"}}",
		"{\"v\":1,\"job\":{\"id\":\"a.b\",\"tenant\":\"t\",\"class\":\"any\",\"submitter\":\"s\","
		"\"effect\":\"once\"},"
		"\"record\":{\"phase\":\"dead\"}}",
	};
	struct wire_letter letter = { .record = { .phase = FLEET_DEAD, .attempt = 3 },
				      .at_wall_ms = BIGGEST };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct wire_letter back = { 0 };
	struct buf text = { 0 };

	(void)state;
	assert_int_equal(wire_letter_encode(&letter, &text), -EINVAL);
	fill_job(&letter.job);
	letter.record.result = fleet_text_new("why", 3);
	assert_int_equal(wire_letter_encode(&letter, &text), 0);
	assert_int_equal(wire_letter_decode(text.data, text.len, &back, &e), 0);
	assert_same_job(&letter.job, &back.job);
	assert_int_equal(back.record.attempt, 3);
	assert_string_equal(fleet_text_data(back.record.result), "why");
	assert_int_equal(back.at_wall_ms, BIGGEST);
	wire_letter_finish(&back);
	letter.record.phase = FLEET_ENDED;
	assert_int_equal(wire_letter_encode(&letter, &text), -EINVAL);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(wire_letter_decode(bad[i], strlen(bad[i]), &back, &e), -EBADMSG);
	buf_finish(&text);
	wire_letter_finish(&letter);
}

/* What nobody would read is not sent. */
static void what_is_wrong_is_not_written(void **state)
{
	struct fleet_message m;
	struct fleet_record record = { .phase = FLEET_ABSENT };
	struct fleet_job job = { 0 };
	struct fleet_term term = { 0 };
	struct buf text = { 0 };

	(void)state;
	begin_message(&m, FLEET_MSG_CANCEL);
	assert_int_equal(wire_message_encode(&m, &text), -EINVAL); /* of which job? */
	strcpy(m.job, "a.b");
	assert_int_equal(wire_message_encode(&m, &text), -EINVAL);
	strcpy(m.job, "ab");
	m.token.epoch = BIGGEST + 1;
	assert_int_equal(wire_message_encode(&m, &text), -EINVAL);
	m.token.epoch = 1;
	m.kind = FLEET_MSG_N;
	assert_int_equal(wire_message_encode(&m, &text), -EINVAL);
	m.kind = FLEET_MSG_OFFER;
	assert_int_equal(wire_message_encode(&m, &text), -EINVAL);
	fill_job(&m.offered); /* which is another than m.job */
	assert_int_equal(wire_message_encode(&m, &text), -EINVAL);
	fleet_message_finish(&m);
	assert_int_equal(wire_record_encode(&record, &text), -EINVAL);
	assert_int_equal(wire_job_encode(&job, &text), -EINVAL);
	assert_int_equal(wire_term_encode(&term, &text), -EINVAL);
	record.phase = FLEET_ENDED;
	record.result = fleet_text_new("a\0b", 3);
	assert_int_equal(wire_record_encode(&record, &text), -EINVAL);
	fleet_text_drop(record.result);
	record.result = fleet_text_new("\xff", 1);
	assert_int_equal(wire_record_encode(&record, &text), -EINVAL);
	fleet_record_finish(&record);
	assert_int_equal(text.len, 0);
	buf_finish(&text);
}

static void too_long_is_not_written(void **state)
{
	struct fleet_record record = { .phase = FLEET_ENDED };
	char *long_text = malloc(WIRE_MAX);
	struct buf text = { 0 };

	(void)state;
	memset(long_text, 'x', WIRE_MAX);
	record.result = fleet_text_new(long_text, WIRE_MAX);
	assert_int_equal(wire_record_encode(&record, &text), -EMSGSIZE);
	assert_int_equal(text.len, 0);
	fleet_record_finish(&record);
	free(long_text);
	buf_finish(&text);
}

/* snprintf() cuts where the room ends, be it within a character. */
static void a_reason_that_was_cut_stops_nothing(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct fleet_message m, back;
	struct buf text = { 0 };

	(void)state;
	begin_message(&m, FLEET_MSG_BEAT_OK);
	memset(m.reason, 0xc3, sizeof(m.reason) - 1);
	m.reason[0] = 'x';
	assert_int_equal(wire_message_encode(&m, &text), 0);
	assert_int_equal(wire_message_decode(text.data, text.len, &back, &e), 0);
	assert_int_equal(back.reason[0], 'x');
	assert_memory_equal(back.reason + 1, "\xef\xbf\xbd", 3);
	buf_finish(&text);
}

/* A message that is right, and what is put in the place of one of its fields. */
static const struct {
	const char *text, *word;
} hostile[] = {
	{ "", "" },
	{ "{", "" },
	{ "[]", "object" },
	{ "null", "" },
	{ "{}", "version" },
	{ "{\"v\":0,\"kind\":\"beat\",\"from\":\"n\"}", "version" },
	{ "{\"v\":\"1\",\"kind\":\"beat\",\"from\":\"n\"}", "version" },
	{ "{\"v\":2,\"kind\":\"beat\",\"from\":\"n\"}", "newer" },
	{ "{\"v\":1,\"from\":\"n\"}", "kind" },
	{ "{\"v\":1,\"kind\":3,\"from\":\"n\"}", "kind" },
	{ "{\"v\":1,\"kind\":\"?\",\"from\":\"n\"}", "kind" },
	{ "{\"v\":1,\"kind\":\"beats\",\"from\":\"n\"}", "kind" },
	{ "{\"v\":1,\"kind\":\"beat\"}", "from" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"\"}", "from" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":null}", "from" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n.*\"}", "from" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\\u0000\"}", "NUL" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"from\":\"m\"}", "duplicate" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"to\":\"a b\"}", "to" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":"
	  "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}",
	  "from" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"number\":-1}", "number" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"number\":1.0}", "number" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"number\":\"1\"}", "number" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"epoch\":9223372036854775808}", "" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"attempt\":4294967296}", "attempt" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"attempt\":1000001}", "attempt" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"yes\":1}", "yes" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"seal\":\"a.b\"}", "seal" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"sig\":\"a.b\"}", "sig" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"labels\":\"a b\"}", "labels" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"held\":{}}", "held" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"held\":[1]}", "held" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"held\":[[]]}", "held" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"held\":[[\"j\",\"t\",1]]}", "held" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"held\":[[\"j\",\"t\",1,1,1]]}", "held" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"held\":[[\"j\",\"t\",1,-1]]}", "held" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"held\":[[\"j\",\"t\",1,1],[\".\",\"t\",1,1],[\"j\",\"."
	  "\",1,1]]}",
	  "held" },
	{ "{\"v\":1,\"kind\":\"beat\",\"from\":\"n\",\"slots\":1000001}", "slots" },
	{ "{\"v\":1,\"kind\":\"ended\",\"from\":\"n\"}", "job" },
	{ "{\"v\":1,\"kind\":\"grant\",\"from\":\"n\",\"job\":\"\"}", "job" },
	{ "{\"v\":1,\"kind\":\"offer\",\"from\":\"n\"}", "offered" },
	{ "{\"v\":1,\"kind\":\"offer\",\"from\":\"n\",\"offered\":[]}", "offered" },
	{ "{\"v\":1,\"kind\":\"offer\",\"from\":\"n\",\"offered\":{}}", "id" },
	{ "{\"v\":1,\"kind\":\"offer\",\"from\":\"n\",\"job\":\"k\",\"offered\":{\"id\":\"j\",\"tenant\":"
	  "\"t\","
	  "\"class\":\"any\",\"submitter\":\"s\",\"effect\":\"once\"}}",
	  "another job" },
	{ "{\"v\":1,\"kind\":\"offer\",\"from\":\"n\",\"tenant\":\"u\",\"offered\":{\"id\":\"j\",\"tenant\":"
	  "\"t\","
	  "\"class\":\"any\",\"submitter\":\"s\",\"effect\":\"once\"}}",
	  "another tenant" },
	{ "{\"v\":1,\"kind\":\"offer\",\"from\":\"n\",\"offered\":{\"id\":\"j\",\"tenant\":\"t\",\"class\":"
	  "\"a..b\","
	  "\"submitter\":\"s\",\"effect\":\"once\"}}",
	  "class" },
	{ "{\"v\":1,\"kind\":\"offer\",\"from\":\"n\",\"offered\":{\"id\":\"j\",\"tenant\":\"t\",\"class\":"
	  "\"any\","
	  "\"submitter\":\"s\",\"effect\":\"twice\"}}",
	  "effect" },
	{ "{\"v\":1,\"kind\":\"offer\",\"from\":\"n\",\"offered\":{\"id\":\"j\",\"tenant\":\"t\",\"class\":"
	  "\"any\","
	  "\"submitter\":\"s\",\"effect\":\"once\",\"priority\":10}}",
	  "priority" },
	{ "{\"v\":1,\"kind\":\"offer\",\"from\":\"n\",\"offered\":{\"id\":\"j\",\"tenant\":\"t\",\"class\":"
	  "\"any\","
	  "\"submitter\":\"s\",\"effect\":\"once\",\"body\":{}}}",
	  "body" },
};

static void strangers_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct fleet_message m;

		memset(&m, 0x5a, sizeof(m));
		if (wire_message_decode(hostile[i].text, strlen(hostile[i].text), &m, &e) != -EBADMSG)
			fail_msg("%s was read", hostile[i].text);
		assert_int_equal(e.code, -EBADMSG);
		if (!strstr(e.text, hostile[i].word))
			fail_msg("%s: %s", hostile[i].text, e.text);
		for (size_t k = 0; k < sizeof(m); k++)
			assert_int_equal(((const unsigned char *)&m)[k], 0x5a); /* untouched */
	}
}

static void deep_and_long_ones_are_refused(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct fleet_term term;
	struct buf text = { 0 };

	(void)state;
	for (unsigned depth = 14; depth <= 16; depth++) {
		text.len = 0;
		buf_addf(&text, "{\"v\":1,\"hub\":\"h\",\"text\":\"[[[[[[[[[[[[[[[[[[[[\\\"[\",\"more\":");
		for (unsigned i = 0; i < depth; i++)
			buf_add(&text, "[", 1);
		for (unsigned i = 0; i < depth; i++)
			buf_add(&text, "]", 1);
		buf_add(&text, "}", 1);
		assert_int_equal(wire_term_decode(text.data, text.len, &term, &e),
				 depth == 16 ? -EBADMSG : 0);
	}
	text.len = 0;
	for (unsigned i = 0; i < 500000; i++)
		buf_add(&text, "[", 1);
	assert_int_equal(wire_term_decode(text.data, text.len, &term, &e), -EBADMSG);
	text.len = 0;
	buf_addf(&text, "{\"v\":1,\"hub\":\"h\"");
	while (text.len < WIRE_MAX - 1)
		buf_add(&text, " ", 1);
	buf_add(&text, "}", 1);
	assert_int_equal(wire_term_decode(text.data, text.len, &term, &e), 0);
	buf_add(&text, " ", 1);
	assert_int_equal(wire_term_decode(text.data, text.len, &term, &e), -EBADMSG);
	assert_non_null(strstr(e.text, "1 MiB"));
	buf_finish(&text);
}

static void unknown_fields_are_a_newer_versions(void **state)
{
	static const char text[] = "{\"v\":1,\"kind\":\"beat_ok\",\"from\":\"h\",\"colour\":{\"a\":[1,2]}}";
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct fleet_message m;

	(void)state;
	assert_int_equal(wire_message_decode(text, strlen(text), &m, &e), 0);
	assert_string_equal(m.from, "h");
	fleet_message_finish(&m);
}

/* Whatever is cut off, what is left is no message, and is not read beyond its end. */
static void every_piece_is_refused(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct fleet_message m, back;
	struct buf text = { 0 };

	(void)state;
	begin_message(&m, FLEET_MSG_OFFER);
	fill_job(&m.offered);
	assert_int_equal(wire_message_encode(&m, &text), 0);
	for (size_t len = 0; len < text.len; len++) {
		char *piece = malloc(len ? len : 1);

		memcpy(piece, text.data, len);
		assert_int_equal(wire_message_decode(piece, len, &back, &e), -EBADMSG);
		free(piece);
	}
	fleet_message_finish(&m);
	buf_finish(&text);
}

static json_t *secrets_of(const char *text, const char *a, const char *b)
{
	const char *const names[] = { a, b };

	return wire_secrets_decode(text, strlen(text), names, 2);
}

static void secrets_are_those_that_were_asked_for(void **state)
{
	static const char *const bad[] = {
		"",
		"[]",
		"\"QUI=\"",
		"{}",
		"{\"A\":\"QUI=\"}",
		"{\"A\":\"QUI=\",\"C\":\"\"}",
		"{\"A\":\"QUI=\",\"B\":\"\",\"C\":\"\"}",
		"{\"A\":\"QUI=\",\"A\":\"QUI=\",\"B\":\"\"}",
		"{\"A\":\"QUI=\",\"B\":1}",
		"{\"A\":\"QUI=\",\"B\":{\"A\":\"\"}}",
		"{\"A\":\"QUI=\",\"B\":\"QUI\"}",
		"{\"A\":\"QUI=\",\"B\":\"A\\u0000==\"}",
	};
	json_t *got = secrets_of("{\"B\":\"\",\"A\":\"QUI=\"}", "A", "B");

	(void)state;
	assert_string_equal(json_string_value(json_object_get(got, "A")), "QUI=");
	wire_secrets_drop(got);
	assert_null(secrets_of("{\"A\":\"QUI=\"}", "A", "A"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if ((got = secrets_of(bad[i], "A", "B")))
			fail_msg("taken: %s", bad[i]);
	wire_secrets_drop(NULL);
}

/* Of one value, of their number, of a name. */
static void secrets_have_bounds(void **state)
{
	static const size_t lengths[] = { WIRE_SECRET_MAX, WIRE_SECRET_MAX + 1 };
	struct buf coded = { 0 }, text = { 0 };
	char *value = calloc(1, WIRE_SECRET_MAX + 1), name[66];
	json_t *got;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		coded.len = text.len = 0;
		base64_add(&coded, value, lengths[i]);
		buf_addf(&text, "{\"A\":\"%.*s\"}", (int)coded.len, coded.data);
		got = wire_secrets_decode(text.data, text.len, NULL, 0);
		assert_int_equal(got != NULL, i == 0);
		wire_secrets_drop(got);
	}
	for (unsigned n = WIRE_SECRETS_MAX; n <= WIRE_SECRETS_MAX + 1; n++) {
		text.len = 0;
		for (unsigned i = 0; i < n; i++)
			buf_addf(&text, "%s\"A%u\":\"\"", i ? "," : "{", i);
		buf_addf(&text, "}");
		got = wire_secrets_decode(text.data, text.len, NULL, 0);
		assert_int_equal(got != NULL, n == WIRE_SECRETS_MAX);
		wire_secrets_drop(got);
	}
	memset(name, 'n', 65);
	name[65] = '\0';
	text.len = 0;
	buf_addf(&text, "{\"%s\":\"\"}", name);
	assert_null(wire_secrets_decode(text.data, text.len, NULL, 0));
	buf_finish(&coded);
	buf_finish(&text);
	free(value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_comes_back),
		cmocka_unit_test(so_does_one_with_nothing_in_it),
		cmocka_unit_test(a_beat_has_4096_jobs_at_most),
		cmocka_unit_test(jobs_records_and_terms_come_back),
		cmocka_unit_test(a_dead_letter_comes_back),
		cmocka_unit_test(what_is_wrong_is_not_written),
		cmocka_unit_test(too_long_is_not_written),
		cmocka_unit_test(a_reason_that_was_cut_stops_nothing),
		cmocka_unit_test(strangers_are_refused),
		cmocka_unit_test(deep_and_long_ones_are_refused),
		cmocka_unit_test(unknown_fields_are_a_newer_versions),
		cmocka_unit_test(every_piece_is_refused),
		cmocka_unit_test(secrets_are_those_that_were_asked_for),
		cmocka_unit_test(secrets_have_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
