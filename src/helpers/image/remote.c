/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a registry: which places serve it, how they are reached, and with which password. */
#include "helpers/image/remote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/auth.h"

#define HUB_HOST "registry-1.docker.io"

void remote_close(struct remote *r)
{
	for (size_t i = 0; i < r->n_sources; i++) {
		origin_finish(&r->sources[i].origin);
		free(r->sources[i].repository);
	}
	free(r->sources);
	free(r->lists[0]);
	free(r->lists[1]);
	http_client_finish(&r->client);
	reference_finish(&r->ref);
	*r = (struct remote){ 0 };
}

/* The texts of an array; LIST is owned, its texts are the request's. */
static int read_list(const json_t *array, const char ***list, size_t *n, struct aisbx_error *e)
{
	size_t i;
	const json_t *item;

	*list = calloc(json_array_size(array) + 1, sizeof(**list));
	if (!*list)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the request");
	json_array_foreach((json_t *)array, i, item) if (json_is_string(item))(*list)[(*n)++] =
		json_string_value(item);
	return 0;
}

static void read_patience(const json_t *request, struct http_client *c)
{
	json_int_t patience = json_integer_value(json_object_get(request, "patience_s"));
	const json_t *pause = json_object_get(request, "pause_ms");

	if (patience > 0 && patience < 3600)
		c->patience_s = (unsigned int)patience;
	if (json_is_integer(pause) && json_integer_value(pause) >= 0 && json_integer_value(pause) < 60000)
		c->pause_ms = (unsigned int)json_integer_value(pause);
}

static int set_scopes(struct source *s, enum remote_use use, const char *mount_from)
{
	const char *other = mount_from ? mount_from : "";

	/* Repositories are made of a-z, 0-9 and "._-/": nothing to escape. */
	return asprintf(&s->origin.scopes, "scope=repository:%s:%s%s%s%s", s->repository,
			use == REMOTE_PUSH ? "pull,push" : "pull", *other ? "&scope=repository:" : "", other,
			*other ? ":pull" : "");
}

/* The source at URL, where the repository is PREFIX REPOSITORY. KEY: the name of its password. */
static int add_source(struct remote *r, const char *url, const char *prefix, const char *key,
		      const json_t *request, enum remote_use use, const char *mount_from,
		      struct aisbx_error *e)
{
	struct source *s = &r->sources[r->n_sources];
	const json_t *auth = json_object_get(request, "auth");
	int n;

	r->n_sources++;
	s->origin.base = strdup(url);
	n = s->origin.base ? asprintf(&s->repository, "%s%s", prefix, r->ref.repository) : -1;
	if (n < 0 || set_scopes(s, use, mount_from) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "open the registry '%s'", key);
	n = place_read(url, &s->origin.place, e);
	if (n == 0 && s->origin.place.is_plain && !place_is_loopback(s->origin.place.host) &&
	    !place_is_listed(&s->origin.place, r->client.plain, r->client.n_plain))
		n = aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
				 "'%s' would be asked without TLS; list it in plain_http if that is right",
				 s->origin.place.host);
	if (n == 0 && !json_is_false(auth))
		n = auth_find(json_string_value(auth), key, s->repository, &s->origin.who, e);
	return n;
}

/* A mirror's URL may have a path, which goes before the name of each repository there. */
static int add_mirror(struct remote *r, const char *url, const json_t *request, struct aisbx_error *e)
{
	const char *host = strstr(url, "://"), *slash = host ? strchr(host + 3, '/') : NULL;
	scoped(drop_mem) char *base = strndup(url, slash ? (size_t)(slash - url) : strlen(url));
	scoped(drop_mem) char *prefix = NULL;
	size_t len;

	if (!host || strpbrk(url, "?#"))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the mirror '%s' is no URL", url);
	slash = slash ? slash + strspn(slash, "/") : "";
	len = strlen(slash);
	while (len && slash[len - 1] == '/')
		len--;
	if (!base || asprintf(&prefix, "%.*s%s", (int)len, slash, len ? "/" : "") < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "open the mirror '%s'", url);
	return add_source(r, base, prefix, base + (host - url) + 3, request, REMOTE_PULL, NULL, e);
}

