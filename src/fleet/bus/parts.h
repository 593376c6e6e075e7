/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the bus share. Threads of libnats only put letters into the mailbox; everything else is
 * of the thread that uses the bus. */
#ifndef FLEET_BUS_PARTS_H
#define FLEET_BUS_PARTS_H

#include <nats/nats.h>

#include "base/buf.h"
#include "fleet/bus/bus.h"
#include "fleet/core/table.h"

#define STREAM_JOBS    "AISBX_JOBS"
#define STREAM_STATE   "AISBX_STATE"
#define STREAM_DEAD    "AISBX_DEAD"
#define STREAM_TERM    "AISBX_TERM"
#define STREAM_HISTORY "AISBX_HISTORY"
#define SUBJECT_TERM   "aisbx.term"

/* mailbox.c */
enum letter_kind {
	LETTER_ANSWER,  /* to a question */
	LETTER_MESSAGE, /* of the protocol */
	LETTER_LANE,    /* hints */
	LETTER_PLAIN,   /* of bus_subscribe */
	LETTER_DOWN,
	LETTER_UP,
	LETTER_CLOSED,
	LETTER_N,
};

struct letter {
	struct letter *next;
	enum letter_kind kind;
	natsMsg *msg; /* owned; NULL from LETTER_DOWN on */
	char *text;   /* owned; of LETTER_CLOSED */
};

struct mailbox;

/* NULL: no descriptor. */
struct mailbox *mailbox_create(void);
/* Waits for a short while until no thread of libnats uses it; it is freed when that is so. */
void mailbox_leave(struct mailbox *box);
int mailbox_fd(const struct mailbox *box);
void mailbox_wake(struct mailbox *box);
/* False: there is none, and the descriptor is not readable any more. RET needs mailbox_letter_finish. */
bool mailbox_take(struct mailbox *box, struct letter *ret);
void mailbox_letter_finish(struct letter *letter);
/* Letters that came when there was no room. */
uint64_t mailbox_lost(struct mailbox *box);
bool mailbox_is_down(const struct mailbox *box);
natsStatus mailbox_options(struct mailbox *box, natsOptions *options);
/* The connection was made: its last word will come. */
void mailbox_connected(struct mailbox *box);
natsStatus mailbox_subscribe(struct mailbox *box, natsConnection *nc, const char *subject,
			     enum letter_kind kind, natsSubscription **ret);

/* A question that was sent. */
enum asked_kind { ASKED_FLEET, ASKED_PUT, ASKED_READ, ASKED_PURGE };

struct asked {
	struct asked *older, *newer;
	uint64_t since_ms;
	char key[24]; /* its number, as the end of the subject that the answer comes to */
	enum asked_kind what;
	enum fleet_ask_kind kind;
	char class[FLEET_NAME], tenant[FLEET_NAME];
	char stream[64], subject[256]; /* of what is read in batches */
	uint64_t after;                /* LANE, READ: what comes now is at places after this */
	uint64_t last;                 /* the last one that came of this batch; LANES: subjects that came */
	unsigned limit, batch, tries;
	bool broken;                /* one of the batch was lost */
	struct fleet_answer answer; /* as far as it came */
	size_t lanes_room, jobs_room;
};

struct ready {
	struct ready *next;
	struct bus_event event;
};

struct listened {
	struct listened *next;
	natsSubscription *sub;
	char subject[256];
};

struct bus {
	natsConnection *nc;
	struct mailbox *box;
	enum bus_role role;
	char name[FLEET_NAME], tenant[FLEET_NAME];
	char inbox[192]; /* with the last dot: a question's number follows */
	struct listened *listened;
	struct fleet_table *asked; /* by key */
	struct asked *oldest, *newest;
	struct fleet_table *hints; /* by tenant: the last hint of its submitters */
	struct fleet_table *fulls; /* by class: how often in a row a lane was full */
	struct ready *ready, **ready_end;
	struct bus_counts counts;
};

/* Event of KIND at the end of those that are ready. */
struct bus_event *bus_event_add(struct bus *bus, enum bus_event_kind kind);

/* REPLY: NULL or "" if no answer is wanted. */
natsStatus bus_post(struct bus *bus, const char *subject, const char *reply, const void *data, size_t len);

/* connect.c */
int bus_connect(struct bus *bus, const struct bus_options *options, struct aisbx_error *e);
/* Servers, credentials, TLS and the place of answers, for a connection that is no bus. */
int bus_identify(natsOptions *o, const struct bus_options *options, struct aisbx_error *e);
/* Fills the error by what libnats says; returns its negative errno. */
int bus_fail(struct aisbx_error *e, natsStatus s, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* nkey.c: the public key of a user's seed, with its NUL 57 bytes. -EINVAL: that is none. */
#define NKEY_LEN 57
int nkey_public(const char *seed, char ret[NKEY_LEN]);

/* ask.c */
void ask_batch(struct bus *bus, struct asked *asked);
void ask_lanes(struct bus *bus, struct asked *asked);
/* Takes it out of the table; the answer's owner is then the event, or nobody. */
void asked_finish(struct bus *bus, struct asked *asked, enum fleet_answer_kind kind);
void asked_fail_all(struct bus *bus);
void asked_destroy_all(struct bus *bus);
/* A question to the engine whose answer nobody waits for: takes a place out of the stream of jobs. */
void ask_delete(struct bus *bus, uint64_t place, const char *reply);

/* answer.c */
void answer_take(struct bus *bus, natsMsg *msg);

/* batch.c */
void batch_take(struct bus *bus, struct asked *asked, natsMsg *msg);

/* reply.c: what the engine says, read with care. */
struct reply {
	bool ok;
	uint64_t seq; /* of what was written; CONFLICT: of what is there */
	int code;     /* err_code of JetStream; 0: none */
	char text[128];
};

/* False: it is none. */
bool reply_parse(natsMsg *msg, struct reply *ret);
/* The value that the server itself put there: the last, for a publisher's own headers come first. "" if there
 * is none. */
void reply_header(natsMsg *msg, const char *name, char *ret, size_t size);
uint64_t reply_number(natsMsg *msg, const char *name);
/* Status of an empty answer ("404"), 0 for one with content. A message of a stream never has one. */
int reply_status(natsMsg *msg);

/* hint.c: what submitters tell hubs when the engine has a job, on aisbx.lane.CLASS.TENANT */
void hint_send(struct bus *bus, const char *class, const char *tenant, uint64_t place);
void hint_take(struct bus *bus, natsMsg *msg);
/* Whether a lane that seems to end before PLACE is known to go on: what was read is older than the hint. */
bool hint_is_ahead(const struct bus *bus, const char *class, const char *tenant, uint64_t place);
void hint_forget(struct bus *bus, const char *tenant);
void hint_destroy_all(struct bus *bus);

#endif
