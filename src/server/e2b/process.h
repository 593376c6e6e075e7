/* SPDX-License-Identifier: Apache-2.0 */
/* A process of a sandbox, which is a run in its box: it stays when its client goes, and keeps what it wrote.
 */
#ifndef SERVER_E2B_PROCESS_H
#define SERVER_E2B_PROCESS_H

#include "server/e2b/internal.h"

/* What whoever comes later gets of its output: the last of it. */
#define KEPT_OUTPUT (1u << 20)
/* Unread bytes of one reader from which on the process waits. */
#define READER_FULL (1u << 20)
/* Ended ones can be asked for their output for a while. */
#define ENDED_MS 300000

struct reader {
	struct reader *next;
	struct request *request; /* borrowed; the reader goes before it */
	unsigned int silent_s;   /* since it heard something */
};

/* Output as it came: which stream, and how much. */
struct chunk {
	unsigned char which;
	unsigned int len;
};

struct process {
	struct process *prev, *next;
	struct sandbox *sandbox;
	unsigned int pid;
	json_t *config;    /* owned; as it was given */
	char *tag;         /* owned; NULL: none */
	struct call *call; /* NULL: it has ended */
	char run[64];      /* "": not yet begun */
	bool input, held, killed;
	bool pty;               /* it has a terminal, in which `script` runs it */
	bool seen;              /* its end was told to somebody, who then knows all there is */
	int signal;             /* that it was sent before it began */
	struct buf output;      /* what was kept */
	struct buf chunks;      /* struct chunk each */
	struct reader *readers; /* owned */
	json_t *end;            /* owned; the event of its end */
	int64_t ended_ms;
};

/* By its number or its tag, as a request names it; NULL: R is answered. */
struct process *process_named(struct request *r, const json_t *selector);
/* R gets all that comes, after what was kept. */
void process_read(struct process *p, struct request *r);
/* Input from now on; R is answered if it cannot be taken. */
bool process_give(struct request *r, struct process *p, const json_t *input);

#endif
