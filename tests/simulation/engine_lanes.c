/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's lanes of jobs. A job that is submitted twice within two minutes is there once. */
#include "sim.h"

#include <limits.h>
#include <string.h>

#define KNOWN_US (120 * SECOND)

static struct sim_lane *find(struct sim *w, const char *class, const char *tenant)
{
	struct sim_engine *e = &w->engine;

	for (size_t i = 0; i < e->n_lanes; i++)
		if (!strcmp(e->lanes[i].class, class) && !strcmp(e->lanes[i].tenant, tenant))
			return &e->lanes[i];
	return NULL;
}

static struct sim_lane *make(struct sim *w, const struct fleet_job *job)
{
	struct sim_engine *e = &w->engine;
	struct sim_lane *lane = find(w, job->class, job->tenant);

	if (lane)
		return lane;
	must_grow(&e->lanes, e->n_lanes, &e->lanes_room, sizeof(*e->lanes));
	lane = &e->lanes[e->n_lanes++];
	memset(lane, 0, sizeof(*lane));
	memcpy(lane->class, job->class, sizeof(lane->class));
	memcpy(lane->tenant, job->tenant, sizeof(lane->tenant));
	return lane;
}

static bool is_there(const struct sim_placed *item, uint64_t at)
{
	return item->from <= at && (!item->removed || item->removed > at);
}

void engine_submit(struct sim *w, const struct fleet_ask *ask, struct fleet_answer *ret)
{
	unsigned job = sim_job_find(w, ask->job.id);
	struct sim_engine *e = &w->engine;
	struct sim_lane *lane;

	if (job == UINT_MAX) {
		check_fail(w, ask->job.id, "a job comes into its lane that nobody has submitted");
		ret->kind = FLEET_FAILED;
		return;
	}
	ret->kind = FLEET_OK;
	ret->revision = w->jobs[job].known_place;
	if (w->jobs[job].known_until > w->now)
		return;
	lane = make(w, &ask->job);
	if (e->cap && lane->waiting >= e->cap) {
		ret->kind = FLEET_FULL;
		ret->wait_ms = rng_chance(&w->rng, 5000) ? rng_below(&w->rng, 5000) : 0;
		return;
	}
	must_grow(&lane->items, lane->n, &lane->room, sizeof(*lane->items));
	engine_log(&e->jobs_log, (struct sim_write){ .job = job,
						     .lane = (unsigned)(lane - e->lanes),
						     .item = lane->n,
						     .before = e->place });
	lane->items[lane->n++] = (struct sim_placed){ .place = ++e->place, .from = w->now, .job = job };
	lane->waiting++;
	w->jobs[job].known_until = w->now + KNOWN_US;
	w->jobs[job].known_place = e->place;
	ret->revision = e->place;
	sim_trace(w, ask->job.id, "engine: %s is at place %ju of lane %s %s", ask->job.id,
		  (uintmax_t)e->place, lane->class, lane->tenant);
	network_hint(w, (unsigned)(lane - e->lanes));
}

void engine_forget(struct sim *w, const struct fleet_ask *ask, struct fleet_answer *ret)
{
	struct sim_lane *lane = find(w, ask->class, ask->tenant);
	struct sim_engine *e = &w->engine;

	ret->kind = FLEET_NOT_THERE;
	for (size_t i = lane ? lane->first : 0; lane && i < lane->n; i++)
		if (lane->items[i].place == ask->place && !lane->items[i].removed) {
			unsigned job = lane->items[i].job;

			check_forget(w, &w->jobs[job]);
			lane->items[i].removed = w->now;
			lane->waiting--;
			ret->kind = FLEET_OK;
			engine_log(&e->jobs_log, (struct sim_write){ .job = job,
								     .lane = (unsigned)(lane - e->lanes),
								     .item = i,
								     .forgot = true,
								     .before = e->place });
			sim_trace(w, w->jobs[job].job.id, "engine: %s is taken from place %ju",
				  w->jobs[job].job.id, (uintmax_t)ask->place);
		}
	/* What a stale read or a loss could bring back stays. */
	while (lane && lane->first + SIM_LOG < lane->n && lane->items[lane->first].removed &&
	       lane->items[lane->first].removed + 30 * SECOND < w->now)
		lane->first++;
}

void engine_lane(struct sim *w, const struct fleet_ask *ask, struct fleet_answer *ret)
{
	struct sim_lane *lane = find(w, ask->class, ask->tenant);
	uint64_t at = engine_read_time(w);
	size_t room = 0;

	ret->kind = FLEET_OK;
	for (size_t i = lane ? lane->first : 0; lane && i < lane->n && ret->n_jobs < ask->limit; i++) {
		const struct sim_placed *item = &lane->items[i];

		if (item->place <= ask->place || !is_there(item, at))
			continue;
		must_grow(&ret->jobs, ret->n_jobs, &room, sizeof(*ret->jobs));
		ret->jobs[ret->n_jobs].place = item->place;
		fleet_job_copy(&w->jobs[item->job].job, &ret->jobs[ret->n_jobs].job);
		ret->n_jobs++;
	}
}

void engine_lanes(struct sim *w, struct fleet_answer *ret)
{
	uint64_t at = engine_read_time(w);
	size_t room = 0;

	ret->kind = FLEET_OK;
	for (size_t i = 0; i < w->engine.n_lanes; i++) {
		const struct sim_lane *lane = &w->engine.lanes[i];
		size_t k = lane->first;

		while (k < lane->n && !is_there(&lane->items[k], at))
			k++;
		if (k == lane->n)
			continue;
		must_grow(&ret->lanes, ret->n_lanes, &room, sizeof(*ret->lanes));
		memcpy(ret->lanes[ret->n_lanes].class, lane->class, FLEET_NAME);
		memcpy(ret->lanes[ret->n_lanes].tenant, lane->tenant, FLEET_NAME);
		ret->n_lanes++;
	}
}

void engine_lanes_roll_back(struct sim *w, size_t writes)
{
	struct sim_log *log = &w->engine.jobs_log;

	for (; writes > 0 && log->n > 0; writes--) {
		const struct sim_write *write = &log->items[--log->n];
		struct sim_lane *lane = &w->engine.lanes[write->lane];
		struct sim_job *j = &w->jobs[write->job];

		sim_trace(w, NULL, "engine: loses that %s %s place %ju", j->job.id,
			  write->forgot ? "was taken from" : "came to",
			  (uintmax_t)lane->items[write->item].place);
		w->sums.lost_writes++;
		w->engine.lanes_lost = true;
		if (write->forgot) {
			lane->items[write->item].removed = 0;
			lane->waiting++;
			continue;
		}
		lane->items[write->item].removed = w->now;
		lane->waiting--;
		w->engine.place = write->before;
		if (rng_chance(&w->rng, 8000)) /* else it is thought to be there for two minutes */
			j->known_until = 0;
	}
}
