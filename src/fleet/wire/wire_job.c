/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs, records and terms as JSON. */
#include <errno.h>

#include "fleet/wire/wire.h"
#include "fleet/wire/wire_json.h"

#define PRIORITY_MAX 9

static const char *effect_name(unsigned effect)
{
	return fleet_effect_name((enum fleet_effect)effect);
}

/* Without ABSENT: of what is not there is no record. */
static const char *phase_name(unsigned phase)
{
	return fleet_phase_name((enum fleet_phase)(phase + FLEET_CLAIMED));
}

void wire_job_read(struct wire_in *in, struct fleet_job *ret)
{
	wire_in_string(in, "id", true, fleet_is_name, ret->id, sizeof(ret->id));
	wire_in_string(in, "tenant", true, fleet_is_name, ret->tenant, sizeof(ret->tenant));
	wire_in_string(in, "class", true, fleet_is_class, ret->class, sizeof(ret->class));
	wire_in_string(in, "submitter", true, fleet_is_name, ret->submitter, sizeof(ret->submitter));
	ret->effect = (enum fleet_effect)wire_in_word(in, "effect", effect_name, FLEET_ONCE + 1);
	wire_in_count(in, "priority", PRIORITY_MAX, &ret->priority);
	wire_in_count(in, "attempts", WIRE_COUNT_MAX, &ret->attempts);
	wire_in_number(in, "deadline", WIRE_NUMBER_MAX, &ret->deadline_wall_ms);
	wire_in_number(in, "run", WIRE_NUMBER_MAX, &ret->run_ms);
	wire_in_string(in, "box", false, wire_is_seal, ret->box, sizeof(ret->box));
	wire_in_string(in, "content", false, fleet_is_name, ret->content, sizeof(ret->content));
	wire_in_text(in, "body", &ret->body);
}

void wire_job_write(struct wire_out *out, const struct fleet_job *job)
{
	if (!job->id[0] || !job->tenant[0] || !job->class[0] || !job->submitter[0] ||
	    (unsigned)job->effect > FLEET_ONCE) {
		out->r = out->r ? out->r : -EINVAL;
		return;
	}
	wire_out_string(out, "id", fleet_is_name, job->id);
	wire_out_string(out, "tenant", fleet_is_name, job->tenant);
	wire_out_string(out, "class", fleet_is_class, job->class);
	wire_out_string(out, "submitter", fleet_is_name, job->submitter);
	wire_out_string(out, "effect", NULL, fleet_effect_name(job->effect));
	wire_out_number(out, "priority", PRIORITY_MAX, job->priority);
	wire_out_number(out, "attempts", WIRE_COUNT_MAX, job->attempts);
	wire_out_number(out, "deadline", WIRE_NUMBER_MAX, job->deadline_wall_ms);
	wire_out_number(out, "run", WIRE_NUMBER_MAX, job->run_ms);
	wire_out_string(out, "box", wire_is_seal, job->box);
	wire_out_string(out, "content", fleet_is_name, job->content);
	wire_out_text(out, "body", job->body);
}

int wire_job_encode(const struct fleet_job *job, struct buf *ret)
{
	struct wire_out out;

	wire_out_begin(&out);
	wire_job_write(&out, job);
	return wire_out_end(&out, ret);
}

int wire_job_decode(const char *data, size_t len, struct fleet_job *ret, struct aisbx_error *e)
{
	json_t *object = wire_open(data, len, "job", e);
	struct wire_in in = { .object = object, .what = "job", .e = e };
	struct fleet_job job = { 0 };

	if (!object)
		return -EBADMSG;
	wire_job_read(&in, &job);
	json_decref(object);
	if (in.r < 0)
		fleet_job_finish(&job);
	else
		*ret = job;
	return in.r;
}

void wire_record_write(struct wire_out *out, const struct fleet_record *record)
{
	if (record->phase < FLEET_CLAIMED || record->phase > FLEET_UNKNOWN)
		out->r = out->r ? out->r : -EINVAL;
	wire_out_string(out, "phase", NULL, fleet_phase_name(record->phase));
	wire_out_number(out, "epoch", WIRE_NUMBER_MAX, record->token.epoch);
	wire_out_number(out, "revision", WIRE_NUMBER_MAX, record->token.revision);
	wire_out_string(out, "node", fleet_is_name, record->node);
	wire_out_number(out, "incarnation", WIRE_NUMBER_MAX, record->incarnation);
	wire_out_number(out, "attempt", WIRE_COUNT_MAX, record->attempt);
	wire_out_string(out, "seal", wire_is_seal, record->seal);
	wire_out_string(out, "sig", wire_is_seal, record->signature);
	wire_out_text(out, "result", record->result);
}

int wire_record_encode(const struct fleet_record *record, struct buf *ret)
{
	struct wire_out out;

	wire_out_begin(&out);
	wire_record_write(&out, record);
	return wire_out_end(&out, ret);
}

void wire_record_read(struct wire_in *in, struct fleet_record *ret)
{
	ret->phase = (enum fleet_phase)(wire_in_word(in, "phase", phase_name, FLEET_UNKNOWN) + FLEET_CLAIMED);
	wire_in_number(in, "epoch", WIRE_NUMBER_MAX, &ret->token.epoch);
	wire_in_number(in, "revision", WIRE_NUMBER_MAX, &ret->token.revision);
	wire_in_string(in, "node", false, fleet_is_name, ret->node, sizeof(ret->node));
	wire_in_number(in, "incarnation", WIRE_NUMBER_MAX, &ret->incarnation);
	wire_in_count(in, "attempt", WIRE_COUNT_MAX, &ret->attempt);
	wire_in_string(in, "seal", false, wire_is_seal, ret->seal, sizeof(ret->seal));
	wire_in_string(in, "sig", false, wire_is_seal, ret->signature, sizeof(ret->signature));
	wire_in_text(in, "result", &ret->result);
}

int wire_record_decode(const char *data, size_t len, struct fleet_record *ret, struct aisbx_error *e)
{
	json_t *object = wire_open(data, len, "record", e);
	struct wire_in in = { .object = object, .what = "record", .e = e };
	struct fleet_record record = { 0 };

	if (!object)
		return -EBADMSG;
	wire_record_read(&in, &record);
	json_decref(object);
	if (in.r < 0)
		fleet_record_finish(&record);
	else
		*ret = record;
	return in.r;
}

int wire_term_encode(const struct fleet_term *term, struct buf *ret)
{
	struct wire_out out;

	wire_out_begin(&out);
	if (!term->hub[0])
		out.r = out.r ? out.r : -EINVAL;
	wire_out_string(&out, "hub", fleet_is_name, term->hub);
	wire_out_number(&out, "epoch", WIRE_NUMBER_MAX, term->epoch);
	wire_out_number(&out, "beat", WIRE_NUMBER_MAX, term->beat);
	return wire_out_end(&out, ret);
}

int wire_term_decode(const char *data, size_t len, struct fleet_term *ret, struct aisbx_error *e)
{
	json_t *object = wire_open(data, len, "term", e);
	struct wire_in in = { .object = object, .what = "term", .e = e };
	struct fleet_term term = { 0 };

	if (!object)
		return -EBADMSG;
	wire_in_string(&in, "hub", true, fleet_is_name, term.hub, sizeof(term.hub));
	wire_in_number(&in, "epoch", WIRE_NUMBER_MAX, &term.epoch);
	wire_in_number(&in, "beat", WIRE_NUMBER_MAX, &term.beat);
	json_decref(object);
	if (in.r == 0)
		*ret = term;
	return in.r;
}
