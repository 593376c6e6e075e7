/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated fleet: the real submitters, hubs and nodes, in a world in which everything that may fail does,
 * by a seed. The same seed is the same world, to the byte. True time is in microseconds; each program has its
 * own clocks. */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "fleet/core/hub.h"
#include "fleet/core/node.h"
#include "fleet/core/planted.h"
#include "fleet/core/queue.h"
#include "fleet/core/submitter.h"
#include "heap.h"
#include "rng.h"

#define SECOND  ((uint64_t)1000000)
#define HUBS    3
#define TENANTS 3

struct sim_options {
	uint64_t seed;
	unsigned nodes, jobs, slots, submitters; /* 0: by the seed */
	bool trace;
	const char *job; /* trace only what is about this one, and faults */
};

/* What happened, to see that faults did. */
#define SIM_SUMS(X)    \
	X(jobs)        \
	X(told)        \
	X(ended)       \
	X(unknown)     \
	X(dead)        \
	X(cancelled)   \
	X(orphans)     \
	X(runs)        \
	X(reruns)      \
	X(rollbacks)   \
	X(lost_writes) \
	X(stale_reads) \
	X(crashes)     \
	X(lost_disks)  \
	X(pauses)      \
	X(partitions)  \
	X(outages)     \
	X(hub_changes) \
	X(seconds)     \
	X(events)

struct sim_sums {
#define X(name) uint64_t name;
	SIM_SUMS(X)
#undef X
};

/* How often what happens, of 10,000; and how many of what. Each seed has its own mixture. */
struct sim_rates {
	unsigned drop, twice, slow;               /* messages */
	uint64_t slow_us;                         /* at most */
	unsigned ask_lost, answer_lost, ask_slow; /* of the engine */
	unsigned ask_again;                       /* a question comes a second time, much later */
	unsigned failed, failed_done, stale;
	uint64_t stale_us; /* at most so old */
	unsigned hint_lost;
	unsigned hiccup, fall; /* a pause or crash between two actions */
	unsigned not_started;
	unsigned late_effect;
	unsigned lost_disk, reboot; /* of crashes */
	unsigned crashes, pauses, partitions, rollbacks, outages, lags, slow_disks, drains, broken,
		steps; /* so many */
};

struct sim_clock {
	int64_t offset_ms, wall_offset_ms;
	uint64_t rate; /* 1,000,000 is true */
};

enum sim_kind { SIM_SUBMITTER, SIM_HUB, SIM_NODE };

/* A result on a node's disk. */
struct sim_saved {
	struct fleet_job job;       /* owned */
	struct fleet_record record; /* owned */
};

struct sim_program {
	enum sim_kind kind;
	unsigned index; /* among its kind */
	unsigned self;  /* among all */
	char name[FLEET_NAME];
	unsigned life; /* rises with each start */
	bool up, saving;
	uint64_t paused_until, slow_disk_until;
	uint64_t wake_at; /* planned; UINT64_MAX: none */
	struct sim_clock clock;
	union {
		struct fleet_submitter *submitter;
		struct fleet_hub *hub;
		struct fleet_node *node;
	};
	struct fleet_actions step; /* of the last one */
	struct fleet_actions todo; /* that wait for a disk or the end of a pause */
	size_t todo_done;
	struct sim_event *late; /* owned; came during a pause */
	size_t n_late, late_room;
	uint64_t ticked_us, ticks; /* so many at this moment */
	/* nodes */
	char labels[256];
	unsigned slots, ahead, boxes;   /* boxes of this life that run */
	uint64_t incarnation, lease_ms; /* as last known by whatever kills at its end */
	bool lease_planned, draining;
	uint64_t broken_until;  /* no start succeeds */
	struct sim_saved *disk; /* owned */
	size_t n_disk, disk_room;
	/* hubs */
	bool was_active;
	unsigned tenant; /* of a submitter */
};

/* One state of a job's record, or of the term, in the engine; it was the state from FROM to REMOVED. */
struct sim_version {
	uint64_t revision, from, removed;
	struct fleet_record record; /* owned */
	struct fleet_term term;
};

struct sim_versions {
	struct sim_version *items; /* owned */
	size_t n, room;
};

/* A job, all that is known of it everywhere. */
struct sim_job {
	struct fleet_job job; /* owned */
	unsigned submitter;
	uint64_t work_us;
	bool begun;  /* its submitter was told to submit it */
	bool wanted; /* it was saved, and its table was not lost since */
	bool orphan; /* its table was lost */
	bool cancelled, dropped;
	/* in its submitter's table */
	bool saved, granted;
	char grant_node[FLEET_NAME];
	uint64_t grant_incarnation, grant_number;
	struct fleet_record end;
	/* in the engine */
	struct sim_versions versions;
	uint64_t known_until, known_place; /* its id, by which it is not stored twice */
	bool record_lost;                  /* an acknowledged record of it was lost */
	unsigned claims;
	/* told */
	bool told;
	struct fleet_record told_record;
	/* runs */
	unsigned starts, running, refused;
	/* what a fenced one changes */
	struct fleet_token store_seen;
	bool store_has;
	uint64_t store_run;
};

