/* SPDX-License-Identifier: Apache-2.0 */
/* Both sides of a sealed line. */
#include "fleet/agent/sealed_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "fleet/core/memory.h"
#include "fleet/wire/wire.h"

/* A claim has a few names and a seal. */
#define LONGEST_CLAIM 1024

struct sealed_run {
	struct buf head; /* owned */
	struct key_line keys;
};

static struct key_claim claim_of(const struct fleet_job *job, const struct fleet_record *r)
{
	return (struct key_claim){
		job->id, job->tenant, r->node, r->incarnation, r->token.epoch, r->attempt
	};
}

struct sealed_run *sealed_run_new(const struct seals *s, const struct fleet_job *job,
				  const struct fleet_record *claim)
{
	const struct key_claim which = claim_of(job, claim);
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct key_public box;
	struct sealed_run *run;

	if (!seals_key(s) || !job->box[0] || key_public_read(job->box, &box, &e) < 0)
		return NULL;
	run = fleet_new(sizeof(*run));
	if (key_line_make(seals_key(s), &box, &which, &run->keys) < 0 ||
	    wire_record_encode(claim, &run->head) < 0) {
		sealed_run_free(run);
		return NULL;
	}
	buf_addf(&run->head, "\n");
	return run;
}

void sealed_run_free(struct sealed_run *run)
{
	if (!run)
		return;
	buf_finish(&run->head);
	key_line_finish(&run->keys);
	free(run);
}

bool sealed_run_write(const struct sealed_run *run, const void *data, size_t len, struct buf *ret)
{
	buf_add(ret, run->head.data, run->head.len);
	return key_line_seal(run->keys.to_submitter, data, len, ret) == 0;
}

bool sealed_run_read(const struct sealed_run *run, const void *data, size_t len, struct buf *ret)
{
	return key_line_open(run->keys.to_node, data, len, ret) == 0;
}

void sealed_line_finish(struct sealed_line *line)
{
	key_line_finish(&line->keys);
	*line = (struct sealed_line){ 0 };
}

bool sealed_line_is(const char *data, size_t len)
{
	return memchr(data, '\n', len) != NULL;
}

static bool is_same(const struct fleet_record *a, const struct fleet_record *b)
{
	return !strcmp(a->seal, b->seal) && !strcmp(a->node, b->node) && a->incarnation == b->incarnation &&
	       a->token.epoch == b->token.epoch && a->attempt == b->attempt;
}

/* The keys for a claim that is trusted. */
static bool make_keys(const struct seals *s, const struct key *box, const struct fleet_job *job,
		      const struct fleet_record *claim, struct key_line *ret)
{
	const struct key_claim which = claim_of(job, claim);
	struct key_public node;

	return !seals_refuse_record(s, job->tenant, job->id, claim) && key_of_seal(claim->seal, &node) &&
	       key_line_make(box, &node, &which, ret) == 0;
}

bool sealed_line_read(struct sealed_line *line, const struct seals *s, const struct key *box,
		      const struct fleet_job *job, const char *data, size_t len, struct buf *ret)
{
	const char *end = memchr(data, '\n', len < LONGEST_CLAIM ? len : LONGEST_CLAIM);
	scoped(fleet_record_finish) struct fleet_record claim = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct sealed_line new = { 0 };
	const char *sealed = end ? end + 1 : NULL;
	bool ok;

	if (!end || wire_record_decode(data, (size_t)(end - data), &claim, &e) < 0 ||
	    claim.phase != FLEET_CLAIMED || claim.result)
		return false;
	new.claim = claim;
	if (is_same(&claim, &line->claim))
		new.keys = line->keys;
	else if (!make_keys(s, box, job, &claim, &new.keys))
		return false;
	ok = key_line_open(new.keys.to_submitter, sealed, len - (size_t)(sealed - data), ret) == 0;
	if (ok)
		*line = new;
	key_line_finish(&new.keys);
	return ok;
}

bool sealed_line_write(const struct sealed_line *line, const void *data, size_t len, struct buf *ret)
{
	return key_line_seal(line->keys.to_node, data, len, ret) == 0;
}
