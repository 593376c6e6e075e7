/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers a registry's challenge. A token server may be anywhere (the protocol wants it so), but it is given
 * the person's password only if it belongs to the registry's domain or was listed for that; others are asked
 * without one, which is enough for public images.
 */
#include "helpers/image/auth.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"

#define TOKEN_ANSWER_MAX (1u << 20)
#define TOKEN_MAX        (64u << 10)

static void wipe_buf(struct buf *b)
{
	if (b->data)
		explicit_bzero(b->data, b->len);
	buf_finish(b);
}

static int set_authorization(struct origin *o, const char *scheme, const char *value, struct aisbx_error *e)
{
	char *line = NULL;

	if (asprintf(&line, "%s %s", scheme, value) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "log in to '%s'", o->place.host);
	if (o->authorization)
		explicit_bzero(o->authorization, strlen(o->authorization));
	free(o->authorization);
	o->authorization = line;
	o->logins++;
	return 0;
}

static int refuse(const struct origin *o, struct aisbx_error *e)
{
	return aisbx_refuse(
		e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EACCES,
		"'%s' wants a password for this, and there is none in your file of passwords; `docker "
		"login` or `skopeo login` keep one",
		o->place.host);
}

static int answer_basic(struct origin *o, struct aisbx_error *e)
{
	scoped(wipe_buf) struct buf pair = { 0 };
	scoped(wipe_buf) struct buf text = { 0 };

	if (!o->who.user)
		return refuse(o, e);
	buf_addf(&pair, "%s:%s", o->who.user, o->who.password ? o->who.password : "");
	if (buf_str(&pair))
		base64_add(&text, pair.data, pair.len);
	if (pair.failed || !buf_str(&text))
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "log in to '%s'", o->place.host);
	return set_authorization(o, "Basic", text.data, e);
}

/* Letters that a header can hold, and a length that it can. */
static bool is_token(const char *t)
{
	size_t len = 0;

	for (; t && t[len]; len++)
		if (t[len] <= ' ' || (unsigned char)t[len] >= 0x7f || len >= TOKEN_MAX)
			return false;
	return len > 0;
}

static int take_token(struct http_call *call, struct origin *o, struct aisbx_error *e)
{
	json_t *answer = json_loadb(call->text.data ? call->text.data : "", call->text.len, 0, NULL);
	const char *token = json_string_value(json_object_get(answer, "token"));
	int r;

	if (!token || !*token)
		token = json_string_value(json_object_get(answer, "access_token"));
	r = is_token(token) ? set_authorization(o, "Bearer", token, e)
			    : aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
					   "the token server '%s' gave an invalid answer", call->place.host);
	json_decref(answer);
	return r;
}

/* "&NAME=VALUE" */
static void add_field(struct buf *b, const char *name, const char *value)
{
	char *safe = curl_easy_escape(NULL, value, (int)strlen(value));

	if (!safe) {
		b->failed = true;
		return;
	}
	buf_addf(b, "%s%s=%s", b->len ? "&" : "", name, safe);
	explicit_bzero(safe, strlen(safe));
	curl_free(safe);
}

/* What both kinds of request say. O->scopes is ours and needs no escape. */
static void add_wishes(struct buf *b, const struct origin *o, const struct challenge *c)
{
	if (c->service[0])
		add_field(b, "service", c->service);
	if (o->scopes)
		buf_addf(b, "%s%s", b->len ? "&" : "", o->scopes);
}

static int refuse_token(const struct http_call *call, const struct origin *o, bool is_trusted,
			struct aisbx_error *e)
{
	if (call->status != 401 && call->status != 403 && call->status != 400)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
				    "the token server '%s' of '%s' answered with status %ld",
				    call->place.host, o->place.host, call->status);
	if (!o->who.user && !o->who.identity_token)
		return refuse(o, e);
	aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EACCES,
		     "the token server '%s' of '%s' gives no token", call->place.host, o->place.host);
	return is_trusted
		       ? aisbx_hint(e, "is the password in your file still right?")
		       : aisbx_hint(e,
				    "it was not told your password, because it is of another domain; list it "
				    "in token_hosts if that is right");
}

static int ask_for_token(struct http_client *client, struct http_call *call, struct origin *o,
			 const struct challenge *c, bool is_trusted, struct aisbx_error *e)
{
	scoped(wipe_buf) struct buf form = { 0 };
	scoped(drop_mem) char *url = NULL;
	int r;

	add_wishes(&form, o, c);
	if (is_trusted && o->who.identity_token) {
		add_field(&form, "grant_type", "refresh_token");
		add_field(&form, "client_id", "aisbx");
		add_field(&form, "refresh_token", o->who.identity_token);
		call->method = "POST";
		call->type = "application/x-www-form-urlencoded";
		call->body = buf_str(&form);
		call->body_len = form.len;
	} else {
		if (is_trusted && o->who.user) {
			add_field(&form, "account", o->who.user);
			call->user = o->who.user;
			call->password = o->who.password ? o->who.password : "";
		}
		if (asprintf(&url, "%s%c%s", c->realm, strchr(c->realm, '?') ? '&' : '?',
			     form.len && buf_str(&form) ? form.data : "") < 0)
			return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "log in to '%s'", o->place.host);
		free(call->first_url);
		call->first_url = take_mem(&url);
	}
	if (form.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "log in to '%s'", o->place.host);
	r = http_ask(client, call, e);
	if (r == 0)
		r = call->status == 200 ? take_token(call, o, e) : refuse_token(call, o, is_trusted, e);
	return r;
}

static int answer_bearer(struct http_client *client, struct origin *o, const struct challenge *c,
			 struct aisbx_error *e)
{
	scoped(http_call_finish) struct http_call call = { 0 };
	struct place realm;
	bool is_trusted;
	int r;

	if (o->who.registry_token)
		return set_authorization(o, "Bearer", o->who.registry_token, e);
	r = place_read(c->realm, &realm, e);
	if (r == 0)
		r = place_check_step(&o->place, &realm, client->plain, client->n_plain, e);
	if (r == 0 && !place_may_lead(o->reach, place_reach_of_name(realm.host)))
		r = aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
				 "'%s' names a token server at '%s', an address of this machine or a network "
				 "around it",
				 o->place.host, realm.host);
	if (r == 0)
		r = http_call_init(&call, o, "GET", c->realm, e);
	if (r < 0)
		return r;
	call.is_strange = true;
	call.most = TOKEN_ANSWER_MAX;
	call.timeout_s = (int)client->patience_s * 2;
	is_trusted = place_is_kin(o->place.host, realm.host) ||
		     place_is_listed(&realm, client->token_hosts, client->n_token_hosts);
	return ask_for_token(client, &call, o, c, is_trusted, e);
}

int auth_answer(struct http_client *client, struct origin *o, const struct challenge *c,
		struct aisbx_error *e)
{
	switch (c->scheme) {
	case CHALLENGE_BASIC:
		return answer_basic(o, e);
	case CHALLENGE_BEARER:
		return answer_bearer(client, o, c, e);
	case CHALLENGE_NONE:
		break;
	}
	return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EPROTO,
			    "'%s' wants to know who asks, in a way that is neither Basic nor Bearer",
			    o->place.host);
}
