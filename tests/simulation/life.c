/* SPDX-License-Identifier: Apache-2.0 */
/* How programs begin, with what their disks hold, and end: by a crash, perhaps of the whole machine, perhaps
 * with the loss of the disk. */
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void create_hub(struct sim *w, struct sim_program *p, struct fleet_now now)
{
	struct fleet_hub_options options = FLEET_HUB_OPTIONS;

	snprintf(p->name, sizeof(p->name), "h%u-%u", p->index, p->life);
	memcpy(options.name, p->name, sizeof(options.name));
	options.random = (uint32_t)rng_next(&w->rng);
	options.window = w->n_jobs > 1000 ? 64 : 8;
	p->hub = fleet_hub_create(&options, now);
	p->was_active = false;
	for (unsigned i = 0; i < TENANTS; i++) {
		struct fleet_share share = FLEET_SHARE;
		char tenant[FLEET_NAME];

		snprintf(tenant, sizeof(tenant), "t%u", i);
		share.weight = 1 + i * 10;
		share.at_once = i == 1 ? w->n_nodes : 0;
		share.a_minute = i == 2 ? 60 * w->n_nodes : 0;
		fleet_hub_share(p->hub, tenant, &share);
	}
}

static void create_node(struct sim_program *p)
{
	struct fleet_node_options options = FLEET_NODE_OPTIONS;

	memcpy(options.name, p->name, sizeof(options.name));
	memcpy(options.labels, p->labels, sizeof(options.labels));
	options.incarnation = p->incarnation;
	options.slots = p->slots;
	options.ahead = p->ahead;
	p->node = fleet_node_create(&options);
}

void program_start(struct sim *w, struct sim_program *p)
{
	struct fleet_now now = program_now(w, p);
	struct fleet_submitter_options options = FLEET_SUBMITTER_OPTIONS;

	p->up = true;
	p->paused_until = 0;
	p->wake_at = UINT64_MAX;
	if (p->kind == SIM_HUB) {
		create_hub(w, p, now);
	} else if (p->kind == SIM_NODE) {
		p->incarnation++;
		create_node(p);
	} else {
		memcpy(options.name, p->name, sizeof(options.name));
		p->submitter = fleet_submitter_create(&options);
	}
	sim_trace(w, NULL, "%s begins", p->name);
	save_restore(w, p, now);
	program_tick(w, p, now);
	program_end_step(w, p, true);
}

static void forget(struct sim *w, struct sim_program *p)
{
	if (p->up && p->kind == SIM_SUBMITTER)
		fleet_submitter_destroy(p->submitter);
	else if (p->up && p->kind == SIM_HUB)
		fleet_hub_destroy(p->hub);
	else if (p->up)
		fleet_node_destroy(p->node);
	p->up = false;
	fleet_actions_clear(&p->step);
	fleet_actions_clear(&p->todo);
	p->todo_done = 0;
	for (size_t i = 0; i < p->n_late; i++)
		program_give_back(w, &p->late[i]);
	p->n_late = 0;
}

void program_crash(struct sim *w, struct sim_program *p)
{
	bool reboot = rng_chance(&w->rng, w->rates.reboot);
	bool disk_lost = rng_chance(&w->rng, w->rates.lost_disk) && p->kind != SIM_HUB;

	if (!p->up)
		return;
	w->sums.crashes++;
	if (p->saving && rng_chance(&w->rng, 5000)) /* it was done, but nobody heard so */
		save_do(w, p, &p->todo.items[p->todo_done]);
	p->saving = false;
	sim_trace(w, NULL, "%s %s%s", p->name, reboot ? "reboots" : "crashes",
		  disk_lost ? " and loses its disk" : "");
	if (p->kind == SIM_NODE)
		boxes_crash(w, p, reboot || rng_chance(&w->rng, 5000));
	forget(w, p);
	p->life++;
	if (reboot)
		p->clock.offset_ms = (int64_t)rng_below(&w->rng, 100000000);
	if (disk_lost) {
		w->sums.lost_disks++;
		save_lose(w, p);
	}
	sim_plan(w, rng_tail(&w->rng, SECOND / 10, 45 * SECOND), EVENT_RESTART, p->self, p->life, 0, NULL);
}

void program_destroy(struct sim *w, struct sim_program *p)
{
	forget(w, p);
	save_lose(w, p);
	fleet_actions_finish(&p->step);
	fleet_actions_finish(&p->todo);
	free(p->late);
	free(p->disk);
}
