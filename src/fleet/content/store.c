/* SPDX-License-Identifier: Apache-2.0 */
/* Which kind of store a URL means. */
#include "fleet/content/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

int content_store_open(const char *url, const char *tenant, const struct content_key *k,
		       struct content_store **ret, struct aisbx_error *e)
{
	struct content_store *s = NULL;
	int r;

	if (!strncmp(url, "dir:/", 5))
		r = content_store_dir(url + 4, tenant, &s, e);
	else if (!strncmp(url, "s3://", 5) && url[5] && url[5] != '/')
		r = content_store_s3(url + 5, tenant, &s, e);
	else if (!strncmp(url, "http://", 7) || !strncmp(url, "https://", 8))
		r = content_store_peer(url, tenant, k, &s, e);
	else
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%.200s' is no store; it is dir:/PATH, s3://BUCKET/PREFIX or "
				    "http://HOST:PORT of a peer",
				    url);
	if (r < 0)
		return r;
	s->url = strdup(url);
	if (!s->url) {
		content_store_close(s);
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "open '%.200s'", url);
	}
	*ret = s;
	return 0;
}

int content_store_make(const char *url, struct aisbx_error *e)
{
	return !strncmp(url, "dir:/", 5) ? content_store_dir_make(url + 4, e) : 0;
}

void content_store_close(struct content_store *s)
{
	if (!s)
		return;
	free(s->url);
	s->ops->destroy(s);
}

void content_store_drop(struct content_store **s)
{
	content_store_close(*s);
}

int content_get(struct content_store *s, const char *name, uint64_t from, uint64_t len, struct buf *ret,
		struct aisbx_error *e)
{
	s->requests++;
	return s->ops->get(s, name, from, len, ret, e);
}

int content_put(struct content_store *s, const char *name, const void *data, size_t len, bool is_new,
		struct aisbx_error *e)
{
	s->requests++;
	return s->ops->put(s, name, data, len, is_new, e);
}

int content_list(struct content_store *s, const char *prefix, const char *after, content_take_fn *take,
		 void *ctx, struct aisbx_error *e)
{
	s->requests++;
	return s->ops->list(s, prefix, after, take, ctx, e);
}

int content_remove(struct content_store *s, const char *name, struct aisbx_error *e)
{
	s->requests++;
	return s->ops->remove(s, name, e);
}
