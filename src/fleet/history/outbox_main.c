/* SPDX-License-Identifier: Apache-2.0 */
/* aisbx-outbox: a process of a node that sends its history to the centre, whenever there is something new. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "box/box.h"
#include "fleet/history/outbox.h"

#define USAGE                                                                                           \
	"usage: aisbx-outbox --nats URL --node NAME [--creds FILE] [--ca FILE] [--every 2s] [--once]\n" \
	"Sends the history of this user's boxes to the stream " HISTORY_STREAM " of a fleet.\n"

/* The longest pause between two tries while the centre is out of reach. */
#define PAUSE_MAX_MS 60000
/* After another message of this node was stored first. */
#define STALE_MS 10

struct options {
	struct bus_options bus;
	uint64_t every_ms;
	bool once;
};

static int read_options(int argc, char **argv, struct options *ret)
{
	static const struct option names[] = { { "nats", 1, NULL, 'n' },  { "node", 1, NULL, 'N' },
					       { "creds", 1, NULL, 'c' }, { "ca", 1, NULL, 'a' },
					       { "every", 1, NULL, 'e' }, { "once", 0, NULL, 'o' },
					       { "help", 0, NULL, 'h' },  { NULL, 0, NULL, 0 } };
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
		else if (c == 'o')
			ret->once = true;
		else if (c == 'e' && str_to_ms(optarg, &ret->every_ms) && ret->every_ms)
			continue;
		else
			return -EINVAL;
	}
	return optind == argc && ret->bus.url && ret->bus.name && fleet_is_name(ret->bus.name) ? 0 : -EINVAL;
}

/* Everything that is there now. The store is opened anew each time: it may have been put back, or rebuilt. */
static int send_all(struct outbox *o, struct aisbx_error *e)
{
	struct box_state state = { 0 };
	scoped(drop_mem) char *path = NULL;
	size_t n = 1;
	int r = box_state_open(&state, e);

	if (r < 0)
		return r;
	path = path_join(state.dir, "fleet/outbox.json");
	if (!path)
		r = aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "send the history");
	o->path = path;
	if (r == 0)
		r = store_run_import(state.store, e);
	while (r == 0 && n)
		r = outbox_send(o, state.store, &n, e);
	o->path = NULL;
	box_state_close(&state);
	return r;
}

static void pause_for(uint64_t ms)
{
	const struct timespec t = { .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

static int serve(const struct options *options, struct aisbx_error *e)
{
	scoped(drop_bus_stream) struct bus_stream *stream = NULL;
	struct outbox o = { .node = options->bus.name };
	uint64_t pause = options->every_ms;
	int r;

	for (;;) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		r = stream ? 0 : bus_stream_open(&options->bus, HISTORY_STREAM, &stream, e);
		o.stream = stream;
		if (r == 0)
			r = send_all(&o, e);
		if (options->once && r != -ESTALE)
			return r;
		if (r < 0 && r != -ESTALE)
			fprintf(stderr, "aisbx-outbox: %s; trying again\n", e->text);
		pause_for(r == -ESTALE ? STALE_MS : pause);
		if (r >= 0)
			pause = options->every_ms;
		else if (r != -ESTALE)
			pause = 2 * pause < PAUSE_MAX_MS ? 2 * pause : PAUSE_MAX_MS;
	}
}

int main(int argc, char **argv)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct options options = { .bus = { .role = BUS_NODE }, .every_ms = 2000 };

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
