/* SPDX-License-Identifier: Apache-2.0 */
/* A job as a hub knows it: its places, whether it waits, when it is forgotten. */
#include "fleet/core/hub_part.h"

#include <stdlib.h>

#include "fleet/core/memory.h"

#define ENDED_MS 30000 /* an ended job is remembered so long: an old read may show it again */

struct hub_job *hub_job_find(struct fleet_hub *hub, const char *tenant, const char *id)
{
	char key[FLEET_KEY];

	return fleet_table_get(hub->jobs, fleet_key(tenant, id, key));
}

static void is_read(struct fleet_hub *hub, struct hub_job *job)
{
	if (job->unread)
		hub->cancels--;
	job->unread = false;
}

static void drop_places(struct hub_job *job)
{
	struct hub_place *p;

	while ((p = job->places)) {
		job->places = p->next;
		free(p);
	}
}

void hub_job_free(struct fleet_hub *hub, struct hub_job *job)
{
	char key[FLEET_KEY];

	hub_unassign(hub, job, false);
	if (job->entry.lane)
		fleet_queue_remove(hub->queue, &job->entry);
	is_read(hub, job);
	drop_places(job);
	fleet_table_remove(hub->jobs, fleet_key(job->job.tenant, job->job.id, key));
	fleet_job_finish(&job->job);
	fleet_text_drop(job->tried);
	fleet_text_drop(job->dead);
	free(job);
}

void hub_job_leave_queue(struct fleet_hub *hub, struct hub_job *job)
{
	if (job->entry.lane)
		fleet_queue_remove(hub->queue, &job->entry);
}

void hub_job_wait(struct fleet_hub *hub, struct hub_job *job)
{
	hub_job_leave_queue(hub, job);
	hub_unassign(hub, job, false);
	job->state = JOB_WAITS;
	job->entry.priority = job->job.priority;
	job->entry.place = job->places ? job->places->place : 0;
	fleet_queue_add(hub->queue, job->job.class, job->job.tenant, &job->entry);
}

void hub_job_wait_until(struct fleet_hub *hub, struct hub_job *job, uint64_t ms)
{
	hub_job_leave_queue(hub, job);
	hub_unassign(hub, job, false);
	job->state = JOB_LATER;
	job->due = ms;
}

void hub_job_forget_places(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
			   struct fleet_actions *out)
{
	for (struct hub_place *p = job->places; p; p = p->next) {
		struct fleet_ask *a = hub_ask(hub, now, FLEET_ASK_FORGET, NULL, NULL, out);

		fleet_name_copy(a->tenant, job->job.tenant);
		fleet_name_copy(a->class, job->job.class);
		a->place = p->place;
	}
	drop_places(job);
}

/* Its record is final. */
void hub_job_finish(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
		    struct fleet_actions *out)
{
	hub_job_leave_queue(hub, job);
	hub_unassign(hub, job, false);
	is_read(hub, job);
	job->state = JOB_ENDED;
	job->due = now.ms + ENDED_MS;
	hub_job_forget_places(hub, now, job, out);
}

void hub_job_read(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job, struct fleet_actions *out)
{
	hub_job_leave_queue(hub, job);
	job->state = JOB_READS;
	hub_ask(hub, now, FLEET_ASK_RECORD, job, NULL, out);
}

struct hub_job *hub_job_new(struct fleet_hub *hub, struct fleet_now now, const struct fleet_job *job)
{
	struct hub_job *j = fleet_new(sizeof(*j));
	char key[FLEET_KEY];

	fleet_job_copy(job, &j->job);
	j->again = HUB_TRY_MS;
	j->since = now.ms;
	j->stored_wall_ms = now.wall_ms;
	j->counts = true;
	fleet_table_put(hub->jobs, fleet_key(job->tenant, job->id, key), j);
	return j;
}

static bool has_place(const struct hub_job *job, uint64_t place)
{
	for (const struct hub_place *p = job->places; p; p = p->next)
		if (p->place == place)
			return true;
	return false;
}

void hub_job_add(struct fleet_hub *hub, struct fleet_now now, const struct fleet_placed_job *placed,
		 struct fleet_actions *out)
{
	struct hub_job *job = hub_job_find(hub, placed->job.tenant, placed->job.id);
	bool is_new = !job;
	struct hub_place *p;

	if (job && has_place(job, placed->place))
		return;
	if (is_new)
		job = hub_job_new(hub, now, &placed->job);
	if (is_new && placed->stored_wall_ms)
		job->stored_wall_ms = placed->stored_wall_ms;
	p = fleet_new(sizeof(*p));
	p->place = placed->place;
	p->next = job->places;
	if (job->unread) {
		is_read(hub, job);
		fleet_job_finish(&job->job);
		fleet_job_copy(&placed->job, &job->job);
	}
	job->places = p;
	if (is_new)
		hub_job_wait(hub, job);
	else if (job->state == JOB_ENDED)
		hub_job_forget_places(hub, now, job, out);
}