struct sim_run {
	unsigned job, node, life;
	struct fleet_token token;
	uint64_t incarnation;
	unsigned attempt;
	uint64_t from, over; /* over: when the lease of a crashed agent ends */
	bool running, killed, ended, refused;
};

struct sim_refused {
	unsigned job;
	struct fleet_token token;
	char reason[64];
};

struct sim_ask {
	struct fleet_ask ask; /* owned */
	unsigned from, life;
};

struct sim_placed {
	uint64_t place, from, removed;
	unsigned job;
};

struct sim_lane {
	char class[FLEET_NAME], tenant[FLEET_NAME];
	struct sim_placed *items; /* owned */
	size_t n, room, first;    /* what is before FIRST is gone for all */
	size_t waiting;
};

/* A write that may yet be lost. */
struct sim_write {
	unsigned job;
	unsigned lane;
	size_t item;
	bool forgot;
	uint64_t before; /* number before it */
};

#define SIM_LOG 16
struct sim_log {
	struct sim_write items[SIM_LOG];
	size_t n;
};

struct sim_engine {
	struct sim_lane *lanes; /* owned */
	size_t n_lanes, lanes_room;
	uint64_t place, revision, term_revision;
	struct sim_versions term;
	struct sim_log jobs_log, state_log, term_log;
	uint64_t away_until;
	bool lanes_lost;       /* places may have been given twice */
	uint64_t term_lost_at; /* last time that an acknowledged term was lost */
	uint64_t term_lost;    /* the highest revision that was: until then some may be given twice */
	uint64_t cap;          /* jobs of a lane */
};

struct sim_partition {
	uint64_t from, until;
	bool into, out_of;           /* what is cut */
	bool held_into, held_out_of; /* and comes when it is over, instead of being lost */
	uint64_t lag_percent; /* not 0: nothing is lost, all is late by so much of the time since FROM */
	bool *inside;         /* owned; by program, the engine last */
};

/* Tokens that were given out, and to what. */
struct sim_claim {
	struct fleet_token token;
	unsigned job;
	uint64_t incarnation;
	char node[FLEET_NAME];
};

struct sim_epoch {
	uint64_t epoch;
	unsigned program, life;
};

#define PARTITIONS 8
struct sim {
	struct sim_options options;
	struct sim_rng rng;
	struct sim_heap heap;
	uint64_t now;
	uint64_t faults_end, end;
	bool healed, done;
	struct sim_rates rates;
	struct sim_program *programs; /* owned: submitters, hubs, nodes */
	unsigned n_programs, n_submitters, n_nodes;
	struct sim_job *jobs; /* owned */
	unsigned n_jobs;
	struct sim_run *runs; /* owned */
	size_t n_runs, runs_room;
	unsigned running;
	struct sim_engine engine;
	struct sim_partition partitions[PARTITIONS];
	struct sim_claim *claims; /* owned; by hash */
	size_t n_claims, claims_room;
	struct sim_epoch *epochs; /* owned */
	size_t n_epochs, epochs_room;
	struct sim_sums sums;
	char violation[512]; /* "": none */
};

/* world.c */
struct sim *sim_create(const struct sim_options *options);
void sim_destroy(struct sim *w);
/* False: something was violated. */
bool sim_run(struct sim *w);
void sim_plan(struct sim *w, uint64_t in_us, enum sim_event_kind kind, unsigned program, unsigned life,
	      uint64_t number, void *data);
