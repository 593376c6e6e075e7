/* SPDX-License-Identifier: Apache-2.0 */
/* aisbx-collect: the history of a fleet in PostgreSQL. Collects it, and answers questions about it. */
#include <errno.h>
#include <getopt.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "fleet/collect/collector.h"
#include "fleet/collect/query.h"

#define USAGE                                                                                          \
	"usage: aisbx-collect [run] --nats URL [--postgres DSN] [--creds FILE] [--ca FILE] [--once]\n" \
	"       aisbx-collect query [--postgres DSN] [--where TERMS] [--limit N] [--json]\n"           \
	"       aisbx-collect figures [NAME] [--postgres DSN] [--json]\n"                              \
	"       aisbx-collect conflicts [--all] [--postgres DSN] [--json]\n"                           \
	"       aisbx-collect resolve ID [--note TEXT] [--postgres DSN]\n"                             \
	"DSN: \"host=... dbname=...\" or postgresql://...; without it AISBX_POSTGRES, then PGHOST, "   \
	"PGDATABASE ...\n"                                                                             \
	"TERMS: \"node=a kind=run status=failed since=1d\"\n"

#define PAUSE_MAX_MS 30000
/* With --once: so long without a message is the end. */
#define ONCE_MS 1000
#define WAIT_MS 5000

struct options {
	struct collector collector;
	const char *where, *limit, *note, *word;
	bool once, json, all;
};

static void pause_for(uint64_t ms)
{
	const struct timespec t = { .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

static int collect(struct options *o, struct aisbx_error *e)
{
	uint64_t pause = 250;
	size_t n = 1;
	int r;

	for (;;) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		r = collector_prepare(&o->collector, e);
		if (r == 0)
			r = collector_turn(&o->collector, o->once ? ONCE_MS : WAIT_MS, &n, e);
		if (o->once && (r < 0 || n == 0))
			return r;
		if (r == 0) {
			pause = 250;
			continue;
		}
		fprintf(stderr, "aisbx-collect: %s; trying again\n", e->text);
		pause_for(pause);
		pause = 2 * pause < PAUSE_MAX_MS ? 2 * pause : PAUSE_MAX_MS;
	}
}

static int ask_history(struct options *o, struct aisbx_error *e)
{
	return query_history(&o->collector.centre, o->where, o->limit, o->json, stdout, e);
}

static int ask_figures(struct options *o, struct aisbx_error *e)
{
	return query_figures(&o->collector.centre, o->word, o->json, stdout, e);
}

static int ask_conflicts(struct options *o, struct aisbx_error *e)
{
	return query_conflicts(&o->collector.centre, o->all, o->json, stdout, e);
}

static int resolve(struct options *o, struct aisbx_error *e)
{
	const struct passwd *who = getpwuid(getuid());
	char by[80];

	snprintf(by, sizeof(by), "%s (%u)", who && buf_is_utf8(who->pw_name) ? who->pw_name : "?", getuid());
	return centre_resolve(&o->collector.centre, o->word, by, o->note, e);
}

static const struct verb {
	const char *name;
	int (*run)(struct options *o, struct aisbx_error *e);
	int words; /* at most so many */
	bool nats; /* it opens what it needs itself */
} verbs[] = {
	{ "run", collect, 0, true },          { "query", ask_history, 0, false },
	{ "figures", ask_figures, 1, false }, { "conflicts", ask_conflicts, 0, false },
	{ "resolve", resolve, 1, false },
};

#define N_VERBS (sizeof(verbs) / sizeof(*verbs))

static bool set_option(struct options *o, int c, const char *value)
{
	uint64_t number;

	switch (c) {
	case 'n':
		o->collector.bus.url = value;
		return true;
	case 'p':
		o->collector.postgres = value;
		return true;
	case 'c':
		o->collector.bus.creds = value;
		return true;
	case 'a':
		o->collector.bus.ca = value;
		return true;
	case 'w':
		o->where = value;
		return buf_is_utf8(value);
	case 'l':
		o->limit = value;
		return str_to_u64(value, &number) && number <= INT64_MAX;
	case 'N':
		o->note = value;
		return buf_is_utf8(value);
	case 'o':
		return o->once = true;
	case 'j':
		return o->json = true;
	case 'A':
		return o->all = true;
	default:
		return false;
	}
}

static bool read_options(int argc, char **argv, const struct verb *verb, struct options *ret)
{
	static const struct option names[] = {
		{ "nats", 1, NULL, 'n' }, { "postgres", 1, NULL, 'p' }, { "creds", 1, NULL, 'c' },
		{ "ca", 1, NULL, 'a' },   { "where", 1, NULL, 'w' },    { "limit", 1, NULL, 'l' },
		{ "note", 1, NULL, 'N' }, { "once", 0, NULL, 'o' },     { "json", 0, NULL, 'j' },
		{ "all", 0, NULL, 'A' },  { NULL, 0, NULL, 0 },
	};
	uint64_t id;
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) >= 0)
		if (!set_option(ret, c, optarg))
			return false;
	if (argc - optind > verb->words || (verb->nats && !ret->collector.bus.url))
		return false;
	ret->word = optind < argc ? argv[optind] : NULL;
	return verb->run != resolve || (ret->word && str_to_u64(ret->word, &id) && id <= INT64_MAX);
}

static int run(const struct verb *verb, struct options *o, struct aisbx_error *e)
{
	int r = verb->nats ? 0 : centre_open(o->collector.postgres, &o->collector.centre, e);

	if (r == 0)
		r = verb->run(o, e);
	collector_finish(&o->collector);
	return r;
}

int main(int argc, char **argv)
{
	const char *dsn = getenv("AISBX_POSTGRES");
	struct options o = { .collector = { .bus = { .role = BUS_ADMIN, .name = "aisbx-collect" },
					    .postgres = dsn ? dsn : "" },
			     .where = "",
			     .limit = "100",
			     .note = "" };
	const struct verb *verb = &verbs[0];
	struct aisbx_error e = AISBX_ERROR_INIT;

	for (size_t i = 0; argc > 1 && argv[1][0] != '-' && i <= N_VERBS; i++) {
		verb = i < N_VERBS ? &verbs[i] : NULL;
		if (verb && !strcmp(argv[1], verb->name))
			break;
	}
	if (verb && argc > 1 && argv[1][0] != '-') {
		argc--;
		argv++;
	}
	if (!verb || !read_options(argc, argv, verb, &o)) {
		fputs(USAGE, stderr);
		return 2;
	}
	if (run(verb, &o, &e) < 0) {
		fprintf(stderr, "aisbx-collect: %s\n", e.text);
		return 1;
	}
	return 0;
}
