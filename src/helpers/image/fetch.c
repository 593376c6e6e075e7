/* SPDX-License-Identifier: Apache-2.0 */
/* The request "fetch": all blobs of an image, from wherever it is. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/pseudo.h"
#include "helpers/image/registry.h"
#include "helpers/image/signature.h"
#include "helpers/image/source.h"
#include "helpers/image/verbs.h"

static const struct {
	const char *from;
	int (*fetch)(const struct fetch *f, char ret_manifest[DIGEST_CAP], struct aisbx_error *e);
} local[] = {
	{ "layout", source_layout },
	{ "oci-archive", source_oci_archive },
	{ "docker-archive", source_docker_archive },
	{ "rootfs", source_rootfs },
};

/* "PATH" or "PATH:NAME": the first part that is there is the path. Cuts TEXT. */
static const char *cut_name(char *text)
{
	if (access(text, F_OK) == 0)
		return NULL;
	for (char *colon = text; (colon = strchr(colon + 1, ':'));) {
		*colon = '\0';
		if (access(text, F_OK) == 0)
			return colon + 1;
		*colon = ':';
	}
	return NULL;
}

static int read_limit(const json_t *request, uint64_t *ret, struct aisbx_error *e)
{
	const json_t *it = json_object_get(request, "max_bytes");

	if (it && !json_is_null(it) && (!json_is_integer(it) || json_integer_value(it) < 0))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "max_bytes is no size");
	*ret = (uint64_t)json_integer_value(it);
	return 0;
}

static int fetch_local(const json_t *request, const char *from, struct fetched *ret, struct aisbx_error *e)
{
	scoped(blobs_close) struct blobs b = BLOBS_INIT;
	scoped(drop_mem) char *path = NULL;
	const char *dir = json_string_value(json_object_get(request, "blobs"));
	const char *source = json_string_value(json_object_get(request, "source"));
	struct fetch f = { .request = request,
			   .platform = json_string_value(json_object_get(request, "platform")),
			   .keys = json_object_get(request, "keys"),
			   .blobs = &b };
	char manifest[DIGEST_CAP] = "";
	uint64_t max_bytes = 0;
	int r = read_limit(request, &max_bytes, e);

	if (r < 0)
		return r;
	if (!dir || !source || !*source || !(path = strdup(source)))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "a request to fetch needs from, source and blobs");
	f.name = cut_name(path);
	f.path = path;
	r = blobs_open(dir, max_bytes, &b, e);
	if (r == 0)
		r = blobs_confine(dir, e);
	if (r < 0)
		return r;
	if (!strcmp(from, "pseudo"))
		return pseudo_fetch(request, &b, ret, e);
	r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "'%.40s' is no source of images",
			 from);
	for (size_t i = 0; i < sizeof(local) / sizeof(*local); i++)
		if (!strcmp(local[i].from, from)) {
			*e = (struct aisbx_error)AISBX_ERROR_INIT;
			r = local[i].fetch(&f, manifest, e);
		}
	return r == 0 ? fetched_from_blobs(&b, manifest, f.platform, ret, e) : r;
}

int verb_fetch(const json_t *request, json_t **ret_ok, struct aisbx_error *e)
{
	scoped(fetched_finish) struct fetched f = { 0 };
	const char *from = json_string_value(json_object_get(request, "from"));
	int r;

	if (from && !strcmp(from, "registry"))
		r = registry_fetch(request, &f, e);
	else
		r = fetch_local(request, from ? from : "", &f, e);
	if (r < 0)
		return r;
	*ret_ok = fetched_json(&f);
	return *ret_ok ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "fetch an image");
}
