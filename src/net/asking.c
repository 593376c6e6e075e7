/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to the person: what no rule has waits until they have answered, or a rule is made for it. */
#include <stdlib.h>
#include <string.h>

#include "net/relay.h"

/* More than anybody answers. */
#define MAX_QUESTIONS 64

struct question {
	struct question *next;
	uint32_t id;
	enum net_reason denied;   /* 0: not (yet) */
	struct egress_address to; /* of one without a name */
	uint16_t port;
	char name[EGRESS_NAME_MAX];
};

static struct question *find(const struct broker *b, const struct conn *c)
{
	struct question *q = b->questions;

	while (q && (q->port != c->port || strcmp(q->name, c->name) != 0 ||
		     (!c->name[0] && !egress_address_same(&q->to, &c->to))))
		q = q->next;
	return q;
}

static struct question *ask(struct broker *b, const struct conn *c)
{
	struct question *q = b->n_questions < MAX_QUESTIONS ? calloc(1, sizeof(*q)) : NULL;
	struct net_message m = { .word = NET_ASK,
				 .row = { .act = NET_TCP, .count = 1, .to = c->to, .port = c->port } };

	if (!q)
		return NULL;
	*q = (struct question){ .next = b->questions, .id = ++b->n_questions, .to = c->to, .port = c->port };
	strcpy(q->name, c->name);
	strcpy(m.row.name, c->name);
	m.id = q->id;
	b->questions = q;
	broker_say(b, &m, true);
	return q;
}

void asking_begin(struct conn *c)
{
	struct question *q = find(c->broker, c);

	q = q ? q : ask(c->broker, c);
	if (!q || q->denied) {
		relay_refuse(c, q ? q->denied : NET_TOO_MANY);
		return;
	}
	c->state = CONN_ASKED;
	c->question = q->id;
}

void asking_answered(struct broker *b, uint32_t id, int answer)
{
	enum net_reason denied = answer > 0 ? NET_NO_REASON : answer < 0 ? NET_NO_RULE : NET_DENIED;

	for (struct question *q = b->questions; q; q = q->next)
		if (q->id == id)
			q->denied = denied;
	for (struct conn *c = b->conns, *next; c; c = next) {
		next = c->next;
		if (c->state == CONN_ASKED && c->question == id && denied)
			relay_refuse(c, denied);
	}
}

void asking_again(struct broker *b)
{
	for (struct conn *c = b->conns, *next; c; c = next) {
		next = c->next;
		if (c->state == CONN_ASKED)
			relay_find(c);
	}
}
