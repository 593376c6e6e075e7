/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to the active hub, and its answers as tables. */
#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "fleet/agent/loop.h"
#include "fleet/client/client.h"

#define ASK_MS   3000
#define DRAIN_MS 10000
#define TOP_MS   1000

static int connect_to(const struct fleet_options *o, struct bus **ret, struct aisbx_error *e)
{
	char name[FLEET_NAME];

	fleet_options_fresh_name("q-", name);
	return fleet_options_connect(o, BUS_ADMIN, name, 0, ret, e);
}

/* A new reference in *RET. */
static int ask(struct bus *bus, const char *what, const char *asked, json_t **ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *text = NULL;
	char subject[64];
	size_t len = 0;
	int r;

	snprintf(subject, sizeof(subject), "aisbx.ask.%s", what);
	r = bus_request(bus, subject, asked, strlen(asked), ASK_MS, &text, &len, e);
	if (r < 0)
		return aisbx_refuse(e, AISBX_KIND_TIMEOUT, AISBX_AREA_RUN, ETIMEDOUT,
				    "no hub is active: none answered in %d s; start one with 'aisbx fleet "
				    "hub', or wait until one takes over",
				    ASK_MS / 1000);
	*ret = json_loadb(text, len, 0, NULL);
	return *ret ? 0
		    : aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
				   "the hub's answer is no JSON");
}

static void print_json(const json_t *said)
{
	json_dumpf(said, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
	fputc('\n', stdout);
}

static const char *text_of(const json_t *row, const char *name)
{
	const char *text = json_string_value(json_object_get(row, name));

	return text ? text : "";
}

static long long number_of(const json_t *row, const char *name)
{
	return (long long)json_integer_value(json_object_get(row, name));
}

/* Whether commands of this machine would find out what nobody wrote who may. */
static void add_trust(const struct fleet_options *o, json_t *said)
{
	if (json_is_object(said))
		json_object_set_new(said, "results", json_string(o->hub_keys ? "verified" : "not verified"));
}

static void print_status(const json_t *said)
{
	printf("hub      %s, epoch %llu\nnodes    %lld with %lld slots\njobs     %lld on nodes, %lld waiting "
	       "in %lld lanes\n",
	       text_of(said, "hub"), (unsigned long long)number_of(said, "epoch"), number_of(said, "nodes"),
	       number_of(said, "slots"), number_of(said, "jobs"), number_of(said, "waiting"),
	       number_of(said, "lanes"));
	printf("results  %s\n", strcmp(text_of(said, "results"), "verified") == 0
					? "verified with the keys of hubs (--hub-keys)"
					: "not verified: this machine has no keys of hubs (--hub-keys)");
}

static void print_nodes(const json_t *said)
{
	size_t i;
	const json_t *row;

	printf("%-20s %6s %5s %5s %-10s %9s  %s\n", "NODE", "SLOTS", "JOBS", "ROOM", "STATE", "HEARD",
	       "LABELS");
	json_array_foreach(json_object_get(said, "nodes"), i, row)
	{
		char heard[32];

		printf("%-20s %6lld %5lld %5lld %-10s %9s  %s\n", text_of(row, "name"),
		       number_of(row, "slots"), number_of(row, "jobs"), number_of(row, "room"),
		       json_is_true(json_object_get(row, "draining"))  ? "draining"
		       : json_is_true(json_object_get(row, "failing")) ? "failing"
								       : "ready",
		       str_ms((uint64_t)number_of(row, "silent_ms"), heard, sizeof(heard)),
		       text_of(row, "labels"));
	}
}

static void print_queue(const json_t *said)
{
	size_t i;
	const json_t *row;

	printf("%-24s %-20s %8s %6s  %s\n", "CLASS", "TENANT", "WAITING", "RUN", "OLDEST");
	json_array_foreach(json_object_get(said, "queue"), i, row)
	{
		char oldest[32];

		printf("%-24s %-20s %7lld%s %6lld  %s\n", text_of(row, "class"), text_of(row, "tenant"),
		       number_of(row, "waiting"), json_is_true(json_object_get(row, "more")) ? "+" : " ",
		       number_of(row, "held"),
		       str_ms((uint64_t)number_of(row, "oldest_ms"), oldest, sizeof(oldest)));
	}
}

static int show(const struct fleet_options *o, const char *what, void (*print)(const json_t *said),
		struct aisbx_error *e)
{
	struct bus *bus = NULL;
	json_t *said = NULL;
	int r = connect_to(o, &bus, e);

	if (r == 0)
		r = ask(bus, what, "", &said, e);
	if (!strcmp(what, "status"))
		add_trust(o, said);
	if (r == 0 && o->json)
		print_json(said);
	else if (r == 0)
		print(said);
	json_decref(said);
	bus_close(bus);
	return r;
}

int client_status(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	(void)rest;
	return show(o, "status", print_status, e);
}

int client_nodes(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	(void)rest;
	return show(o, "nodes", print_nodes, e);
}

int client_queue(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	(void)rest;
	return show(o, "queue", print_queue, e);
}

/* The row of NODE; borrowed from SAID. */
static const json_t *find_node(const json_t *said, const char *name)
{
	size_t i;
	const json_t *row;

	json_array_foreach(json_object_get(said, "nodes"), i, row)
	{
		if (!strcmp(text_of(row, "name"), name))
			return row;
	}
	return NULL;
}

/* Asks until the node itself has said so. */
static int drain(struct bus *bus, const char *node, bool draining, struct aisbx_error *e)
{
	const uint64_t until = loop_now().ms + DRAIN_MS;
	char asked[128];

	snprintf(asked, sizeof(asked), "{\"node\":\"%s\",\"draining\":%s}", node,
		 draining ? "true" : "false");
	do {
		json_t *said = NULL;
		const json_t *row;
		bool known, done;
		int r = ask(bus, "nodes", "", &said, e);

		if (r < 0)
			return r;
		row = find_node(said, node);
		known = row != NULL;
		done = row && json_is_true(json_object_get(row, "draining")) == draining;
		json_decref(said);
		if (!known)
			return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, ENOENT,
					    "there is no node '%.70s'; 'aisbx fleet nodes' lists them", node);
		if (done)
			return 0;
		said = NULL;
		r = ask(bus, "drain", asked, &said, e);
		json_decref(said);
		if (r < 0)
			return r;
		poll(NULL, 0, 200);
	} while (loop_now().ms < until);
	return aisbx_refuse(e, AISBX_KIND_TIMEOUT, AISBX_AREA_RUN, ETIMEDOUT,
			    "node '%s' has not answered in %d s", node, DRAIN_MS / 1000);
}

