/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of what comes back of a job. */
#include "fleet/client/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/agent/seal.h"
#include "fleet/agent/sealed_run.h"
#include "fleet/core/memory.h"
#include "fleet/wire/key_line.h"

/* The result of an earlier attempt that stands in the place of a newer claim: its node, if it lives, writes
 * its own over that. If not by then, nobody knows how the job ended. */
#define PUT_BACK_MS 60000

struct verify {
	const struct fleet_job *job; /* borrowed */
	struct seals *seals;         /* owned; NULL: nothing is checked */
	struct key box;              /* the job's */
	bool has_box;
	struct sealed_line line; /* to the node of the newest claim that was heard of */
	/* the newest claim that was seen */
	uint64_t epoch;
	unsigned attempt;
	/* who was allowed to begin a job that may begin once */
	char node[FLEET_NAME];
	uint64_t incarnation;
	uint64_t told;       /* revision of the last record that was told to a person */
	uint64_t put_back;   /* revision of an old result */
	uint64_t unknown_ms; /* when that makes the end unknown */
};

static int make_box(struct verify *v, struct saved *table, struct fleet_job *job, bool is_new,
		    struct aisbx_error *e)
{
	char text[KEY_TEXT];
	uint8_t master[KEY_MASTER];
	int r = saved_secret(table, master, e);

	if (r < 0)
		return r;
	r = key_of_job(master, job->tenant, job->id, &v->box);
	memset(master, 0, sizeof(master));
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "make the key of job %s", job->id);
	key_public_write(&v->box.public, text);
	if (is_new)
		memcpy(job->box, text, sizeof(text));
	v->has_box = !strcmp(job->box, text);
	return 0;
}

int verify_create(const struct fleet_options *fleet, struct saved *table, struct fleet_job *job,
		  const struct fleet_saved_job *known, struct verify **ret, struct aisbx_error *e)
{
	struct verify *v = fleet_new(sizeof(*v));
	int r = seals_open(fleet, BUS_SUBMITTER, &v->seals, e);

	v->job = job;
	if (r == 0)
		r = make_box(v, table, job, !known, e);
	if (r < 0) {
		verify_destroy(v);
		return r;
	}
	if (known && known->granted) {
		memcpy(v->node, known->node, sizeof(v->node));
		v->incarnation = known->incarnation;
	}
	*ret = v;
	return 0;
}

void verify_destroy(struct verify *v)
{
	if (!v)
		return;
	seals_close(v->seals);
	key_finish(&v->box);
	sealed_line_finish(&v->line);
	free(v);
}

bool verify_trusts_hubs(const struct verify *v)
{
	return v->seals != NULL;
}

static bool is_older(const struct verify *v, uint64_t epoch, unsigned attempt)
{
	return epoch < v->epoch || (epoch == v->epoch && attempt < v->attempt);
}

/* Of a claim that is trusted. */
static void saw_claim(struct verify *v, uint64_t epoch, unsigned attempt)
{
	if (is_older(v, epoch, attempt))
		return;
	v->epoch = epoch;
	v->attempt = attempt;
}

/* Why a record of a node or hub is not how the job stands. What may be done once may end late, by the one
 * node that was let begin it, and by no other. */
static const char *refuse(const struct verify *v, const struct fleet_record *r)
{
	if (v->job->effect == FLEET_ONCE && v->node[0])
		return r->phase == FLEET_ENDED &&
				       (strcmp(r->node, v->node) != 0 || r->incarnation != v->incarnation)
			       ? "it is of another node than the one that was let begin it"
			       : NULL;
	return r->seal[0] && is_older(v, r->token.epoch, r->attempt)
		       ? "a newer claim was seen, so it was put back"
		       : NULL;
}

static void tell(struct verify *v, uint64_t revision, const char *why)
{
	if (v->told == revision)
		return;
	v->told = revision;
	fprintf(stderr,
		"aisbx: the record of job %s is not taken: %s. Somebody writes to the fleet who may not, "
		"or a hub's key is missing in --hub-keys. This command waits for the true record, and "
		"submits the job again if none comes\n",
		v->job->id, why);
}

static void nothing_yet(struct fleet_answer *ret)
{
	fleet_record_finish(&ret->record);
	ret->record = (struct fleet_record){ .phase = FLEET_CLAIMED };
}

