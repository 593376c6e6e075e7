/* SPDX-License-Identifier: Apache-2.0 */
/* Downloads: one call for each blob, its hooks, and what happens when a source sends something else. */
#include "helpers/image/transfer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/verbs.h"

#define BUSY_MS    200 /* how often it is looked whether somebody else has brought the same blob */
#define MAX_SHORTS 3   /* answers that ended early, as if that was all */

struct transfer {
	struct http_call call;
	struct remote *remote;          /* borrowed */
	struct blobs *blobs;            /* borrowed */
	const struct oci_descriptor *d; /* borrowed */
	struct blob_writer writer;
	size_t source;
	unsigned int shorts;
	bool is_open;    /* writer */
	bool has_old;    /* its first bytes are from an earlier try */
	bool is_there;   /* done */
	bool from_start; /* what an earlier request left is not used: it was wrong */
};

static struct transfer *of(struct http_call *c)
{
	return c->ctx;
}

/* Opens the writer; asks for what it lacks. */
static int on_start(struct http_call *c)
{
	struct transfer *t = of(c);
	uint64_t size;
	int r;

	if (!t->is_open) {
		if (blobs_has(t->blobs, t->d->digest, &size) && size == t->d->size) {
			t->is_there = c->is_done = true;
			tell_progress("download", t->d->digest, size, size);
			return 0;
		}
		r = blob_begin(t->blobs, t->d->digest, t->d->size, !t->from_start, &t->writer, &c->e);
		if (r < 0)
			return r;
		t->is_open = true;
	}
	t->has_old = t->writer.size > 0;
	tell_progress("download", t->d->digest, t->writer.size, t->d->size);
	c->from = t->writer.size;
	c->most = t->d->size - t->writer.size;
	c->is_done = c->from == t->d->size;
	return 0;
}

static int refuse_head(const struct http_call *c, const char *what, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EBADMSG, "'%s' sends '%s' with a wrong %s",
			    c->place.host, of((struct http_call *)c)->d->digest, what);
}

/* Whether it is the part that was asked for. */
static bool is_range(const struct http_call *c, uint64_t size)
{
	unsigned long long first, last, all;
	char end;

	return sscanf(c->content_range, "bytes %llu-%llu/%llu%c", &first, &last, &all, &end) == 3 &&
	       first == c->from && last + 1 == size && all == size;
}

static int on_head(struct http_call *c)
{
	struct transfer *t = of(c);
	int r = 0;

	if (c->status == 206 && !is_range(c, t->d->size))
		return refuse_head(c, "Content-Range", &c->e);
	if (c->status != 206 && c->from) { /* it sends all of it */
		r = blob_restart(&t->writer, &c->e);
		c->from = 0;
		t->has_old = false;
	}
	c->most = t->d->size - c->from;
	if (r == 0 && c->length >= 0 && (uint64_t)c->length != c->most)
		r = refuse_head(c, "Content-Length", &c->e);
	return r;
}

static int on_body(struct http_call *c, const char *data, size_t len)
{
	struct transfer *t = of(c);
	int r = blob_write(&t->writer, data, len, &c->e);

	if (r == 0)
		tell_progress("download", t->d->digest, t->writer.size, t->d->size);
	return r;
}

static void close_writer(struct transfer *t, bool keep)
{
	if (t->is_open)
		blob_abort(&t->writer, keep);
	t->is_open = false;
}

/* The same from the source S. False: memory is full, and C->r says so. */
static bool ask_again(struct transfer *t, size_t s)
{
	struct http_call *c = &t->call;
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct http_call fresh;
	char path[DIGEST_CAP + 8];

	snprintf(path, sizeof(path), "blobs/%s", t->d->digest);
	if (remote_call(t->remote, s, "GET", path, &fresh, &e) < 0) {
		c->r = e.code;
		c->e = e;
		t->remote->client.is_stopped = true;
		return false;
	}
	free(c->first_url);
	c->first_url = fresh.first_url;
	c->origin = fresh.origin;
	c->e = (struct aisbx_error)AISBX_ERROR_INIT;
	t->source = s;
	return true;
}

