/* SPDX-License-Identifier: Apache-2.0 */
/* The disks of programs: a submitter's table of jobs, the results that a node keeps. */
#include "sim.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool save_is(const struct fleet_action *a)
{
	return a->kind == FLEET_SAVE_JOB || a->kind == FLEET_SAVE_GRANT || a->kind == FLEET_SAVE_END ||
	       a->kind == FLEET_SAVE_ENDED;
}

static void save_ended(struct sim_program *p, const struct fleet_action *a)
{
	struct sim_saved *saved;

	must_grow(&p->disk, p->n_disk, &p->disk_room, sizeof(*p->disk));
	saved = &p->disk[p->n_disk++];
	memset(saved, 0, sizeof(*saved));
	fleet_job_copy(&a->job, &saved->job);
	fleet_record_copy(&a->record, &saved->record);
	saved->record.token = a->token;
}

void save_do(struct sim *w, struct sim_program *p, const struct fleet_action *a)
{
	unsigned job = sim_job_find(w, a->job.id);
	struct sim_job *j = job == UINT_MAX ? NULL : &w->jobs[job];

	if (a->kind == FLEET_SAVE_ENDED) {
		save_ended(p, a);
		return;
	}
	if (!j) {
		check_fail(w, a->job.id, "%s saves a job that nobody has submitted", p->name);
		return;
	}
	if (j->orphan || j->dropped) /* who waited has it, in the meantime */
		return;
	if (a->kind == FLEET_SAVE_JOB) {
		j->saved = j->wanted = true;
	} else if (a->kind == FLEET_SAVE_GRANT) {
		j->granted = true;
		memcpy(j->grant_node, a->node, sizeof(j->grant_node));
		j->grant_incarnation = a->incarnation;
		j->grant_number = a->number;
	} else {
		fleet_record_finish(&j->end);
		fleet_record_copy(&a->record, &j->end);
	}
}

void save_drop_ended(struct sim_program *p, const char *job, struct fleet_token token)
{
	for (size_t i = 0; i < p->n_disk; i++)
		if (!strcmp(p->disk[i].job.id, job) && !fleet_token_compare(p->disk[i].record.token, token)) {
			fleet_job_finish(&p->disk[i].job);
			fleet_record_finish(&p->disk[i].record);
			p->disk[i] = p->disk[--p->n_disk];
			return;
		}
}

void save_lose(struct sim *w, struct sim_program *p)
{
	for (size_t i = 0; i < p->n_disk; i++) {
		fleet_job_finish(&p->disk[i].job);
		fleet_record_finish(&p->disk[i].record);
	}
	p->n_disk = 0;
	for (unsigned i = 0; p->kind == SIM_SUBMITTER && i < w->n_jobs; i++) {
		struct sim_job *j = &w->jobs[i];

		if (j->submitter != p->index || !j->begun || j->orphan)
			continue;
		j->orphan = true;
		j->saved = j->wanted = j->granted = false;
		w->sums.orphans++;
	}
}

/* One job after the other, as the program reads its table. */
void save_restore(struct sim *w, struct sim_program *p, struct fleet_now now)
{
	for (size_t i = 0; i < p->n_disk; i++)
		fleet_node_restore(p->node, now, &p->disk[i].job, &p->disk[i].record, &p->step);
	for (unsigned i = 0; p->kind == SIM_SUBMITTER && i < w->n_jobs; i++) {
		const struct sim_job *j = &w->jobs[i];
		struct fleet_saved_job saved = { .job = j->job, .record = j->end, .granted = j->granted };

		if (j->submitter != p->index || !j->saved || j->dropped)
			continue;
		memcpy(saved.node, j->grant_node, sizeof(saved.node));
		saved.incarnation = j->grant_incarnation;
		saved.number = j->grant_number;
		fleet_submitter_restore(p->submitter, now, &saved, &p->step);
	}
}
