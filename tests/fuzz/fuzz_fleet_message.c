/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of the fleet's messages: what it takes holds only names, and is the same when it is
 * written and read again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/wire/subject.h"
#include "fleet/wire/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static void check(const struct fleet_message *m)
{
	char subject[SUBJECT_MAX];

	must(fleet_is_name(m->from) && (!m->to[0] || fleet_is_name(m->to)));
	must((!m->job[0] || fleet_is_name(m->job)) && (!m->tenant[0] || fleet_is_name(m->tenant)));
	must(m->beat.n_held <= WIRE_HELD_MAX && (m->beat.n_held == 0) == (m->beat.held == NULL));
	must(m->kind == FLEET_MSG_BEAT || m->beat.n_held == 0);
	for (size_t i = 0; i < m->beat.n_held; i++)
		must(fleet_is_name(m->beat.held[i].job) && fleet_is_name(m->beat.held[i].tenant));
	must((m->kind == FLEET_MSG_OFFER) == fleet_is_name(m->offered.id));
	must(m->kind != FLEET_MSG_OFFER || (fleet_is_class(m->offered.class) && m->offered.priority <= 9));
	if (subject_of_message(m, subject) == 0)
		must(subject_fits_message(subject, m) && !strpbrk(subject, "*> \t\r\n"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct fleet_message m, again;
	struct buf first = { 0 }, second = { 0 };

	if (wire_message_decode((const char *)data, len, &m, &e) < 0) {
		must(e.code < 0 && e.text[0]);
		return 0;
	}
	check(&m);
	must(wire_message_encode(&m, &first) == 0);
	must(wire_message_decode(first.data, first.len, &again, &e) == 0);
	must(wire_message_encode(&again, &second) == 0);
	must(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
	must(m.kind == again.kind && fleet_token_compare(m.token, again.token) == 0);
	must(strcmp(m.from, again.from) == 0 && strcmp(m.reason, again.reason) == 0);
	must(m.beat.n_held == again.beat.n_held);
	if (m.beat.n_held > 0)
		must(memcmp(m.beat.held, again.beat.held, m.beat.n_held * sizeof(*m.beat.held)) == 0);
	must(strcmp(fleet_text_data(m.offered.body), fleet_text_data(again.offered.body)) == 0);
	fleet_message_finish(&m);
	fleet_message_finish(&again);
	buf_finish(&first);
	buf_finish(&second);
	return 0;
}
