/* SPDX-License-Identifier: Apache-2.0 */
/* The engine: NATS and its JetStream. Here alone nats.h is included. Nothing waits: questions are sent,
 * answers and messages come as events, in the caller's thread. */
#ifndef FLEET_BUS_BUS_H
#define FLEET_BUS_BUS_H

#include "aisbx/error.h"
#include "fleet/core/engine.h"
#include "fleet/core/message.h"

struct bus;

enum bus_role { BUS_SUBMITTER, BUS_NODE, BUS_HUB, BUS_ADMIN };

struct bus_options {
	const char *url;   /* "nats://host:4222,nats://other:4222", "tls://…" */
	const char *creds; /* file of a user's JWT and seed, or of an nkey seed alone; NULL: none */
	const char
		*ca; /* file of certificates that a server's must descend from; NULL: those of the system */
	enum bus_role role;
	const char *name;    /* of the node, hub or submitter */
	const char *tenant;  /* of a submitter */
	uint64_t connect_ms; /* give up after so long; 0: 5 s */
};

enum bus_event_kind {
	BUS_MESSAGE, /* MESSAGE, decoded and checked; its sender is who the subject says */
	BUS_ANSWER,  /* ANSWER to a question */
	BUS_LANE,    /* CLASS, TENANT: a lane has a new job; a hint, for hubs */
	BUS_DATA,    /* DATA came on SUBJECT, of bus_subscribe; REPLY is "" or where an answer goes */
	BUS_DOWN,    /* the connection is lost; it is made again by itself */
	BUS_UP,      /* it is back */
	BUS_CLOSED,  /* it will not come back: TEXT says why */
};

struct bus_event {
	enum bus_event_kind kind;
	struct fleet_message message; /* owned, as all here */
	struct fleet_answer answer;
	uint64_t number, place; /* of DATA that bus_read found: of the question, and where it lies; else 0 */
	char class[FLEET_NAME], tenant[FLEET_NAME];
	char subject[256], reply[256];
	char *data;
	size_t len;
	char text[256];
};

int bus_open(const struct bus_options *options, struct bus **ret, struct aisbx_error *e);
/* Sends what is under way, for a short while, and closes. NULL is allowed. */
void bus_close(struct bus *bus);
/* Readable while there are events. */
int bus_fd(const struct bus *bus);
/* False: none now. RET needs bus_event_finish. */
bool bus_next(struct bus *bus, struct bus_event *ret);
void bus_event_finish(struct bus_event *event);

/* The answer comes as an event with the question's number; or never. */
void bus_ask(struct bus *bus, const struct fleet_ask *ask);
void bus_send(struct bus *bus, const struct fleet_message *m);

/* As questions, but for streams of others, as that of history; NUMBER is the caller's, as in struct
 * fleet_ask, and the answer is a BUS_ANSWER with it. */
/* Writes DATA to SUBJECT; only if the last there is at EXPECTED (0: there is none): OK with REVISION;
 * CONFLICT, with REVISION of what is there; FULL; FAILED. */
void bus_put(struct bus *bus, uint64_t number, const char *subject, uint64_t expected, const void *data,
	     size_t len);
/* The first LIMIT of what STREAM holds on SUBJECT, which may have wildcards, after PLACE: each a BUS_DATA
 * with NUMBER and PLACE, in order, then the answer: OK, REVISION is the last place (0: there was nothing), or
 * FAILED: what came is good, more may be there. Reads may be stale. */
void bus_read(struct bus *bus, uint64_t number, const char *stream, const char *subject, uint64_t place,
	      unsigned limit);
/* Takes all on SUBJECT, up to and with PLACE, out of STREAM: OK or FAILED. */
void bus_purge(struct bus *bus, uint64_t number, const char *stream, const char *subject, uint64_t place);

/* What did not become an event, since it was opened. */
struct bus_counts {
	uint64_t malformed; /* messages, jobs and answers that could not be read */
	uint64_t pretended; /* messages whose sender is not whom the subject says; jobs in the wrong lane */
	uint64_t lost;      /* more came than there was room for */
	uint64_t unsent;    /* could not be sent: no connection, or too long */
	uint64_t stale;     /* lanes that were read again, for a hint knew more */
};
void bus_count(struct bus *bus, struct bus_counts *ret);

/* Plain messages beside the protocol: live output and input, status. */
int bus_subscribe(struct bus *bus, const char *subject, struct aisbx_error *e);
void bus_unsubscribe(struct bus *bus, const char *subject);
void bus_publish(struct bus *bus, const char *subject, const char *reply, const void *data, size_t len);
/* Waits for one answer; for commands of people. RET is owned by the caller. */
int bus_request(struct bus *bus, const char *subject, const void *data, size_t len, uint64_t wait_ms,
		char **ret, size_t *ret_len, struct aisbx_error *e);
/* All that was published has reached the server. */
int bus_flush(struct bus *bus, uint64_t wait_ms, struct aisbx_error *e);

/* Streams, as the fleet needs them. REPLICAS: 1 or 3; CAP: jobs that a lane holds at most. Made if missing,
 * changed where that is allowed, refused where a stream of this name is something else. For hubs, when they
 * begin. */
struct bus_streams {
	unsigned replicas;
	uint64_t lane_cap;
	uint64_t record_age_ms; /* results are kept so long */
};
int bus_setup(struct bus *bus, const struct bus_streams *streams, struct aisbx_error *e);

#endif
