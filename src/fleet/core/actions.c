/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of what a state machine wants done. */
#include "fleet/core/actions.h"

#include <stdlib.h>

#include "fleet/core/memory.h"

void fleet_actions_clear(struct fleet_actions *actions)
{
	for (size_t i = 0; i < actions->n; i++) {
		struct fleet_action *action = &actions->items[i];

		fleet_message_finish(&action->message);
		fleet_ask_finish(&action->ask);
		fleet_job_finish(&action->job);
		fleet_record_finish(&action->record);
	}
	actions->n = 0;
}

void fleet_actions_finish(struct fleet_actions *actions)
{
	fleet_actions_clear(actions);
	free(actions->items);
	*actions = (struct fleet_actions){ 0 };
}

struct fleet_action *fleet_actions_add(struct fleet_actions *actions, enum fleet_action_kind kind)
{
	struct fleet_action *action;

	actions->items = fleet_grow(actions->items, &actions->room, actions->n + 1, sizeof(*actions->items));
	action = &actions->items[actions->n++];
	*action = (struct fleet_action){ .kind = kind };
	return action;
}
