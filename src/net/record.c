/* SPDX-License-Identifier: Apache-2.0 */
/* What the box wanted of the network: each kind once, with sums. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "net/broker.h"

struct record {
	struct net_row rows[NET_MAX_ROWS];
	size_t n;
	uint64_t not_kept;
};

int record_create(struct broker *b)
{
	b->record = calloc(1, sizeof(*b->record));
	return b->record ? 0 : -ENOMEM;
}

static bool is_same(const struct net_row *a, const struct net_row *b)
{
	return a->act == b->act && a->verdict == b->verdict && a->reason == b->reason && a->port == b->port &&
	       a->record == b->record && !strcmp(a->name, b->name) && !memcmp(&a->to, &b->to, sizeof(a->to));
}

void record_add(struct broker *b, const struct net_row *row)
{
	struct net_message m = { .word = NET_ROW };
	struct record *r = b->record;
	size_t i = 0;

	while (i < r->n && !is_same(&r->rows[i], row))
		i++;
	if (i == NET_MAX_ROWS) {
		r->not_kept++;
		return;
	}
	if (i < r->n) {
		r->rows[i].count += row->count;
		r->rows[i].sent += row->sent;
		r->rows[i].received += row->received;
		return;
	}
	r->rows[r->n++] = *row;
	m.row = *row;
	broker_say(b, &m, false);
}

void record_say_all(const struct broker *b)
{
	struct net_message m = { .word = NET_ROW, .value = 1 };

	for (size_t i = 0; i < b->record->n; i++) {
		m.row = b->record->rows[i];
		broker_say(b, &m, true);
	}
	m = (struct net_message){ .word = NET_BYE };
	m.value = b->record->not_kept > INT32_MAX ? INT32_MAX : (int32_t)b->record->not_kept;
	broker_say(b, &m, true);
}
