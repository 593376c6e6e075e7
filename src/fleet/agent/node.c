/* SPDX-License-Identifier: Apache-2.0 */
/* `aisbx fleet node`: runs what hubs offer. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sysinfo.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "fleet/agent/agent.h"
#include "fleet/agent/figures.h"
#include "fleet/agent/loop.h"
#include "fleet/agent/room.h"
#include "fleet/agent/runner.h"
#include "fleet/agent/scrape.h"
#include "fleet/agent/sender.h"
#include "fleet/agent/seal.h"
#include "fleet/agent/sealed_run.h"
#include "fleet/core/node.h"
#include "fleet/wire/subject.h"

#define ROOM_MS    1000
#define MOST_SLOTS 4096
#define REFUSED_MS 1000

struct agent_node {
	struct fleet_node_options options;
	struct fleet_node *node; /* owned, as all here */
	struct bus *bus;
	struct saved *saved;
	struct loop *loop;
	struct runner *runner;
	struct scrape *scrape;
	struct sender *sender; /* NULL: the history is not sent */
	struct seals *seals;   /* NULL: without keys */
	char dir[PATH_MAX];
	int lock;
	uint64_t room_ms;    /* when to look again how much room there is */
	uint64_t refused_ms; /* when it is said again that an offer was refused */
	bool ending, is_away;
};

static void on_message(void *ctx, struct fleet_now now, const struct fleet_message *m,
		       struct fleet_actions *out)
{
	struct agent_node *n = ctx;
	const char *why = m->kind == FLEET_MSG_OFFER ? seals_refuse_offer(n->seals, m) : NULL;

	if (!why)
		fleet_node_message(n->node, now, m, out);
	else if (now.ms >= n->refused_ms) { /* whoever forges them could fill the log */
		n->refused_ms = now.ms + REFUSED_MS;
		agent_say("node %s: the offer of job %s is not taken: %s", n->options.name, m->offered.id,
			  why);
	}
}

static void on_answer(void *ctx, struct fleet_now now, const struct fleet_answer *a,
		      struct fleet_actions *out)
{
	struct agent_node *n = ctx;
	struct fleet_answer forged;
	const char *why;

	if (seals_find_forged(n->seals, a, &forged, &why)) {
		agent_say("node %s: the record of job %s of %s is forged, and is replaced: %s",
			  n->options.name, a->id, a->tenant, why);
		a = &forged;
	}
	fleet_node_answer(n->node, now, a, out);
}

static void on_tick(void *ctx, struct fleet_now now, struct fleet_actions *out)
{
	struct agent_node *n = ctx;
	const unsigned most = n->options.slots + n->options.ahead;

	if (now.ms >= n->room_ms) {
		n->room_ms = now.ms + ROOM_MS;
		fleet_node_limit(n->node, (unsigned)fleet_node_held(n->node) + room_now(most));
	}
	if (fleet_node_next(n->node) <= now.ms)
		fleet_node_tick(n->node, now, out);
	runner_tick(n->runner, now.ms);
	sender_tick(n->sender, now.ms);
	if (n->ending && !fleet_node_held(n->node))
		loop_stop(n->loop);
}

/* The watchdogs kill later than the node itself, and before another may begin the job. */
static uint64_t on_next(void *ctx)
{
	struct agent_node *n = ctx;
	uint64_t next = fleet_node_next(n->node), other = runner_next(n->runner);
	const uint64_t lease = fleet_node_lease(n->node);

	runner_lease(n->runner, lease > n->options.kill_ms / 2 ? lease - n->options.kill_ms / 2 : 0);
	next = other < next ? other : next;
	other = sender_next(n->sender);
	next = other < next ? other : next;
	return n->room_ms < next ? n->room_ms : next;
}

static void on_sign(void *ctx, struct fleet_action *a)
{
	seals_of_node(((struct agent_node *)ctx)->seals, a);
}

static void start_job(struct agent_node *n, const struct fleet_action *a)
{
	struct fleet_record claim = { .phase = FLEET_CLAIMED,
				      .token.epoch = a->token.epoch,
				      .incarnation = n->options.incarnation,
				      .attempt = (unsigned)a->number };

	memcpy(claim.node, n->options.name, sizeof(claim.node));
	memcpy(claim.seal, a->record.seal, sizeof(claim.seal));
	runner_start(n->runner, &a->job, a->token, claim.attempt, sealed_run_new(n->seals, &a->job, &claim));
}

