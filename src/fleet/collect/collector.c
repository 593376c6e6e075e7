/* SPDX-License-Identifier: Apache-2.0 */
/* The collector's turn: fetch, check, insert, commit, acknowledge. */
#include "fleet/collect/collector.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/scope.h"

/* All collectors of a fleet share it. */
#define DURABLE "aisbx-collect"
/* Messages that are inserted by one transaction. */
#define FETCH_MAX 32
#define TRIES     5

void collector_finish(struct collector *c)
{
	bus_stream_close(c->stream);
	c->stream = NULL;
	centre_close(&c->centre);
}

int collector_prepare(struct collector *c, struct aisbx_error *e)
{
	int r = 0;

	if (!c->centre.pg) {
		r = centre_open(c->postgres, &c->centre, e);
		if (r == 0)
			r = centre_migrate(&c->centre, e);
	}
	if (r == 0 && !c->stream) {
		r = bus_stream_open(&c->bus, HISTORY_STREAM, &c->stream, e);
		if (r == 0)
			r = bus_stream_consume(c->stream, DURABLE, e);
	}
	if (r < 0)
		collector_finish(c);
	return r;
}

static int take(struct collector *c, const struct history_batch *batches, size_t n, struct aisbx_error *e)
{
	struct centre_took took = { 0 };
	int r = -EAGAIN;

	for (int i = 0; r == -EAGAIN && i < TRIES; i++) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		r = centre_take(&c->centre, batches, n, &took, e);
	}
	return r;
}

/* One that the database does not take must not keep the others back. */
static int take_or_refuse(struct collector *c, const struct bus_fetched *m, const struct history_batch *b,
			  struct aisbx_error *e)
{
	int r = take(c, b, 1, e);

	if (r != -EBADMSG)
		return r;
	return centre_refuse(&c->centre, m->subject, m->sequence, m->data, m->len, e->text, e);
}

/* What is decoded, and which message it is of. */
struct decoded {
	struct history_batch batches[FETCH_MAX];
	size_t from[FETCH_MAX], n;
};

static void drop_decoded(struct decoded *d)
{
	for (size_t i = 0; i < d->n; i++)
		history_batch_finish(&d->batches[i]);
}

static int take_all(struct collector *c, const struct bus_fetched *list, size_t n, struct aisbx_error *e)
{
	scoped(drop_decoded) struct decoded d = { .n = 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct bus_fetched *m = &list[i];
		struct aisbx_error why = AISBX_ERROR_INIT;

		r = history_batch_decode(m->subject, m->data, m->len, &d.batches[d.n], &why);
		if (r == 0)
			d.from[d.n++] = i;
		else if (r != -ENOMEM)
			r = centre_refuse(&c->centre, m->subject, m->sequence, m->data, m->len, why.text, e);
		else
			*e = why;
	}
	if (r == 0 && d.n)
		r = take(c, d.batches, d.n, e);
	if (r == -EBADMSG)
		r = 0;
	else
		return r;
	for (size_t i = 0; r == 0 && i < d.n; i++)
		r = take_or_refuse(c, &list[d.from[i]], &d.batches[i], e);
	return r;
}

int collector_turn(struct collector *c, uint64_t wait_ms, size_t *ret_n, struct aisbx_error *e)
{
	struct bus_fetched list[FETCH_MAX];
	size_t n = 0;
	int r = bus_stream_fetch(c->stream, list, FETCH_MAX, wait_ms, &n, e);

	if (r == 0 && n) {
		r = take_all(c, list, n, e);
		if (r == 0)
			r = bus_fetched_acknowledge(c->stream, list, n, e);
		else
			bus_fetched_return(list, n);
	}
	if (r < 0)
		collector_finish(c);
	else
		*ret_n = n;
	return r;
}