int client_drain(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	struct bus *bus = NULL;
	int r;

	if (!rest[0] || rest[1] || !fleet_is_name(rest[0]))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "write 'aisbx fleet drain NODE'; 'aisbx fleet nodes' lists them");
	r = connect_to(o, &bus, e);
	if (r == 0)
		r = drain(bus, rest[0], !o->undo, e);
	if (r == 0 && o->json)
		printf("{\"node\":\"%s\",\"draining\":%s}\n", rest[0], o->undo ? "false" : "true");
	else if (r == 0)
		printf(o->undo ? "%s takes jobs again\n" : "%s takes nothing more; what runs there goes on\n",
		       rest[0]);
	bus_close(bus);
	return r;
}

/* Until it is interrupted; off a terminal, once. */
int client_top(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	static void (*const prints[])(const json_t *said) = { print_status, print_nodes, print_queue };
	static const char *const names[] = { "status", "nodes", "queue" };
	const bool again = isatty(STDOUT_FILENO) && !o->json;
	struct bus *bus = NULL;
	int r = connect_to(o, &bus, e);

	(void)rest;
	while (r == 0) {
		if (again)
			fputs("\033[H\033[2J", stdout);
		for (size_t i = 0; i < 3 && r == 0; i++) {
			json_t *said = NULL;

			r = ask(bus, names[i], "", &said, e);
			if (i == 0)
				add_trust(o, said);
			if (r == 0 && o->json)
				print_json(said);
			else if (r == 0)
				prints[i](said);
			json_decref(said);
		}
		fflush(stdout);
		if (!again)
			break;
		poll(NULL, 0, TOP_MS);
	}
	bus_close(bus);
	return r;
}
