/* SPDX-License-Identifier: Apache-2.0 */
/* aisbx-fleet: `aisbx fleet ...` and `aisbx ... --on LABELS`, which aisbx hands to it as they are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/error.h"
#include "base/std_fds.h"
#include "base/str.h"
#include "fleet/agent/agent.h"
#include "fleet/agent/carry.h"
#include "fleet/agent/watchdog.h"
#include "fleet/client/client.h"

#define FAILED 125
/* Of one command line. */
#define WORDS 256
#define BUS   "nats|creds|ca|hub-keys|help"
#define ASKER "json|" BUS

/* One command. LOCAL: it needs no server. */
static const struct verb {
	const char *name, *arguments, *summary, *options;
	bool local;
	int (*run)(const struct fleet_options *o, char **rest, struct aisbx_error *e);
} verbs[] = {
	{ "hub", "", "Be a hub: choose whose job is next, and a node for it; several stand by for each other",
	  "name|replicas|lane-cap|keep|shares|key|node-keys|metrics|" BUS, false, agent_hub },
	{ "node", "", "Be a node: run jobs in boxes of this machine",
	  "name|labels|slots|ahead|dir|allow|store|keys|key|no-history|metrics|" BUS, false, agent_node },
	{ "status", "", "Show the active hub, and how much there is to do", ASKER, false, client_status },
	{ "nodes", "", "List nodes", ASKER, false, client_nodes },
	{ "queue", "", "List what waits, by class and tenant", ASKER, false, client_queue },
	{ "top", "", "Show all of it, again each second", ASKER, false, client_top },
	{ "jobs", "[JOB]", "List jobs that were submitted from here", "json|help", true, client_jobs },
	{ "wait", "JOB", "Follow a job until it ends, and end with its exit status",
	  "quiet|store|store-key|" ASKER, false, client_wait },
	{ "cancel", "JOB", "End a job, or take it out of the queue", ASKER, false, client_cancel },
	{ "dead", "[JOB]", "List jobs that were given up, or show one whole", "all-tenants|tenant|" ASKER,
	  false, client_dead },
	{ "again", "JOB...", "Send jobs that were given up again, as new ones of the same content",
	  "all-tenants|tenant|deadline|quiet|" ASKER, false, client_again },
	{ "forget", "JOB...", "Forget jobs that were given up", "all|all-tenants|tenant|quiet|" ASKER, false,
	  client_forget },
	{ "rpc", "", "Serve a program, as 'aisbx rpc' does: calls run on nodes", "help|" CLIENT_RPC_OPTIONS,
	  false, client_rpc },
	{ "mcp", "", "Serve an agent, as 'aisbx mcp' does: calls run on nodes",
	  "help|" CLIENT_MCP_OPTIONS "|" CLIENT_RPC_OPTIONS, false, client_mcp },
	{ "history", "", "List what all nodes recorded, newest first", "where|limit|json|centre|help", true,
	  client_history },
	{ "figures", "[NAME]", "Show a figure of the history, or the names of all", "json|centre|help", true,
	  client_figures },
	{ "conflicts", "", "List trees that several nodes changed from the same base", "all|json|centre|help",
	  true, client_conflicts },
	{ "resolve", "ID", "End a conflict", "note|centre|help", true, client_resolve },
	{ "drain", "NODE", "Let a node take nothing more", "undo|" ASKER, false, client_drain },
};

#define N_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static void print_options(const char *names, FILE *out)
{
	for (const struct fleet_option *row = fleet_options_table; row->name; row++) {
		char left[48];

		if (!str_is_one_of(row->name, names))
			continue;
		snprintf(left, sizeof(left),
			 row->attached ? "--%s[=%s]"
			 : row->value  ? "--%s %s"
				       : "--%s",
			 row->name, row->value);
		fprintf(out, "  %-22s  %s\n", left, row->help);
	}
}

