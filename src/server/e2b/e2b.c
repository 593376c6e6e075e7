/* SPDX-License-Identifier: Apache-2.0 */
/* Requests from their head to their end: who asks, for which sandbox, which handler; and the calls made for
 * them. */
#include "server/e2b/e2b.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "server/core/json.h"
#include "server/e2b/frame.h"
#include "server/e2b/internal.h"

/* Bodies of all but files. */
#define MOST_TEXT (8u << 20)
#define MAX_JOBS  512

typedef void (*handler)(struct request *r);

/* HOW: whether the body is JSON, whether it comes in an envelope, or none of these. */
static const struct {
	handler fn;
	enum { BODY_JSON, BODY_STREAM, BODY_RAW, BODY_NONE } body;
} handlers[] = {
	[ROUTE_CREATE] = { control_create, BODY_JSON },
	[ROUTE_CREATE_V2] = { control_create, BODY_JSON },
	[ROUTE_LIST] = { control_list, BODY_NONE },
	[ROUTE_LIST_V2] = { control_list, BODY_NONE },
	[ROUTE_SHOW] = { control_show, BODY_NONE },
	[ROUTE_KILL] = { control_kill, BODY_NONE },
	[ROUTE_TIMEOUT] = { control_timeout, BODY_JSON },
	[ROUTE_REFRESH] = { control_timeout, BODY_JSON },
	[ROUTE_PAUSE] = { control_pause, BODY_NONE },
	[ROUTE_RESUME] = { control_resume, BODY_JSON },
	[ROUTE_CONNECT] = { control_resume, BODY_JSON },
	[ROUTE_CONNECT_V2] = { control_resume, BODY_JSON },
	[ROUTE_METRICS] = { control_metrics, BODY_NONE },
	[ROUTE_SNAPSHOT] = { control_snapshot, BODY_JSON },
	[ROUTE_SNAPSHOTS] = { control_snapshots, BODY_NONE },
	[ROUTE_SNAPSHOT_REMOVE] = { control_snapshot_remove, BODY_NONE },
	[ROUTE_HEALTH] = { files_health, BODY_NONE },
	[ROUTE_READ] = { files_read, BODY_NONE },
	[ROUTE_WRITE] = { files_write, BODY_RAW },
	[ROUTE_START] = { process_start, BODY_STREAM },
	[ROUTE_ATTACH] = { process_attach, BODY_STREAM },
	[ROUTE_PROCESSES] = { process_list, BODY_JSON },
	[ROUTE_INPUT] = { process_input, BODY_JSON },
	[ROUTE_STREAM_INPUT] = { process_stream_input, BODY_RAW },
	[ROUTE_CLOSE_STDIN] = { process_close_stdin, BODY_JSON },
	[ROUTE_SIGNAL] = { process_signal, BODY_JSON },
	[ROUTE_UPDATE] = { process_update, BODY_JSON },
	[ROUTE_STAT] = { fs_stat, BODY_JSON },
	[ROUTE_MAKE_DIR] = { fs_make_dir, BODY_JSON },
	[ROUTE_MOVE] = { fs_move, BODY_JSON },
	[ROUTE_LIST_DIR] = { fs_list, BODY_JSON },
	[ROUTE_REMOVE] = { fs_remove, BODY_JSON },
	[ROUTE_WATCH] = { watch_stream, BODY_STREAM },
	[ROUTE_WATCHER] = { watch_create, BODY_JSON },
	[ROUTE_EVENTS] = { watch_events, BODY_JSON },
	[ROUTE_UNWATCH] = { watch_remove, BODY_JSON },
	[ROUTE_EXECUTE] = { code_execute, BODY_JSON },
	[ROUTE_CODE_HEALTH] = { files_health, BODY_NONE },
	[ROUTE_CONTEXTS] = { e2b_code_contexts, BODY_NONE },
	[ROUTE_CONTEXT_NEW] = { code_context_new, BODY_JSON },
	[ROUTE_CONTEXT_END] = { code_context_end, BODY_NONE },
	[ROUTE_CONTEXT_RESTART] = { code_context_restart, BODY_NONE },
};

/* ---- who asks ---- */

static enum e2b_admit refuse(struct e2b *e, struct exchange *x, unsigned int status, const char *text)
{
	char body[256];

