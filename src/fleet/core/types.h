/* SPDX-License-Identifier: Apache-2.0 */
/* What submitters, hubs and nodes talk about: jobs, claims, results. Plain data, without I/O. */
#ifndef FLEET_CORE_TYPES_H
#define FLEET_CORE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names of jobs, tenants, classes, nodes and submitters, with their NUL. They are words of NATS subjects:
 * letters, digits, '-' and '_'; in classes also '=' and ','. */
#define FLEET_NAME 64

/* Two names with a dot between them, which name a job or a lane. */
#define FLEET_KEY (2 * FLEET_NAME)

/* As texts, with their NUL: a signature, 64 bytes in base64; a public key, 32 bytes; a seal: the public key
 * of a node, and a hub's signature under its claim. */
#define FLEET_SIGNATURE 92
#define FLEET_PUBLIC    45
#define FLEET_SEAL      136

/* The class of jobs that any node may run. Others are labels in the order of the alphabet,
 * "gpu=1,zone=a": a node must have all of them. Every node has the label "node=NAME". */
#define FLEET_ANY "any"

/* The two clocks of a machine: one that only counts (CLOCK_BOOTTIME), for leases and timers; the calendar's,
 * for deadlines that travel. */
struct fleet_now {
	uint64_t ms;
	uint64_t wall_ms;
};

/* Names one claim. Higher is newer, epoch first. No two claims have the same, whatever an engine forgets. */
struct fleet_token {
	uint64_t epoch;    /* of the hub: rises whenever another hub begins, or the same begins again */
	uint64_t revision; /* of the claim in the engine */
};

/* What a second execution would do. */
enum fleet_effect {
	FLEET_REPEATABLE, /* nothing: it may run again */
	FLEET_FENCED,     /* nothing: what it changes checks the token itself */
	FLEET_ONCE,       /* harm: one attempt, else "unknown", and a person decides */
};

/* Text that several hold and nobody changes. */
struct fleet_text;
struct fleet_text *fleet_text_new(const char *data, size_t len);
struct fleet_text *fleet_text_hold(struct fleet_text *text); /* NULL is allowed, here and below */
void fleet_text_drop(struct fleet_text *text);
const char *fleet_text_data(const struct fleet_text *text); /* ends with a NUL that does not count */
size_t fleet_text_len(const struct fleet_text *text);

struct fleet_job {
	char id[FLEET_NAME];
	char tenant[FLEET_NAME];
	char class[FLEET_NAME];
	char submitter[FLEET_NAME]; /* who is told, and who grants what may be done once */
	enum fleet_effect effect;
	unsigned priority;         /* 0 to 9, 5 in the middle; within its tenant */
	unsigned attempts;         /* at most; a run that fails is a result, a node that is lost an attempt */
	uint64_t deadline_wall_ms; /* afterwards it is not begun any more; 0: never */
	uint64_t run_ms;           /* the longest it may run; 0: as the operation says */
	char box[FLEET_PUBLIC];    /* its submitter's public key: what comes out of it is sealed to that; "":
				      nothing is */
	char content[FLEET_NAME];  /* of what it needs there, such as its project: a node that had it is
				      better;
				      "": nothing */
	struct fleet_text *body;   /* operation and arguments; owned */
};

/* Whether a name may stand in a subject. */
bool fleet_is_name(const char *name);
bool fleet_is_class(const char *class);
/* Whether LABELS, comma-separated in any order, and the node's own name carry CLASS. */
bool fleet_class_fits(const char *class, const char *node, const char *labels);

/* A copy; RET needs fleet_job_finish. */
void fleet_job_copy(const struct fleet_job *job, struct fleet_job *ret);
void fleet_job_finish(struct fleet_job *job);

/* Where a job is. Everything from FLEET_ENDED on is final. */
enum fleet_phase {
	FLEET_ABSENT,    /* no record: waits, or was never there */
	FLEET_CLAIMED,   /* given to a node */
	FLEET_ENDED,     /* has a result, good or bad */
	FLEET_DEAD,      /* its attempts are used up, or its deadline is over */
	FLEET_CANCELLED, /* never begun, or ended by its submitter's wish */
	FLEET_UNKNOWN,   /* it may have run once or not at all; a late result replaces this */
};

/* The engine's record of a job: one, the last. */
struct fleet_record {
	enum fleet_phase phase;
	struct fleet_token token; /* of the claim; the record of a claim is itself that revision */
	char node[FLEET_NAME];
	uint64_t incarnation;  /* of the node: another one with each start of its agent */
	unsigned attempt;      /* from 1 on */
	char seal[FLEET_SEAL]; /* the hub's, under the claim; whoever drives a hub makes it, nodes pass it on
				*/
	char signature[FLEET_SIGNATURE]; /* under what ended: the node's, or without a seal the hub's; made by
					    whoever drives them */
	struct fleet_text *result;       /* owned */
};

void fleet_record_copy(const struct fleet_record *record, struct fleet_record *ret);
void fleet_record_finish(struct fleet_record *record);

int fleet_token_compare(struct fleet_token a, struct fleet_token b);
const char *fleet_phase_name(enum fleet_phase phase);
const char *fleet_effect_name(enum fleet_effect effect);

#endif