static void on_perform(void *ctx, const struct fleet_action *a)
{
	struct agent_node *n = ctx;

	if (a->kind == FLEET_START) {
		on_next(n); /* a server that starts now lives by the lease that is now */
		start_job(n, a);
	} else if (a->kind == FLEET_KILL)
		runner_kill(n->runner, a->job.id, a->token);
	else if (a->kind == FLEET_SAY)
		agent_say("node %s: %s", n->options.name, a->text);
}

static void on_event(void *ctx, const struct bus_event *event)
{
	struct agent_node *n = ctx;
	char drain[320];

	snprintf(drain, sizeof(drain), "aisbx.node.%s.drain", n->options.name);
	if (event->kind == BUS_DOWN || event->kind == BUS_UP) {
		n->is_away = event->kind == BUS_DOWN;
		agent_say("node %s: the connection to NATS is %s", n->options.name,
			  event->kind == BUS_UP ? "back" : "lost; what runs goes on until its lease ends");
	} else if (event->kind == BUS_DATA && !strcmp(event->subject, drain)) {
		const bool yes = event->len != 3 || memcmp(event->data, "off", 3) != 0;

		fleet_node_drain(n->node, loop_now(), yes || n->ending, loop_actions(n->loop));
		agent_say("node %s: %s", n->options.name,
			  yes ? "is drained: it takes nothing more" : "takes jobs again");
	} else if (event->kind == BUS_DATA)
		runner_input(n->runner, event->subject, event->data, event->len);
}

/* Once: takes nothing more and ends when all is done. Twice: ends at once. */
static void on_signal(void *ctx, const struct signalfd_siginfo *info)
{
	struct agent_node *n = ctx;

	if (info->ssi_signo == SIGCHLD) {
		runner_child_ended(n->runner);
		sender_child_ended(n->sender, loop_now().ms);
		return;
	}
	if (n->ending || !fleet_node_held(n->node)) {
		loop_stop(n->loop);
		return;
	}
	n->ending = true;
	agent_say("node %s: ends when its %zu jobs have ended; again to kill them", n->options.name,
		  fleet_node_held(n->node));
	fleet_node_drain(n->node, loop_now(), true, loop_actions(n->loop));
}

static void on_ended(void *ctx, const char *job, struct fleet_token token, struct fleet_text *result)
{
	struct agent_node *n = ctx;

	fleet_node_ended(n->node, loop_now(), job, token, result, loop_actions(n->loop));
}

static void on_not_started(void *ctx, const char *job, struct fleet_token token, const char *reason)
{
	struct agent_node *n = ctx;

	agent_say("node %s: job %s could not be started: %s", n->options.name, job, reason);
	fleet_node_not_started(n->node, loop_now(), job, token, reason, loop_actions(n->loop));
}

static void restore(void *ctx, const struct fleet_job *job, const struct fleet_record *record)
{
	struct agent_node *n = ctx;

	fleet_node_restore(n->node, loop_now(), job, record, loop_actions(n->loop));
}

/* The machine's name, with what may not stand in a subject left out. */
static void machine_name(char ret[FLEET_NAME])
{
	char host[FLEET_NAME] = "";
	size_t n = 0;

	gethostname(host, sizeof(host) - 1);
	for (const char *c = host; *c && *c != '.' && n < FLEET_NAME - 1; c++)
		ret[n++] = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')
				   ? *c
				   : '-';
	ret[n] = '\0';
	if (!n)
		snprintf(ret, FLEET_NAME, "node");
}

