/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subscriptions to changes: a stream opened by subscriptions/listen, or a session of the older protocol.
 * Changes are known from the calls that this server handled, and from operations that watch.
 */
#include <stdlib.h>
#include <string.h>

#include "server/mcp/envelope.h"
#include "server/mcp/fixtures.h"
#include "server/mcp/resources.h"

#define MAX_LISTENERS 64
#define MAX_URIS      64

struct watched {
	struct watched *next;
	struct mcp_listener *listener;
	struct mcp_job *watch; /* NULL: nothing watches it, calls tell */
	char uri[];
};

struct mcp_listener {
	struct mcp_session *session;
	struct mcp_listener *prev, *next;
	struct mcp_request *request; /* NULL: of the legacy era */
	bool lists[MCP_RESOURCES + 1];
	struct watched *uris;
	unsigned int n_uris;
};

static const struct {
	const char *method, *filter;
} lists[] = {
	[MCP_TOOLS] = { "notifications/tools/list_changed", "toolsListChanged" },
	[MCP_PROMPTS] = { "notifications/prompts/list_changed", "promptsListChanged" },
	[MCP_RESOURCES] = { "notifications/resources/list_changed", "resourcesListChanged" },
};

static void tell(const struct mcp_listener *l, const char *method, json_t *params)
{
	struct mcp_channel *ch = l->session->channel;

	if (l->request) {
		json_object_set_new(params, "_meta", json_pack("{s:O}", MCP_META_LISTEN, l->request->id));
		mcp_notify(l->request, method, params);
		return;
	}
	if (ch && !(ch->full && ch->full(ch))) {
		json_t *message =
			json_pack("{s:s, s:s, s:O}", "jsonrpc", "2.0", "method", method, "params", params);

		ch->send(ch, message);
		json_decref(message);
	}
	json_decref(params);
}

static bool is_same_owner(const struct mcp_session *a, const struct mcp_session *b)
{
	return !strcmp(a->owner ? a->owner : "", b->owner ? b->owner : "");
}

void mcp_list_changed(struct mcp_session *s, enum mcp_list list)
{
	for (struct mcp_session *other = s->mcp->sessions; other; other = other->next) {
		for (struct mcp_listener *l = other->listeners; l; l = l->next)
			if (is_same_owner(s, other) && l->lists[list])
				tell(l, lists[list].method, json_object());
		/* A session of the legacy era hears of it without having asked. */
		if (is_same_owner(s, other) && other->version[0]) {
			const struct mcp_listener of_session = { .session = other };

			tell(&of_session, lists[list].method, json_object());
		}
	}
}

static void tell_uri(const struct watched *w)
{
	tell(w->listener, "notifications/resources/updated", json_pack("{s:s}", "uri", w->uri));
}

void mcp_resource_changed(struct mcp_session *s, const char *uri)
{
	for (struct mcp_session *other = s->mcp->sessions; other; other = other->next)
		for (struct mcp_listener *l = other->listeners; l; l = l->next)
			for (const struct watched *w = l->uris; w; w = w->next)
				if (is_same_owner(s, other) && !strcmp(w->uri, uri))
					tell_uri(w);
}

void mcp_touched(struct mcp_session *s, const struct op *op, const json_t *args)
{
	if (op->grant == GRANT_READ)
		return;
	for (struct mcp_session *other = s->mcp->sessions; other; other = other->next)
		for (struct mcp_listener *l = other->listeners; l; l = l->next)
			for (const struct watched *w = l->uris; w; w = w->next)
				if (is_same_owner(s, other) && !w->watch &&
				    resource_touched(w->uri, op, args))
					tell_uri(w);
	if (resources_touched(op))
		mcp_list_changed(s, MCP_RESOURCES);
}

static void watch_item(struct mcp_job *j, const json_t *item)
{
	(void)item;
	tell_uri(j->own);
}

static void watch_done(struct mcp_job *j, const json_t *result, const struct aisbx_error *e)
{
	struct watched *w = j->own;

	(void)result;
	(void)e;
	w->watch = NULL; /* it will not change any more, or calls will tell */
	tell_uri(w);
}

static void watch(struct watched *w)
{
	static const struct mcp_job_events events = { .item = watch_item, .done = watch_done };
	struct aisbx_error e = AISBX_ERROR_INIT;
	const struct op *op = NULL;
	json_t *args = NULL;

	if (resource_watch(w->uri, &op, &args, &e) < 0)
		return;
	mcp_job_start(w->listener->session, NULL, op, args, &events, w, NULL, &w->watch, &e);
	json_decref(args);
}

static bool is_resource(const struct mcp *m, const char *uri, struct aisbx_error *e)
{
	struct resource resource = { 0 };
	bool is = (m->how.fixtures && mcp_fixture_is_resource(uri)) || resource_open(uri, &resource, e) == 0;

	resource_finish(&resource);
	return is;
}

static void add_uri(struct mcp_listener *l, const char *uri)
{
	struct watched *w;

	for (w = l->uris; w; w = w->next)
		if (!strcmp(w->uri, uri))
			return;
	if (l->n_uris >= MAX_URIS || !(w = calloc(1, sizeof(*w) + strlen(uri) + 1)))
		return;
	w->listener = l;
	strcpy(w->uri, uri);
	w->next = l->uris;
	l->uris = w;
	l->n_uris++;
	if (!mcp_fixture_is_resource(uri))
		watch(w);
}

