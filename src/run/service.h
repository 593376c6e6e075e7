/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Services of a box, as its supervisor manages them: started in order before the command, each by a keeper
 * like a command that joins; watched until they are ready, restarted if requested, ended with the box. Inside
 * run/ only.
 */
#ifndef RUN_SERVICE_H
#define RUN_SERVICE_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jail/plan.h"
#include "jail/wire.h"
#include "run/log.h"
#include "run/run.h"
#include "secret/known_secrets.h"

/* Bytes of each service's output that are kept, the newest. */
#define SERVICE_LOG_BYTES 65536u
/* Bytes of that which are shown. */
#define SERVICE_TAIL_BYTES 4096u

/* A command that we let join our own box. */
struct helper {
	int control; /* owned; -1: there is none */
	int output;  /* owned; read end of its stdout and stderr; -1: discarded */
};

#define HELPER_INIT                         \
	{                                   \
		.control = -1, .output = -1 \
	}

/* What its keeper reports. */
enum helper_news {
	HELPER_NOTHING,
	HELPER_STARTED,     /* its program runs */
	HELPER_EXEC_FAILED, /* value: errno, negative: of its directory */
	HELPER_REFUSED,     /* error: the box did not accept it */
	HELPER_ENDED,       /* value: wait status */
};

struct box_side {
	int control;    /* borrowed; leads to pid 1 */
	int proc;       /* borrowed; the box's /proc */
	uint32_t walls; /* as verified: those of every helper must be the same */
	struct jail_plan_order order;
};

/* helper.c */
int helper_start(struct helper *h, const struct box_side *box, int plan_fd, bool keep_output,
		 struct aisbx_error *e);
enum helper_news helper_hear(struct helper *h, const struct box_side *box, int *ret_value,
			     struct aisbx_error *e);
/* Its keeper is told, and ends all its processes. */
void helper_drop(struct helper *h);
/* A process in the network namespace of this /proc listens on it. */
bool port_is_open(int proc, uint16_t port);

struct ring {
	char *data; /* owned; SERVICE_LOG_BYTES, made at first use */
	uint64_t written;
};

struct service {
	const struct run_service *what; /* borrowed */
	enum run_service_state state;
	struct helper self, probe; /* the probe checks whether it is ready */
	struct ring log;
	struct redact redact; /* of what it writes */
	struct runlog file;   /* and on disk, of a detached run */
	bool cut;             /* there is more than the limit */
	bool up;              /* its program runs */
	bool ready;           /* it was ready, at least once */
	bool has_status;      /* it has ended: */
	int status;           /* how */
	int probe_status;     /* result of the last check */
	unsigned int restarts, in_a_row;
	uint64_t began_us, ready_us; /* first start, and when it was ready; 0: never */
	uint64_t up_ms;              /* start of this time */
	/* when to start it or to check again, and the time between two checks */
	uint64_t next_ms, pause_ms;
	uint64_t probe_until_ms;
	const char *error; /* kind of its failure; NULL: none */
};

struct services {
	struct service *list; /* owned */
	size_t n;
	int log_dir;                         /* borrowed; -1: none; where their logs go */
	uint64_t log_bytes;                  /* of each, at most */
	struct known_secrets *known_secrets; /* borrowed; the secrets that must not appear in their output */
	struct box_side box;
	bool going; /* the command was started: from now on nothing waits for a service */
	bool stopping;
	uint64_t stop_until_ms;
	char *failure; /* owned; why the command cannot be started; for people, several lines */
};

#define SERVICE_POLLS 3u

int services_init(struct services *ss, const struct run_service *list, size_t n, struct aisbx_error *e);
void services_finish(struct services *ss);
/* The walls are built. */
void services_begin(struct services *ss, const struct box_side *box);
bool services_ready(const struct services *ss);
/* Fills SERVICE_POLLS for each service; returns how many. */
size_t services_poll(const struct services *ss, struct pollfd *p);
/* When to check again even if nothing came; 0: not needed. FROZEN: nothing new may run in the box. */
uint64_t services_due(const struct services *ss, bool frozen);
/* Does what can be done now. */
void services_turn(struct services *ss, const struct pollfd *p, bool frozen);
/* The last command is gone: asks them to end. */
void services_stop(struct services *ss, uint64_t deadline_ms);
/* Their states, for the result. False: no memory. */
bool services_tell(struct services *ss, struct run_outcome *out);

#endif