	snprintf(body, sizeof(body), "{\"code\":%u,\"message\":\"%s\"}", status, text);
	e->how.wire->reply(x, status, "application/json", body, strlen(body));
	return E2B_REFUSED;
}

/* A token of the file, as the key of the interface. All are compared. */
static bool take_key(struct e2b *e, struct exchange *x)
{
	const char *given = e->how.wire->header(x, "X-API-KEY"), *name, *key, *found = NULL;

	for (size_t i = 0; given && (key = e->how.wire->known_token(x, i, &name)); i++)
		if (access_same(key, given))
			found = name;
	if (found)
		e->how.wire->set_token(x, found);
	return found;
}

/* Whoever has a token of the sandbox ID was given it by its maker. */
static bool take_access(struct e2b *e, struct exchange *x, const char *id, enum route_where where)
{
	const char *given[2] = { e->how.wire->header(x, "X-Access-Token"),
				 where == ROUTE_CODE ? e->how.wire->header(x, "E2B-Traffic-Access-Token")
						     : NULL };
	const char *name, *key, *found = NULL;
	char own[ACCESS_MAX];

	for (size_t i = 0; (key = e->how.wire->known_token(x, i, &name)); i++)
		for (int k = 0; k < 2; k++) {
			access_token(key, id, k ? ACCESS_TRAFFIC : ACCESS_FILES, own);
			if (given[k] && access_same(own, given[k]))
				found = name;
		}
	explicit_bzero(own, sizeof(own));
	if (found)
		e->how.wire->set_token(x, found);
	return found;
}

static bool unescaped(const char *text, char *room, size_t cap)
{
	scoped(buf_finish) struct buf b = { 0 };

	if (text && !route_unescape(text, &b))
		return false;
	return (size_t)snprintf(room, cap, "%s", buf_str(&b) ? b.data : "") < cap;
}

/*
 * An address of a file that is signed, whose time is not over: the sandbox is the one with whose token it was
 * signed, for the address need not name it.
 */
static bool take_signature(struct e2b *e, struct exchange *x, enum route route, char id[ROUTE_ID_MAX])
{
	const struct e2b_wire *w = e->how.wire;
	const char *given = w->query(x, "signature"), *expires = w->query(x, "signature_expiration"), *name,
		   *key;
	char path[PATH_MAX], user[TOKEN_MAX], own[ACCESS_MAX], made[ACCESS_MAX], wanted[ACCESS_MAX];
	bool found = false;

	if (!given || (route != ROUTE_READ && route != ROUTE_WRITE) ||
	    !unescaped(w->query(x, "path"), path, sizeof(path)) ||
	    !unescaped(w->query(x, "username"), user, sizeof(user)) ||
	    !unescaped(given, wanted, sizeof(wanted)) ||
	    (expires && strtoll(expires, NULL, 10) < (long long)time(NULL)))
		return false;
	for (const struct sandbox *s = e->sandboxes; s; s = s->next)
		for (size_t i = 0; (!id[0] || !strcmp(id, s->id)) && (key = w->known_token(x, i, &name));
		     i++) {
			if (strcmp(name, s->token) != 0)
				continue;
			access_token(key, s->id, ACCESS_FILES, own);
			access_signature(path, route == ROUTE_READ ? "read" : "write", user, own,
					 expires ? expires : "", made);
			if (!found && access_same(made, wanted)) {
				found = true;
				w->set_token(x, s->token);
				snprintf(id, ROUTE_ID_MAX, "%s", s->id);
				break;
			}
		}
	explicit_bzero(own, sizeof(own));
	return found;
}

/* Which request it is. False: its headers name what cannot be. */
static bool find_target(struct e2b *e, const struct exchange *x, struct route_target *t)
{
	const struct e2b_wire *w = e->how.wire;

	return route_target(w->header(x, "E2b-Sandbox-Id"), w->header(x, "E2b-Sandbox-Port"),
			    w->header(x, "Host"), t);
}

/* An address of a file needs no headers if it is signed. */
static enum route find_route(struct e2b *e, const struct exchange *x, struct route_target *t,
			     char id[ROUTE_ID_MAX], bool *ret_seen)
{
	const struct e2b_wire *w = e->how.wire;

	if (t->where == ROUTE_CONTROL && !strcmp(w->path(x), "/files") && w->query(x, "signature"))
		t->where = ROUTE_ENVD;
	return route_find(t->where, w->method(x), w->path(x), id, ret_seen);
}

