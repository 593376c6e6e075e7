/* SPDX-License-Identifier: Apache-2.0 */
/* The outside half of the broker: what its files share. Inside net/ only. */
#ifndef NET_BROKER_H
#define NET_BROKER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "aisbx/error.h"
#include "net/control.h"
#include "net/loop.h"
#include "net/names.h"
#include "net/upstream.h"
#include "policy/egress.h"

/* Connections of a box at once; those beyond are refused. */
#define BROKER_MAX_CONNS 16384
/* Ports of rules and of programs that may use every port. */
#define BROKER_MAX_PORTS 1024

struct conn;
struct flow;
struct question;
struct ended;
struct record;

/* A socket in the gateway that accepts for every address. */
struct listener {
	struct source source;
	struct broker *broker;    /* borrowed */
	struct egress_address at; /* family 0: for every address */
	uint16_t port;            /* of a published one: the port in the box */
	bool udp, published;
};

/* What a rule has used. Rules are replaced while connections go on, so it is found by the rule's text. */
struct rule_use {
	char text[EGRESS_RULE_MAX];
	uint64_t bytes;
	uint64_t tokens, filled_ms; /* of its rate */
};

struct broker {
	struct loop loop;
	struct source control;
	int inside;                /* to the half in the box's namespaces */
	struct egress_rule *rules; /* owned */
	size_t n_rules;
	struct rule_use *uses;                        /* owned; one per rule */
	uint32_t flags;                               /* enum net_flag */
	struct listener *listeners[BROKER_MAX_PORTS]; /* owned */
	size_t n_listeners;
	struct names names;
	struct upstream upstream;
	struct record *record; /* owned */
	struct conn *conns;    /* owned; a list */
	size_t n_conns;
	struct flow *flows; /* owned; a list */
	size_t n_flows;
	uint64_t ticked_ms;
	int pipes[8][2]; /* empty ones, for the next who has something to pass on */
	size_t n_pipes;
	struct source tls;        /* aisbx-tls; fd -1: there is none */
	struct egress_rule *ends; /* owned; names whose connections it reads */
	size_t n_ends;
	struct ended *ended;        /* owned; a list: connections that it has */
	struct question *questions; /* owned; a list */
	uint32_t n_questions;
	char search[6][EGRESS_NAME_MAX]; /* what resolvers append to a name, by the host's resolv.conf */
	size_t n_search;
	bool paused; /* one of the listeners */
	bool ending;
};

/* main.c: tells the supervisor; without patience it may be lost. */
int broker_say(const struct broker *b, const struct net_message *m, bool patient);
/* main.c: opens PORT of the gateway, for the address AT alone or for all (NULL); does nothing if it is open.
 */
int broker_listen(struct broker *b, uint16_t port, bool udp, const struct egress_address *at);

/* main.c: accepts nothing more until the next tick. */
void broker_pause(struct listener *l);

/* dns_server.c: looks up names for programs of the box. Takes FD. */
int dns_server_add(struct broker *b, int fd, bool tcp);

/* relay.c: connections out. */
void relay_accept(struct source *s, uint32_t events);
void relay_tick(struct broker *b);
/* The rules have changed: ends what they do not allow any more. */
void relay_check(struct broker *b);
/* Ends all. */
void relay_finish(struct broker *b);
/* ports.c: connections in, to a published port. */
void ports_accept(struct source *s, uint32_t events);

/* asking.c: the person's answer to question ID; and: the rules are others now. */
void asking_answered(struct broker *b, uint32_t id, int answer);
void asking_again(struct broker *b);

/* ended.c: connections that aisbx-tls reads. */
int ended_init(struct broker *b, int fd);
/* Whether connections to NAME and PORT are for it alone. */
bool ended_has(const struct broker *b, const char *name, uint16_t port);
/* The rules have changed. */
void ended_check(struct broker *b);
void ended_finish(struct broker *b);

/* datagrams.c */
void datagrams_ready(struct source *s, uint32_t events);
void datagrams_tick(struct broker *b);
/* The rules have changed: ends what they do not allow any more. */
void datagrams_check(struct broker *b);

/* record.c: counts a row; the first of its kind is told at once. */
int record_create(struct broker *b);
void record_add(struct broker *b, const struct net_row *row);
/* Tells all of them, then how many were not kept. */
void record_say_all(const struct broker *b);

/* address.c: between a rule's address and the kernel's. */
/* The address that a datagram was sent to, and what to send with the answer, so that it comes from there. */
bool address_of_datagram(struct msghdr *m, struct egress_address *ret);
void address_from_socket(const struct sockaddr_storage *from, struct egress_address *ret, uint16_t *ret_port);
/* For a connection within this machine: no more lies in it than a processor's cache holds, so copying it is
 * cheap. */
void address_limit_buffers(int fd, int received, int sent);
socklen_t address_to_socket(const struct egress_address *a, uint16_t port, struct sockaddr_storage *ret);

#endif
