/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that are given up: why each attempt failed, and the copy that goes to the dead letters. The job stays
 * in its lane until that copy is there. */
#include "fleet/core/hub_part.h"

#include <stdlib.h>
#include <string.h>

#include "fleet/core/memory.h"

#define TRIED_MAX    4000 /* bytes of reasons; the oldest give way */
#define BURIALS_MOST 20
#define AGAIN_MS     5000

/* The end of TEXT that is kept, in whole lines. */
static const char *tail_of(const char *text, size_t len)
{
	const char *at = text, *line;

	if (len <= TRIED_MAX)
		return text;
	at += len - TRIED_MAX;
	line = strchr(at, '\n');
	return line ? line + 1 : text + len;
}

void hub_tried_set(struct hub_job *job, struct fleet_text *tried)
{
	const char *text = fleet_text_data(tried), *kept = tail_of(text, fleet_text_len(tried));

	fleet_text_drop(job->tried);
	job->tried = kept == text ? fleet_text_hold(tried) : fleet_text_new(kept, strlen(kept));
}

void hub_tried_add(struct hub_job *job, const char *reason)
{
	char line[FLEET_NAME + sizeof(((struct fleet_message *)0)->reason) + 64];
	const size_t before = fleet_text_len(job->tried);
	struct fleet_text *both;
	char *text;
	int n = snprintf(line, sizeof(line), "attempt %u on node %s: %.*s", job->attempt, job->node,
			 (int)strcspn(reason, "\n\r"), reason);

	text = fleet_new(before + (size_t)n + 2);
	memcpy(text, fleet_text_data(job->tried), before);
	if (before)
		text[before] = '\n';
	memcpy(text + before + (before > 0), line, (size_t)n);
	both = fleet_text_new(text, before + (before > 0) + (size_t)n);
	free(text);
	hub_tried_set(job, both);
	fleet_text_drop(both);
}

struct fleet_text *hub_dead_text(const struct hub_job *job, const char *reason)
{
	const size_t room = strlen(reason) + 2 + fleet_text_len(job->tried);
	char *text = fleet_new(room);
	struct fleet_text *ret;

	snprintf(text, room, "%s%s%s", reason, fleet_text_len(job->tried) ? "\n" : "",
		 fleet_text_data(job->tried));
	ret = fleet_text_new(text, strlen(text));
	free(text);
	return ret;
}

static void ask_to_bury(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
			struct fleet_actions *out)
{
	struct fleet_ask *a = hub_ask(hub, now, FLEET_ASK_BURY, job, NULL, out);

	a->wall_ms = now.wall_ms;
	fleet_job_copy(&job->job, &a->job);
	a->record.phase = FLEET_DEAD;
	a->record.attempt = job->attempt;
	fleet_name_copy(a->record.node, job->node);
	a->record.result = fleet_text_hold(job->dead);
}

void hub_job_bury(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job, struct fleet_text *dead,
		  struct fleet_actions *out)
{
	if (job->unread) { /* known from its being cancelled alone: there is nothing to keep */
		hub_job_finish(hub, now, job, out);
		return;
	}
	hub_job_leave_queue(hub, job);
	hub_unassign(hub, job, false);
	job->state = JOB_BURIED;
	fleet_text_hold(dead);
	fleet_text_drop(job->dead);
	job->dead = dead;
	ask_to_bury(hub, now, job, out);
}

void hub_job_bury_again(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
			struct fleet_actions *out)
{
	if (!job->ask && job->due <= now.ms)
		ask_to_bury(hub, now, job, out);
}

void hub_job_was_buried(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job, bool done,
			struct fleet_actions *out)
{
	job->due = now.ms + AGAIN_MS;
	if (!done && ++job->burials < BURIALS_MOST)
		return;
	if (!done)
		hub_say(out, "job %s of %s was given up, and could not be put to the dead letters",
			job->job.id, job->job.tenant);
	hub_job_finish(hub, now, job, out);
}