/* This source failed: the next one, or all is over. What it sent is kept unless it was wrong. */
static bool next_source(struct transfer *t, bool keep)
{
	close_writer(t, keep);
	if (t->source + 1 < t->remote->n_sources)
		return ask_again(t, t->source + 1);
	t->remote->client.is_stopped = true;
	return false;
}

/* All bytes are there: are they the right ones? */
static bool conclude(struct transfer *t)
{
	struct http_call *c = &t->call;

	t->is_open = false;
	c->r = blob_end(&t->writer, NULL, &c->e);
	if (c->r == 0) {
		t->is_there = true;
		return false;
	}
	if (t->has_old && !t->from_start) { /* the part from before may have been the wrong one */
		t->from_start = true;
		return ask_again(t, t->source);
	}
	if (c->r == -EBADMSG)
		c->e.kind = AISBX_KIND_DENIED;
	aisbx_context(&c->e, "'%s'", c->origin->place.host);
	return next_source(t, false);
}

static bool on_end(struct http_call *c)
{
	struct transfer *t = of(c);

	if (t->is_there)
		return false;
	if (c->r == -EBUSY && !t->is_open) { /* somebody else brings it */
		c->delay_ms = BUSY_MS;
		return ask_again(t, t->source);
	}
	if (c->r < 0)
		return next_source(t, c->r != -EFBIG && c->r != -EBADMSG);
	if (t->writer.size == t->d->size && (c->status == 0 || c->status / 100 == 2))
		return conclude(t);
	if (c->status / 100 == 2 && t->shorts++ < MAX_SHORTS)
		return ask_again(t, t->source);
	if (c->status == 416 && c->from) {
		t->from_start = true;
		close_writer(t, false);
		return ask_again(t, t->source);
	}
	if (c->status / 100 == 2)
		c->r = aisbx_refuse(&c->e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EBADMSG,
				    "'%s' sends only %llu of the %llu bytes of '%s'", c->origin->place.host,
				    (unsigned long long)t->writer.size, (unsigned long long)t->d->size,
				    t->d->digest);
	else
		c->r = http_refuse_status(c, "such blob", &c->e);
	return next_source(t, true);
}

static const struct http_hooks hooks = {
	.start = on_start,
	.head = on_head,
	.take = on_body,
	.then = on_end,
};

static bool is_earlier(const struct oci_descriptor *items, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(items[k].digest, items[i].digest))
			return true;
	return false;
}

static int prepare(struct remote *r, struct blobs *b, const struct oci_descriptor *d, struct transfer *t,
		   struct aisbx_error *e)
{
	char path[DIGEST_CAP + 8];
	int n;

	snprintf(path, sizeof(path), "blobs/%s", d->digest);
	n = remote_call(r, 0, "GET", path, &t->call, e);
	t->call.hooks = &hooks;
	t->call.ctx = t;
	t->remote = r;
	t->blobs = b;
	t->d = d;
	t->writer = (struct blob_writer)BLOB_WRITER_INIT;
	return n;
}

/* The error of the call that failed, not of those that were stopped because of it. */
static int result(struct transfer *all, size_t n, struct aisbx_error *e)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].call.r < 0 && all[i].call.r != -ECANCELED) {
			*e = all[i].call.e;
			return all[i].call.r;
		}
	return 0;
}

int transfer_blobs(struct remote *r, struct blobs *b, const struct oci_descriptor *items, size_t n,
		   struct aisbx_error *e)
{
	struct transfer *all = calloc(n + 1, sizeof(*all));
	struct http_call **calls = calloc(n + 1, sizeof(struct http_call *));
	size_t used = 0;
	int rc = 0;

	if (!all || !calls) {
		free(all);
		free(calls);
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "download %zu blobs", n);
	}
	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (is_earlier(items, i))
			continue;
		rc = prepare(r, b, &items[i], &all[used], e);
		calls[used] = &all[used].call;
		used++;
	}
	if (rc == 0) {
		http_run(&r->client, calls, used, REMOTE_AT_ONCE);
		rc = result(all, used, e);
	}
	for (size_t i = 0; i < used; i++) {
		close_writer(&all[i], true);
		http_call_finish(&all[i].call);
	}
	free(calls);
	free(all);
	return rc;
}
