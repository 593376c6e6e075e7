/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the active hub for its nodes, and compares them with what a job needs. */
#include "fleet/client/why_waiting.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#define ASK_MS 1000

static void tell(const struct fleet_job *job, const json_t *nodes)
{
	size_t i, fit = 0, room = 0;
	const json_t *node;

	json_array_foreach(nodes, i, node)
	{
		const char *name = json_string_value(json_object_get(node, "name"));
		const char *labels = json_string_value(json_object_get(node, "labels"));

		if (!name || !labels || !fleet_class_fits(job->class, name, labels))
			continue;
		fit++;
		room += !json_is_true(json_object_get(node, "draining")) &&
			json_integer_value(json_object_get(node, "room")) > 0;
	}
	if (!json_array_size(nodes))
		fprintf(stderr,
			"aisbx: job %s waits: there is no node; 'aisbx fleet node' makes a machine one\n",
			job->id);
	else if (!fit)
		fprintf(stderr,
			"aisbx: job %s waits: no node has '%s'; 'aisbx fleet nodes' lists what there is\n",
			job->id, job->class);
	else if (!room)
		fprintf(stderr, "aisbx: job %s waits: all nodes with '%s' are full or drained\n", job->id,
			job->class);
}

void why_waiting(struct bus *bus, const struct fleet_job *job, bool accepted)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	char *text = NULL;
	size_t len = 0;
	json_t *said;

	if (bus_request(bus, "aisbx.ask.nodes", "", 0, ASK_MS, &text, &len, &e) < 0) {
		fprintf(stderr,
			accepted ? "aisbx: job %s waits in the queue: no hub is active; start one with "
				   "'aisbx fleet hub'\n"
				 : "aisbx: job %s is kept here: NATS or the fleet's streams cannot be "
				   "reached; start a hub with 'aisbx "
				   "fleet hub'\n",
			job->id);
		return;
	}
	said = json_loadb(text, len, 0, NULL);
	tell(job, json_object_get(said, "nodes"));
	json_decref(said);
	free(text);
}
