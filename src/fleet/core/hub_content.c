/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes had what jobs need there, such as a project, so that the next job with the same goes where it
 * need not be fetched again. A guess: a node may have dropped it since, and then fetches it as any other. */
#include "fleet/core/hub_part.h"

#include <stdlib.h>

#include "fleet/core/memory.h"

#define CONTENTS 4096 /* that are remembered; the one that was not used for the longest time goes first */
#define HOLDERS  4    /* nodes of each; the latest */

/* A node that had it is chosen as long as the best has not a third more of its slots free: else the jobs of
 * one project would wait for each other on one machine while others stand idle. */
#define WORTH(freedom) ((freedom)*4 / 3)

struct hub_content {
	char nodes[HOLDERS][FLEET_NAME];
	unsigned next;
};

void hub_content_finish(struct fleet_hub *hub)
{
	struct fleet_cursor at = { 0 };
	struct hub_content *content;

	while ((content = fleet_table_next(hub->contents, &at, NULL)))
		free(content);
	fleet_table_destroy(hub->contents);
}

static struct hub_content *used_now(struct fleet_hub *hub, const char *key)
{
	struct hub_content *content = fleet_table_remove(hub->contents, key);
	struct fleet_cursor first = { 0 };
	const char *oldest;

	if (!content && fleet_table_count(hub->contents) >= CONTENTS &&
	    (content = fleet_table_next(hub->contents, &first, &oldest))) {
		fleet_table_remove(hub->contents, oldest);
		*content = (struct hub_content){ 0 };
	}
	if (!content)
		content = fleet_new(sizeof(*content));
	fleet_table_put(hub->contents, key, content);
	return content;
}

void hub_content_goes(struct fleet_hub *hub, const struct fleet_job *job, const char *node)
{
	struct hub_content *content;
	char key[FLEET_KEY];

	if (!job->content[0])
		return;
	content = used_now(hub, fleet_key(job->tenant, job->content, key));
	for (size_t i = 0; i < HOLDERS; i++)
		if (!strcmp(content->nodes[i], node))
			return;
	fleet_name_copy(content->nodes[content->next++ % HOLDERS], node);
}

struct hub_node *hub_content_node(struct fleet_hub *hub, const struct fleet_job *job, struct hub_node *best)
{
	const struct hub_content *content = NULL;
	struct hub_node *node, *chosen = NULL;
	char key[FLEET_KEY];

	if (job->content[0])
		content = fleet_table_get(hub->contents, fleet_key(job->tenant, job->content, key));
	for (size_t i = 0; content && i < HOLDERS && content->nodes[i][0]; i++) {
		node = fleet_table_get(hub->nodes, content->nodes[i]);
		if (node && hub_node_suits(node, job->class) && node->failing == best->failing &&
		    WORTH(hub_node_freedom(node)) >= hub_node_freedom(best) &&
		    (!chosen || hub_node_freedom(node) > hub_node_freedom(chosen)))
			chosen = node;
	}
	return chosen ? chosen : best;
}
