/* SPDX-License-Identifier: Apache-2.0 */
/* Takes images elsewhere: to a registry, into a file. */
#include "box/image_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/image_pack.h"
#include "box/image_settings.h"
#include "image/helper.h"
#include "image/reference.h"

static int open_whole(struct images *i, const char *key, struct image_details *d, struct aisbx_error *e)
{
	int r = images_open(i, e);

	if (r == 0)
		r = image_details_read(i, key, d, e);
	return r == 0 ? image_pack_check(d, e) : r;
}

/* A name of an import, an id or a digest says not where to: nothing is sent to docker.io by accident. */
static bool has_registry(const char *name)
{
	size_t n = strcspn(name, "/");

	return name[n] && (memchr(name, '.', n) || memchr(name, ':', n) || !strncmp(name, "localhost/", 10));
}

int image_push_manifest(struct images *i, const char *digest, const char *to, const struct image_import *how,
			struct image_pushed *ret, struct aisbx_error *e)
{
	scoped(reference_finish) struct reference ref = { 0 };
	scoped(drop_mem) char *where = NULL;
	json_auto_t *request = NULL;
	json_auto_t *ok = NULL;
	int r = reference_parse(to, &ref, e);

	if (r == 0 && !(where = reference_full(&ref)))
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "push an image");
	if (r < 0)
		return r;
	request = json_pack("{s:s, s:s, s:s, s:s}", "do", "push", "blobs", i->blobs, "manifest", digest, "to",
			    where);
	r = request ? image_settings_add(how->by, NULL, request, e)
		    : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				   "a reference must be UTF-8");
	if (r == 0)
		r = image_ask(request, how->progress, how->progress_ctx, &ok, e);
	if (r < 0)
		return r;
	snprintf(ret->digest, sizeof(ret->digest), "%s", digest);
	ret->to = take_mem(&where);
	ret->sent = (size_t)json_integer_value(json_object_get(ok, "sent"));
	ret->there = (size_t)json_integer_value(json_object_get(ok, "there"));
	return 0;
}

int image_push(const char *key, const char *to, const struct image_import *how, struct image_pushed *ret,
	       struct aisbx_error *e)
{
	scoped(images_close) struct images i = IMAGES_INIT;
	scoped(image_details_finish) struct image_details d = { 0 };
	int r = open_whole(&i, key, &d, e);

	if (r == 0 && !to && !has_registry(key))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "say where to push it: 'aisbx image push %.40s REGISTRY/NAME:TAG'", key);
	return r == 0 ? image_push_manifest(&i, d.image.digest, to ? to : key, how, ret, e) : r;
}

int image_save(const char *key, const char *format, const char *path, const struct image_import *how,
	       char ret_digest[STORE_DIGEST_MAX], struct aisbx_error *e)
{
	scoped(images_close) struct images i = IMAGES_INIT;
	scoped(image_details_finish) struct image_details d = { 0 };
	json_auto_t *request = NULL;
	json_auto_t *ok = NULL;
	struct stat st;
	int r = open_whole(&i, key, &d, e);

	if (r == 0 && lstat(path, &st) == 0)
		r = aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_BOX, EEXIST,
				 "'%s' exists already; remove it, or give another name", path);
	if (r < 0)
		return r;
	request = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "do", "write", "to", format, "path", path,
			    "blobs", i.blobs, "manifest", d.image.digest, "name",
			    d.image.names.n ? d.image.names.items[0] : d.image.id);
	r = request ? image_ask(request, how->progress, how->progress_ctx, &ok, e)
		    : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "a path must be UTF-8");
	if (r == 0)
		snprintf(ret_digest, STORE_DIGEST_MAX, "%s", d.image.digest);
	return r;
}