/* Signed, but not how the job stands. */
static void was_put_back(struct verify *v, struct fleet_now now, const char *why, struct fleet_answer *ret)
{
	tell(v, ret->revision, why);
	if (v->put_back != ret->revision) {
		v->put_back = ret->revision;
		v->unknown_ms = now.ms + PUT_BACK_MS;
	}
	nothing_yet(ret);
	if (now.ms >= v->unknown_ms)
		ret->record.phase = FLEET_UNKNOWN;
}

/* What was sealed nobody could check on its way. */
static bool is_text(const struct fleet_text *text)
{
	const char *data = fleet_text_data(text);

	return strlen(data) == fleet_text_len(text) && buf_is_utf8(data);
}

static void open_result(struct verify *v, struct fleet_record *r)
{
	static const char lost[] =
		"{\"operation\":\"\",\"exit_status\":125,\"error\":{\"kind\":\"denied\",\"text\":"
		"\"the job ended, but its result cannot be read: it is no text, or is sealed to another key "
		"than the job's\"}}";
	const bool had = r->result != NULL;

	r->result = seal_open_result(v->has_box ? &v->box : NULL, r->result);
	if (r->result && !is_text(r->result)) {
		fleet_text_drop(r->result);
		r->result = NULL;
	}
	if (had && !r->result)
		r->result = fleet_text_new(lost, sizeof(lost) - 1);
}

void verify_answer(struct verify *v, struct fleet_now now, const struct fleet_answer *a,
		   struct fleet_answer *ret)
{
	struct fleet_answer forged;
	const char *why;

	*ret = (struct fleet_answer){
		.kind = a->kind, .number = a->number, .revision = a->revision, .wait_ms = a->wait_ms
	};
	if (seals_find_forged(v->seals, a, &forged, &why)) {
		*ret = forged;
		tell(v, a->revision, why);
		return;
	}
	fleet_record_copy(&a->record, &ret->record);
	if (!a->id[0] || a->kind != FLEET_OK)
		return;
	why = v->seals && ret->record.phase != FLEET_CLAIMED ? refuse(v, &ret->record) : NULL;
	if (why)
		was_put_back(v, now, why, ret);
	else if (ret->record.phase == FLEET_CLAIMED)
		saw_claim(v, ret->record.token.epoch, ret->record.attempt);
	else
		open_result(v, &ret->record);
}

bool verify_message(struct verify *v, const struct fleet_message *m)
{
	if (m->kind != FLEET_MSG_MAY_I || !v->seals)
		return true;
	if (seals_refuse_question(v->seals, m) || is_older(v, m->token.epoch, m->attempt))
		return false;
	saw_claim(v, m->token.epoch, m->attempt);
	return true;
}

void verify_sent(struct verify *v, const struct fleet_action *a)
{
	if (a->kind != FLEET_SEND || a->message.kind != FLEET_MSG_GRANT || !a->message.yes)
		return;
	memcpy(v->node, a->message.to, sizeof(v->node));
	v->incarnation = a->message.incarnation;
}

bool verify_open(struct verify *v, const char *data, size_t len, struct buf *ret, char ret_node[FLEET_NAME],
		 unsigned *ret_attempt)
{
	struct sealed_line line = v->line;
	const struct fleet_record *claim = &line.claim;

	ret_node[0] = '\0';
	*ret_attempt = 0;
	if (!sealed_line_is(data, len)) {
		if (!v->seals)
			buf_add(ret, data, len);
		return !v->seals;
	}
	if (!v->has_box || !sealed_line_read(&line, v->seals, &v->box, v->job, data, len, ret) ||
	    is_older(v, claim->token.epoch, claim->attempt))
		return false;
	v->line = line;
	saw_claim(v, claim->token.epoch, claim->attempt);
	memcpy(ret_node, claim->node, FLEET_NAME);
	*ret_attempt = claim->attempt;
	return true;
}

bool verify_seal(const struct verify *v, const char *data, size_t len, struct buf *ret)
{
	if (v->line.claim.seal[0])
		return sealed_line_write(&v->line, data, len, ret);
	buf_add(ret, data, len);
	return !ret->failed;
}
