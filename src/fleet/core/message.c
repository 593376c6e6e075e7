/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of messages, and their names. */
#include "fleet/core/message.h"

#include <stdlib.h>
#include <string.h>

#include "fleet/core/memory.h"

void fleet_message_copy(const struct fleet_message *m, struct fleet_message *ret)
{
	*ret = *m;
	fleet_text_hold(ret->offered.body);
	ret->beat.held = NULL;
	if (m->beat.n_held > 0) {
		ret->beat.held = fleet_new(m->beat.n_held * sizeof(*m->beat.held));
		memcpy(ret->beat.held, m->beat.held, m->beat.n_held * sizeof(*m->beat.held));
	}
}

void fleet_message_finish(struct fleet_message *m)
{
	free(m->beat.held);
	fleet_text_drop(m->offered.body);
	*m = (struct fleet_message){ 0 };
}

const char *fleet_message_name(enum fleet_message_kind kind)
{
	static const char *const names[FLEET_MSG_N] = {
		[FLEET_MSG_BEAT] = "beat",   [FLEET_MSG_BEAT_OK] = "beat_ok",
		[FLEET_MSG_OFFER] = "offer", [FLEET_MSG_RETURNED] = "returned",
		[FLEET_MSG_ENDED] = "ended", [FLEET_MSG_CANCEL] = "cancel",
		[FLEET_MSG_MAY_I] = "may_i", [FLEET_MSG_GRANT] = "grant",
	};

	return (unsigned)kind < FLEET_MSG_N ? names[kind] : "?";
}