static int add_mirrors(struct remote *r, const json_t *request, const json_t *mirrors, struct aisbx_error *e)
{
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)mirrors, i, item)
	{
		int n = json_is_string(item) ? add_mirror(r, json_string_value(item), request, e)
					     : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
							    "mirrors of '%s' must be URLs", r->ref.host);
		if (n < 0)
			return n;
	}
	return 0;
}

static int add_registry(struct remote *r, const json_t *request, enum remote_use use, const char *mount_from,
			struct aisbx_error *e)
{
	const char *host = strcmp(r->ref.host, REFERENCE_DOCKER) ? r->ref.host : HUB_HOST;
	scoped(drop_mem) char *url = NULL;
	scoped(drop_mem) char *guess = NULL;
	struct place p = { 0 };
	int n;

	if (asprintf(&guess, "http://%s", host) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "open the registry '%s'", host);
	n = place_read(guess, &p, e);
	if (n < 0)
		return n;
	if (asprintf(&url, "%s://%s",
		     place_is_loopback(p.host) || place_is_listed(&p, r->client.plain, r->client.n_plain)
			     ? "http"
			     : "https",
		     host) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "open the registry '%s'", host);
	return add_source(r, url, "", r->ref.host, request, use, mount_from, e);
}

int remote_open(const json_t *request, const char *reference, enum remote_use use, const char *mount_from,
		struct remote *ret, struct aisbx_error *e)
{
	const json_t *mirrors;
	int n = http_client_init(&ret->client, auth_answer, e);

	if (n == 0)
		n = reference_parse(reference, &ret->ref, e);
	if (n < 0)
		return n;
	read_patience(request, &ret->client);
	n = read_list(json_object_get(request, "plain_http"), &ret->lists[0], &ret->client.n_plain, e);
	if (n == 0)
		n = read_list(json_object_get(request, "token_hosts"), &ret->lists[1],
			      &ret->client.n_token_hosts, e);
	ret->client.plain = ret->lists[0];
	ret->client.token_hosts = ret->lists[1];
	if (n < 0)
		return n;
	mirrors = use == REMOTE_PULL ? json_object_get(json_object_get(request, "mirrors"), ret->ref.host)
				     : NULL;
	if (json_array_size(mirrors) > REMOTE_MAX_MIRRORS)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_USAGE, EINVAL,
				    "'%s' has more than %u mirrors", ret->ref.host, REMOTE_MAX_MIRRORS);
	ret->sources = calloc(json_array_size(mirrors) + 1, sizeof(*ret->sources));
	if (!ret->sources)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "open a registry");
	n = add_mirrors(ret, request, mirrors, e);
	return n < 0 ? n : add_registry(ret, request, use, mount_from, e);
}

/* A server that speaks TLS takes plain HTTP for a mistake: it says 400, or nothing. */
static int greet(struct remote *r, struct source *s, struct aisbx_error *e)
{
	scoped(http_call_finish) struct http_call call = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	char *url = NULL;
	int n = http_call_init(&call, &s->origin, "GET", "/v2/", e);

	if (n < 0)
		return n;
	call.answered_401 = true; /* that is an answer, too */
	call.is_once = true;
	n = http_ask(&r->client, &call, &ignored);
	if ((n == 0 && call.status != 400) || call.e.code == -EHOSTUNREACH)
		return 0; /* if nobody is there, the next call says so */
	if (asprintf(&url, "https%s", s->origin.base + strlen("http")) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "open a registry");
	free(s->origin.base);
	s->origin.base = url;
	s->origin.place.is_plain = false;
	s->origin.is_reached = false;
	return place_read(url, &s->origin.place, e);
}

int remote_greet(struct remote *r, struct aisbx_error *e)
{
	struct source *last = &r->sources[r->n_sources - 1];

	if (!last->origin.place.is_plain || !place_is_loopback(last->origin.place.host) ||
	    place_is_listed(&last->origin.place, r->client.plain, r->client.n_plain))
		return 0;
	return greet(r, last, e);
}

int remote_call(struct remote *r, size_t s, const char *method, const char *path, struct http_call *ret,
		struct aisbx_error *e)
{
	scoped(drop_mem) char *whole = NULL;

	if (asprintf(&whole, "/v2/%s/%s", r->sources[s].repository, path) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "ask a registry");
	return http_call_init(ret, &r->sources[s].origin, method, whole, e);
}
