/* SPDX-License-Identifier: Apache-2.0 */
/* Carries out calls: side by side, over redirects and breaks, until each has its answer or its error. */
#include "helpers/image/http.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "helpers/image/http_part.h"

void origin_finish(struct origin *o)
{
	free(o->base);
	free(o->scopes);
	credentials_finish(&o->who);
	if (o->authorization)
		explicit_bzero(o->authorization, strlen(o->authorization));
	free(o->authorization);
	*o = (struct origin){ 0 };
}

int http_client_init(struct http_client *c, http_login_fn *login, struct aisbx_error *e)
{
	*c = (struct http_client){ .login = login, .patience_s = HTTP_PATIENCE_S, .pause_ms = HTTP_PAUSE_MS };
	if (curl_global_init(CURL_GLOBAL_DEFAULT) || !(c->multi[0] = curl_multi_init()) ||
	    !(c->multi[1] = curl_multi_init()))
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "start libcurl");
	return 0;
}

void http_client_finish(struct http_client *c)
{
	for (size_t i = 0; i < 2; i++)
		if (c->multi[i])
			curl_multi_cleanup(c->multi[i]);
}

int http_call_init(struct http_call *c, struct origin *o, const char *method, const char *path,
		   struct aisbx_error *e)
{
	*c = (struct http_call){ .origin = o, .method = method, .body_fd = -1, .most = 64u << 10 };
	c->first_url = place_resolve(o->base, path);
	return c->first_url ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "ask '%s'", o->place.host);
}

void http_call_finish(struct http_call *c)
{
	http_easy_drop(c);
	free(c->first_url);
	free(c->url);
	if (c->text.data)
		explicit_bzero(c->text.data, c->text.len);
	buf_finish(&c->text);
	c->first_url = c->url = NULL;
}

static CURLM *multi_of(struct http_client *client)
{
	return client->multi[client->depth > 1];
}

/* One try at C's url, which may be new. */
static int start_try(struct http_call *c)
{
	int r = place_read(c->url, &c->place, &c->e);

	if (r < 0)
		return c->r = r;
	if (http_easy_make(c) < 0)
		return c->r;
	if (curl_multi_add_handle(multi_of(c->client), c->easy))
		return c->r = aisbx_fail(&c->e, AISBX_AREA_BOX, ENOMEM, "ask '%s'", c->place.host);
	c->is_running = true;
	return 0;
}

static int begin(struct http_call *c)
{
	c->due_ms = 0;
	free(c->url);
	c->url = strdup(c->first_url);
	c->redirects = 0;
	if (!c->url)
		return c->r = aisbx_fail(&c->e, AISBX_AREA_BOX, ENOMEM, "ask a registry");
	if (c->hooks && c->hooks->start)
		c->r = c->hooks->start(c);
	return c->r < 0 || c->is_done ? c->r : start_try(c);
}

/* A try failed in a way that the next one may not. RESULT: what it ends with otherwise. */
static int try_again(struct http_call *c, unsigned int weight, const char *why)
{
	uint64_t pause = (uint64_t)c->client->pause_ms << (c->tries < 6 ? c->tries : 6);

	if (c->from + c->got >= c->high && c->got >= HTTP_PROGRESS)
		c->tries = 0;
	c->tries += weight;
	if (c->tries >= HTTP_MAX_TRIES || c->is_once)
		return c->r = aisbx_refuse(&c->e, AISBX_KIND_TIMEOUT, AISBX_AREA_BOX, EIO,
					   "'%s' did not answer as it should: %s", c->place.host, why);
	if (pause < c->retry_after_s * 1000u)
		pause = c->retry_after_s * 1000u;
	c->due_ms = time_ms() + pause;
	return 0;
}

static void make_plain(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x7f)
			*text = '?';
}