/* What the server has without us. Signed addresses of both have one path; only ours tell the box. */
static bool is_of_others(const struct e2b_wire *w, const struct exchange *x)
{
	const char *path = w->path(x);

	return str_is_one_of(path, "/mcp|/healthz") || (!strcmp(path, "/files") && w->query(x, "box"));
}

enum e2b_admit e2b_admit(struct e2b *e, struct exchange *x, size_t *ret_max_body)
{
	struct route_target t;
	char id[ROUTE_ID_MAX];
	enum route route;
	bool seen, ok;

	if (!find_target(e, x, &t))
		return refuse(e, x, 400, "E2b-Sandbox-Id or E2b-Sandbox-Port is invalid");
	if (t.where == ROUTE_CONTROL && is_of_others(e->how.wire, x))
		return E2B_NOT_MINE;
	if (t.where == ROUTE_PORT)
		return refuse(e, x, 501,
			      "aisbx relays no ports of sandboxes here; publish them with aisbx ports");
	route = find_route(e, x, &t, id, &seen);
	*ret_max_body = route == ROUTE_WRITE ? MOST_FILE : MOST_TEXT;
	ok = t.where == ROUTE_CONTROL ? take_key(e, x) : t.id[0] && take_access(e, x, t.id, t.where);
	if (!ok)
		ok = take_signature(e, x, route, t.id);
	/* Who may not know of a sandbox is told that it is not there. */
	if (route == ROUTE_HEALTH || route == ROUTE_CODE_HEALTH)
		return E2B_MINE;
	if (!ok)
		return refuse(e, x, 401,
			      t.where == ROUTE_CONTROL
				      ? "unknown API key: E2B_API_KEY must be a token of aisbx serve"
				      : "the access token of this sandbox is missing or wrong");
	if (route == ROUTE_NONE)
		return seen ? refuse(e, x, 405, "this address is for another method")
			    : refuse(e, x, t.where == ROUTE_CONTROL ? 501 : 404,
				     "aisbx does not serve this part of the interface; see docs/e2b.md");
	return E2B_MINE;
}

/* ---- requests ---- */

static void settle(struct request *r)
{
	struct e2b *e = r->e2b;

	if (r->x || r->job)
		return;
	if (r->prev)
		r->prev->next = r->next;
	else
		e->requests = r->next;
	if (r->next)
		r->next->prev = r->prev;
	e->n_requests--;
	if (r->free_own)
		r->free_own(r->own);
	json_decref(r->params);
	free(r);
}

struct job {
	struct e2b *e2b;
	struct request *request; /* NULL: nobody waits */
	char box[ROUTE_ID_MAX];
	struct call *call;
	bool cancel;
	job_done done;
};

static void on_end(void *ctx)
{
	struct request *r = ctx;

	r->x = NULL;
	if (r->gone)
		r->gone(r);
	if (r->job && r->job->cancel)
		call_cancel(r->job->call);
	settle(r);
}

static bool take_json(struct request *r, const char *body, size_t len, struct aisbx_error *e)
{
	if (!len) {
		r->params = json_object();
		return true;
	}
	r->params = server_json_read(body, len, e);
	if (r->params && !json_is_object(r->params)) {
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "the body must be an object");
		return false;
	}
	return r->params;
}

static bool take_body(struct request *r, struct aisbx_error *e)
{
	const char *text;
	unsigned int flags;
	size_t len, n, at = 0;
	const char *body = r->e2b->how.wire->body(r->x, &len);

	if (handlers[r->route].body == BODY_JSON)
		return take_json(r, body, len, e);
	if (handlers[r->route].body != BODY_STREAM)
		return true;
	if (frame_next(body, len, &at, &flags, &text, &n) == 1)
		return take_json(r, text, n, e);
	aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EBADMSG,
		     "the body is not an envelope of the Connect protocol, without compression");
	return false;
}

struct sandbox *e2b_box(struct request *r)
{
	struct sandbox *s = sandbox_find(r->e2b, r->box);

