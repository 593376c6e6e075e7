/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The person's ssh-agent for a box, one question per signature: a socket of our own is shown in the box, and
 * a process behind it passes on what may pass. It asks the supervisor, who asks the person.
 */
#ifndef RUN_AGENTS_H
#define RUN_AGENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "aisbx/error.h"
#include "net/control.h"

struct jail_plan_order;

struct agents {
	int control; /* owned; -1: there is none */
	pid_t pid;
	char *dir, *path;  /* owned; of the socket, on the host; NULL: none */
	unsigned int noes; /* that the person said */
};

void agents_init(struct agents *a);
/* Starts it. Refused where the person has no agent that answers. ORDER: whose the box's ids are. */
int agents_begin(struct agents *a, const struct jail_plan_order *order, struct aisbx_error *e);
/* The box has the socket: on the host it has no name any more. */
void agents_hide(struct agents *a);
void agents_finish(struct agents *a);
/* A question, if there is one: NET_ASK with the key's name, and in row.rule what is to be signed. */
bool agents_hear(struct agents *a, struct net_message *ret);
void agents_answer(struct agents *a, uint32_t id, bool yes);

/* agent_relay.c: the process. Ends when nobody is at the other end of CONTROL. */
_Noreturn void agent_relay(int listener, int control, const char *real);
/* A connection to the agent at PATH, with little patience; -errno. */
int agent_connect(const char *path);

#endif
