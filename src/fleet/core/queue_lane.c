/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of a lane: a list for each priority, in the order of places. */
#include "fleet/core/queue_lane.h"

/* The first one of the list that comes after PLACE, or NULL. From both ends at once: new jobs come last, and
 * one that is tried again comes first. */
static struct fleet_entry *find_next(const struct fleet_lane *lane, unsigned priority, uint64_t place)
{
	struct fleet_entry *low = lane->first[priority], *high = lane->last[priority];

	while (low) {
		if (low->place > place)
			return low;
		if (high->place <= place)
			return high->next;
		low = low->next;
		high = high->prev;
	}
	return NULL;
}

static unsigned usable_priority(const struct fleet_entry *entry)
{
	return entry->priority < PRIORITIES ? entry->priority : PRIORITIES - 1;
}

void queue_lane_add(struct fleet_lane *lane, struct fleet_entry *entry)
{
	unsigned priority = usable_priority(entry);

	entry->lane = lane;
	entry->next = find_next(lane, priority, entry->place);
	entry->prev = entry->next ? entry->next->prev : lane->last[priority];
	*(entry->prev ? &entry->prev->next : &lane->first[priority]) = entry;
	*(entry->next ? &entry->next->prev : &lane->last[priority]) = entry;
	lane->waiting++;
}

void queue_lane_remove(struct fleet_lane *lane, struct fleet_entry *entry)
{
	unsigned priority = usable_priority(entry);

	*(entry->prev ? &entry->prev->next : &lane->first[priority]) = entry->next;
	*(entry->next ? &entry->next->prev : &lane->last[priority]) = entry->prev;
	entry->prev = entry->next = NULL;
	entry->lane = NULL;
	lane->waiting--;
}

struct fleet_entry *queue_lane_first(const struct fleet_lane *lane)
{
	for (unsigned priority = PRIORITIES; priority-- > 0;)
		if (lane->first[priority])
			return lane->first[priority];
	return NULL;
}
