/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the node that a call must go to is there. Asked while such calls go on, more and more seldom: a job
 * for a lost node would wait for it, and a program should rather know. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "fleet/client/home_node.h"
#include "fleet/client/forward.h"

#define FIRST_MS  3000
#define SELDOM_MS 60000
/* As hubs have it, with a beat more. */
#define SILENT_MS 22000
/* A hub that has just begun may not have heard of a node yet: so many looks in a row must miss it. */
#define MISSING 3
/* Lists are cut behind so many rows. */
#define ROWS 4000

int forward_nodes_open(struct forwarder *f, struct aisbx_error *e)
{
	f->look_ms = UINT64_MAX;
	f->look_after_ms = FIRST_MS;
	snprintf(f->inbox, sizeof(f->inbox), "_INBOX.tenant.%s.%s.nodes", f->o->tenant, f->name);
	if (strlen(f->inbox) + 1 >= sizeof(f->inbox))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENAMETOOLONG,
				    "the name of the tenant is too long");
	return bus_subscribe(f->bus, f->inbox, e);
}

/* The one node that may run it; NULL: others may, too, or it is over. */
static const char *only_node(const struct call *c)
{
	if (!c->live || c->answered || c->record.phase != FLEET_ABSENT || strchr(c->job.class, ',') ||
	    strncmp(c->job.class, HOME_PREFIX, strlen(HOME_PREFIX)) != 0)
		return NULL;
	return c->job.class + strlen(HOME_PREFIX);
}

void forward_nodes_tick(struct forwarder *f, uint64_t now_ms)
{
	bool any = false;

	for (const struct call *c = f->calls; c; c = c->next)
		any |= only_node(c) != NULL;
	if (!any) {
		f->look_ms = UINT64_MAX;
		f->look_after_ms = FIRST_MS;
		return;
	}
	if (f->look_ms == UINT64_MAX)
		f->look_ms = now_ms + f->look_after_ms;
	if (now_ms < f->look_ms)
		return;
	bus_publish(f->bus, "aisbx.ask.nodes", f->inbox, "", 0);
	f->look_ms = now_ms + f->look_after_ms;
	if (f->look_after_ms * 2 <= SELDOM_MS)
		f->look_after_ms += f->look_after_ms / 2;
}

uint64_t forward_nodes_next(const struct forwarder *f)
{
	return f->look_ms;
}

static const json_t *find_node(const json_t *nodes, const char *name)
{
	size_t i;
	const json_t *row;

	json_array_foreach(nodes, i, row)
	{
		const char *here = json_string_value(json_object_get(row, "name"));

		if (here && !strcmp(here, name))
			return row;
	}
	return NULL;
}

static void be_gone(struct call *c, const char *node, const json_t *row)
{
	const json_int_t silent = json_integer_value(json_object_get(row, "silent_ms"));
	struct aisbx_error e = AISBX_ERROR_INIT;
	char since[32];

	if (row)
		snprintf(since, sizeof(since), "%s", str_ms((uint64_t)silent, (char[32]){ 0 }, 32));
	aisbx_refuse(&e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EHOSTDOWN,
		     "node %s, which this must run on, is gone: nothing was heard of it for %s; start 'aisbx "
		     "fleet node' "
		     "there again, or make a new box: what only that node has, it keeps on its disk",
		     node, row ? since : "a long time");
	forward_call_fail(c, &e);
}

static void be_draining(struct call *c, const char *node)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	aisbx_refuse(&e, AISBX_KIND_BUSY, AISBX_AREA_RUN, EBUSY,
		     "node %s, which this must run on, is drained: it takes nothing more; 'aisbx fleet drain "
		     "--undo %s' "
		     "takes that back",
		     node, node);
	forward_call_fail(c, &e);
}

static void judge(struct call *c, const char *node, const json_t *nodes)
{
	const json_t *row = find_node(nodes, node);
	const bool begun = live_node(c->live)[0] != '\0';

	c->missing = row || json_array_size(nodes) >= ROWS ? 0 : c->missing + 1;
	if (c->missing >= MISSING || json_integer_value(json_object_get(row, "silent_ms")) > SILENT_MS)
		be_gone(c, node, row);
	else if (!begun && json_is_true(json_object_get(row, "draining")))
		be_draining(c, node);
}

void forward_nodes_take(struct forwarder *f, const char *data, size_t len)
{
	json_t *said = json_loadb(data, len, 0, NULL);
	const json_t *nodes = json_object_get(said, "nodes");

	if (json_is_array(nodes))
		for (struct call *c = f->calls; c; c = c->next) {
			const char *node = only_node(c);

			if (node)
				judge(c, node, nodes);
		}
	json_decref(said);
}
