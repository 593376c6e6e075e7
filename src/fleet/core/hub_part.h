/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a hub share. */
#ifndef FLEET_CORE_HUB_PART_H
#define FLEET_CORE_HUB_PART_H

#include "fleet/core/hub.h"
#include "fleet/core/hub_sums.h"
#include "fleet/core/names.h"
#include "fleet/core/queue.h"
#include "fleet/core/table.h"

#define HUB_TICK_MS     250    /* timers of jobs, lanes and nodes are as fine as this */
#define HUB_TRY_MS      50     /* before a record is read or written again; doubled each time */
#define HUB_RETURNED_MS 500    /* a job that a node did not want waits so long */
#define HUB_RECENT      1024   /* claims; more than can be under way */
#define HUB_UNREAD_MS   600000 /* a cancelled job that is in no lane is forgotten after so long */
#define HUB_CANCELS     10000  /* of jobs that were not read yet, at most */

enum term_state { TERM_STANDBY, TERM_TAKING, TERM_ACTIVE };

enum hub_job_state {
	JOB_WAITS,    /* in the queue */
	JOB_LATER,    /* waits until DUE, then in the queue */
	JOB_CLAIMS,   /* for NODE; the engine was asked */
	JOB_HELD,     /* by NODE; it was offered there */
	JOB_FOUND,    /* a claim of an earlier hub or epoch; its node has not spoken of it yet */
	JOB_READS,    /* its record is being read */
	JOB_FINISHES, /* its last record is being written by this hub */
	JOB_BURIED,   /* it was given up; its copy goes to the dead letters */
	JOB_ENDED,    /* its record is final; it is taken out of its lane */
};

struct hub_place {
	uint64_t place;
	struct hub_place *next;
};

struct hub_job {
	struct fleet_entry entry; /* first: of the queue */
	struct fleet_job job;
	struct hub_place *places; /* in its lane; more than one if it was submitted again */
	enum hub_job_state state;
	bool cancelled;
	bool unread;              /* known from its being cancelled alone */
	bool told_ended;          /* by its node: a read that shows the claim is old */
	bool reread;              /* when LATER is over its record is read again */
	bool counts;              /* the next attempt is another one */
	bool offered;             /* under its token */
	uint64_t revision;        /* of its record; 0: none */
	unsigned attempt;         /* of the last claim */
	struct fleet_token token; /* of the last claim */
	char node[FLEET_NAME];    /* who has it */
	uint64_t incarnation;
	bool is_assigned;            /* counted as held by its tenant, and in its node's list */
	struct hub_job *prev, *next; /* of that list */
	uint64_t offer_sent_ms;      /* by the node's clock: the beat that the offer answers */
	uint64_t beat_seen;          /* number of the last beat that listed it */
	uint64_t ask;                /* under way; 0: none */
	uint64_t due;                /* of its state, or of the question */
	uint64_t since;              /* it came, for status */
	uint64_t stored_wall_ms;     /* it was put into its lane, by the engine's clock */
	uint64_t since_claim;        /* its claim was made, or heard of from its node */
	uint64_t again;              /* before the next try to read or write its record */
	enum fleet_phase final;      /* JOB_FINISHES: what is written */
	struct fleet_text *tried;    /* owned: why its attempts failed, a line for each */
	struct fleet_text *dead;     /* owned: why it was given up, and those lines */
	unsigned burials;            /* tries to put it to the dead letters */
};

struct hub_node {
	char name[FLEET_NAME];
	char labels[sizeof(((struct fleet_beat *)0)->labels)];
	uint64_t incarnation;
	uint64_t beat, sent_ms, epoch; /* of its last beat */
	uint64_t heard;                /* when that came */
	bool beat_read;                /* its list of jobs was read: this hub was the active one */
	unsigned slots;
	long room;
	bool draining, failing;
	struct hub_job *jobs; /* assigned to it, whatever its incarnation was */
	size_t n_jobs;
};

struct hub_lane {
	char class[FLEET_NAME], tenant[FLEET_NAME];
	uint64_t read; /* up to this place */
	uint64_t scan; /* and again, from the beginning, up to this one */
	uint64_t scan_due;
	bool scanning, more, hinted;
	bool reads_on;   /* the question under way is for what was not read yet */
	uint64_t named;  /* when the engine said last that it has jobs */
	uint64_t stored; /* jobs in it, as the engine said then */
	uint64_t ask;    /* under way; 0: none */
};

