/* SPDX-License-Identifier: Apache-2.0 */
/* Dead letters as JSON and back. */
#include <errno.h>
#include <string.h>

#include "fleet/wire/wire.h"
#include "fleet/wire/wire_json.h"

void wire_letter_finish(struct wire_letter *letter)
{
	fleet_job_finish(&letter->job);
	fleet_record_finish(&letter->record);
	*letter = (struct wire_letter){ 0 };
}

static void put_part(struct wire_out *out, const char *key, struct wire_out *part)
{
	if (part->r < 0 && out->r == 0)
		out->r = part->r;
	wire_out_value(out, key, part->object);
}

int wire_letter_encode(const struct wire_letter *letter, struct buf *ret)
{
	struct wire_out out, job, record;

	wire_out_begin(&out);
	wire_out_begin(&job);
	wire_out_begin(&record);
	wire_job_write(&job, &letter->job);
	wire_record_write(&record, &letter->record);
	if (letter->record.phase != FLEET_DEAD)
		out.r = out.r ? out.r : -EINVAL;
	put_part(&out, "job", &job);
	put_part(&out, "record", &record);
	wire_out_number(&out, "at", WIRE_NUMBER_MAX, letter->at_wall_ms);
	return wire_out_end(&out, ret);
}

static const json_t *part_of(struct wire_in *in, const char *key)
{
	const json_t *part = json_object_get(in->object, key);

	if (in->r == 0 && !json_is_object(part))
		wire_in_fail(in, key, "is not there");
	return part;
}

int wire_letter_decode(const char *data, size_t len, struct wire_letter *ret, struct aisbx_error *e)
{
	json_t *object = wire_open(data, len, "dead letter", e);
	struct wire_in in = { .object = object, .what = "dead letter", .e = e };
	struct wire_in job = { .what = "dead letter's job", .e = e };
	struct wire_in record = { .what = "dead letter's record", .e = e };
	struct wire_letter letter = { 0 };

	if (!object)
		return -EBADMSG;
	job.object = part_of(&in, "job");
	record.object = part_of(&in, "record");
	wire_in_number(&in, "at", WIRE_NUMBER_MAX, &letter.at_wall_ms);
	job.r = in.r;
	wire_job_read(&job, &letter.job);
	record.r = job.r;
	wire_record_read(&record, &letter.record);
	in.r = record.r;
	if (in.r == 0 && letter.record.phase != FLEET_DEAD)
		wire_in_fail(&in, "record", "is not that of a job that was given up");
	json_decref(object);
	if (in.r < 0)
		wire_letter_finish(&letter);
	else
		*ret = letter;
	return in.r;
}