void sim_event_finish(struct sim_event *event);
struct sim_program *sim_submitter(struct sim *w, unsigned i);
struct sim_program *sim_hub(struct sim *w, unsigned i);
struct sim_program *sim_node(struct sim *w, unsigned i);
/* UINT_MAX: there is none of this id. */
unsigned sim_job_find(const struct sim *w, const char *id);
/* JOB "": about none; NULL: a fault, which is always told. */
void sim_trace(struct sim *w, const char *job, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* program.c: what drives the state machines */
struct fleet_now program_now(const struct sim *w, const struct sim_program *p);
uint64_t program_true_us(const struct sim_program *p, uint64_t ms);
void program_pause(struct sim *w, struct sim_program *p, uint64_t us);
void program_resume(struct sim *w, struct sim_program *p);
void program_saved(struct sim *w, struct sim_program *p);
/* Something for the state machine; DATA is still the caller's. */
void program_event(struct sim *w, struct sim_program *p, struct sim_event *event);
void program_tick(struct sim *w, struct sim_program *p, struct fleet_now now);
/* After each step. TICKED: it has looked at its clock. */
void program_end_step(struct sim *w, struct sim_program *p, bool ticked);
/* What a person wants from a program that is gone: it is asked again. */
void program_give_back(struct sim *w, struct sim_event *event);

/* life.c */
void program_start(struct sim *w, struct sim_program *p);
void program_crash(struct sim *w, struct sim_program *p);
void program_destroy(struct sim *w, struct sim_program *p);

/* save.c: what is on disks */
bool save_is(const struct fleet_action *a);
void save_do(struct sim *w, struct sim_program *p, const struct fleet_action *a);
void save_drop_ended(struct sim_program *p, const char *job, struct fleet_token token);
void save_lose(struct sim *w, struct sim_program *p);
void save_restore(struct sim *w, struct sim_program *p, struct fleet_now now);

/* boxes.c: boxes on nodes, and what fenced ones change */
void boxes_start(struct sim *w, struct sim_program *p, const struct fleet_action *a);
void boxes_kill(struct sim *w, struct sim_program *p, const struct fleet_action *a);
void boxes_event(struct sim *w, const struct sim_event *event);
/* The agent is gone, and its boxes with it or when their lease is over. */
void boxes_crash(struct sim *w, struct sim_program *p, bool at_once);
/* After each step of an agent. */
void boxes_lease(struct sim *w, struct sim_program *p);
void boxes_lease_event(struct sim *w, struct sim_program *p);

/* network.c */
void network_send(struct sim *w, struct sim_program *from, struct fleet_message *m); /* takes what is in M */
void network_ask(struct sim *w, struct sim_program *from, struct fleet_ask *ask);    /* likewise */
void network_answer(struct sim *w, unsigned to, unsigned life, struct fleet_answer *answer);
void network_hint(struct sim *w, unsigned lane);
/* Until when what is said is held back; UINT64_MAX: it is lost; 0: neither. */
uint64_t network_cut(const struct sim *w, unsigned from, unsigned to);

/* engine.c, engine_lanes.c, engine_records.c */
void engine_ask(struct sim *w, struct sim_ask *ask);
void engine_roll_back(struct sim *w);
void engine_finish(struct sim *w);
void engine_log(struct sim_log *log, struct sim_write write);
uint64_t engine_read_time(struct sim *w);
void engine_submit(struct sim *w, const struct fleet_ask *ask, struct fleet_answer *ret);
void engine_forget(struct sim *w, const struct fleet_ask *ask, struct fleet_answer *ret);
void engine_lane(struct sim *w, const struct fleet_ask *ask, struct fleet_answer *ret);
void engine_lanes(struct sim *w, struct fleet_answer *ret);
void engine_lanes_roll_back(struct sim *w, size_t writes);
void engine_record(struct sim *w, const struct fleet_ask *ask, struct fleet_answer *ret);
void engine_put(struct sim *w, const struct fleet_ask *ask, struct fleet_answer *ret);
void engine_term(struct sim *w, struct fleet_answer *ret);
void engine_put_term(struct sim *w, const struct fleet_ask *ask, struct fleet_answer *ret);
void engine_state_roll_back(struct sim *w, size_t writes);
void engine_term_roll_back(struct sim *w, size_t writes);
const struct sim_version *engine_current(const struct sim_versions *versions, uint64_t at);

/* faults.c */
void faults_choose(struct sim *w);
void faults_plan(struct sim *w);
void faults_event(struct sim *w, const struct sim_event *event);
void faults_heal(struct sim *w);

/* check.c: what must never be, and what must come to be */
void check_fail(struct sim *w, const char *job, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void check_message(struct sim *w, const struct sim_program *p, const struct fleet_message *m);
void check_submit(struct sim *w, const struct sim_program *p, const struct fleet_ask *ask);
void check_put(struct sim *w, const struct sim_job *j, const struct sim_version *old,
	       const struct fleet_record *record);
void check_forget(struct sim *w, const struct sim_job *j);
void check_start(struct sim *w, const struct sim_run *run);
void check_told(struct sim *w, const struct fleet_action *a);
/* TICKED: it has looked at its clock. */
void check_step(struct sim *w, struct sim_program *p, bool ticked);
/* Whether all is done; otherwise WHAT says what is not. */
bool check_done(struct sim *w, char *what, size_t size);

/* planted.c */
bool planted_find(const char *name);
void planted_list(void);

#endif