static int help(FILE *out)
{
	fputs("usage: aisbx fleet COMMAND [OPTION]...\n"
	      "       aisbx OPERATION --on LABELS [OPTION]... ...\n"
	      "\n"
	      "Runs operations of aisbx on other machines, through NATS JetStream. One person with one "
	      "machine needs none of\n"
	      "this.\n"
	      "\n"
	      "Commands, each with --help:\n",
	      out);
	for (size_t i = 0; i < N_VERBS; i++)
		fprintf(out, "  %-9s %-7s %s\n", verbs[i].name, verbs[i].arguments, verbs[i].summary);
	fputs("\nOptions of --on, directly behind it:\n", out);
	print_options(CLIENT_ON_OPTIONS, out);
	fputs("\nExample:\n"
	      "  aisbx fleet hub --nats nats://10.0.0.1:4222\n"
	      "  aisbx fleet node --nats nats://10.0.0.1:4222 --labels zone=a --slots 32\n"
	      "  export AISBX_NATS=nats://10.0.0.1:4222\n"
	      "  aisbx run --on zone=a -- make test\n",
	      out);
	return out == stdout ? 0 : FAILED;
}

static int help_verb(const struct verb *v)
{
	printf("usage: aisbx fleet %s%s%s [OPTION]...\n\n%s.\n\n", v->name, v->arguments[0] ? " " : "",
	       v->arguments, v->summary);
	print_options(v->options, stdout);
	return 0;
}

static int no_verb(const char *word, struct aisbx_error *e)
{
	const char *names[N_VERBS], *near;

	for (size_t i = 0; i < N_VERBS; i++)
		names[i] = verbs[i].name;
	near = str_nearest(word, names, N_VERBS);
	aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "'aisbx fleet' has no command '%.60s'",
		     word);
	return near ? aisbx_hint(e, "did you mean '%s'?", near)
		    : aisbx_hint(e, "'aisbx fleet --help' lists them");
}

/* Options may stand before and behind the argument. */
static int take_words(const struct verb *v, struct fleet_options *o, char **words, char *rest[WORDS + 1],
		      struct aisbx_error *e)
{
	const size_t most = strstr(v->arguments, "...") ? WORDS : 2;
	size_t n = 0;
	int r = 0;

	while (r == 0 && *words) {
		r = fleet_options_take(o, words, v->options, false, &words, e);
		if (r < 0 || !*words)
			break;
		if (n == most || !v->arguments[0])
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "'aisbx fleet %s' takes no argument '%.60s'", v->name, *words);
		rest[n++] = *words++;
	}
	rest[n] = NULL;
	return r;
}

static int obey_verb(char **words, struct aisbx_error *e)
{
	const struct verb *v = verbs;
	struct fleet_options o = { 0 };
	char *rest[WORDS + 1];
	int r;

	if (!words[0] || str_is_one_of(words[0], "--help|-h|help"))
		return help(words[0] ? stdout : stderr);
	while (v < verbs + N_VERBS && strcmp(v->name, words[0]) != 0)
		v++;
	if (v == verbs + N_VERBS)
		return no_verb(words[0], e);
	r = take_words(v, &o, words + 1, rest, e);
	if (r == 0 && o.help)
		return help_verb(v);
	if (r == 0 && !v->local)
		r = fleet_options_complete(&o, e);
	if (r == 0)
		r = v->run(&o, rest, e);
	fleet_options_finish(&o);
	return r;
}

int main(int argc, char **argv)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int r;

	std_fds_hold();
	prctl(PR_SET_NAME,
	      "aisbx-fleet"); /* started by descriptor: before Linux 6.14 its name were a number */
	if (argc == 2 && !strcmp(argv[1], WATCHDOG_VERB))
		return watchdog_main();
	if (argc > 2 && !strcmp(argv[1], CARRY_VERB))
		return carry_main(argv + 2);
	if (argc < 2)
		return help(stderr);
	r = !strcmp(argv[1], "fleet") ? obey_verb(argv + 2, &e) : client_on(argv + 1, &e);
	if (r < 0)
		fprintf(stderr, "aisbx: %s\n", e.text);
	if (fflush(stdout) != 0 && r == 0)
		r = FAILED;
	return r < 0 ? FAILED : r;
}
