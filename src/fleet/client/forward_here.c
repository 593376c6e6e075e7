/* SPDX-License-Identifier: Apache-2.0 */
/* What is answered without a job of its own: which runs this client has, their ends, and the boxes of all its
 * nodes. To end a run must not wait for a free slot, which may be what it is ended for. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fleet/client/home_node.h"
#include "fleet/client/forward.h"

/* Nodes that are asked for their boxes at once. */
#define NODES 128

static bool is_running(const struct call *c)
{
	return c->run[0] && !c->over && !c->answered && c->record.phase == FLEET_ABSENT;
}

struct call *forward_here_run(const struct forwarder *f, const char *run)
{
	struct call *c = f->calls;

	while (c && !(run && is_running(c) && !strcmp(c->run, run)))
		c = c->next;
	return c;
}

const char *forward_here_node(const struct forwarder *f, const json_t *arguments)
{
	const json_t *runs = json_object_get(arguments, "runs"),
		     *target = json_object_get(arguments, "target");
	const struct call *c =
		forward_here_run(f, json_string_value(runs ? json_array_get(runs, 0) : target));

	return c ? live_node(c->live) : "";
}

/* ---- run.ls ---- */

static json_t *command_json(const struct call *c)
{
	const json_t *words = json_object_get(c->arguments, "command"), *word;
	struct buf text = { 0 };
	json_t *ret;
	size_t i;

	json_array_foreach(words, i, word)
		buf_addf(&text, i ? " %s" : "%s", json_string_value(word) ? json_string_value(word) : "");
	ret = json_stringn(text.data ? text.data : "", text.len);
	buf_finish(&text);
	return ret;
}

static void add_run(const struct call *c, json_t *runs)
{
	const char *box = json_string_value(json_object_get(c->arguments, "box"));
	const uint64_t now_ms = loop_now().wall_ms;
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct home home = { 0 };

	if (!is_running(c))
		return;
	if (box && homes_find(c->f->homes, c->job.tenant, box, &home, 1, &e) != 1)
		snprintf(home.id, sizeof(home.id), "%s", box);
	json_array_insert_new(
		runs, 0,
		json_pack("{s:s, s:n, s:s, s:s?, s:s?, s:o, s:I, s:I, s:b, s:n, s:b, s:n, s:s, s:s}", "run",
			  c->run, "name", "state",
			  c->cancelled ? "ending"
			  : c->paused  ? "paused"
				       : "running",
			  "box", home.id[0] ? home.id : NULL, "box_name", home.name[0] ? home.name : NULL,
			  "command", command_json(c), "started_ms", (json_int_t)c->begun_wall_ms, "wall_ms",
			  (json_int_t)(now_ms > c->begun_wall_ms ? now_ms - c->begun_wall_ms : 0), "detached",
			  0, "profile", "joined", 0, "pid", "trace_id", c->trace, "node",
			  live_node(c->live)));
}

static int list_runs(struct call *c, struct aisbx_error *e)
{
	json_t *runs = json_array();

	(void)e;
	for (const struct call *other = c->f->calls; other; other = other->next)
		add_run(other, runs);
	c->result = json_pack("{s:o}", "runs", runs);
	c->over = true;
	return 0;
}

void forward_here_paused(struct call *c)
{
	const json_t *run;
	size_t i;

	json_array_foreach(json_object_get(c->result, "runs"), i, run)
	{
		struct call *running = forward_here_run(c->f, json_string_value(run));

		if (running)
			running->paused = !strcmp(c->op->method, "run.pause");
	}
}

/* ---- run.kill ---- */

/* All of them run here: they are cancelled, and it is answered when they have ended. */
static int end_runs(struct call *c, struct aisbx_error *e)
{
	const json_t *runs = json_object_get(c->arguments, "runs"), *run;
	size_t i;

	if (json_object_get(c->arguments, "signal"))
		return -EOPNOTSUPP; /* the node sends it */
	json_array_foreach(runs, i, run)
	{
		if (!forward_here_run(c->f, json_string_value(run)))
			return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, ENOENT,
					    "no run '%.80s' was started by this client and still runs",
					    json_string_value(run) ? json_string_value(run) : "");
	}
	c->result = json_pack("{s:O}", "runs", (json_t *)runs);
	json_array_foreach(runs, i, run)
	{
		struct call *running = forward_here_run(c->f, json_string_value(run));

		call_cancel(running);
		if (!running->parent) {
			running->parent = c;
			c->parts++;
		}
	}
	c->over = !c->parts;
	return 0;
}

/* ---- box.ls ---- */

static void on_part_done(void *ctx, const json_t *result, const struct aisbx_error *e)
{
	struct call *part = ctx, *c = part->parent;

	if (!c)
		return;
	if (result)
		json_array_extend(json_object_get(c->result, "boxes"), json_object_get(result, "boxes"));
	else
		json_array_append_new(json_object_get(c->result, "missing"),
				      json_pack("{s:s, s:s}", "node", part->job.class + strlen(HOME_PREFIX),
						"why", e->text));
}

static void on_part_item(void *ctx, const json_t *item)
{
	(void)ctx;
	(void)item;
}

static void on_part_begun(void *ctx, const char *run, const char *trace_id)
{
	(void)ctx;
	(void)run;
	(void)trace_id;
}

static int ask_node(struct call *c, const char *node, struct aisbx_error *e)
{
	const struct call_events events = { .item = on_part_item,
					    .begun = on_part_begun,
					    .done = on_part_done };
	const struct call_how how = { 0 };
	struct call *part = forward_call_new(c->f, c->op, c->arguments, &events, NULL);
	char class[FLEET_NAME] = "";
	int r = 0;

	part->ctx = part;
	if (snprintf(class, sizeof(class), HOME_PREFIX "%s", node) < (int)sizeof(class))
		r = forward_call_send(part, class, &how, e);
	if (r < 0 || !part->live) {
		forward_call_free(part);
		return r;
	}
	part->parent = c;
	c->parts++;
	return 0;
}

/* Of each node that has a box which was made from here. */
static int list_boxes(struct call *c, struct aisbx_error *e)
{
	char nodes[NODES][FLEET_NAME];
	int n, r = 0;

	if (!strncmp(c->f->class, HOME_PREFIX, strlen(HOME_PREFIX)))
		return -EOPNOTSUPP; /* of this node alone */
	if (json_object_size(c->arguments) > (json_object_get(c->arguments, "metadata") ? 1 : 0))
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_USAGE, EOPNOTSUPP,
				    "'ls' takes no arguments but 'metadata' over a fleet: it lists the boxes "
				    "of the nodes "
				    "that have one which "
				    "was made from here");
	n = homes_nodes(c->f->homes, c->f->o->tenant, nodes, NODES, e);
	if (n < 0)
		return n;
	c->result = json_pack("{s:[], s:[]}", "boxes", "missing");
	for (int i = 0; i < n && r == 0; i++)
		r = ask_node(c, nodes[i], e);
	c->over = !c->parts;
	return r;
}

int forward_here_start(struct call *c, struct aisbx_error *e)
{
	if (!strcmp(c->op->method, "run.ls"))
		return list_runs(c, e);
	if (!strcmp(c->op->method, "run.kill"))
		return end_runs(c, e);
	if (!strcmp(c->op->method, "box.ls"))
		return list_boxes(c, e);
	if (!strcmp(c->op->method, "run.wait") && c->f->face->keeps)
		return forward_wait_start(c, e);
	return -EOPNOTSUPP;
}