static void drop_uri(struct mcp_listener *l, struct watched **at)
{
	struct watched *w = *at;

	*at = w->next;
	l->n_uris--;
	if (w->watch)
		mcp_job_drop(w->watch);
	free(w);
}

static struct mcp_listener *add_listener(struct mcp_session *s, struct mcp_request *r)
{
	struct mcp_listener *l;
	unsigned int n = 0;

	for (l = s->listeners; l; l = l->next)
		n++;
	l = n < MAX_LISTENERS ? calloc(1, sizeof(*l)) : NULL;
	if (!l)
		return NULL;
	l->session = s;
	l->request = r;
	l->next = s->listeners;
	if (l->next)
		l->next->prev = l;
	s->listeners = l;
	return l;
}

static void end_listener(void *own)
{
	struct mcp_listener *l = own;

	while (l->uris)
		drop_uri(l, &l->uris);
	if (l->next)
		l->next->prev = l->prev;
	if (l->prev)
		l->prev->next = l->next;
	else
		l->session->listeners = l->next;
	free(l);
}

void mcp_listeners_end(struct mcp_session *s)
{
	while (s->listeners) {
		struct mcp_request *r = s->listeners->request;

		if (r) /* who listens is told that this is the end */
			mcp_reply(r, json_pack("{s:{s:O}}", "_meta", MCP_META_LISTEN, r->id));
		else
			end_listener(s->listeners);
	}
}

/* What is agreed to: lists that can change, resources that there can be. */
static json_t *agree(struct mcp_listener *l, const json_t *wanted)
{
	const bool changes = l->session->mcp->how.fixtures;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	const json_t *uris = json_object_get(wanted, "resourceSubscriptions");
	json_t *agreed = json_object(), *kept = json_array(), *uri;
	size_t i;

	for (int list = 0; list <= MCP_RESOURCES; list++) {
		if (!json_is_true(json_object_get(wanted, lists[list].filter)) ||
		    (list != MCP_RESOURCES && !changes))
			continue;
		l->lists[list] = true;
		json_object_set_new(agreed, lists[list].filter, json_true());
	}
	json_array_foreach(uris, i, uri)
	{
		const char *text = json_string_value(uri);

		if (!text || l->n_uris >= MAX_URIS || !is_resource(l->session->mcp, text, &ignored))
			continue;
		add_uri(l, text);
		json_array_append(kept, uri);
	}
	if (uris)
		json_object_set(agreed, "resourceSubscriptions", kept);
	json_decref(kept);
	return agreed;
}

/* It is not answered: as long as it is under way it is a stream. */
void mcp_listen(struct mcp_request *r)
{
	const json_t *wanted = json_object_get(r->params, "notifications");
	struct mcp_listener *l;

	if (!json_is_object(wanted)) {
		mcp_fail(r, MCP_INVALID_PARAMS, NULL, "subscriptions/listen needs notifications, an object");
		return;
	}
	l = add_listener(r->session, r);
	if (!l) {
		mcp_fail(r, MCP_INTERNAL, NULL, "%d subscriptions are open; close one", MAX_LISTENERS);
		return;
	}
	r->own = l;
	r->free_own = end_listener;
	tell(l, "notifications/subscriptions/acknowledged",
	     json_pack("{s:o}", "notifications", agree(l, wanted)));
}

void mcp_subscribe(struct mcp_request *r)
{
	const char *uri = json_string_value(json_object_get(r->params, "uri"));
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct mcp_listener *l = r->session->listeners;

	if (!uri || !is_resource(r->session->mcp, uri, &e)) {
		mcp_fail(r, uri ? MCP_NO_RESOURCE : MCP_INVALID_PARAMS,
			 json_pack("{s:s}", "uri", uri ? uri : ""), "%s",
			 uri ? e.text : "resources/subscribe needs uri, a string");
		return;
	}
	while (l && l->request)
		l = l->next;
	if (!l)
		l = add_listener(r->session, NULL);
	if (!l || l->n_uris >= MAX_URIS) {
		mcp_fail(r, MCP_INTERNAL, NULL, "%d resources are subscribed to; unsubscribe from one",
			 MAX_URIS);
		return;
	}
	add_uri(l, uri);
	mcp_reply(r, json_object());
}

void mcp_unsubscribe(struct mcp_request *r)
{
	const char *uri = json_string_value(json_object_get(r->params, "uri"));

	if (!uri) {
		mcp_fail(r, MCP_INVALID_PARAMS, NULL, "resources/unsubscribe needs uri, a string");
		return;
	}
	for (struct mcp_listener *l = r->session->listeners; l; l = l->next)
		for (struct watched **w = &l->uris; !l->request && *w; w = &(*w)->next)
			if (!strcmp((*w)->uri, uri)) {
				drop_uri(l, w);
				mcp_reply(r, json_object());
				return;
			}
	mcp_reply(r, json_object());
}
