/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as JSON. What a kind does not have is neither written nor read. */
#include <errno.h>
#include <string.h>

#include "base/unicode.h"
#include "fleet/core/memory.h"
#include "fleet/wire/wire.h"
#include "fleet/wire/wire_json.h"

static const char *kind_name(unsigned kind)
{
	return fleet_message_name((enum fleet_message_kind)kind);
}

/* Kinds that are about one job, which they name. OFFER has all of it. */
static bool names_job(enum fleet_message_kind kind)
{
	return kind != FLEET_MSG_BEAT && kind != FLEET_MSG_BEAT_OK && kind != FLEET_MSG_OFFER;
}

/* Jobs that are held, each as ["JOB","TENANT",EPOCH,REVISION]: a beat may have thousands. */
static void write_held(struct wire_out *out, const struct fleet_beat *beat)
{
	json_t *held = json_array();

	for (size_t i = 0; held && i < beat->n_held && out->r == 0; i++) {
		const struct fleet_holding *h = &beat->held[i];

		if (!fleet_is_name(h->job) || !fleet_is_name(h->tenant) || h->token.epoch > WIRE_NUMBER_MAX ||
		    h->token.revision > WIRE_NUMBER_MAX)
			out->r = -EINVAL;
		else if (json_array_append_new(held, json_pack("[ssII]", h->job, h->tenant,
							       (json_int_t)h->token.epoch,
							       (json_int_t)h->token.revision)) < 0)
			out->r = -ENOMEM;
	}
	wire_out_value(out, "held", held);
}

static void write_beat(struct wire_out *out, const struct fleet_beat *beat)
{
	if (beat->n_held > WIRE_HELD_MAX)
		out->r = out->r ? out->r : -EMSGSIZE;
	wire_out_number(out, "beat", WIRE_NUMBER_MAX, beat->number);
	wire_out_number(out, "sent", WIRE_NUMBER_MAX, beat->sent_ms);
	wire_out_number(out, "seen", WIRE_NUMBER_MAX, beat->epoch);
	wire_out_number(out, "slots", WIRE_COUNT_MAX, beat->slots);
	wire_out_number(out, "room", WIRE_COUNT_MAX, beat->room);
	wire_out_bool(out, "draining", beat->draining);
	wire_out_bool(out, "failing", beat->failing);
	wire_out_string(out, "labels", wire_is_labels, beat->labels);
	if (beat->n_held > 0)
		write_held(out, beat);
}

static void write_offered(struct wire_out *out, const struct fleet_message *m)
{
	struct wire_out job;

	wire_out_begin(&job);
	wire_job_write(&job, &m->offered);
	if (out->r == 0)
		out->r = job.r;
	if ((m->job[0] && strcmp(m->job, m->offered.id) != 0) ||
	    (m->tenant[0] && strcmp(m->tenant, m->offered.tenant) != 0))
		out->r = out->r ? out->r : -EINVAL;
	wire_out_value(out, "offered", job.object);
}

/* Text for people that was perhaps cut within a character: what does not count must not stop what does. */
static void write_reason(struct wire_out *out, const char *reason)
{
	struct buf text = { 0 };
	size_t len = 0, n = 0;

	buf_add_utf8(&text, reason, strlen(reason));
	if (!buf_str(&text)) {
		out->r = out->r ? out->r : -ENOMEM;
		return;
	}
	/* U+FFFD is longer than what it stands for */
	while (len < text.len && (n = unicode_length(text.data + len, text.len - len)) > 0 &&
	       len + n < sizeof(((struct fleet_message *)NULL)->reason))
		len += n;
	text.data[len] = 0;
	wire_out_string(out, "reason", NULL, text.data);
	buf_finish(&text);
}

int wire_message_encode(const struct fleet_message *m, struct buf *ret)
{
	struct wire_out out;

	wire_out_begin(&out);
	if ((unsigned)m->kind >= FLEET_MSG_N || !m->from[0] || (names_job(m->kind) && !m->job[0]))
		out.r = out.r ? out.r : -EINVAL;
	wire_out_string(&out, "kind", NULL, fleet_message_name(m->kind));
	wire_out_string(&out, "from", fleet_is_name, m->from);
	wire_out_string(&out, "to", fleet_is_name, m->to);
	wire_out_number(&out, "incarnation", WIRE_NUMBER_MAX, m->incarnation);
	wire_out_number(&out, "number", WIRE_NUMBER_MAX, m->number);
	wire_out_number(&out, "epoch", WIRE_NUMBER_MAX, m->token.epoch);
	wire_out_number(&out, "revision", WIRE_NUMBER_MAX, m->token.revision);
	wire_out_string(&out, "job", fleet_is_name, m->job);
	wire_out_string(&out, "tenant", fleet_is_name, m->tenant);
	wire_out_number(&out, "attempt", WIRE_COUNT_MAX, m->attempt);
	wire_out_bool(&out, "yes", m->yes);
	wire_out_string(&out, "seal", wire_is_seal, m->seal);
	wire_out_string(&out, "sig", wire_is_seal, m->signature);
	if (m->reason[0])
		write_reason(&out, m->reason);
	if (m->kind == FLEET_MSG_BEAT)
		write_beat(&out, &m->beat);
	if (m->kind == FLEET_MSG_OFFER)
		write_offered(&out, m);
	return wire_out_end(&out, ret);
}

