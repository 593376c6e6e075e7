/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store in S3-compatible storage, by libcurl, which signs requests itself. The place is
 * AISBX_S3_ENDPOINT/BUCKET/PREFIX/TENANT/NAME; who asks is told by the usual variables of AWS.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/content/s3_call.h"
#include "fleet/content/store.h"

#define PAGE 1000 /* names of a list that come at once */

struct s3_store {
	struct content_store store;
	struct s3_place place;
};

static int refuse_status(const struct s3_store *s, const struct s3_call *c, const char *name,
			 struct aisbx_error *e)
{
	enum aisbx_kind kind = c->status == 403 || c->status == 401 ? AISBX_KIND_DENIED
			       : c->status == 404                   ? AISBX_KIND_NOT_FOUND
								    : AISBX_KIND_INTERNAL;
	char why[64];

	s3_error_code(c, why);
	aisbx_refuse(e, kind, AISBX_AREA_LAYER, c->status == 404 ? ENOENT : EIO,
		     "%s '%.100s' in %.200s: the server answers %ld %s", c->method, name, s->store.url,
		     c->status, why);
	if (kind == AISBX_KIND_DENIED)
		aisbx_hint(e, s->place.sign ? "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION"
					    : "this peer serves another tenant, or has another key");
	return e->code;
}

/* Makes the call, and counts what went over the wire. */
static int ask(struct s3_store *s, struct s3_call *c, struct aisbx_error *e)
{
	int r = s3_call_run(&s->place, c, e);

	s->store.sent += c->sent;
	s->store.got += c->got;
	return r < 0 ? aisbx_context(e, "%.200s", s->store.url) : 0;
}

static int get(struct content_store *store, const char *name, uint64_t from, uint64_t len, struct buf *ret,
	       struct aisbx_error *e)
{
	struct s3_store *s = (struct s3_store *)store;
	struct s3_call c = { .method = "GET", .name = name, .into = ret, .most = len };
	int r;

	if (from == CONTENT_TAIL)
		snprintf(c.range, sizeof(c.range), "-%llu", (unsigned long long)len);
	else
		snprintf(c.range, sizeof(c.range), "%llu-%llu", (unsigned long long)from,
			 (unsigned long long)(from + len - 1));
	r = ask(s, &c, e);
	if (r < 0)
		return r;
	if (c.status == 416) /* nothing is there so far behind */
		return 0;
	if (c.status == 404 && !s3_error_is(&c, "NoSuchBucket"))
		return -ENOENT;
	return c.status == 200 || c.status == 206 ? 0 : refuse_status(s, &c, name, e);
}

static int put(struct content_store *store, const char *name, const void *data, size_t len, bool is_new,
	       struct aisbx_error *e)
{
	struct s3_store *s = (struct s3_store *)store;
	struct s3_call c = { .method = "PUT", .name = name, .body = data, .body_len = len, .is_new = is_new };
	int r = ask(s, &c, e);

	if (r < 0)
		return r;
	if (is_new && (c.status == 412 || c.status == 409))
		return -EEXIST;
	return c.status / 100 == 2 ? 0 : refuse_status(s, &c, name, e);
}

static int remove_object(struct content_store *store, const char *name, struct aisbx_error *e)
{
	struct s3_store *s = (struct s3_store *)store;
	struct s3_call c = { .method = "DELETE", .name = name };
	int r = ask(s, &c, e);

	if (r < 0)
		return r;
	return c.status / 100 == 2 || c.status == 404 ? 0 : refuse_status(s, &c, name, e);
}

/* The text between <TAG> and </TAG> after AT, into RET; where it ends, or NULL. Names of ours have nothing
 * that XML would write in another way; others are too long or do not begin as they should. */
static const char *field(const char *at, const char *tag, char *ret, size_t cap)
{
	char open[32], shut[32];
	const char *begin, *stop;

	snprintf(open, sizeof(open), "<%s>", tag);
	snprintf(shut, sizeof(shut), "</%s>", tag);
	begin = strstr(at, open);
	stop = begin ? strstr(begin, shut) : NULL;
	if (!stop)
		return NULL;
	begin += strlen(open);
	snprintf(ret, cap, "%.*s", (int)(stop - begin), begin);
	return stop;
}

