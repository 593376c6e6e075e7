/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads: for each blob one call after the other in the same place: is it there, where does it go, its
 * parts, that is all. */
#include "helpers/image/upload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/verbs.h"

#define MAX_RESTARTS 3

enum step { STEP_LOOK, STEP_OPEN, STEP_PART, STEP_ALL, STEP_DONE };

struct upload {
	struct http_call call;
	struct remote *remote;          /* borrowed */
	const struct blobs *blobs;      /* borrowed */
	const struct oci_descriptor *d; /* borrowed */
	const char *mount_from;         /* borrowed; or NULL */
	enum step step;
	uint64_t at; /* bytes that the registry has */
	int fd;
	unsigned int restarts;
	bool was_there;
};

static struct upload *of(struct http_call *c)
{
	return c->ctx;
}

static bool stop(struct upload *u, int r)
{
	u->call.r = r;
	u->remote->client.is_stopped = true;
	return false;
}

static bool finish(struct upload *u, bool was_there)
{
	u->step = STEP_DONE;
	u->was_there = was_there;
	tell_progress("upload", u->d->digest, u->d->size, u->d->size);
	return false;
}

/* The call becomes METHOD URL, which it owns from then on. */
static bool ask(struct upload *u, enum step step, const char *method, char *url)
{
	struct http_call *c = &u->call;

	if (!url)
		return stop(u, aisbx_fail(&c->e, AISBX_AREA_BOX, ENOMEM, "upload '%s'", u->d->digest));
	free(c->first_url);
	c->first_url = url;
	c->method = method;
	c->body_len = 0;
	c->part[0] = '\0';
	c->is_once = step == STEP_PART || step == STEP_ALL;
	c->e = (struct aisbx_error)AISBX_ERROR_INIT;
	u->step = step;
	return true;
}

static char *path_of(const struct upload *u, const char *rest, const char *more, const char *last)
{
	const struct source *s = &u->remote->sources[u->remote->n_sources - 1];
	scoped(drop_mem) char *path = NULL;

	if (asprintf(&path, "/v2/%s/blobs/%s%s%s", s->repository, rest, more, last) < 0)
		return NULL;
	return place_resolve(s->origin.base, path);
}

static bool look(struct upload *u)
{
	return ask(u, STEP_LOOK, "HEAD", path_of(u, u->d->digest, "", ""));
}

static bool open_upload(struct upload *u)
{
	scoped(drop_mem) char *wish = NULL;

	u->at = 0;
	if (u->mount_from && asprintf(&wish, "?mount=%s&from=%s", u->d->digest, u->mount_from) < 0)
		return ask(u, STEP_OPEN, "POST", NULL);
	return ask(u, STEP_OPEN, "POST", path_of(u, "uploads/", wish ? wish : "", ""));
}

/* Where the registry says that it goes on; NULL, and C->e: nowhere that is followed. */
static char *next_place(struct http_call *c)
{
	scoped(drop_mem) char *url = c->location[0] ? place_resolve(c->url, c->location) : NULL;
	struct place to;

	if (!url) {
		aisbx_refuse(&c->e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
			     "'%s' gives no place to upload to", c->place.host);
		return NULL;
	}
	if (place_read(url, &to, &c->e) < 0 ||
	    place_check_step(&c->place, &to, c->client->plain, c->client->n_plain, &c->e) < 0)
		return NULL;
	return take_mem(&url);
}

/* The next part, or the end: with all of a blob that has only one. */
static bool send_next(struct upload *u)
{
	struct http_call *c = &u->call;
	scoped(drop_mem) char *url = next_place(c);
	bool is_whole = u->d->size <= UPLOAD_CHUNK, is_end = is_whole || u->at == u->d->size;
	uint64_t left = u->d->size - u->at;
	char *with = NULL;

	if (!url)
		return stop(u, c->e.code);
	if (!is_end) {
		if (!ask(u, STEP_PART, "PATCH", take_mem(&url)))
			return false;
		c->body_len = left < UPLOAD_CHUNK ? left : UPLOAD_CHUNK;
		snprintf(c->part, sizeof(c->part), "%llu-%llu", (unsigned long long)u->at,
			 (unsigned long long)(u->at + c->body_len - 1));
	} else {
		if (asprintf(&with, "%s%cdigest=%s", url, strchr(url, '?') ? '&' : '?', u->d->digest) < 0)
			with = NULL;
		if (!ask(u, STEP_ALL, "PUT", with))
			return false;
		c->body_len = left;
	}
	c->body_at = u->at;
	c->body_fd = u->fd;
	return true;
}