static void read_holding(struct wire_in *in, const json_t *value, struct fleet_holding *ret)
{
	const char *job = json_string_value(json_array_get(value, 0));
	const char *tenant = json_string_value(json_array_get(value, 1));
	const json_t *epoch = json_array_get(value, 2), *revision = json_array_get(value, 3);

	if (json_array_size(value) != 4 || !job || !fleet_is_name(job) || !tenant || !fleet_is_name(tenant) ||
	    !json_is_integer(epoch) || !json_is_integer(revision) || json_integer_value(epoch) < 0 ||
	    json_integer_value(revision) < 0)
		return wire_in_fail(in, "held", "has one that is not [\"JOB\", \"TENANT\", EPOCH, REVISION]");
	memcpy(ret->job, job, strlen(job));
	memcpy(ret->tenant, tenant, strlen(tenant));
	ret->token.epoch = (uint64_t)json_integer_value(epoch);
	ret->token.revision = (uint64_t)json_integer_value(revision);
}

static void read_held(struct wire_in *in, struct fleet_beat *ret)
{
	const json_t *held = json_object_get(in->object, "held");
	size_t n = json_array_size(held);

	if (in->r < 0 || !held)
		return;
	if (!json_is_array(held) || n > WIRE_HELD_MAX)
		return wire_in_fail(in, "held", "is not a list of 4096 jobs at most");
	if (n == 0)
		return;
	ret->held = fleet_new(n * sizeof(*ret->held));
	ret->n_held = n;
	for (size_t i = 0; i < n; i++)
		read_holding(in, json_array_get(held, i), &ret->held[i]);
}

static void read_beat(struct wire_in *in, struct fleet_beat *ret)
{
	wire_in_number(in, "beat", WIRE_NUMBER_MAX, &ret->number);
	wire_in_number(in, "sent", WIRE_NUMBER_MAX, &ret->sent_ms);
	wire_in_number(in, "seen", WIRE_NUMBER_MAX, &ret->epoch);
	wire_in_count(in, "slots", WIRE_COUNT_MAX, &ret->slots);
	wire_in_count(in, "room", WIRE_COUNT_MAX, &ret->room);
	wire_in_bool(in, "draining", &ret->draining);
	wire_in_bool(in, "failing", &ret->failing);
	wire_in_string(in, "labels", false, wire_is_labels, ret->labels, sizeof(ret->labels));
	read_held(in, ret);
}

static void read_offered(struct wire_in *in, struct fleet_message *ret)
{
	const json_t *object = json_object_get(in->object, "offered");
	struct wire_in job = { .object = object, .what = "offered job", .e = in->e, .r = in->r };

	if (!json_is_object(object))
		return wire_in_fail(in, "offered", "is not a job");
	wire_job_read(&job, &ret->offered);
	in->r = job.r;
	if ((ret->job[0] && strcmp(ret->job, ret->offered.id) != 0) ||
	    (ret->tenant[0] && strcmp(ret->tenant, ret->offered.tenant) != 0))
		wire_in_fail(in, "offered", "is another job, or of another tenant, than the message says");
}

int wire_message_decode(const char *data, size_t len, struct fleet_message *ret, struct aisbx_error *e)
{
	json_t *object = wire_open(data, len, "message", e);
	struct wire_in in = { .object = object, .what = "message", .e = e };
	struct fleet_message m = { 0 };

	if (!object)
		return -EBADMSG;
	m.kind = (enum fleet_message_kind)wire_in_word(&in, "kind", kind_name, FLEET_MSG_N);
	wire_in_string(&in, "from", true, fleet_is_name, m.from, sizeof(m.from));
	wire_in_string(&in, "to", false, fleet_is_name, m.to, sizeof(m.to));
	wire_in_number(&in, "incarnation", WIRE_NUMBER_MAX, &m.incarnation);
	wire_in_number(&in, "number", WIRE_NUMBER_MAX, &m.number);
	wire_in_number(&in, "epoch", WIRE_NUMBER_MAX, &m.token.epoch);
	wire_in_number(&in, "revision", WIRE_NUMBER_MAX, &m.token.revision);
	wire_in_string(&in, "job", names_job(m.kind), fleet_is_name, m.job, sizeof(m.job));
	wire_in_string(&in, "tenant", false, fleet_is_name, m.tenant, sizeof(m.tenant));
	wire_in_count(&in, "attempt", WIRE_COUNT_MAX, &m.attempt);
	wire_in_bool(&in, "yes", &m.yes);
	wire_in_string(&in, "seal", false, wire_is_seal, m.seal, sizeof(m.seal));
	wire_in_string(&in, "sig", false, wire_is_seal, m.signature, sizeof(m.signature));
	wire_in_string(&in, "reason", false, NULL, m.reason, sizeof(m.reason));
	if (in.r == 0 && m.kind == FLEET_MSG_BEAT)
		read_beat(&in, &m.beat);
	if (in.r == 0 && m.kind == FLEET_MSG_OFFER)
		read_offered(&in, &m);
	json_decref(object);
	if (in.r < 0)
		fleet_message_finish(&m);
	else
		*ret = m;
	return in.r;
}