static int fail_try(struct http_call *c, CURLcode code)
{
	bool reached = c->origin->is_reached;
	int kind = AISBX_KIND_NOT_FOUND;

	if (!c->reason[0])
		snprintf(c->reason, sizeof(c->reason), "%s", curl_easy_strerror(code));
	make_plain(c->reason);
	switch ((int)code) {
	case CURLE_PARTIAL_FILE:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_GOT_NOTHING:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
		return try_again(c, 1, c->reason);
	case CURLE_COULDNT_CONNECT:
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_SSL_CONNECT_ERROR:
		if (reached)
			return try_again(c, 1, c->reason);
		break;
	case CURLE_OPERATION_TIMEDOUT:
		if (reached)
			return try_again(c, 2, c->reason);
		kind = AISBX_KIND_TIMEOUT;
		break;
	case CURLE_PEER_FAILED_VERIFICATION:
		return c->r = aisbx_refuse(&c->e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EHOSTUNREACH,
					   "the registry '%s' has a certificate that is not trusted: %s; "
					   "nothing was sent",
					   c->place.host, c->reason);
	default:
		break;
	}
	return c->r = aisbx_refuse(&c->e, kind, AISBX_AREA_BOX,
				   kind == AISBX_KIND_TIMEOUT ? ETIMEDOUT : EHOSTUNREACH,
				   "the registry '%s' cannot be reached: %s; check its name and port, the "
				   "network and the proxy",
				   c->place.host, c->reason);
}

static bool is_redirect(const struct http_call *c)
{
	bool keeps_method = c->status == 307 || c->status == 308;

	return c->location[0] &&
	       (keeps_method || ((c->status == 301 || c->status == 302 || c->status == 303) &&
				 (!strcmp(c->method, "GET") || !strcmp(c->method, "HEAD"))));
}

/* To another place the call goes without the header Authorization (http_at_origin). */
static int follow(struct http_call *c)
{
	scoped(drop_mem) char *url = place_resolve(c->url, c->location);
	struct place to;
	int r;

	if (c->redirects++ >= HTTP_MAX_REDIRECTS)
		return c->r = aisbx_refuse(&c->e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, ELOOP,
					   "'%s' redirects more than %d times", c->origin->place.host,
					   HTTP_MAX_REDIRECTS);
	if (!url)
		return c->r = aisbx_refuse(&c->e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPROTO,
					   "'%s' redirects to what is no address", c->place.host);
	r = place_read(url, &to, &c->e);
	if (r == 0)
		r = place_check_step(&c->place, &to, c->client->plain, c->client->n_plain, &c->e);
	if (r == 0 && c->is_strange && !place_is_same(&c->place, &to))
		r = aisbx_refuse(&c->e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
				 "the token server '%s' redirects to '%s', which is not followed",
				 c->place.host, to.host);
	if (r == 0 && !place_may_lead(c->origin->reach, place_reach_of_name(to.host)))
		r = aisbx_refuse(&c->e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
				 "'%s' leads to '%s', an address of this machine or a network around it",
				 c->origin->place.host, to.host);
	if (r < 0)
		return c->r = r;
	free(c->url);
	c->url = take_mem(&url);
	return start_try(c);
}

/* Another call may have logged in meanwhile. */
static int answer_challenge(struct http_call *c)
{
	if (c->logins != c->origin->logins)
		return begin(c);
	c->answered_401 = true;
	c->r = c->client->login(c->client, c->origin, &c->challenge, &c->e);
	return c->r < 0 ? c->r : begin(c);
}

static bool is_passing(long status)
{
	return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 ||
	       status == 504;
}

/* A try has ended: with the answer, one more try now or later, or an error. */
static void end_try(struct http_call *c, CURLcode code)
{
	char why[32];

	curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &c->status);
	curl_multi_remove_handle(multi_of(c->client), c->easy);
	c->is_running = false;
	if (code == CURLE_OK && !is_redirect(c))
		http_head_once(c);
	http_easy_drop(c);
	if (c->r < 0)
		return;
	if (code != CURLE_OK) {
		fail_try(c, code);
	} else if (is_redirect(c)) {
		follow(c);
	} else if (c->status == 401 && http_at_origin(c) && !c->answered_401) {
		answer_challenge(c);
	} else if (is_passing(c->status)) {
		snprintf(why, sizeof(why), "HTTP status %ld", c->status);
		try_again(c, 1, why);
	} else {
		c->answered_401 = false;
		c->is_done = true;
	}
}