static int read_options(struct agent_node *n, const struct fleet_options *o, struct aisbx_error *e)
{
	const struct fleet_node_options defaults = FLEET_NODE_OPTIONS;
	uint64_t slots = 0, ahead = 0;
	int r;

	n->options = defaults;
	if (o->name)
		snprintf(n->options.name, sizeof(n->options.name), "%s", o->name);
	else
		machine_name(n->options.name);
	if (!fleet_is_name(n->options.name) || (o->name && strlen(o->name) >= FLEET_NAME))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"'%.80s' cannot be a node's name: at most %d letters, digits, '-' and '_'", o->name,
			FLEET_NAME - 1);
	if (o->labels &&
	    (strlen(o->labels) >= sizeof(n->options.labels) || (*o->labels && !strchr(o->labels, '='))))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"--labels must be NAME=VALUE, several with commas, of less than %zu bytes",
			sizeof(n->options.labels));
	snprintf(n->options.labels, sizeof(n->options.labels), "%s", o->labels ? o->labels : "");
	r = fleet_options_number("slots", o->slots, 1, MOST_SLOTS, (uint64_t)get_nprocs(), &slots, e);
	if (r == 0)
		r = fleet_options_number("ahead", o->ahead, 0, MOST_SLOTS, 0, &ahead, e);
	n->options.slots = (unsigned)slots;
	n->options.ahead = (unsigned)ahead;
	n->options.incarnation = loop_now().wall_ms;
	return r;
}

static int find_dir(struct agent_node *n, const struct fleet_options *o, struct aisbx_error *e)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int len;

	if (o->dir && o->dir[0] != '/')
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--dir must be an absolute path");
	if (o->dir)
		len = snprintf(n->dir, sizeof(n->dir), "%s", o->dir);
	else if (state && state[0] == '/')
		len = snprintf(n->dir, sizeof(n->dir), "%s/aisbx-fleet/nodes/%s", state, n->options.name);
	else if (home && home[0] == '/')
		len = snprintf(n->dir, sizeof(n->dir), "%s/.local/state/aisbx-fleet/nodes/%s", home,
			       n->options.name);
	else
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENOENT,
				    "there is no place for boxes and results: neither XDG_STATE_HOME nor "
				    "HOME is set; use "
				    "--dir DIR");
	return len < (int)sizeof(n->dir) - 200
		       ? 0
		       : aisbx_fail(e, AISBX_AREA_USAGE, ENAMETOOLONG, "use '%.100s'", n->dir);
}

/* A job must not read what the node is known by: PATH has to lie where boxes do not see it. */
static int check_hidden(const struct agent_node *n, const char *path, struct aisbx_error *e)
{
	static const char *const hidden[] = { "/home/", "/root/", "/run/", "/tmp/", "/var/tmp/" };
	scoped(drop_mem) char *real = path ? realpath(path, NULL) : NULL, *dir = realpath(n->dir, NULL);
	const size_t len = dir ? strlen(dir) : 0;

	if (!path)
		return 0;
	if (!real)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "read the credentials '%s'", path);
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (!strncmp(real, hidden[i], strlen(hidden[i])))
			return 0;
	if (dir && !strncmp(real, dir, len) && real[len] == '/')
		return 0;
	return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_USAGE, EPERM,
			    "boxes of this node could read its credentials '%s'; move them below %s, /root, "
			    "/home or /run",
			    path, n->dir);
}

/* Where projects come from, and the keys for that. */
static int check_store(const struct agent_node *n, const struct fleet_options *o, struct aisbx_error *e)
{
	if (!o->store && o->keys) /* a store alone can be meant for commands that are typed here */
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--keys needs --store, where projects come from");
	return check_hidden(n, o->keys, e);
}

/* Boxes take it for the home, which they do not see; aisbx takes no directory of the system for one. */
static int check_dir(const struct agent_node *n, struct aisbx_error *e)
{
	static const char *const system_dirs[] = { "/usr", "/etc",  "/bin", "/sbin",
						   "/lib", "/proc", "/sys", "/dev" };
	scoped(drop_mem) char *real = realpath(n->dir, NULL);

	if (!real)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "open '%s'", n->dir);
	for (size_t i = 0; i < sizeof(system_dirs) / sizeof(system_dirs[0]); i++)
		if (path_is_within(real, system_dirs[i]))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "a node cannot use '%s': boxes could read what lies in %s; use "
					    "--dir with another place, such as /var/lib/aisbx-fleet",
					    n->dir, system_dirs[i]);
	return 0;
}

