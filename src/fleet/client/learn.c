/* SPDX-License-Identifier: Apache-2.0 */
/* What a job of a command line tells of boxes. */
#include <string.h>

#include "fleet/client/client.h"
#include "fleet/client/home_node.h"
#include "base/scope.h"

static void learn(struct homes *homes, const struct saved_job *job)
{
	const struct fleet_record *record = &job->saved.record;
	const struct fleet_text *sent = job->saved.job.body, *got = record->result;
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *body = json_loadb(fleet_text_data(sent), fleet_text_len(sent), 0, NULL);
	json_t *whole = got ? json_loadb(fleet_text_data(got), fleet_text_len(got), 0, NULL) : NULL;
	const char *operation = json_string_value(json_object_get(body, "operation"));

	if (operation && whole)
		home_learn(homes, job->saved.job.tenant, record->node, operation,
			   json_object_get(body, "arguments"), json_object_get(whole, "result"),
			   json_string_value(json_object_get(json_object_get(whole, "error"), "kind")), &e);
	json_decref(body);
	json_decref(whole);
}

/* Whether a result of this operation says anything. */
static bool is_about_boxes(const struct saved_job *job)
{
	static const char *const names[] = { "create", "fork", "rm", "show", "renew", "try", "ls" };
	char word[40];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(word, sizeof(word), "\"operation\":\"%s\"", names[i]);
		if (strstr(fleet_text_data(job->saved.job.body), word))
			return true;
	}
	return false;
}

void client_learn(struct saved *table, const char *dir, const char *id)
{
	scoped(saved_job_finish) struct saved_job job = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct homes *homes = NULL;

	if (!table || saved_job_find(table, id, &job, &e) < 0 || job.saved.record.phase != FLEET_ENDED ||
	    !is_about_boxes(&job) || homes_open(dir, &homes, &e) < 0)
		return;
	learn(homes, &job);
	homes_close(homes);
}
