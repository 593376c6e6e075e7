/* SPDX-License-Identifier: Apache-2.0 */
/* Watching directories: as a stream, or kept until they are asked for. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "server/e2b/internal.h"

/* Of a watcher that nobody asks. */
#define MAX_EVENTS  4096
#define KEEPALIVE_S 20

struct watcher {
	struct watcher *prev, *next;
	struct sandbox *sandbox;
	unsigned int id;
	struct call *call;
	struct request *request; /* who waits for the beginning, or reads the stream; NULL: nobody */
	bool stream, ready;
	json_t *events; /* owned; of one that is no stream */
};

static void destroy(struct watcher *w)
{
	struct sandbox *s = w->sandbox;

	if (w->prev)
		w->prev->next = w->next;
	else
		s->watchers = w->next;
	if (w->next)
		w->next->prev = w->prev;
	s->n_watchers--;
	json_decref(w->events);
	free(w);
}

static json_t *event_json(const char *name, const char *type)
{
	return json_pack("{s:s, s:s}", "name", name, "type", type);
}

static void take_event(struct watcher *w, json_t *event)
{
	if (w->stream && w->request)
		answer_message(w->request, json_pack("{s:O}", "filesystem", event));
	else if (!w->stream && json_array_size(w->events) < MAX_EVENTS)
		json_array_append(w->events, event);
	json_decref(event);
}

static void take_ready(struct watcher *w)
{
	struct request *r = w->request;

	w->ready = true;
	if (!r)
		return;
	if (w->stream) {
		answer_message(r, json_pack("{s:{}}", "start"));
		return;
	}
	w->request = NULL;
	r->gone = NULL;
	r->own = NULL;
	answer_json(r, 200, json_pack("{s:o}", "watcherId", json_sprintf("w%u", w->id)));
}

static void on_item(void *ctx, const json_t *item)
{
	static const struct {
		const char *ours, *theirs;
	} types[] = { { "create", "EVENT_TYPE_CREATE" },
		      { "modify", "EVENT_TYPE_WRITE" },
		      { "remove", "EVENT_TYPE_REMOVE" },
		      { "rename", "EVENT_TYPE_RENAME" },
		      { "chmod", "EVENT_TYPE_CHMOD" } };
	const char *type = json_string_value(json_object_get(item, "type")),
		   *kind = json_string_value(json_object_get(item, "kind")),
		   *path = json_string_value(json_object_get(item, "path")),
		   *from = json_string_value(json_object_get(item, "from"));
	struct watcher *w = ctx;

	if (type && !strcmp(type, "ready"))
		take_ready(w);
	for (size_t i = 0; type && path && i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(types[i].ours, type)) {
			/* As the kernel tells a rename: the old name went, the new one came. */
			take_event(w, event_json(from ? from : path, types[i].theirs));
			if (from)
				take_event(w, event_json(path, "EVENT_TYPE_CREATE"));
			else if (!i && kind && !strcmp(kind, "file")) /* and it was written */
				take_event(w, event_json(path, "EVENT_TYPE_WRITE"));
		}
}

static void on_done(void *ctx, const json_t *result, const struct aisbx_error *e)
{
	struct watcher *w = ctx;
	struct sandbox *s = w->sandbox;
	struct e2b *e2b = s->e2b;
	struct request *r = w->request;

	(void)result;
	if (r) {
		r->gone = NULL;
		r->own = NULL;
		if (e && e->kind != AISBX_KIND_CANCELLED)
			answer_error(r, e);
		else if (w->stream)
			answer_end(r, NULL);
		else
			answer_refusal(r, AISBX_KIND_NOT_FOUND, "the watcher has ended");
	}
	destroy(w);
	e2b->n_jobs--;
	sandbox_settle(s);
	e2b_after_job(e2b);
}

static void reader_gone(struct request *r)
{
	struct watcher *w = r->own;

	r->own = NULL;
	w->request = NULL;
	call_cancel(w->call);
}

static struct watcher *begin(struct request *r, struct sandbox *s, bool stream)
{
	static const struct call_events events = { .item = on_item, .done = on_done };
	const char *given = json_string_value(json_object_get(r->params, "path"));
	scoped(drop_mem) char *path = sandbox_path(s->e2b, given ? given : "");
	struct watcher *w = calloc(1, sizeof(*w));
	struct aisbx_error e = AISBX_ERROR_INIT;
	char owner[TOKEN_MAX + 8];
	const struct call_how how = e2b_how_call(s, s->token, owner);
	json_t *args = json_pack("{s:s, s:s?, s:b}", "box", s->id, "path", path, "recursive",
				 json_is_true(json_object_get(r->params, "recursive")));

	if (!w || !args || !path)
		aisbx_fail(&e, AISBX_AREA_SYS, ENOMEM, "watch a directory");
	else {
		*w = (struct watcher){ .sandbox = s,
				       .id = ++s->last_watcher,
				       .stream = stream,
				       .request = r,
				       .events = json_array(),
				       .next = s->watchers };
		call_start(s->e2b->loop, op_by_method("file.watch"), args, &how, &events, w, &w->call, &e);
	}
	json_decref(args);
	if (e.code) {
		if (w)
			json_decref(w->events);
		free(w);
		answer_error(r, &e);
		return NULL;
	}
	if (w->next)
		w->next->prev = w;
	s->watchers = w;
	s->n_watchers++;
	s->e2b->n_jobs++;
	r->own = w;
	r->gone = reader_gone;
	return w;
}

static void watch(struct request *r, bool stream)
{
	struct sandbox *s = e2b_box(r);

	if (!s)
		return;
	if (s->n_watchers >= MAX_WATCHERS)
		answer_refusal(r, AISBX_KIND_LIMIT, "%u directories are watched; stop some first",
			       s->n_watchers);
	else
		begin(r, s, stream);
}

void watch_stream(struct request *r)
{
	watch(r, true);
}

void watch_create(struct request *r)
{
	watch(r, false);
}

static struct watcher *named(struct request *r)
{
	const char *id = json_string_value(json_object_get(r->params, "watcherId"));
	struct sandbox *s = e2b_box(r);
	uint64_t n = 0;

	if (!s)
		return NULL;
	for (struct watcher *w = s->watchers; w; w = w->next)
		if (id && id[0] == 'w' && str_to_u64(id + 1, &n) && n == w->id && !w->stream)
			return w;
	answer_refusal(r, AISBX_KIND_NOT_FOUND, "watcher with id %.60s not found", id ? id : "");
	return NULL;
}

void watch_events(struct request *r)
{
	struct watcher *w = named(r);
	json_t *events;

	if (!w)
		return;
	events = w->events;
	w->events = json_array();
	answer_json(r, 200, json_pack("{s:o}", "events", events));
}

void watch_remove(struct request *r)
{
	struct watcher *w = named(r);

	if (!w)
		return;
	call_cancel(w->call);
	answer_json(r, 200, json_object());
}

void watchers_end(struct sandbox *s)
{
	for (struct watcher *w = s->watchers; w; w = w->next)
		call_cancel(w->call);
}

void watchers_free(struct sandbox *s)
{
	while (s->watchers)
		destroy(s->watchers);
}
