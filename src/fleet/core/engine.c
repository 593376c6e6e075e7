/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of what is asked of the engine, the end of its answers, and the names of both. */
#include "fleet/core/engine.h"

#include <stdlib.h>

void fleet_ask_copy(const struct fleet_ask *ask, struct fleet_ask *ret)
{
	*ret = *ask;
	fleet_text_hold(ret->job.body);
	fleet_text_hold(ret->record.result);
}

void fleet_ask_finish(struct fleet_ask *ask)
{
	fleet_text_drop(ask->job.body);
	fleet_text_drop(ask->record.result);
	*ask = (struct fleet_ask){ 0 };
}

void fleet_answer_finish(struct fleet_answer *answer)
{
	for (size_t i = 0; i < answer->n_jobs; i++)
		fleet_job_finish(&answer->jobs[i].job);
	free(answer->jobs);
	free(answer->lanes);
	fleet_record_finish(&answer->record);
	*answer = (struct fleet_answer){ 0 };
}

const char *fleet_ask_name(enum fleet_ask_kind kind)
{
	switch (kind) {
	case FLEET_ASK_SUBMIT:
		return "submit";
	case FLEET_ASK_LANES:
		return "lanes";
	case FLEET_ASK_LANE:
		return "lane";
	case FLEET_ASK_FORGET:
		return "forget";
	case FLEET_ASK_RECORD:
		return "record";
	case FLEET_ASK_PUT:
		return "put";
	case FLEET_ASK_BURY:
		return "bury";
	case FLEET_ASK_TERM:
		return "term";
	case FLEET_ASK_PUT_TERM:
		return "put_term";
	}
	return "?";
}

const char *fleet_answer_name(enum fleet_answer_kind kind)
{
	switch (kind) {
	case FLEET_OK:
		return "ok";
	case FLEET_CONFLICT:
		return "conflict";
	case FLEET_NOT_THERE:
		return "not_there";
	case FLEET_FULL:
		return "full";
	case FLEET_FAILED:
		return "failed";
	}
	return "?";
}
