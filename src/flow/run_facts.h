/* SPDX-License-Identifier: Apache-2.0 */
/* What of a run counts when a change is judged: of one that just ended, and of one that the history has. */
#ifndef FLOW_RUN_FACTS_H
#define FLOW_RUN_FACTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "box/report.h"

enum run_use { USE_MEM_PEAK, USE_DISK, USE_CPU_MS, USE_WALL_MS, USE_PIDS_PEAK, RUN_USE_COUNT };

struct run_facts {
	char run[STORE_ID_MAX];
	bool is_kept;                /* anything is: one that was killed left nothing */
	bool limited;                /* a limit ended it, or refused what it needed */
	bool has_violations;         /* what it tried is known: */
	double violations, net;      /* how often, without limits; of these to reach the network */
	double not_listed;           /* of further kinds, when there were too many to keep */
	bool has_use[RUN_USE_COUNT]; /* what it used is known: */
	double use[RUN_USE_COUNT];
	bool has_net;          /* what it did with the network is known: */
	double sent, received; /* bytes */
	double net_not_kept;   /* kinds of what it wanted there that were only counted */
	json_t *hosts;         /* owned; names that it reached; NULL: none */
};

void run_facts_finish(struct run_facts *f);

/* The one reader of what the history keeps of a run, ID; KEPT may be NULL: nothing is. */
struct run_facts run_facts_read(const char *id, const json_t *kept);
struct run_facts run_facts_of(const struct run_report *report);

/* The last that it was refused of what would have reached the network, for people; of the report, or NULL. */
const char *run_refused_net(const struct run_report *report);

struct run_facts_list {
	struct run_facts *items; /* owned */
	size_t n;
	bool failed; /* no memory */
};

void run_facts_list_finish(struct run_facts_list *l);
/* Each run once, and with a reference of its own to the hosts: the last that is said of it counts. */
void run_facts_list_add(struct run_facts_list *l, const struct run_facts *f);
/* Unless it is among the first UNTIL already. */
void run_facts_list_add_new(struct run_facts_list *l, size_t until, const struct run_facts *f);

#endif
