/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the readers of the fleet's jobs, records, terms, dead letters and lanes, by the first byte: what
 * they take is the same when it is written and read again. So are values of secrets. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/wire/subject.h"
#include "fleet/wire/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

/* Reads DATA, writes it to RET. False: it was refused. */
static bool pass_job(const char *data, size_t len, struct buf *ret)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct fleet_job job;

	if (wire_job_decode(data, len, &job, &e) < 0) {
		must(e.code < 0 && e.text[0]);
		return false;
	}
	must(fleet_is_name(job.id) && fleet_is_name(job.tenant) && fleet_is_name(job.submitter));
	must(fleet_is_class(job.class) && job.priority <= 9 && job.effect <= FLEET_ONCE);
	must(strlen(fleet_text_data(job.body)) == fleet_text_len(job.body));
	must(wire_job_encode(&job, ret) == 0);
	fleet_job_finish(&job);
	return true;
}

static bool pass_record(const char *data, size_t len, struct buf *ret)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct fleet_record record;

	if (wire_record_decode(data, len, &record, &e) < 0) {
		must(e.code < 0 && e.text[0]);
		return false;
	}
	must(record.phase >= FLEET_CLAIMED && record.phase <= FLEET_UNKNOWN);
	must(!record.node[0] || fleet_is_name(record.node));
	must(strlen(fleet_text_data(record.result)) == fleet_text_len(record.result));
	must(wire_record_encode(&record, ret) == 0);
	fleet_record_finish(&record);
	return true;
}

static bool pass_term(const char *data, size_t len, struct buf *ret)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct fleet_term term;

	if (wire_term_decode(data, len, &term, &e) < 0) {
		must(e.code < 0 && e.text[0]);
		return false;
	}
	must(fleet_is_name(term.hub));
	must(wire_term_encode(&term, ret) == 0);
	return true;
}

static bool pass_letter(const char *data, size_t len, struct buf *ret)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct wire_letter letter;

	if (wire_letter_decode(data, len, &letter, &e) < 0) {
		must(e.code < 0 && e.text[0]);
		return false;
	}
	must(fleet_is_name(letter.job.id) && fleet_is_name(letter.job.tenant));
	must(letter.record.phase == FLEET_DEAD);
	must(wire_letter_encode(&letter, ret) == 0);
	wire_letter_finish(&letter);
	return true;
}

static bool pass_secrets(const char *data, size_t len, struct buf *ret)
{
	json_t *secrets = wire_secrets_decode(data, len, NULL, 0), *again, *value;
	const char *names[WIRE_SECRETS_MAX + 1] = { 0 }, *name;
	size_t n = 0;
	char *text;

	if (!secrets)
		return false;
	must(json_object_size(secrets) <= WIRE_SECRETS_MAX);
	json_object_foreach(secrets, name, value)
	{
		must(*name && json_is_string(value));
		names[n++] = name;
	}
	again = wire_secrets_decode(data, len, names, n);
	must(again && json_equal(again, secrets));
	wire_secrets_drop(again);
	names[n] = "one more";
	must(!wire_secrets_decode(data, len, names, n + 1));
	text = json_dumps(secrets, JSON_COMPACT | JSON_SORT_KEYS);
	must(text != NULL);
	buf_add(ret, text, strlen(text));
	free(text);
	wire_secrets_drop(secrets);
	return true;
}

static bool pass_lane(const char *data, size_t len, struct buf *ret)
{
	char *text = strndup(data, len), class[FLEET_NAME], tenant[FLEET_NAME], subject[SUBJECT_MAX];
	bool is_lane = text && subject_parse_lane(text, class, tenant);

	if (is_lane) {
		must(subject_of_lane(class, tenant, subject) == 0 && strcmp(subject, text) == 0);
		buf_add(ret, subject, strlen(subject));
	}
	free(text);
	return is_lane;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct buf first = { 0 }, second = { 0 };
	bool (*pass)(const char *data, size_t len, struct buf *ret);

	if (len == 0)
		return 0;
	pass = data[0] == 'j'   ? pass_job
	       : data[0] == 'r' ? pass_record
	       : data[0] == 't' ? pass_term
	       : data[0] == 'd' ? pass_letter
	       : data[0] == 's' ? pass_secrets
				: pass_lane;
	if (pass((const char *)data + 1, len - 1, &first)) {
		must(pass(first.data, first.len, &second));
		must(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
	}
	buf_finish(&first);
	buf_finish(&second);
	return 0;
}
