/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a broker says, before anybody believes it: it reads what hostile programs and hosts send, so one day
 * it may be theirs. What people and documents get to see of it are printable texts and possible numbers.
 */
#include <string.h>

#include "run/network.h"

#define MOST (1ULL << 52) /* of bytes and counts: sums of all rows still fit */

static void clean_text(char *text, size_t cap)
{
	size_t len = strnlen(text, cap - 1);

	memset(text + len, 0, cap - len);
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~') /* what moves a cursor, or is no text at all */
			text[i] = '?';
}

static uint64_t at_most(uint64_t value)
{
	return value < MOST ? value : MOST;
}

static bool check_row(struct net_row *row)
{
	clean_text(row->name, sizeof(row->name));
	clean_text(row->rule, sizeof(row->rule));
	row->count = at_most(row->count);
	row->sent = at_most(row->sent);
	row->received = at_most(row->received);
	return row->act >= NET_LOOKUP && row->act <= NET_IN && row->verdict >= NET_ALLOWED &&
	       row->verdict <= NET_BROKEN && row->reason < NET_REASONS &&
	       (row->to.family == 0 || row->to.family == 4 || row->to.family == 6);
}

/* A yes to it makes a rule of it: one host and one port, no pattern and no range. */
static bool check_question(const struct net_row *row)
{
	char name[EGRESS_NAME_MAX];
	size_t len = strlen(row->name);

	return row->port &&
	       (len ? egress_name(row->name, len, name) && !strcmp(name, row->name) : row->to.family != 0);
}

static void check_error(struct aisbx_error *e)
{
	clean_text(e->text, sizeof(e->text));
	if (e->code >= 0 || e->code < -4095)
		e->code = 0; /* no error that a call can return */
	if (e->area < 0 || e->area >= AISBX_AREA_COUNT)
		e->area = AISBX_AREA_RUN;
	if (e->kind < 0 || e->kind >= AISBX_KIND_COUNT)
		e->kind = AISBX_KIND_INTERNAL;
}

bool network_message_check(struct net_message *m)
{
	check_error(&m->error);
	if (m->value < 0)
		m->value = 0;
	switch ((enum net_word)m->word) {
	case NET_READY:
	case NET_FAILED:
	case NET_BYE:
		return true;
	case NET_ROW:
		return check_row(&m->row);
	case NET_ASK:
		m->row.verdict = NET_REFUSED; /* until it is answered */
		return check_row(&m->row) && check_question(&m->row);
	case NET_NAME:
		m->row.act = NET_LOOKUP;
		m->row.verdict = NET_ALLOWED;
		return check_row(&m->row);
	case NET_SETUP:
	case NET_RULES:
	case NET_ANSWER:
	case NET_LISTEN:
	case NET_PUBLISH:
	case NET_END:
		break; /* our own words */
	}
	return false;
}
