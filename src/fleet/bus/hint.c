/* SPDX-License-Identifier: Apache-2.0 */
/* Hints: when the engine has a job, its submitter tells the hubs in which lane and at which place. After the
 * acknowledgement, not by listening to the jobs themselves: those a hub would see before they can be read,
 * and whole, whether it is active or not. A hint that is lost costs a while, until the hub looks by itself.
 * Reads may be stale: the place tells when one was, and it is read again. */
#include <string.h>

#include "base/str.h"
#include "fleet/bus/parts.h"
#include "fleet/core/memory.h"
#include "fleet/wire/subject.h"

#define PREFIX    "aisbx.lane."
#define HINTS_MAX 20000

struct hint {
	char class[FLEET_NAME];
	uint64_t place;
};

void hint_send(struct bus *bus, const char *class, const char *tenant, uint64_t place)
{
	char subject[SUBJECT_MAX], text[24];
	int n = snprintf(text, sizeof(text), "%llu", (unsigned long long)place);

	snprintf(subject, sizeof(subject), PREFIX "%s.%s", class, tenant);
	if (natsConnection_Publish(bus->nc, subject, text, n) != NATS_OK)
		bus->counts.unsent++;
}

/* As a subject of jobs it is of the same form. */
static bool parse(const char *subject, char class[FLEET_NAME], char tenant[FLEET_NAME])
{
	char lane[SUBJECT_MAX];

	if (strncmp(subject, PREFIX, strlen(PREFIX)) != 0 || strlen(subject) >= sizeof(lane))
		return false;
	snprintf(lane, sizeof(lane), "aisbx.jobs.%s", subject + strlen(PREFIX));
	return subject_parse_lane(lane, class, tenant);
}

static bool parse_place(natsMsg *msg, uint64_t *ret)
{
	int len = natsMsg_GetDataLength(msg);
	char text[24];

	if (len <= 0 || len >= (int)sizeof(text))
		return false;
	memcpy(text, natsMsg_GetData(msg), (size_t)len);
	text[len] = '\0';
	return strlen(text) == (size_t)len && str_to_u64(text, ret);
}

void hint_take(struct bus *bus, natsMsg *msg)
{
	char class[FLEET_NAME], tenant[FLEET_NAME];
	struct bus_event *event;
	struct hint *hint;
	uint64_t place;

	if (!parse(natsMsg_GetSubject(msg), class, tenant) || !parse_place(msg, &place)) {
		bus->counts.malformed++;
		return;
	}
	hint = fleet_table_get(bus->hints, tenant);
	if (!hint && fleet_table_count(bus->hints) < HINTS_MAX) {
		hint = fleet_new(sizeof(*hint));
		fleet_table_put(bus->hints, tenant, hint);
	}
	if (hint) {
		snprintf(hint->class, sizeof(hint->class), "%s", class);
		hint->place = place;
	}
	event = bus_event_add(bus, BUS_LANE);
	snprintf(event->class, sizeof(event->class), "%s", class);
	snprintf(event->tenant, sizeof(event->tenant), "%s", tenant);
}

bool hint_is_ahead(const struct bus *bus, const char *class, const char *tenant, uint64_t place)
{
	const struct hint *hint = fleet_table_get(bus->hints, tenant);

	return hint && strcmp(hint->class, class) == 0 && hint->place > place;
}

void hint_forget(struct bus *bus, const char *tenant)
{
	free(fleet_table_remove(bus->hints, tenant));
}

static void destroy_values(struct fleet_table *t)
{
	struct fleet_cursor at = { 0 };
	void *value;

	while ((value = fleet_table_next(t, &at, NULL)))
		free(value);
	fleet_table_destroy(t);
}

void hint_destroy_all(struct bus *bus)
{
	destroy_values(bus->hints);
	destroy_values(bus->fulls);
}