/* Whether C needs nothing more; a hook may have filled it anew, which is begun then. */
static bool is_over(struct http_call *c)
{
	for (;;) {
		if (c->r == 0 && !c->is_done)
			return false;
		if (c->is_running) {
			curl_multi_remove_handle(multi_of(c->client), c->easy);
			c->is_running = false;
		}
		http_easy_drop(c);
		if (!c->hooks || !c->hooks->then || !c->hooks->then(c))
			return true;
		c->is_done = false;
		c->r = 0;
		c->tries = 0;
		c->high = 0;
		c->answered_401 = false;
		if (c->delay_ms) {
			c->due_ms = time_ms() + c->delay_ms;
			c->delay_ms = 0;
			return false;
		}
		begin(c);
	}
}

static void stop(struct http_call **active, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (active[i]->is_running)
			curl_multi_remove_handle(multi_of(active[i]->client), active[i]->easy);
		active[i]->is_running = false;
		http_easy_drop(active[i]);
		active[i]->r = -ECANCELED;
	}
}

static void take_ends(CURLM *multi)
{
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(multi, &left))) {
		struct http_call *c = NULL;
		CURLcode code = m->data.result;

		if (m->msg == CURLMSG_DONE &&
		    !curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&c) && c)
			end_try(c, code);
	}
}

/* Begins what is due. RET_WAIT_MS: how long nothing else is. */
static void begin_due(struct http_call **active, size_t n, int *ret_wait_ms)
{
	uint64_t now = time_ms(), wait = 1000;

	for (size_t i = 0; i < n; i++) {
		if (!active[i]->due_ms)
			continue;
		if (active[i]->due_ms <= now) {
			begin(active[i]);
			wait = 0;
		} else if (active[i]->due_ms - now < wait) {
			wait = active[i]->due_ms - now;
		}
	}
	*ret_wait_ms = (int)wait;
}

void http_run(struct http_client *client, struct http_call **calls, size_t n, size_t at_once)
{
	struct http_call *active[16];
	size_t next = 0, n_active = 0;
	int running, wait_ms;
	CURLM *multi;

	if (at_once < 1 || at_once > sizeof(active) / sizeof(*active))
		at_once = 1;
	client->depth++;
	multi = multi_of(client);
	for (;;) {
		while (n_active < at_once && next < n) {
			active[n_active] = calls[next++];
			active[n_active]->client = client;
			begin(active[n_active++]);
		}
		curl_multi_perform(multi, &running);
		take_ends(multi);
		for (size_t i = n_active; i-- > 0;)
			if (is_over(active[i]))
				active[i] = active[--n_active];
		if (client->is_stopped)
			stop(active, n_active);
		if (client->is_stopped || (!n_active && next == n))
			break;
		begin_due(active, n_active, &wait_ms);
		if (n_active == at_once || next == n)
			curl_multi_poll(multi, NULL, 0, wait_ms, NULL);
	}
	client->depth--;
}

int http_ask(struct http_client *client, struct http_call *call, struct aisbx_error *e)
{
	http_run(client, &call, 1, 1);
	if (call->r < 0)
		*e = call->e;
	return call->r;
}

int http_refuse_status(const struct http_call *call, const char *what, struct aisbx_error *e)
{
	const char *host = call->origin->place.host;

	if (call->status == 401 || call->status == 403)
		return aisbx_refuse(
			e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EACCES, "'%s' refuses %s (status %ld); %s",
			host, what, call->status,
			call->origin->who.user || call->origin->who.identity_token
				? "the password in your file was refused"
				: "there is no password for it; `docker login` or `skopeo login` keep one");
	if (call->status == 404)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT, "'%s' has no %s", host,
				    what);
	return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
			    "'%s' answered %s with status %ld", host, what, call->status);
}
