/* SPDX-License-Identifier: Apache-2.0 */
/* aisbx-outbox: a process of a node that sends its history to the centre, whenever there is something new. */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/std_fds.h"
#include "base/str.h"
#include "box/box.h"
#include "fleet/history/outbox.h"
#include "fleet/history/tenants.h"

#define USAGE                                                                                             \
	"usage: aisbx-outbox --nats URL --node NAME [--creds FILE] [--ca FILE] [--every 2s] [--once]\n"   \
	"                    [--tenants DIR] [--until-eof]\n"                                             \
	"Sends the history of this user's boxes to the stream " HISTORY_STREAM                            \
	" of a fleet; with --tenants that of each\n"                                                      \
	"DIR/TENANT/state instead. With --until-eof it ends with its standard input. 'aisbx fleet node' " \
	"starts it by itself.\n"

/* The longest pause between two tries while the centre is out of reach. */
#define PAUSE_MAX_MS 60000
/* After another message of this node was stored first. */
#define STALE_MS    10
#define STALE_TRIES 10

struct options {
	struct bus_options bus;
	const char *tenants;
	uint64_t every_ms;
	bool once, until_eof;
};

static int read_options(int argc, char **argv, struct options *ret)
{
	static const struct option names[] = { { "nats", 1, NULL, 'n' },    { "node", 1, NULL, 'N' },
					       { "creds", 1, NULL, 'c' },   { "ca", 1, NULL, 'a' },
					       { "every", 1, NULL, 'e' },   { "once", 0, NULL, 'o' },
					       { "tenants", 1, NULL, 't' }, { "until-eof", 0, NULL, 'u' },
					       { "help", 0, NULL, 'h' },    { NULL, 0, NULL, 0 } };
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) >= 0) {
		if (c == 'n')
			ret->bus.url = optarg;
		else if (c == 'N')
			ret->bus.name = optarg;
		else if (c == 'c')
			ret->bus.creds = optarg;
		else if (c == 'a')
			ret->bus.ca = optarg;
		else if (c == 't')
			ret->tenants = optarg;
		else if (c == 'o')
			ret->once = true;
		else if (c == 'u')
			ret->until_eof = true;
		else if (c == 'e' && str_to_ms(optarg, &ret->every_ms) && ret->every_ms)
			continue;
		else
			return -EINVAL;
	}
	return optind == argc && ret->bus.url && ret->bus.name && fleet_is_name(ret->bus.name) ? 0 : -EINVAL;
}

static void pause_for(uint64_t ms)
{
	const struct timespec t = { .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

/* Everything that is there now. The store is opened anew each time: it may have been put back, or rebuilt. */
static int send_all(struct outbox *o, struct aisbx_error *e)
{
	struct box_state state = { 0 };
	scoped(drop_mem) char *path = NULL;
	scoped(drop_mem) char *promotions = NULL;
	size_t n = 1;
	int r = box_state_open(&state, e);

	if (r < 0)
		return r;
	path = path_join(state.dir, "fleet/outbox.json");
	promotions = path_join(state.dir, "promotions");
	if (!path || !promotions)
		r = aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "send the history");
	o->path = path;
	o->promotions = promotions;
	if (r == 0)
		r = store_run_import(state.store, e);
	for (int stale = 0; r == 0 && n;) {
		r = outbox_send(o, state.store, &n, e);
		if (r == -ESTALE && ++stale < STALE_TRIES) {
			*e = (struct aisbx_error)AISBX_ERROR_INIT;
			pause_for(STALE_MS);
			r = 0;
		}
	}
	o->path = o->promotions = NULL;
	box_state_close(&state);
	return r;
}

static int send_turn(const struct options *options, struct outbox *own, struct outbox_tenants *tenants,
		     struct aisbx_error *e)
{
	return options->tenants ? outbox_tenants_turn(tenants, own, send_all, e) : send_all(own, e);
}

/* Until the next turn. True: the last one is due. */
static bool wait_for_turn(const struct options *options, uint64_t ms)
{
	struct pollfd in = { .fd = options->until_eof ? STDIN_FILENO : -1, .events = POLLIN };
	char ignored[64];

	return poll(&in, 1, (int)ms) > 0 && read(in.fd, ignored, sizeof(ignored)) <= 0;
}

static int serve(const struct options *options, struct aisbx_error *e)
{
	scoped(drop_bus_stream) struct bus_stream *stream = NULL;
	struct outbox_tenants tenants = { .dir = options->tenants };
	struct outbox own = { .node = options->bus.name, .tenant = "" };
	uint64_t pause = options->every_ms;
	bool last = options->once;
	int r;

	for (;;) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		r = stream ? 0 : bus_stream_open(&options->bus, HISTORY_STREAM, &stream, e);
		own.stream = stream;
		if (r == 0)
			r = send_turn(options, &own, &tenants, e);
		if (last)
			break;
		if (r < 0)
			fprintf(stderr, "aisbx-outbox: %s; trying again\n", e->text);
		last = wait_for_turn(options, pause);
		pause = r == 0 ? options->every_ms : 2 * pause < PAUSE_MAX_MS ? 2 * pause : PAUSE_MAX_MS;
	}
	outbox_tenants_finish(&tenants);
	return r;
}

int main(int argc, char **argv)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct options options = { .bus = { .role = BUS_NODE }, .every_ms = 2000 };
	sigset_t none;

	std_fds_hold();
	sigemptyset(&none); /* a node blocks what its loop waits for */
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_NAME,
	      "aisbx-outbox"); /* started by descriptor: before Linux 6.14 its name were a number */
	if (read_options(argc, argv, &options) < 0) {
		fputs(USAGE, stderr);
		return 2;
	}
	if (serve(&options, &e) < 0) {
		fprintf(stderr, "aisbx-outbox: %s\n", e.text);
		return 1;
	}
	return 0;
}