/* What a question was about. */
struct hub_asked {
	enum fleet_ask_kind kind;
	struct hub_job *job;
	struct hub_lane *lane;
	uint64_t sent;  /* when */
	uint64_t until; /* then the answer is given up */
	uint64_t epoch; /* of the hub, then */
	uint64_t top;   /* highest revision known, then */
	uint64_t number;
	struct fleet_term term; /* that was to be written */
};

struct fleet_hub {
	struct fleet_hub_options options;
	uint64_t random;
	struct fleet_queue *queue;
	struct fleet_table *jobs;     /* of struct hub_job, by tenant and id */
	struct fleet_table *nodes;    /* of struct hub_node, by name */
	struct fleet_table *lanes;    /* of struct hub_lane, by class and tenant */
	struct fleet_table *asks;     /* of struct hub_asked, by number */
	struct fleet_table *contents; /* of struct hub_content, by tenant and name; the latest is last */
	uint64_t last_ask;
	size_t claims;  /* under way */
	size_t cancels; /* of jobs without a place */
	uint64_t next_tick;
	uint64_t lanes_due;
	uint64_t feed_due; /* a rate lets somebody begin */

	enum term_state state;
	struct fleet_term term; /* as it was last seen or written */
	uint64_t term_revision;
	uint64_t term_seen; /* since when it stayed the same */
	uint64_t term_due;  /* the next question */
	uint64_t term_ask;  /* under way; 0: none */
	uint64_t renewed;   /* when the last renewal that was answered was sent */
	uint64_t active_since;
	uint64_t epoch;              /* of this hub, while active */
	uint64_t wanted_epoch;       /* not 0: a new one begins, and nothing is claimed meanwhile */
	uint64_t highest_epoch;      /* seen anywhere */
	uint64_t top;                /* highest revision of a record seen while active */
	uint64_t recent[HUB_RECENT]; /* revisions of the last claims of this epoch */
	size_t n_recent;
	struct fleet_hub_counts counts;
};

/* hub.c */
uint64_t hub_random(struct fleet_hub *hub);
struct fleet_ask *hub_ask(struct fleet_hub *hub, struct fleet_now now, enum fleet_ask_kind kind,
			  struct hub_job *job, struct hub_lane *lane, struct fleet_actions *out);