	if (s && !s->ending && !s->origin[0] && (r->e2b->how.share || !strcmp(s->token, r->token)))
		return s;
	if (r->route < ROUTE_HEALTH)
		answer_refusal(r, AISBX_KIND_NOT_FOUND, "sandbox '%s' not found", r->box);
	else /* as their proxy says it, by which the clients know that it has gone */
		answer_json(r, 502,
			    json_pack("{s:s, s:s, s:i}", "sandboxId", r->box, "message",
				      "The sandbox was not found", "code", 502));
	return NULL;
}

/* A box has one user; those that E2B's machines have stand for it. */
static bool check_user(const struct request *r, struct aisbx_error *e)
{
	const char *given = r->e2b->how.wire->header(r->x, "Authorization"),
		   *query = r->e2b->how.wire->query(r->x, "username");
	scoped(buf_finish) struct buf name = { 0 };

	if (r->route < ROUTE_HEALTH)
		return true;
	if (given && !strncasecmp(given, "Basic ", 6)) {
		if (base64_read(&name, given + 6, strlen(given + 6)) && name.len)
			name.len = strnlen(name.data, name.len);
	} else if (query) {
		route_unescape(query, &name);
	}
	if (!buf_str(&name) || !name.len)
		return true;
	name.data[strcspn(name.data, ":")] = '\0';
	if (!*name.data || !strcmp(name.data, "user") || !strcmp(name.data, "root"))
		return true;
	aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
		     "there is no user '%.60s' in the sandbox; it has 'user' and 'root', which are the same",
		     name.data);
	return false;
}

static void serve(struct request *r)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct sandbox *s = NULL;

	if (r->box[0] && r->route != ROUTE_SNAPSHOT_REMOVE) {
		s = e2b_box(r);
		if (!s)
			return;
		if (s->paused && r->route >= ROUTE_HEALTH) {
			answer_json(r, 502,
				    json_pack("{s:s, s:s, s:i}", "sandboxId", r->box, "message",
					      "The sandbox was not found: it is paused, connect to it",
					      "code", 502));
			return;
		}
	}
	if (s && r->route > ROUTE_HEALTH && r->route != ROUTE_CODE_HEALTH)
		sandbox_keep(s);
	if (!check_user(r, &e) || !take_body(r, &e))
		answer_error(r, &e);
	else
		handlers[r->route].fn(r);
}

void e2b_request(struct e2b *e, struct exchange *x)
{
	struct request *r = e->n_requests < MAX_REQUESTS ? calloc(1, sizeof(*r)) : NULL;
	struct route_target t;
	bool seen;

	if (!r || e->stopping || !find_target(e, x, &t)) {
		free(r);
		e->how.wire->add_header(x, "Retry-After", "1");
		refuse(e, x, 503, "too many requests are in progress; try again");
		return;
	}
	*r = (struct request){ .e2b = e, .x = x, .next = e->requests };
	if (r->next)
		r->next->prev = r;
	e->requests = r;
	e->n_requests++;
	snprintf(r->token, sizeof(r->token), "%s", e->how.wire->token(x));
	r->route = find_route(e, x, &t, r->id, &seen);
	if (r->route == ROUTE_READ || r->route == ROUTE_WRITE)
		take_signature(e, x, r->route, t.id);
	snprintf(r->box, sizeof(r->box), "%s", t.where == ROUTE_CONTROL ? r->id : t.id);
	r->stream = handlers[r->route].body == BODY_STREAM;
	e->how.wire->on_end(x, on_end, r);
	serve(r);
}

/* ---- calls ---- */

void e2b_after_job(struct e2b *e)
{
	if (e->stopping && !e->n_jobs && e->stopped) {
		void (*stopped)(void *ctx) = e->stopped;

		e->stopped = NULL;
		stopped(e->stopped_ctx);
	}
}

static void on_done(void *ctx, const json_t *result, const struct aisbx_error *e)
{
	struct job *j = ctx;
	struct e2b *e2b = j->e2b;
	struct request *r = j->request;
	struct sandbox *s = sandbox_find(e2b, j->box);

	e2b->n_jobs--;
	if (s)
		s->n_jobs--;
	if (r) {
		r->job = NULL;
		j->done(r, result, e);
		settle(r);
	}
	s = sandbox_find(e2b, j->box);
	if (s)
		sandbox_settle(s);
	free(j);
	e2b_after_job(e2b);
}

struct call_how e2b_how_call(const struct sandbox *s, const char *token, char owner[TOKEN_MAX + 8])
{
	const struct e2b *e = s->e2b;