/* Two agents of one name on one machine would each kill what the other runs. */
static int lock_dir(struct agent_node *n, struct aisbx_error *e)
{
	char path[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s/lock", n->dir);
	n->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (n->lock < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "open '%s'", path);
	if (flock(n->lock, LOCK_EX | LOCK_NB) < 0)
		return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_RUN, EBUSY,
				    "another node uses '%s'; give this one another --name or --dir", n->dir);
	return 0;
}

static int listen_to(struct agent_node *n, struct aisbx_error *e)
{
	char subject[SUBJECT_MAX];
	int r;

	snprintf(subject, sizeof(subject), "aisbx.in.%s.>", n->options.name);
	r = bus_subscribe(n->bus, subject, e);
	if (r < 0)
		return r;
	snprintf(subject, sizeof(subject), "aisbx.node.%s.drain", n->options.name);
	return bus_subscribe(n->bus, subject, e);
}

static void write_figures(void *ctx, struct buf *out)
{
	const struct agent_node *n = ctx;
	struct bus_counts counts;

	bus_count(n->bus, &counts);
	figures_node(n->node, loop_now(), !n->is_away, out);
	figures_bus(&counts, out);
	figure(out, "node_sends_history", "gauge", "1: aisbx-outbox runs.", sender_runs(n->sender));
}

static int open_metrics(struct agent_node *n, const char *where, struct aisbx_error *e)
{
	int r = where ? scrape_open(n->loop, where, write_figures, n, &n->scrape, e) : 0;

	if (r == 0 && where)
		agent_say("node %s: metrics at port %u", n->options.name, scrape_port(n->scrape));
	return r;
}

static int start(struct agent_node *n, const struct fleet_options *o, struct aisbx_error *e)
{
	const struct loop_machine machine = { .ctx = n,
					      .message = on_message,
					      .answer = on_answer,
					      .event = on_event,
					      .tick = on_tick,
					      .next = on_next,
					      .sign = on_sign,
					      .perform = on_perform,
					      .signal = on_signal };
	struct runner_options run = { .dir = n->dir,
				      .node = n->options.name,
				      .allow = o->allow,
				      .store = o->store,
				      .keys = o->keys,
				      .ctx = n,
				      .ended = on_ended,
				      .not_started = on_not_started };
	int r = saved_open(n->dir, "node.db", &n->saved, e);

	if (r == 0)
		r = check_dir(n, e);
	if (r == 0)
		r = check_hidden(n, o->creds, e);
	if (r == 0)
		r = check_store(n, o, e);
	if (r == 0)
		r = check_hidden(n, o->key, e);
	if (r == 0)
		r = seals_open(o, BUS_NODE, &n->seals, e);
	if (r == 0)
		r = lock_dir(n, e);
	if (r == 0)
		r = fleet_options_connect(o, BUS_NODE, n->options.name, 0, &n->bus, e);
	if (r == 0)
		r = listen_to(n, e);
	if (r == 0)
		r = loop_create(n->bus, n->saved, &machine, &n->loop, e);
	if (r < 0)
		return r;
	n->node = fleet_node_create(&n->options);
	run.loop = n->loop;
	run.bus = n->bus;
	n->runner = runner_create(&run);
	if (!o->no_history)
		n->sender = sender_create(o, n->options.name, n->dir);
	r = open_metrics(n, o->metrics, e);
	return r == 0 ? saved_ended(n->saved, restore, n, e) : r;
}

int agent_node(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	struct agent_node n = { .lock = -1 };
	int r;

	(void)rest;
	loop_block_signals();
	r = read_options(&n, o, e);
	if (r == 0)
		r = find_dir(&n, o, e);
	if (r == 0)
		r = start(&n, o, e);
	if (r == 0) {
		agent_say("node %s: %u slots, labels '%s'", n.options.name, n.options.slots,
			  n.options.labels);
		r = loop_run(n.loop, e);
		agent_say("node %s: ends", n.options.name);
	}
	scrape_close(n.scrape);
	runner_destroy(n.runner);
	if (n.loop && r == 0) /* results of what was killed */
		r = loop_flush(n.loop, e);
	if (n.node)
		fleet_node_destroy(n.node);
	sender_destroy(n.sender);
	loop_destroy(n.loop);
	bus_close(n.bus);
	saved_close(n.saved);
	seals_close(n.seals);
	drop_fd(&n.lock);
	return r;
}