void hub_say(struct fleet_actions *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Everything that is known of jobs and lanes is forgotten. */
void hub_forget_all(struct fleet_hub *hub);

/* hub_term.c */
bool hub_is_active(const struct fleet_hub *hub, struct fleet_now now);
bool hub_may_claim(const struct fleet_hub *hub, struct fleet_now now);
void hub_term_tick(struct fleet_hub *hub, struct fleet_now now, struct fleet_actions *out);
void hub_term_answer(struct fleet_hub *hub, struct fleet_now now, const struct hub_asked *asked,
		     const struct fleet_answer *a, struct fleet_actions *out);
/* A new epoch, above EPOCH: what was claimed in the present one may not be unique any more. */
void hub_begin_again(struct fleet_hub *hub, uint64_t epoch);

/* hub_nodes.c */
void hub_node_beat(struct fleet_hub *hub, struct fleet_now now, const struct fleet_message *m,
		   struct fleet_actions *out);
void hub_nodes_tick(struct fleet_hub *hub, struct fleet_now now, struct fleet_actions *out);
/* The node that a job of this class is best given to, or NULL. */
struct hub_node *hub_node_for(struct fleet_hub *hub, const char *class);
/* Whether it may be given a job of this class now. */
bool hub_node_suits(const struct hub_node *node, const char *class);
/* How many of 1000 slots are free. */
long hub_node_freedom(const struct hub_node *node);
void hub_assign(struct fleet_hub *hub, struct hub_job *job, struct hub_node *node);
/* The job is its node's no more. FREED: the node has room for another at once. */
void hub_unassign(struct fleet_hub *hub, struct hub_job *job, bool freed);
/* Whether the claim's node still has it, or may still accept it; else it is lost. */
bool hub_claim_is_lost(const struct fleet_hub *hub, struct fleet_now now, const struct hub_job *job);

/* hub_content.c */
void hub_content_finish(struct fleet_hub *hub);
/* The job is given to the node, which will have its content then. */
void hub_content_goes(struct fleet_hub *hub, const struct fleet_job *job, const char *node);
/* The node that the job is best given to; BEST has most slots free, whatever it has of content. */
struct hub_node *hub_content_node(struct fleet_hub *hub, const struct fleet_job *job, struct hub_node *best);

/* hub_job.c */
struct hub_job *hub_job_new(struct fleet_hub *hub, struct fleet_now now, const struct fleet_job *job);
void hub_job_leave_queue(struct fleet_hub *hub, struct hub_job *job);
void hub_job_wait(struct fleet_hub *hub, struct hub_job *job);
void hub_job_wait_until(struct fleet_hub *hub, struct hub_job *job, uint64_t ms);
/* Its record is final. */
void hub_job_finish(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
		    struct fleet_actions *out);
void hub_job_read(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
		  struct fleet_actions *out);
void hub_job_forget_places(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
			   struct fleet_actions *out);

/* hub_dead.c */
/* The last attempt failed. */
void hub_tried_add(struct hub_job *job, const char *reason);
/* As a claim's record has it, whose hub knew more. */
void hub_tried_set(struct hub_job *job, struct fleet_text *tried);
/* REASON, and why each attempt failed: a new text. */
struct fleet_text *hub_dead_text(const struct hub_job *job, const char *reason);
/* Its record says that it is dead, for the reasons in DEAD: a copy goes to the dead letters, and then it is
 * finished. */
void hub_job_bury(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job, struct fleet_text *dead,
		  struct fleet_actions *out);
void hub_job_bury_again(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
			struct fleet_actions *out);
void hub_job_was_buried(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job, bool done,
			struct fleet_actions *out);

/* hub_sums.c */
/* An attempt was claimed, and will be offered. */
void hub_count_begun(struct fleet_hub *hub, struct fleet_now now, const struct hub_job *job);

/* hub_claim.c */
/* Whether it may not be begun any more; then its end is written. */
bool hub_job_is_over(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
		     struct fleet_actions *out);

/* hub_jobs.c */
struct hub_job *hub_job_find(struct fleet_hub *hub, const char *tenant, const char *id);
void hub_job_add(struct fleet_hub *hub, struct fleet_now now, const struct fleet_placed_job *placed,
		 struct fleet_actions *out);
void hub_job_cancel(struct fleet_hub *hub, struct fleet_now now, const struct fleet_message *m,
		    struct fleet_actions *out);
void hub_job_returned(struct fleet_hub *hub, struct fleet_now now, const struct fleet_message *m,
		      struct fleet_actions *out);
void hub_job_ended(struct fleet_hub *hub, struct fleet_now now, const struct fleet_message *m,
		   struct fleet_actions *out);
/* Its node is lost, or has not got it: it is begun again. */
void hub_job_lost(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job,
		  struct fleet_actions *out);
/* Its node lists it, under TOKEN. */
void hub_job_listed(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job, struct hub_node *node,
		    struct fleet_token token, struct fleet_actions *out);
void hub_job_answer(struct fleet_hub *hub, struct fleet_now now, const struct hub_asked *asked,
		    const struct fleet_answer *a, struct fleet_actions *out);
void hub_job_claim(struct fleet_hub *hub, struct fleet_now now, struct hub_job *job, struct hub_node *node,
		   struct fleet_actions *out);
void hub_jobs_tick(struct fleet_hub *hub, struct fleet_now now, struct fleet_actions *out);
void hub_job_free(struct fleet_hub *hub, struct hub_job *job);

/* hub_lanes.c */
struct hub_lane *hub_lane_get(struct fleet_hub *hub, const char *class, const char *tenant);
void hub_lanes_tick(struct fleet_hub *hub, struct fleet_now now, struct fleet_actions *out);
void hub_lane_answer(struct fleet_hub *hub, struct fleet_now now, const struct hub_asked *asked,
		     const struct fleet_answer *a, struct fleet_actions *out);
void hub_lane_read(struct fleet_hub *hub, struct fleet_now now, struct hub_lane *lane,
		   struct fleet_actions *out);
/* Gives jobs that wait to nodes that have room. */
void hub_feed(struct fleet_hub *hub, struct fleet_now now, struct fleet_actions *out);

#endif
