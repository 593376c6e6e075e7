/* SPDX-License-Identifier: Apache-2.0 */
/* fleet-sim: worlds by their seeds, one after the other, until one shows a violation. */
#include "sim.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option long_options[] = {
	{ "seed", required_argument, NULL, 's' },    { "seeds", required_argument, NULL, 'c' },
	{ "nodes", required_argument, NULL, 'n' },   { "jobs", required_argument, NULL, 'j' },
	{ "slots", required_argument, NULL, 'l' },   { "submitters", required_argument, NULL, 'u' },
	{ "planted", required_argument, NULL, 'p' }, { "trace", no_argument, NULL, 't' },
	{ "job", required_argument, NULL, 'i' },     { "quiet", no_argument, NULL, 'q' },
	{ "list-planted", no_argument, NULL, 'L' },  { NULL, 0, NULL, 0 },
};

struct wanted {
	struct sim_options options;
	uint64_t seeds;
	const char *planted;
	bool quiet, list;
};

static bool read_number(const char *text, uint64_t most, uint64_t *ret)
{
	char *end;

	*ret = strtoull(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && !*end && *ret <= most;
}

static bool read_small(const char *text, unsigned *ret)
{
	uint64_t number;

	if (!read_number(text, 1000000, &number))
		return false;
	*ret = (unsigned)number;
	return true;
}

static bool read_option(struct wanted *wanted, int option)
{
	struct sim_options *o = &wanted->options;

	switch (option) {
	case 's':
		return read_number(optarg, UINT64_MAX, &o->seed);
	case 'c':
		return read_number(optarg, UINT64_MAX, &wanted->seeds);
	case 'n':
		return read_small(optarg, &o->nodes) && o->nodes >= 3;
	case 'j':
		return read_small(optarg, &o->jobs);
	case 'l':
		return read_small(optarg, &o->slots);
	case 'u':
		return read_small(optarg, &o->submitters);
	case 'p':
		wanted->planted = optarg;
		return planted_find(optarg);
	case 't':
		return o->trace = true;
	case 'i':
		o->job = optarg;
		return o->trace = true;
	case 'q':
		return wanted->quiet = true;
	case 'L':
		return wanted->list = true;
	default:
		return false;
	}
}

static void say_violation(const struct wanted *wanted, const struct sim *w)
{
	const struct sim_options *o = &wanted->options;
	const char *sep = strchr(w->violation, ':');

	fprintf(stderr,
		"violation: %s\nseed %" PRIu64 ", after %" PRIu64 ".%06" PRIu64
		" s; to see all of it: fleet-sim --seed %" PRIu64,
		w->violation, o->seed, w->now / SECOND, w->now % SECOND, o->seed);
	if (o->nodes)
		fprintf(stderr, " --nodes %u", o->nodes);
	if (o->jobs)
		fprintf(stderr, " --jobs %u", o->jobs);
	if (o->slots)
		fprintf(stderr, " --slots %u", o->slots);
	if (o->submitters)
		fprintf(stderr, " --submitters %u", o->submitters);
	if (wanted->planted)
		fprintf(stderr, " --planted %s", wanted->planted);
	fputs(" --trace", stderr);
	if (w->violation[0] == 'j' && sep)
		fprintf(stderr, " --job %.*s", (int)(sep - w->violation), w->violation);
	fputc('\n', stderr);
}

static void add(struct sim_sums *all, const struct sim_sums *one)
{
#define X(name) all->name += one->name;
	SIM_SUMS(X)
#undef X
}

static void say_sums(uint64_t seeds, const struct sim_sums *sums)
{
	printf("seeds %" PRIu64, seeds);
#define X(name) printf(", " #name " %" PRIu64, sums->name);
	SIM_SUMS(X)
#undef X
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct wanted wanted = { .options = { .seed = 1 }, .seeds = 1 };
	struct sim_sums sums = { 0 };
	uint64_t done = 0;
	bool good = true;
	int option;

	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		if (!read_option(&wanted, option)) {
			fputs("usage: fleet-sim [--seed N] [--seeds COUNT] [--nodes N] [--jobs N] [--slots "
			      "N] [--submitters N]\n"
			      "                 [--planted NAME] [--list-planted] [--trace] [--job ID] "
			      "[--quiet]\n"
			      "At least 3 nodes; 0 or nothing: as the seed has it.\n",
			      stderr);
			return 2;
		}
	if (wanted.list) {
		planted_list();
		return 0;
	}
	for (; good && done < wanted.seeds; done++) {
		struct sim *w = sim_create(&wanted.options);

		good = sim_run(w);
		add(&sums, &w->sums);
		if (!good)
			say_violation(&wanted, w);
		sim_destroy(w);
		wanted.options.seed++;
	}
	if (!wanted.quiet)
		say_sums(done, &sums);
	return good ? 0 : 1;
}
