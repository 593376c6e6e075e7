/* SPDX-License-Identifier: Apache-2.0 */
/* The supervisor's side of a box's broker, aisbx-net: starts it, tells it the rules, hears what it did. */
#ifndef RUN_NETWORK_H
#define RUN_NETWORK_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/str.h"
#include "net/control.h"
#include "run/agents.h"
#include "run/run.h"

struct run_net;

#define NETWORK_MAX_PORTS 32
#define NETWORK_MAX_ASKS  16

/* A port of the box on the host's loopback. */
struct network_port {
	uint16_t host, box;
};

/* A name and an address that it was given. */
struct network_name {
	char name[EGRESS_NAME_MAX];
	struct egress_address address;
};

struct network {
	int control; /* -1: there is no broker */
	pid_t pid;
	int tls; /* owned; to aisbx-tls; -1: there is none */
	pid_t tls_pid;
	char *authority;           /* owned; its certificate, which programs of the box have to trust; PEM */
	const struct run_net *net; /* borrowed; what the box was started with */
	bool up;                   /* it has the box's namespaces */
	struct strlist rules;      /* owned; those that hold now */
	struct network_port ports[NETWORK_MAX_PORTS];
	size_t n_ports;
	struct net_row *rows; /* owned; as told so far */
	size_t n_rows, cap_rows;
	uint64_t not_kept;
	struct network_name *names; /* owned; what was looked up, for those that the kernel refuses */
	size_t n_names;
	unsigned int told; /* refusals that a person was told of */
	/* owned; made with the first: what a person has still to be asked; the first is being asked */
	struct net_message *asks;
	size_t n_asks;
	struct agents agents;
	pid_t asker;    /* 0: nobody is being asked */
	int asker_ends; /* owned; pidfd */
	bool asks_all;  /* what no rule has is asked about, so every port is open */
	int say_fd;     /* borrowed; where a person reads; -1: nowhere */
	bool raw;       /* that is a terminal which the command uses */
};

void network_init(struct network *n);
/* Ends the broker if it is there. */
void network_finish(struct network *n);
/* Starts a program of aisbx's own with a control socket as descriptor 3 and the variables PASSED (ends with
 * NULL). */
int network_start_program(const char *name, const char *const *passed, pid_t *ret_pid, int *ret_control,
			  struct aisbx_error *e);
/* Starts it; it waits for the box. */
int network_spawn(struct network *n, struct aisbx_error *e);
/*
 * network_tls.c: starts aisbx-tls if a rule or a secret of NET needs it. Before the box, which has to trust
 * its authority.
 */
int network_begin_tls(struct network *n, const struct run_net *net, struct aisbx_error *e);
/* The rules are others now. */
int network_change_tls(struct network *n, const struct strlist *rules, struct aisbx_error *e);
void network_finish_tls(struct network *n);

/* The box is there, NAMESPACES its user and network namespace: gives it its network. */
int network_begin(struct network *n, const int namespaces[2], const struct strlist *rules, uint32_t flags,
		  struct aisbx_error *e);
/* network_message.c: false: no broker says that. Else M holds nothing that is not possible. */
bool network_message_check(struct net_message *m);
/* It has something to say. */
void network_hear(struct network *n);
/* network_ask.c: the first of asks, at the terminal; and what became of it. */
void network_ask_person(struct network *n);
void network_hear_person(struct network *n);
/* One more to ask; false: there are too many. */
bool network_queue(struct network *n, const struct net_message *m);
/* The same for a question of net:agent:ssh; without an end nobody is asked any more. */
void network_asked_to_sign(struct network *n, const struct net_message *m);
/* Answers the question ID of the broker as NET_ANSWER says; a yes makes RULE a rule of the box. */
int network_answer(struct network *n, uint32_t id, int value, const char *rule, struct aisbx_error *e);
/* Remembers what became of it, and tells of a refusal; the same again is only counted. */
void network_note(struct network *n, const struct net_row *row);
/* It does not: the kernel refused it. UDP: datagrams. */
void network_refused(struct network *n, const struct run_address *to, bool udp);
/* Whether the broker decides about connections to that port; if not, the kernel refuses them. */
bool network_decides(struct network *n, const struct run_address *to, bool udp);
/* As run_ask_net; TEXT_CAP bytes at RET_TEXT. There is a broker, unless it is RUN_NET_LIST. */
int network_change(struct network *n, enum run_net_ask what, const char *text, char *ret_text,
		   size_t text_cap, struct aisbx_error *e);
/* The box is gone: the broker's last words, into RET. */
void network_end(struct network *n, struct run_outcome *ret);

#endif