static void on_sent(struct http_call *c)
{
	struct upload *u = of(c);

	if (u->at + c->sent < u->d->size) /* the last line is for when the registry has it */
		tell_progress("upload", u->d->digest, u->at + c->sent, u->d->size);
}

/* After a break the registry may have a part of a part: a new upload. */
static bool begin_again(struct upload *u)
{
	struct http_call *c = &u->call;

	if ((u->step == STEP_PART || u->step == STEP_ALL) && c->r == -EIO && u->restarts++ < MAX_RESTARTS) {
		c->delay_ms = c->client->pause_ms << u->restarts;
		return open_upload(u);
	}
	return stop(u, c->r);
}

static bool on_end(struct http_call *c)
{
	struct upload *u = of(c);

	if (c->r < 0)
		return begin_again(u);
	switch (u->step) {
	case STEP_LOOK:
		if (c->status == 200)
			return finish(u, true);
		if (c->status == 404)
			return open_upload(u);
		break;
	case STEP_OPEN:
		if (c->status == 201 && u->mount_from)
			return finish(u, true);
		if (c->status == 202)
			return send_next(u);
		break;
	case STEP_PART:
		if (c->status == 202) {
			u->at += c->body_len;
			return send_next(u);
		}
		break;
	case STEP_ALL:
		if (c->status == 201 || c->status == 204)
			return finish(u, false);
		break;
	case STEP_DONE:
		return false;
	}
	return stop(u, http_refuse_status(c, "an upload", &c->e));
}

static const struct http_hooks hooks = { .gave = on_sent, .then = on_end };

static bool is_earlier(const struct oci_descriptor *items, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(items[k].digest, items[i].digest))
			return true;
	return false;
}

static int prepare(struct upload *u, struct aisbx_error *e)
{
	int r = http_call_init(&u->call, &u->remote->sources[u->remote->n_sources - 1].origin, "HEAD", "/v2/",
			       e);

	if (r == 0)
		r = blobs_open_blob(u->blobs, u->d->digest, u->d->size, false, &u->fd, NULL, e);
	u->call.hooks = &hooks;
	u->call.ctx = u;
	if (r == 0 && !look(u))
		*e = u->call.e;
	return r < 0 ? r : u->call.r;
}

static int result(struct upload *all, size_t n, struct upload_count *ret, struct aisbx_error *e)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].call.r < 0 && all[i].call.r != -ECANCELED) {
			*e = all[i].call.e;
			return all[i].call.r;
		}
	for (size_t i = 0; i < n; i++)
		*(all[i].was_there ? &ret->there : &ret->sent) += 1;
	return 0;
}

int upload_blobs(struct remote *r, const struct blobs *b, const struct oci_descriptor *items, size_t n,
		 const char *mount_from, struct upload_count *ret, struct aisbx_error *e)
{
	struct upload *all = calloc(n + 1, sizeof(*all));
	struct http_call **calls = calloc(n + 1, sizeof(struct http_call *));
	size_t used = 0;
	int rc = 0;

	if (!all || !calls) {
		free(all);
		free(calls);
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "upload %zu blobs", n);
	}
	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (is_earlier(items, i))
			continue;
		all[used] = (struct upload){
			.remote = r, .blobs = b, .d = &items[i], .mount_from = mount_from, .fd = -1
		};
		rc = prepare(&all[used], e);
		calls[used] = &all[used].call;
		used++;
	}
	if (rc == 0) {
		http_run(&r->client, calls, used, REMOTE_AT_ONCE);
		rc = result(all, used, ret, e);
	}
	for (size_t i = 0; i < used; i++) {
		http_call_finish(&all[i].call);
		close_fd(&all[i].fd);
	}
	free(calls);
	free(all);
	return rc;
}