/* One page; *LAST is the name it ends with. 1: there is more. */
static int take_page(struct s3_store *s, const char *text, char last[CONTENT_OBJECT_NAME],
		     content_take_fn *take, void *ctx)
{
	const char *prefix = s->place.prefix;
	char key[2 * CONTENT_OBJECT_NAME], size[32], more[8] = "";
	bool is_any = false;

	field(text, "IsTruncated", more, sizeof(more));
	for (const char *at = text; (at = strstr(at, "<Contents>"));) {
		int r;

		at = field(at, "Key", key, sizeof(key));
		if (!at || !field(at, "Size", size, sizeof(size)))
			return -EBADMSG;
		if (strncmp(key, prefix, strlen(prefix)) != 0 ||
		    strlen(key) >= strlen(prefix) + CONTENT_OBJECT_NAME)
			return -EBADMSG;
		snprintf(last, CONTENT_OBJECT_NAME, "%s", key + strlen(prefix));
		is_any = true;
		r = take(ctx, last, strtoull(size, NULL, 10));
		if (r < 0)
			return r;
	}
	return !strcmp(more, "true") && is_any;
}

static int list(struct content_store *store, const char *prefix, const char *after, content_take_fn *take,
		void *ctx, struct aisbx_error *e)
{
	struct s3_store *s = (struct s3_store *)store;
	char last[CONTENT_OBJECT_NAME];
	int r;

	snprintf(last, sizeof(last), "%s", after);
	do {
		scoped(buf_finish) struct buf text = { 0 };
		struct s3_call c = { .method = "GET",
				     .prefix = prefix,
				     .after = last,
				     .page = PAGE,
				     .into = &text,
				     .most = 16u << 20 };

		r = ask(s, &c, e);
		if (r < 0)
			return r;
		if (c.status != 200)
			return refuse_status(s, &c, prefix, e);
		r = buf_str(&text) ? take_page(s, text.data, last, take, ctx) : -ENOMEM;
	} while (r == 1);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "list '%.100s' in %.200s", prefix, store->url) : 0;
}

static int refuse_change(const struct content_store *s, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EROFS,
			    "%.200s is a peer, which can only be read", s->url);
}

static int put_nothing(struct content_store *s, const char *name, const void *data, size_t len, bool is_new,
		       struct aisbx_error *e)
{
	(void)name;
	(void)data;
	(void)len;
	(void)is_new;
	return refuse_change(s, e);
}

static int remove_nothing(struct content_store *s, const char *name, struct aisbx_error *e)
{
	(void)name;
	return refuse_change(s, e);
}

static void destroy(struct content_store *store)
{
	struct s3_store *s = (struct s3_store *)store;

	s3_place_finish(&s->place);
	free(s);
}

static const struct content_store_ops s3_ops = {
	.get = get, .put = put, .list = list, .remove = remove_object, .destroy = destroy
};

static const struct content_store_ops peer_ops = {
	.get = get, .put = put_nothing, .list = list, .remove = remove_nothing, .destroy = destroy
};

int content_store_peer(const char *url, const char *tenant, const struct content_key *k,
		       struct content_store **ret, struct aisbx_error *e)
{
	struct s3_store *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "open %.200s", url);
	r = s3_place_peer(url, tenant, k->peer, &s->place, e);
	if (r < 0) {
		free(s);
		return r;
	}
	s->store.ops = &peer_ops;
	*ret = &s->store;
	return 0;
}

int content_store_s3(const char *bucket, const char *tenant, struct content_store **ret,
		     struct aisbx_error *e)
{
	struct s3_store *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "open s3://%.200s", bucket);
	r = s3_place_init(bucket, tenant, &s->place, e);
	if (r < 0) {
		free(s);
		return r;
	}
	s->store.ops = &s3_ops;
	*ret = &s->store;
	return 0;
}