	snprintf(owner, TOKEN_MAX + 8, "token-%s", token);
	return (struct call_how){ .owner = e->how.share ? NULL : owner,
				  .cwd = e->how.home,
				  .env = e->how.env };
}

static bool start_job(struct e2b *e, struct sandbox *s, struct job *j, const struct op *op, const char *token,
		      json_t *args, struct aisbx_error *err)
{
	static const struct call_events events = { .done = on_done };
	const struct sandbox none = { .e2b = e };
	char owner[TOKEN_MAX + 8];
	const struct call_how how = e2b_how_call(s ? s : &none, token, owner);

	if (e->n_jobs >= MAX_JOBS) {
		aisbx_refuse(err, AISBX_KIND_LIMIT, AISBX_AREA_RUN, EAGAIN,
			     "%u calls are in progress; wait until some have ended", e->n_jobs);
		return false;
	}
	if (call_start(e->loop, op, args, &how, &events, j, &j->call, err) < 0)
		return false;
	e->n_jobs++;
	if (s)
		s->n_jobs++;
	return true;
}

void e2b_call(struct request *r, const struct op *op, json_t *args, bool cancel, job_done done)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct sandbox *s = sandbox_find(r->e2b, r->box);
	struct job *j = calloc(1, sizeof(*j));

	if (!j || !args) {
		aisbx_fail(&e, AISBX_AREA_SYS, ENOMEM, "start '%s'", op->name);
	} else {
		*j = (struct job){ .e2b = r->e2b, .request = r, .cancel = cancel, .done = done };
		snprintf(j->box, sizeof(j->box), "%s", s ? s->id : "");
		if (start_job(r->e2b, s, j, op, r->token, args, &e)) {
			r->job = j;
			j = NULL;
		}
	}
	json_decref(args);
	if (r->job)
		return;
	free(j);
	done(r, NULL, &e);
}

bool e2b_aside(struct sandbox *s, const struct op *op, json_t *args)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct job *j = calloc(1, sizeof(*j));
	bool ok = false;

	if (j && args) {
		*j = (struct job){ .e2b = s->e2b };
		snprintf(j->box, sizeof(j->box), "%s", s->id);
		ok = start_job(s->e2b, s, j, op, s->token, args, &e);
	}
	json_decref(args);
	if (!ok)
		free(j);
	return ok;
}

/* ---- beginning and end ---- */

#define TICK_MS 20

static void on_tick(void *ctx)
{
	struct e2b *e = ctx;
	static unsigned int ticks;
	const bool second = !e->n_held || !(++ticks % (1000 / TICK_MS));

	for (struct sandbox *s = e->sandboxes; s; s = s->next)
		processes_tend(s, second);
	if (second)
		sandboxes_tend(e);
	timer_set(e->timer, e->n_held ? TICK_MS : 1000);
}

int e2b_open(struct loop *l, const struct e2b_how *how, struct e2b **ret_e2b, struct aisbx_error *e)
{
	struct e2b *e2b = calloc(1, sizeof(*e2b));
	int r;

	if (!e2b)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "serve sandboxes");
	*e2b = (struct e2b){ .loop = l, .how = *how };
	r = timer_add(l, on_tick, e2b, &e2b->timer, e);
	if (r == 0)
		r = sandboxes_load(e2b, e);
	if (r < 0) {
		e2b_close(e2b);
		return r;
	}
	timer_set(e2b->timer, 1000);
	*ret_e2b = e2b;
	return 0;
}

void e2b_stop(struct e2b *e, void (*stopped)(void *ctx), void *ctx)
{
	e->stopping = true;
	e->stopped = stopped;
	e->stopped_ctx = ctx;
	for (struct sandbox *s = e->sandboxes; s; s = s->next) {
		processes_end(s);
		watchers_end(s);
		if (s->keeper)
			call_cancel(s->keeper);
	}
	for (struct request *r = e->requests; r; r = r->next)
		if (r->job)
			call_cancel(r->job->call);
	e2b_after_job(e);
}

void e2b_close(struct e2b *e)
{
	if (!e)
		return;
	timer_end(&e->timer);
	while (e->requests) {
		e->requests->x = NULL;
		e->requests->job = NULL;
		settle(e->requests);
	}
	sandboxes_free(e);
	free(e);
}
